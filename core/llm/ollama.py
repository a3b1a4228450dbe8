"""The model port over Ollama's native chat route."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterable
from functools import cached_property
from typing import TYPE_CHECKING, Any

from litecode.core.budget.tokens import Estimator, least
from litecode.core.errors import (
    LitecodeError,
    ModelAuth,
    ModelBadReply,
    ModelBusy,
    ModelCancelled,
    ModelError,
    ModelNotRunning,
    ModelTimeout,
    ModelTooLarge,
    ModelTruncated,
)
from litecode.core.llm.bounded import bound
from litecode.core.llm.marks import check_marks
from litecode.core.llm.models import family_factor
from litecode.core.llm.ollama_site import (
    CONNECT,
    NO_KEY,
    About,
    Site,
    about,
    allocated_window,
    is_answering,
    marks_of,
    missing,
    not_ollama,
    not_running,
)
from litecode.core.llm.streaming import FIRST_TOKEN, IDLE, Answer, Stream, Waiting
from litecode.core.values import Message, Prompt, Reply

if TYPE_CHECKING:
    import httpx
    import ollama

    from litecode.core.budget.halt import Halt

KEEP_ALIVE = "15m"

LOG = "see the server's log"
KEPT = 4  # tokens from the beginning that Ollama keeps when it cuts a prompt to about half of the window
HALF = 3  # tokens around that number that are no chance
NEARLY_FULL = 0.9
LARGE = "set a smaller window, or give Ollama more: git config --global litecode.window TOKENS"


class OllamaModel:
    """One model of one server; asks the server about it when that is first needed.

    One `num_ctx` in every call, because another one makes Ollama load the model again. Prompt and reply always fit it,
    so that Ollama never cuts in silence; that it really has been set up is checked after the first answer.
    """

    def __init__(self, site: Site, model: str, window: int, slots: int = 1, *, patience: float = FIRST_TOKEN) -> None:
        self._site = site
        self._model = model
        self._wanted = window
        self._slots = slots
        self._patience = patience
        self._halt: Halt | None = None
        self._closed = threading.Event()
        self._lock = threading.Lock()
        self._checked = False
        self._answered_once = False

    @property
    def site(self) -> Site:
        return self._site

    def is_answering(self) -> bool:
        return is_answering(self._site)

    @property
    def name(self) -> str:
        return f"{self._model} (ollama)"

    @cached_property
    def _about(self) -> About:
        return about(self._site, self._model)

    @property
    def digest(self) -> str:
        """As the server lists it."""
        return self._about.digest

    @property
    def factor(self) -> float:
        return family_factor(self._about.architecture, self._about.vocabulary)

    @property
    def _context(self) -> int:
        return min(self._wanted, self._about.window) if self._about.window else self._wanted

    @cached_property
    def window(self) -> int:
        """Less what the model's own configuration puts before every conversation."""
        preset = tuple(Message(role, content) for role, content in self._about.preset)
        return self._context - (Estimator(self.factor).messages(preset) if preset else 0)

    @property
    def slots(self) -> int:
        return self._slots

    def bind(self, halt: Halt) -> None:
        self._halt = halt

    def count(self, messages: tuple[Message, ...]) -> int | None:  # noqa: ARG002  Ollama has no route for it
        return None

    def close(self) -> None:
        """Ends the calls under way."""
        self._closed.set()
        if "_client" in self.__dict__:
            end: Callable[[], None] = self._client.close
            end()

    @cached_property
    def _client(self) -> ollama.Client:
        """A client that goes where it is told: no redirect, for this machine no proxy, no key of the environment."""
        try:
            import httpx
            import ollama
        except ValueError as error:  # it reads proxies and OLLAMA_HOST when it is imported
            raise ModelNotRunning(f"the Ollama client cannot start: {error}", "check the proxy variables") from error
        return ollama.Client(
            host=self._site.url,
            follow_redirects=False,
            trust_env=not self._site.is_here,
            timeout=httpx.Timeout(self._patience, connect=CONNECT),
            event_hooks={"request": [_strip, _whole], "response": [bound]},
        )

    def complete(self, prompt: Prompt) -> Reply:
        check_marks(prompt.messages, self._has_marks, self.name)
        # Everything that asks the server once is asked before the clock starts.
        request = self._request(prompt)
        client = self._client
        answer = Answer("Ollama", LOG, prompt.reserve)
        waiting = Waiting(self._check, "Ollama", "see `ollama ps` and the server's log", self._patience, IDLE)
        started = time.monotonic()
        try:
            with Stream(lambda: client.chat(stream=True, **request), waiting) as stream:
                _read(stream, answer)
        except LitecodeError:
            raise
        except Exception as error:
            raise self._error_of(error) from error
        reply = answer.reply(time.monotonic() - started)
        self._answered_once = True
        self._check_count(prompt, reply)
        self._check_window()
        return reply

    def _has_marks(self, text: str) -> bool | None:
        marks = self._marks
        return None if marks is None else any(mark in text for mark in marks)

    @cached_property
    def _marks(self) -> frozenset[str] | None:
        return marks_of(self._site, self._model)

    def _request(self, prompt: Prompt) -> dict[str, Any]:
        sampling = prompt.sampling
        options: dict[str, Any] = {
            "num_ctx": self._context,
            "num_predict": prompt.reserve,
            "temperature": sampling.temperature,
            "seed": sampling.seed,
            "repeat_penalty": 1.0,
            "presence_penalty": 0.0,
            "frequency_penalty": 0.0,
        }
        request: dict[str, Any] = {
            "model": self._model,
            "messages": [{"role": message.role, "content": message.content} for message in prompt.messages],
            "options": options,
            "keep_alive": KEEP_ALIVE,
        }
        if self._about.thinks:
            request["think"] = "low" if self._about.architecture == "gptoss" else False
        if prompt.schema is not None:
            request["format"] = dict(prompt.schema)
        return request

    def _check(self) -> None:
        if self._closed.is_set():
            raise ModelCancelled("the model was closed")
        if self._halt is not None:
            self._halt.check()

    def _check_count(self, prompt: Prompt, reply: Reply) -> None:
        """Whether the server has read the whole prompt."""
        fewest = least(prompt.messages)
        half = self._context - (self._context - KEPT) // 2
        nearly_full = Estimator(self.factor).messages(prompt.messages) > NEARLY_FULL * self._context
        halved = nearly_full and abs(reply.prompt_tokens - half) <= HALF
        if 0 < reply.prompt_tokens < fewest or halved:
            raise ModelTruncated(
                f"Ollama read only {reply.prompt_tokens:,} of at least {fewest:,} tokens: its window is too small",
                LARGE,
            )
        if reply.prompt_tokens >= self._context - HALF:
            raise ModelTruncated(f"the prompt filled Ollama's whole window of {self._context:,} tokens", LARGE)

    def _check_window(self) -> None:
        """Once: whether the window that was asked for has been set up."""
        with self._lock:
            if self._checked:
                return
            found = allocated_window(self._site, self._model)
            if 0 < found < self._context:
                raise ModelTooLarge(
                    f"Ollama has set up a window of {found:,} tokens for {self._model}, not {self._context:,}",
                    f"git config --global litecode.window {found}",
                    needed=self._context,
                    window=found,
                )
            self._checked = True

    def _error_of(self, error: Exception) -> LitecodeError:
        import httpx
        import ollama

        if isinstance(error, ollama.ResponseError):
            return self._answered(error.status_code, " ".join(str(error.error).split())[:200])
        if isinstance(error, httpx.TimeoutException):
            return ModelTimeout(f"Ollama at {self._site.url} does not answer", "see `ollama ps` and the server's log")
        if isinstance(error, httpx.ConnectError) or type(error) is ConnectionError:
            found = not_running(self._site)
            found.retry = self._answered_once  # it was there: it may be starting again
            return found
        if isinstance(error, httpx.HTTPError | OSError):
            return ModelTruncated(f"the connection to Ollama broke: {error}", "try again")
        # What is no JSON, or JSON of another shape (pydantic's error is a ValueError too).
        if isinstance(error, ValueError | RecursionError):
            return not_ollama(self._site)
        return ModelBadReply(f"Ollama failed: {error}", LOG)

    def _answered(self, status: int, text: str) -> LitecodeError:
        """An error that the server has put in words. -1 is one in the middle of a stream."""
        if status == 404:
            return missing(self._site, self._model)
        if status in {429, 503}:
            return ModelBusy(f"Ollama is busy: {text}", "try again when its other requests are done")
        if status in {401, 403}:
            return ModelAuth(f"Ollama refuses access: {text}", NO_KEY)
        if status == 400 and "context" in text:
            return ModelTooLarge(f"Ollama refuses the prompt: {text}", LARGE)
        found: ModelError = ModelBadReply(f"Ollama failed: {text or status}", "see the server's log")
        found.retry = status >= 500 or status == -1
        if 300 <= status < 400:
            return not_ollama(self._site)
        return found


def _strip(request: httpx.Request) -> None:
    request.headers.pop("authorization", None)
    request.headers["accept-encoding"] = "identity"


def _whole(request: httpx.Request) -> None:
    """The prompt as a whole or not at all, and no evicting while the reply is written: with these keys, for which the
    client library has no argument, Ollama says 400 or stops where it would cut in silence. Old servers ignore them.
    """
    import httpx

    data = json.dumps(json.loads(request.read()) | {"truncate": False, "shift": False}).encode()
    request.stream = httpx.ByteStream(data)
    request.headers["content-length"] = str(len(data))


def _read(chunks: Iterable[Any], answer: Answer) -> None:
    for chunk in chunks:
        answer.add(chunk.message.content or "")
        if chunk.done:
            answer.finish = chunk.done_reason or "none"
            answer.prompt_tokens = chunk.prompt_eval_count or 0
            answer.output_tokens = chunk.eval_count or 0
            return
