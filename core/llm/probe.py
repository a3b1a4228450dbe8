"""Whether an endpoint is there and which weights it has; and one small call, to see how fast it is, and what it has
really set up.
"""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import dataclass

from litecode.core.budget.door import Door
from litecode.core.errors import ModelError
from litecode.core.ports import ModelPort
from litecode.core.values import Message, Prompt

RESERVE = 48  # tokens of the reply: enough to measure, and done within seconds
QUESTION = (
    Message("system", "You rewrite short pieces of source code."),
    Message("user", "```python\nprint(total, count)\n```\n\nReplace print by logger.info. Reply with the code alone."),
)


@dataclass(frozen=True, slots=True)
class Probe:
    """`allocated` are the tokens that the server has set up for the model, 0 when it does not tell; `seconds` is the
    whole call, with loading.
    """

    name: str
    digest: str
    window: int
    allocated: int
    tokens: int
    seconds: float

    @property
    def speed(self) -> float:
        """Tokens written per second, reading and loading included."""
        return self.tokens / self.seconds if self.seconds > 0 else 0.0


def check_there(port: ModelPort) -> None:
    """Raises the ModelError of an endpoint that does not answer, or not with this model. No call is made, and what it
    answers to some other question need not be right.
    """
    from litecode.core.llm.pool import Reachable

    if isinstance(port, Reachable):
        port.check_there()
    _ = port.window, port.digest


def weights_of(digest: str) -> str:
    """The digest of a port as a person reads it: `digest 0123456789ab`, `weights` with what a server tells of them, and
    nothing for an address, which says where a model is and not which.
    """
    said = []
    for part in digest.split("+"):
        kind, colon, rest = part.partition(":")
        if not colon or kind == "sha256":
            said.append(f"digest {(rest or part)[:12]}")
        elif not rest.startswith("//"):
            said.append(f"weights {part}")
    return ", ".join(said) if digest else ""


def probe(port: ModelPort, deadline: float = 120.0) -> Probe:
    """Raises the ModelError of a call that fails. A first call loads the model, so the second one is measured."""
    door = Door(port, clock=time.monotonic, deadline=deadline)
    prompt = Prompt(QUESTION, RESERVE)
    reply, _ = door.complete(prompt, "connect")
    if reply.seconds < deadline / 4:
        reply, _ = door.complete(prompt, "connect")
    return Probe(port.name, port.digest, port.window, _allocated(port), reply.output_tokens, reply.seconds)


def _allocated(port: ModelPort) -> int:
    from litecode.core.llm.guarded import GuardedModel
    from litecode.core.llm.ollama import OllamaModel

    inner = port.port if isinstance(port, GuardedModel) else port
    if isinstance(inner, OllamaModel):
        from litecode.core.llm.ollama_site import allocated_window

        with suppress(ModelError):
            return allocated_window(inner.site, inner.name.removesuffix(" (ollama)"))
    return 0
