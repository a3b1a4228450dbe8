"""What is wrong with a rule that no single example shows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from litecode.config.rules import Rule
from litecode.core.budget.tokens import Estimator
from litecode.core.errors import RuleError
from litecode.core.executing.prompt import edit_prompt
from litecode.core.executing.rules import CompiledRule, FileState, compile_rule, sites_of
from litecode.core.patching.document import Document, Unreadable
from litecode.core.rule_tests import grammar_of

MOST_TOKENS = 1000  # of the fixed text and the instruction: the window of a small model is for code


@dataclass(frozen=True, slots=True)
class Fault:
    """One sentence, what to do, and `where` when it is known better than that of the rule. A `note` is no reason to
    fail; one that is a `cause` may be the reason of other faults. With a `fatal` one the rule cannot be tested.
    """

    text: str
    hint: str = ""
    note: bool = False
    fatal: bool = False
    cause: bool = False
    where: str = ""


def lint(rule: Rule, estimator: Estimator | None = None) -> tuple[Fault, ...]:
    """A rule that cannot be used has no other faults than this."""
    try:
        compiled = compile_rule(rule, grammar_of(rule))
    except RuleError as error:
        text = error.message.removeprefix(f"{error.where}: ").removeprefix(f"rule {rule.id}: ")
        return (Fault(text, error.hint, fatal=True, where=error.where), *_merged(rule))
    return (*too_long(rule, estimator), *_examples(compiled), *_merged(rule))


def _merged(rule: Rule) -> Iterator[Fault]:
    """A rule of its own that has by chance the id of a preset's rule has the rest of that one, too."""
    trigger = [key for key in ("pattern", "regex", "fix", "instruction") if key in rule.own]
    if trigger:
        yield Fault(
            f"it overrides {', '.join(rule.own)} of the rule in {rule.base}, and has everything else of that rule",
            "give it another id if it is a rule of its own",
            note=True,
            cause=True,
        )


def too_long(rule: Rule, estimator: Estimator | None = None) -> Iterator[Fault]:
    """One fault, when the prompt of the rule has too many tokens before there is any code in it."""
    if rule.instruction is None:
        return
    tokens = (estimator or Estimator()).messages(edit_prompt("", rule.language or None, rule.instruction))
    if tokens > MOST_TOKENS:
        yield Fault(
            f"the instruction is too long: the prompt has about {tokens:,} tokens without any code, {MOST_TOKENS:,} are"
            " allowed",
            "say the change in a few sentences, and move reasons to `note`",
        )


def _examples(compiled: CompiledRule) -> Iterator[Fault]:
    tests = compiled.rule.tests
    if not tests.valid or not tests.invalid:
        none = "valid" if tests.invalid else "invalid" if tests.valid else "valid and invalid"
        yield Fault(f"it has no {none} examples", "write some under `tests`", note=True)
    for test in tests.invalid:
        if test.code in tests.valid:
            yield Fault(f"an example is both valid and invalid: {test.code.strip()}", "keep one of them")
    for number, test in enumerate(tests.invalid, 1):
        if test.fixed is not None and compiled.asked.certain and _finds(compiled, test.fixed):
            yield Fault(f"it finds something in the `fixed` text of invalid {number}", "that text must conform")


def _finds(compiled: CompiledRule, text: str) -> bool:
    try:
        return bool(sites_of(compiled, FileState("example", Document.decode(text.encode()), None)))
    except (Unreadable, UnicodeEncodeError):
        return False
