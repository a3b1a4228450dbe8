"""The model port over Ollama's native chat route."""

from __future__ import annotations

import contextlib
import queue
import threading
import time
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any

from litecode.core.budget.tokens import Estimator
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
from litecode.core.llm.models import family_factor
from litecode.core.llm.ollama_site import (
    CONNECT,
    About,
    Site,
    about,
    allocated_window,
    missing,
    not_ollama,
    not_running,
)
from litecode.core.values import Message, Prompt, Reply, Stop

if TYPE_CHECKING:
    import ollama

    from litecode.core.budget.halt import Halt

KEEP_ALIVE = "15m"
FIRST_TOKEN = 300.0  # seconds: a cold load and the reading of the prompt send nothing
IDLE = 60.0
POLL = 0.1
SUSPICIOUS = 0.75  # of the least that a prompt can have: below this the server has cut it

STOPS = {"stop": Stop.END, "length": Stop.LENGTH}
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
            event_hooks={"request": [lambda request: request.headers.pop("authorization", None)]},
        )

    def complete(self, prompt: Prompt) -> Reply:
        # Everything that asks the server once is asked before the clock starts.
        request = self._request(prompt)
        stream = _Stream(lambda: self._client.chat(stream=True, **request), self._check, self._patience)
        started = time.monotonic()
        try:
            reply = stream.reply(started)
        except LitecodeError:
            raise
        except Exception as error:
            raise self._error_of(error) from error
        self._check_count(prompt, reply)
        self._check_window()
        return reply

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
        """Whether the server has read the whole prompt. Only ASCII says how few tokens it can be at least."""
        plain = [message.content.encode("ascii", "ignore").decode("ascii") for message in prompt.messages]
        least = Estimator(1.0).content(plain)
        if 0 < reply.prompt_tokens < SUSPICIOUS * least:
            raise ModelTruncated(
                f"Ollama read only {reply.prompt_tokens:,} of at least {least:,} tokens: its window is too small", LARGE
            )

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
            return not_running(self._site)
        if isinstance(error, httpx.HTTPError | OSError):
            return ModelTruncated(f"the connection to Ollama broke: {error}", "try again")
        # What is no JSON, or JSON of another shape (pydantic's error is a ValueError too).
        return not_ollama(self._site) if isinstance(error, ValueError) else ModelBadReply(f"Ollama failed: {error}")

    def _answered(self, status: int, text: str) -> LitecodeError:
        """An error that the server has put in words. -1 is one in the middle of a stream."""
        if status == 404:
            return missing(self._site, self._model)
        if status in {429, 503}:
            return ModelBusy(f"Ollama is busy: {text}", "try again when its other requests are done")
        if status in {401, 403}:
            return ModelAuth(f"Ollama refuses access: {text}", "LiteCode sends no key to Ollama")
        if status == 400 and "context" in text:
            return ModelTooLarge(f"Ollama refuses the prompt: {text}", LARGE)
        found: ModelError = ModelBadReply(f"Ollama failed: {text or status}", "see the server's log")
        found.retry = status >= 500 or status == -1
        if 300 <= status < 400:
            return not_ollama(self._site)
        return found


class _Stream:
    """Reads a stream in a thread of its own, so that whoever waits for it can stop at any time."""

    def __init__(self, start: Callable[[], Iterator[Any]], check: Callable[[], None], patience: float) -> None:
        self._start = start
        self._check = check
        self._patience = patience
        self._events: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._left = False

    def reply(self, started: float) -> Reply:
        threading.Thread(target=self._pump, name="litecode-model-call", daemon=True).start()
        pieces: list[str] = []
        try:
            while True:
                chunk = self._next(IDLE if pieces else self._patience)
                if chunk is None:
                    raise ModelTruncated("Ollama's answer broke off", "see the server's log")
                pieces.append(chunk.message.content or "")
                if chunk.done:
                    return Reply(
                        "".join(pieces),
                        STOPS.get(chunk.done_reason or "", Stop.UNKNOWN),
                        chunk.prompt_eval_count or 0,
                        chunk.eval_count or 0,
                        time.monotonic() - started,
                    )
        finally:
            self._left = True

    def _next(self, patience: float) -> Any:
        """The next chunk, None at the end of the stream; raises what the reader has met."""
        until = time.monotonic() + patience
        while True:
            self._check()
            with contextlib.suppress(queue.Empty):
                event = self._events.get(timeout=POLL)
                if isinstance(event, BaseException):
                    raise event
                return event
            if time.monotonic() > until:
                raise ModelTimeout(f"Ollama sent nothing for {patience:g} s", "see `ollama ps` and the server's log")

    def _pump(self) -> None:
        try:
            chunks = self._start()
            for chunk in chunks:
                self._events.put(chunk)
                if self._left:
                    break
            closing = getattr(chunks, "close", None)
            if closing is not None:
                closing()
            self._events.put(None)
        except BaseException as error:
            self._events.put(error)
