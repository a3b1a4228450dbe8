"""The model port over any OpenAI-compatible server, through the `openai` package."""

from __future__ import annotations

import contextlib
import json
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from litecode.core.budget.tokens import Estimator, least
from litecode.core.errors import (
    LitecodeError,
    ModelBusy,
    ModelCancelled,
    ModelError,
    ModelNotRunning,
    ModelTooLarge,
    ModelTruncated,
)
from litecode.core.llm.limits import Allowance
from litecode.core.llm.marks import check_marks
from litecode.core.llm.models import family_factor
from litecode.core.llm.openai_client import LADDER, LOG, knock, make_client, no_answer, request_of
from litecode.core.llm.openai_errors import Answered, Asked, SchemaRefused, error_of, not_compatible
from litecode.core.llm.openai_server import Address, Server, Told
from litecode.core.llm.providers import Provider, provider_of
from litecode.core.llm.streaming import FIRST_TOKEN, IDLE, Answer, Stream, Waiting
from litecode.core.store.facts import FactStore, ModelFacts
from litecode.core.values import Message, Prompt, Reply

if TYPE_CHECKING:
    import openai

    from litecode.core.budget.halt import Halt

CUT = "set a window that it really has: git config --global litecode.window TOKENS"


class OpenAIModel:
    """One model of one server. What the server tells about itself is asked when it is first needed.

    `slots` None: what the server or its kind can do. `facts` keeps what was learnt for the next run.
    """

    def __init__(
        self,
        address: Address,
        model: str,
        window: int,
        slots: int | None = None,
        *,
        key: str = "",
        facts: FactStore | None = None,
        allowance: Allowance | None = None,
    ) -> None:
        self._address = address
        self._model = model
        self._wanted = window
        self._slots = slots
        self._key = key
        self._facts = facts
        self._allowance = allowance or Allowance()
        self._provider: Provider | None = provider_of(address.site.host)
        self._server = Server(address, model, key)
        self._halt: Halt | None = None
        self._closed = threading.Event()
        self._answered = False
        known = self._known()
        self._schema = known.schema if known.schema in LADDER else LADDER[0]
        self._cap = known.request_tokens or (self._provider.request_tokens if self._provider else 0)

    @property
    def site(self) -> Any:
        return self._address.site

    @property
    def name(self) -> str:
        return f"{self._model} ({self._provider.name if self._provider else self._address.site.host})"

    @cached_property
    def _told(self) -> Told:
        """Services are not asked: they tell no window."""
        return Told() if self._provider is not None else self._server.about()

    @property
    def digest(self) -> str:
        """The weights where the server names them, else the endpoint and the name that it has for them."""
        told = self._told
        return f"{told.kind}:{told.weights}" if told.weights else self._fact_key

    @property
    def _fact_key(self) -> str:
        return f"{self._address.url}#{self._model}"

    @property
    def factor(self) -> float:
        return family_factor(self._told.architecture or self._model, self._told.vocabulary)

    @property
    def window(self) -> int:
        """min(what was set, what the server has, what it allows for one request)."""
        limits = (self._wanted, self._told.window, self._cap, self._allowance.limit)
        return min(limit for limit in limits if limit)

    @property
    def slots(self) -> int:
        return self._slots or self._told.slots or (self._provider.slots if self._provider else 1)

    def bind(self, halt: Halt) -> None:
        self._halt = halt

    def is_answering(self) -> bool:
        return self._server.is_answering()

    def check_there(self) -> None:
        knock(self._client, self._address.url)

    def count(self, messages: tuple[Message, ...]) -> int | None:
        return self._server.count(self._told, messages)

    def rendered(self, prompt: Prompt) -> Prompt:
        """With the schema in words where it cannot be sent as a schema."""
        if prompt.schema is None or self._schema == LADDER[0]:
            return prompt
        words = f"Answer with one JSON object that fits this JSON schema: {json.dumps(dict(prompt.schema))}"
        head, *rest = prompt.messages
        if head.role != "system":
            return replace(prompt, messages=(Message("system", words), *prompt.messages))
        return replace(prompt, messages=(Message("system", f"{head.content}\n\n{words}"), *rest))

    def complete(self, prompt: Prompt) -> Reply:
        prompt = self.rendered(prompt)
        check_marks(prompt.messages, self._has_marks, self.name)
        tokens = Estimator(self.factor).messages(prompt.messages) + prompt.reserve
        client = self._client  # built before the clock starts
        answer = Answer(self.name, LOG, prompt.reserve)
        with self._allowance.use(tokens, self._halt) as use:
            started = time.monotonic()
            try:
                self._read(client, prompt, answer, use.admitted)
            except LitecodeError:
                raise
            except Exception as error:
                raise self._error_of(error, prompt) from error
            if answer.prompt_tokens:
                use.counted(answer.prompt_tokens + prompt.reserve)
        self._answered = True
        self._keep_cap()
        reply = answer.reply(time.monotonic() - started)
        if 0 < reply.prompt_tokens < (fewest := least(prompt.messages)):
            said = f"{self.name} read only {reply.prompt_tokens:,} of at least {fewest:,} tokens"
            raise ModelTruncated(f"{said}: it has cut the prompt", CUT)
        return reply

    def _has_marks(self, text: str) -> bool | None:
        """Whether the server reads a part of the text as something else than text; None when it does not tell."""
        if self._told.counts != "llama":
            return None
        special, literal = self._server.length(text), self._server.length(text, literal=True)
        return None if special is None or literal is None else special < literal

    def _read(
        self, client: openai.OpenAI, prompt: Prompt, answer: Answer, admitted: Callable[[Mapping[str, str]], None]
    ) -> None:
        request = request_of(self._model, prompt, self._schema, self._provider, own=bool(self._told.kind))

        def start() -> Iterable[Any]:
            events: openai.Stream[Any] = client.chat.completions.create(**request)
            headers = events.response.headers
            admitted({name.lower(): value for name, value in headers.items()})
            if "event-stream" not in headers.get("content-type", ""):
                raise self._no_stream(events.response, prompt)
            return events

        waiting = Waiting(self._check, self.name, LOG, FIRST_TOKEN, IDLE)
        with Stream(start, waiting) as stream:
            for chunk in stream:
                for choice in chunk.choices or ():
                    answer.add((choice.delta.content if choice.delta else None) or "")
                    answer.finish = choice.finish_reason or answer.finish
                if chunk.usage is not None:
                    answer.prompt_tokens = chunk.usage.prompt_tokens or 0
                    answer.output_tokens = chunk.usage.completion_tokens or 0
                    details = chunk.usage.prompt_tokens_details
                    answer.cached_tokens = (details.cached_tokens if details else 0) or 0

    def _no_stream(self, response: Any, prompt: Prompt) -> ModelError:
        """Status 200 and no stream: an error of a server that has no status for it, or something else altogether."""
        with contextlib.suppress(ValueError, RecursionError):
            body = json.loads(response.read())
            if isinstance(body, dict) and "error" in body:
                return self._from_answer(Answered(0, {}, body), prompt)
        return not_compatible(self._address.url)

    def _check(self) -> None:
        if self._closed.is_set():
            raise ModelCancelled("the model was closed")
        if self._halt is not None:
            self._halt.check()

    @cached_property
    def _client(self) -> openai.OpenAI:
        return make_client(self._address, self._key)

    def _error_of(self, error: Exception, prompt: Prompt) -> LitecodeError:
        import openai

        url = self._address.url
        if isinstance(error, openai.APIConnectionError):
            found = no_answer(error, url)
            if isinstance(found, ModelNotRunning):
                found.retry = self._answered  # it was there: it may be starting again
            return found
        if isinstance(error, openai.APIStatusError):
            headers = {name.lower(): value for name, value in error.response.headers.items()}
            return self._from_answer(Answered(error.status_code, headers, error.body or error.response.text), prompt)
        if isinstance(error, openai.APIError):  # in the middle of a stream
            return self._from_answer(Answered(0, {}, error.body or error.message), prompt)
        if type(error).__module__.partition(".")[0] in {"httpx", "httpx2", "httpcore"} or isinstance(error, OSError):
            return ModelTruncated(f"the connection to {url} broke: {error}", "try again")
        if isinstance(error, ValueError | RecursionError):
            return not_compatible(url)
        raise error

    def _from_answer(self, answered: Answered, prompt: Prompt) -> ModelError:
        asked = Asked(self._address.url, self._model, prompt.schema is not None, bool(self._key))
        found = error_of(answered, asked)
        if isinstance(found, SchemaRefused):
            self._step_down()
            found.retry = self._schema != LADDER[-1] or prompt.schema is not None
        elif isinstance(found, ModelTooLarge) and 0 < found.window < self.window:
            self._cap = found.window
            self._keep_cap()
        elif isinstance(found, ModelBusy) and found.wait is not None and found.retry:
            self._allowance.close_for(found.wait)
        return found

    def _step_down(self) -> None:
        self._schema = LADDER[min(LADDER.index(self._schema) + 1, len(LADDER) - 1)]
        if self._facts is not None:
            self._facts.change(self._fact_key, lambda facts: replace(facts, schema=self._schema))

    def _known(self) -> ModelFacts:
        return self._facts.get(self._fact_key) if self._facts is not None else ModelFacts()

    def _keep_cap(self) -> None:
        cap = self._allowance.limit or self._cap
        if cap:
            self._cap = cap
        if self._facts is not None and cap and cap != self._known().request_tokens:
            self._facts.change(self._fact_key, lambda facts: replace(facts, request_tokens=cap))

    def close(self) -> None:
        """Ends the calls under way."""
        self._closed.set()
        if "_client" in self.__dict__:
            self._client.close()
