"""A run as one HTML page that needs nothing else: no network, no file beside it.

Everything that comes from a repository or a model is escaped by the template, and marks that a reader cannot see are
shown as what they are. The page's policy (CSP) lets only its own script and style run, by their hashes.
"""

from __future__ import annotations

import base64
import hashlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files

from litecode.core.values import Call, Patch, Run, State, Verdict
from litecode.hooks.show.diff import LONGEST, marked, parse_diff
from litecode.hooks.show.history import command_words, when
from litecode.hooks.show.terminal import cut, visible
from litecode.hooks.show.text import hints, in_order

ORDER = (State.STAGED, State.HELD, State.REJECTED, State.FAILED, State.FOUND, State.DROPPED,
         State.SKIPPED, State.CONFORMS)  # fmt: skip
WIDTH = 1000.0  # units of the drawings
LONGEST_DIFF = 4000  # rows of one file; a page stays small enough to send around

Words = list[tuple[str, bool]]  # pieces of a line, each with whether only this side has it


@dataclass(frozen=True, slots=True)
class Row:
    """A line of a side-by-side diff; a side without the line has the number 0. `gap` is the header of a hunk."""

    left: int
    old: Words
    right: int
    new: Words
    gap: str = ""


@dataclass(frozen=True, slots=True)
class Bar:
    """One call: where its bars begin and end, in units of the drawing, and what to write beside them."""

    purpose: str
    start: float
    width: float
    lane: int
    read: float
    written: float
    spare: float
    prompt: int
    output: int
    reserve: int
    window: int
    seconds: float
    state: str


def page(run: Run, version: str) -> str:
    """The whole page."""
    from jinja2 import Environment, StrictUndefined

    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    environment.filters["seen"] = lambda text: cut(visible(text, "\n\t"), 20 * LONGEST)
    folder = files("litecode.hooks.show")
    script, style = (folder.joinpath(f"report.{kind}").read_text(encoding="utf-8") for kind in ("js", "css"))
    template = environment.from_string(folder.joinpath("report.html.j2").read_text(encoding="utf-8"))
    bars = list(_bars(run.calls))
    return template.render(
        run=run,
        version=version,
        when=when(run.started),
        command=command_words(run.command),
        counts=_counts(run),
        verdicts=[_verdict(v) for v in in_order(run.verdicts)],
        patches=[_patch(patch) for patch in run.patches],
        dropped=any(verdict.state is State.DROPPED for verdict in run.verdicts),
        bars=bars,
        lanes=1 + max((bar.lane for bar in bars), default=0),
        hints=hints(run),
        tokens=(sum(bar.prompt for bar in bars), sum(bar.output for bar in bars)),
        script=script,
        style=style,
        script_hash=_hash(script),
        style_hash=_hash(style),
    )


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _counts(run: Run) -> list[tuple[str, int]]:
    found = Counter(verdict.state for verdict in run.verdicts)
    return [(state.value, found[state]) for state in ORDER if found[state]]


def _verdict(verdict: Verdict) -> dict[str, object]:
    refused = Counter(attempt.refusal for attempt in verdict.attempts if attempt.refusal)
    return {
        "path": verdict.path,
        "line": verdict.line,
        "rule": verdict.rule or "request",
        "state": verdict.state.value,
        "severity": verdict.severity.value,
        "reason": verdict.reason,
        "sites": verdict.sites,
        "calls": verdict.calls,
        "tokens": verdict.output_tokens,
        "seconds": verdict.seconds,
        "refused": [(why, times) for why, times in refused.items()],
    }


def _patch(patch: Patch) -> dict[str, object]:
    rows = list(side_by_side(patch.diff))
    return {
        "path": patch.path,
        "state": patch.state.value,
        "rules": ", ".join(patch.rules) or "request",
        "reason": patch.reason,
        "rows": rows[:LONGEST_DIFF],
        "more": max(0, len(rows) - LONGEST_DIFF),
    }


def side_by_side(diff: str) -> Iterator[Row]:
    """The rows of one file's diff; removed and added lines that stand together share rows."""
    left = right = 0
    removed: list[str] = []
    added: list[str] = []
    for kind, text in parse_diff(diff):
        if kind == "-":
            removed.append(text)
            continue
        if kind == "+":
            added.append(text)
            continue
        yield from _changed(removed, added, left, right)
        left, right = left + len(removed), right + len(added)
        removed, added = [], []
        if kind == "@":
            left, right = _starts(text)
            yield Row(0, [], 0, [], visible(text))
        elif kind == " ":
            line = _seen(text)
            yield Row(left, [(line, False)], right, [(line, False)])
            left, right = left + 1, right + 1
    yield from _changed(removed, added, left, right)


def _changed(removed: list[str], added: list[str], left: int, right: int) -> Iterator[Row]:
    for index in range(max(len(removed), len(added))):
        old = _seen(removed[index]) if index < len(removed) else None
        new = _seen(added[index]) if index < len(added) else None
        if old is not None and new is not None:
            words = marked(old, new)
            yield Row(left + index, words[0], right + index, words[1])
        elif old is not None:
            yield Row(left + index, [(old, False)], 0, [])
        elif new is not None:
            yield Row(0, [], right + index, [(new, False)])


def _seen(text: str) -> str:
    return cut(visible(text.removesuffix("\r"), "\t"), LONGEST)


def _starts(header: str) -> tuple[int, int]:
    """The line numbers of `@@ -12,3 +14,2 @@`."""
    _, old, new, *_ = header.split(" ")
    first, second = (int(part[1:].split(",")[0]) for part in (old, new))
    return max(1, first), max(1, second)


def _bars(calls: tuple[Call, ...]) -> Iterator[Bar]:
    """Every call in the lane in which it ran: the first one that was free, which shows what ran side by side."""
    begin = min((call.started for call in calls), default=0.0)
    length = max(max((call.ended for call in calls), default=0.0) - begin, 0.001)
    free: list[float] = []
    for call in sorted(calls, key=lambda c: c.started):
        lane = next((n for n, until in enumerate(free) if until <= call.started + 0.001), len(free))
        free[lane:] = [call.ended, *free[lane + 1 :]]
        reply = call.reply
        read, written = (reply.prompt_tokens, reply.output_tokens) if reply else (call.estimate, 0)
        window = max(call.window, 1)
        yield Bar(
            purpose=call.purpose,
            start=(call.started - begin) / length * WIDTH,
            width=max((call.ended - call.started) / length * WIDTH, 2.0),
            lane=lane,
            read=min(read / window, 1.0) * WIDTH,
            written=min(written / window, 1.0) * WIDTH,
            spare=min(call.prompt.reserve / window, 1.0) * WIDTH,
            prompt=read,
            output=written,
            reserve=call.prompt.reserve,
            window=call.window,
            seconds=call.ended - call.started,
            state=call.error or ("from the cache" if call.cached else reply.stop.value if reply else "no reply"),
        )
