"""A port on another machine, behind the checks that every text passes before it leaves this one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from litecode.core.budget.door import Interruptible, Measured, Rendering
from litecode.core.budget.tokens import UNKNOWN_FACTOR
from litecode.core.errors import NotSent
from litecode.core.llm.pool import Checkable, Reachable
from litecode.core.ports import ModelPort
from litecode.core.trust.deny import denied_by
from litecode.core.trust.secrets import find_secrets
from litecode.core.values import Message, Prompt, Reply

if TYPE_CHECKING:
    from litecode.core.budget.halt import Halt


class Limits(Protocol):
    """The person's own word on what may leave; `litecode.config.settings.Settings` has it."""

    @property
    def deny(self) -> tuple[str, ...]: ...
    @property
    def not_secret(self) -> tuple[str, ...]: ...


class GuardedModel:
    """`host` is where the port sends to. Both routes that carry text, calls and counts, are checked."""

    def __init__(self, port: ModelPort, host: str, limits: Limits) -> None:
        self.port = port
        self.host = host
        self._limits = limits

    @property
    def name(self) -> str:
        return self.port.name

    @property
    def digest(self) -> str:
        return self.port.digest

    @property
    def window(self) -> int:
        return self.port.window

    @property
    def slots(self) -> int:
        return self.port.slots

    @property
    def factor(self) -> float:
        return self.port.factor if isinstance(self.port, Measured) else UNKNOWN_FACTOR

    def bind(self, halt: Halt) -> None:
        if isinstance(self.port, Interruptible):
            self.port.bind(halt)

    def rendered(self, prompt: Prompt) -> Prompt:
        return self.port.rendered(prompt) if isinstance(self.port, Rendering) else prompt

    def is_answering(self) -> bool:
        return not isinstance(self.port, Checkable) or self.port.is_answering()

    def check_there(self) -> None:
        if isinstance(self.port, Reachable):
            self.port.check_there()

    def count(self, messages: tuple[Message, ...]) -> int | None:
        """None for a text that may not be sent: then it is counted here."""
        return None if self._refusal(messages, ()) else self.port.count(messages)

    def complete(self, prompt: Prompt) -> Reply:
        """Raises NotSent for a text that may not leave."""
        refusal = self._refusal(prompt.messages, prompt.about)
        if refusal is not None:
            raise refusal
        return self.port.complete(prompt)

    def close(self) -> None:
        self.port.close()

    def _refusal(self, messages: tuple[Message, ...], about: tuple[str, ...]) -> NotSent | None:
        for path in about:
            pattern = denied_by(path, self._limits.deny)
            if pattern:
                return NotSent(
                    f"{path} is not sent to {self.host}: files like {pattern} stay on this machine",
                    "use a model on this machine for it, or leave it out with `exclude:`",
                )
        for message in messages:
            for secret in find_secrets(message.content, self._limits.not_secret):
                what = f" of {', '.join(about)}" if about else ""
                return NotSent(
                    f"the code{what} is not sent to {self.host}: it seems to hold a secret ({secret.kind})",
                    "use a model on this machine for it, or, if it is none: "
                    f"git config --global --add litecode.notSecret {secret.digest}",
                )
        return None
