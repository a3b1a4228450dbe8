"""What `git litecode test` shows: failures as findings, one line of sums, or a JSON document."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import msgspec

from litecode.config.rules import Rule
from litecode.core.errors import EXIT_CLEAN, EXIT_FAILED, EXIT_FINDINGS
from litecode.core.patching.diffs import unified
from litecode.core.rule_lint import Fault
from litecode.core.rule_tests import Checked, Outcome, examples_of
from litecode.hooks.show.diff import diff_lines
from litecode.hooks.show.terminal import Style, Terminal, cut, visible

VERSION = 1
LONGEST = 300
_HEADERS = 3  # lines of a diff before its first hunk


@dataclass(frozen=True, slots=True)
class Tested:
    """One rule with what lint and its examples say."""

    rule: Rule
    faults: tuple[Fault, ...]
    checked: tuple[Checked, ...]

    @property
    def failed(self) -> bool:
        return any(not fault.note for fault in self.faults) or any(not checked.passed for checked in self.checked)


def exit_code_of(tested: Sequence[Tested]) -> int:
    """2 when a reply is missing, because then it is not known whether the rule is right."""
    if _unrecorded(tested):
        return EXIT_FAILED
    return EXIT_FINDINGS if any(one.failed for one in tested) else EXIT_CLEAN


def show_tests(tested: Sequence[Tested], terminal: Terminal, verbose: bool) -> None:
    for one in tested:
        for line in _lines(one, terminal, verbose):
            terminal.print(line)
    terminal.tell(summary(tested))
    if _unrecorded(tested):
        mark = terminal.err_style("hint:", Style.YELLOW)
        terminal.tell(f"{mark} `git litecode test --record` asks the model for what is missing")


def _unrecorded(tested: Sequence[Tested]) -> bool:
    return any(checked.outcome is Outcome.UNRECORDED for one in tested for checked in one.checked)


def summary(tested: Sequence[Tested]) -> str:
    """`3 rules, 25 examples: 22 passed, 1 noisy, 1 missing, 1 not tested; 1 fault`"""
    counts = Counter(checked.outcome for one in tested for checked in one.checked)
    parts = [f"{counts[outcome]} {outcome.value}" for outcome in Outcome if counts[outcome]]
    faults = sum(not fault.note for one in tested for fault in one.faults)
    left = sum(len(examples_of(one.rule)) - len(one.checked) for one in tested)
    parts += [f"{left} not tested"] if left else []
    total = f"{_number(len(tested), 'rule')}, {_number(sum(counts.values()) + left, 'example')}"
    return f"{total}: {', '.join(parts) or 'nothing to test'}" + (f"; {_number(faults, 'fault')}" if faults else "")


def _number(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _lines(one: Tested, terminal: Terminal, verbose: bool) -> Iterator[str]:
    place, name = visible(one.rule.place()), visible(one.rule.id)
    where = f"{place}: {name}"
    for fault in one.faults:
        if verbose or not fault.note or (fault.cause and one.failed):
            mark = terminal.out_style("note" if fault.note else "fault", Style.DIM if fault.note else Style.RED)
            hint = f" ({visible(fault.hint)})" if fault.hint else ""
            yield f"{visible(fault.where) or place}: {name} {mark}: {cut(visible(fault.text), LONGEST)}{hint}"
    for checked in one.checked:
        example = f"{checked.example.side.value} {checked.example.number}"
        if not checked.passed:
            mark = terminal.out_style(checked.outcome.value, Style.RED)
            yield f"{where} {mark}: {example}: {cut(visible(checked.reason), LONGEST)}"
            yield from _difference(checked, terminal)
        elif verbose:
            reason = f": {cut(visible(checked.reason), LONGEST)}" if checked.reason else ""
            yield f"{where} {terminal.out_style('passed', Style.GREEN)}: {example}{reason}"


def _difference(checked: Checked, terminal: Terminal) -> Iterator[str]:
    """Under a finding, what it is about: the code, or how what came out differs from what should have."""
    wanted = checked.example.fixed if checked.example.fixed is not None else checked.example.code
    if checked.got is None:
        for line in checked.example.code.rstrip("\n").split("\n"):
            yield f"    {visible(line, chr(9))}"
        return
    old, new = (text.rstrip("\n") + "\n" for text in (wanted, checked.got))
    for line in list(diff_lines(unified("example", "100644", old.encode(), new.encode()), terminal.colour_out))[
        _HEADERS:
    ]:
        yield f"    {line}"


class JsonExample(msgspec.Struct, omit_defaults=True):
    """`side` is valid or invalid; `number` counts from 1 in that list. `got` is the text after the rule."""

    side: str
    number: int
    outcome: str
    code: str
    reason: str = ""
    fixed: str | None = None
    got: str | None = None


class JsonFault(msgspec.Struct):
    text: str
    hint: str
    note: bool


class JsonRule(msgspec.Struct):
    id: str
    source: str
    line: int
    faults: list[JsonFault]
    examples: list[JsonExample]


class JsonTests(msgspec.Struct):
    """`counts` has every outcome."""

    version: int
    litecode: str
    exit_code: int
    counts: dict[str, int]
    rules: list[JsonRule]


def tests_json(tested: Sequence[Tested], litecode: str) -> str:
    """One document on several lines; `litecode` is the version of the program."""
    counts = Counter(checked.outcome for one in tested for checked in one.checked)
    document = JsonTests(
        VERSION,
        litecode,
        exit_code_of(tested),
        {outcome.value: counts[outcome] for outcome in Outcome},
        [
            JsonRule(
                one.rule.id,
                one.rule.source,
                one.rule.line,
                [JsonFault(fault.text, fault.hint, fault.note) for fault in one.faults],
                [_json_example(checked) for checked in one.checked],
            )
            for one in tested
        ],
    )
    return msgspec.json.format(msgspec.json.encode(document), indent=2).decode()


def _json_example(checked: Checked) -> JsonExample:
    example = checked.example
    return JsonExample(
        example.side.value,
        example.number,
        checked.outcome.value,
        example.code,
        checked.reason,
        example.fixed,
        checked.got,
    )
