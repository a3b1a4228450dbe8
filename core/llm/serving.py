"""Keeps a model loaded for the commits of this user, until nobody has asked it for a while."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from litecode.core.errors import LitecodeError
from litecode.core.llm.shared import Place, announce, find_place, places_dir, withdraw

if TYPE_CHECKING:
    from litecode.core.llm.embedded import EmbeddedModel
    from litecode.core.llm.line import Line

COUNTERS = ("llamacpp:prompt_tokens_total", "llamacpp:tokens_predicted_total")
BUSY = ("llamacpp:requests_processing", "llamacpp:requests_deferred")
POLL = 1.0


@dataclass(frozen=True, slots=True)
class Pace:
    """`idle` seconds without a call end it, None means never. `wait` sleeps; it raises or returns True to end it."""

    idle: float | None
    wait: Callable[[float], bool]
    clock: Callable[[], float] = time.monotonic


def serve(model: EmbeddedModel, environ: Mapping[str, str], pace: Pace, on_ready: Callable[[], None]) -> None:
    """Load the model, announce it, and return when it has been idle, or `pace.wait` says so.

    Raises LitecodeError when the same model is served already, ModelErrors like `EmbeddedModel.load`.
    """
    from litecode.core.llm.engine import Engine

    folder = places_dir(environ)
    other = find_place(folder, model.digest)
    if other is not None:
        raise LitecodeError(f"{model.name} is served already, by process {other.pid}", f"to end it: kill {other.pid}")
    model.check_memory()
    engine = Engine(model.load_of, observed=True)
    pid = os.getpid()
    place = Place(str(engine.line.address), engine.line.key, model.digest, model.window, model.slots, pid)
    try:
        file = announce(folder, place)
        try:
            on_ready()
            _watch(engine.line, pace)
        finally:
            withdraw(file, pid)
    finally:
        engine.close()


def _watch(line: Line, pace: Pace) -> None:
    last, since = _work(line), pace.clock()
    while not pace.wait(POLL):
        now = _work(line)
        if now != last or now[0]:
            last, since = now, pace.clock()
        elif pace.idle is not None and pace.clock() - since >= pace.idle:
            return


def _work(line: Line) -> tuple[float, float]:
    """Calls at work or waiting, and a number that grows with every call."""
    values: dict[str, float] = {}
    for row in line.text("/metrics").splitlines():
        name, _, value = row.partition(" ")
        if name in COUNTERS or name in BUSY:
            try:
                values[name] = float(value)
            except ValueError:
                continue
    return sum(values.get(name, 0.0) for name in BUSY), sum(values.get(name, 0.0) for name in COUNTERS)
