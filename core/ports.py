"""The seams between the pure parts and the world. The real doors are `core/git`, `core/llm` and `core/store`; tests
bring their own.
"""

from __future__ import annotations

from typing import Protocol

from litecode.core.values import Message, Prompt, Reply


class ModelPort(Protocol):
    """One model behind one endpoint. Errors are `litecode.core.errors.ModelError`s."""

    @property
    def name(self) -> str:
        """The model as the person knows it, e.g. `qwen2.5-coder-1.5b (embedded)`."""

    @property
    def digest(self) -> str:
        """What identifies the weights; part of every cache key."""

    @property
    def window(self) -> int:
        """Tokens that prompt and reply may have together: min(context window, the provider's allowance for one
        request).
        """

    @property
    def slots(self) -> int:
        """How many calls the endpoint really runs at the same time, at least 1."""

    def complete(self, prompt: Prompt) -> Reply:
        """Make one call. Thread-safe. The caller is `litecode.core.budget.door`, nobody else."""

    def count(self, messages: tuple[Message, ...]) -> int | None:
        """The exact number of prompt tokens where the server can tell cheaply, else None."""

    def close(self) -> None: ...
