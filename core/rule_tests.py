"""The examples of a rule, carried out as a commit would carry them out: what is found, what comes of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum

from litecode.config import languages
from litecode.config.rules import Confidence, Invalid, Rule, RuleTests
from litecode.core.budget.door import Door
from litecode.core.budget.fit import REPLY_TOKENS, reserve_for
from litecode.core.errors import ModelTooLarge, ModelUnrecorded
from litecode.core.executing.executor import Job, Result, Steps
from litecode.core.executing.rules import Applied, CompiledRule, FileState, Run, apply_rule, compile_rule, sites_of
from litecode.core.patching.document import Document, Unreadable
from litecode.core.values import Prompt, Proof


class Outcome(StrEnum):
    """NOISY: a valid example that the rule finds or changes. MISSING: an invalid one that it does not find. WRONG: one
    that it finds and does not fix as said. UNRECORDED: a reply of the model was needed, and there is none.
    """

    PASSED = "passed"
    NOISY = "noisy"
    MISSING = "missing"
    WRONG = "wrong"
    UNRECORDED = "unrecorded"


class Side(StrEnum):
    VALID = "valid"
    INVALID = "invalid"


@dataclass(frozen=True, slots=True)
class Example:
    """One entry of `valid` or `invalid`, which count from 1."""

    side: Side
    number: int
    code: str
    fixed: str | None = None


@dataclass(frozen=True, slots=True)
class Checked:
    """What became of an example. `got` is its text after the rule, None when nothing was changed."""

    example: Example
    outcome: Outcome
    reason: str = ""
    got: str | None = None

    @property
    def passed(self) -> bool:
        return self.outcome is Outcome.PASSED


def examples_of(rule: Rule) -> tuple[Example, ...]:
    valid = (Example(Side.VALID, n, code) for n, code in enumerate(rule.tests.valid, 1))
    invalid = (Example(Side.INVALID, n, test.code, test.fixed) for n, test in enumerate(rule.tests.invalid, 1))
    return (*valid, *invalid)


def grammar_of(rule: Rule) -> str | None:
    language = languages.find(rule.language)
    return language.parser if language else None


def check_example(rule: Rule, example: Example, door: Callable[[], Door] | None) -> Checked:
    """`door` opens what answers for the model, and is called only when it is needed; None means that only what needs no
    model is checked. Raises RuleError for a rule that cannot be used, and what the model raises.
    """
    compiled = compile_rule(_unseen(rule, example), grammar_of(rule))
    try:
        state = FileState("example", Document.decode(example.code.encode()), None)
    except (Unreadable, UnicodeEncodeError) as error:
        return Checked(example, Outcome.WRONG, f"it cannot be read: {error}")
    found = sites_of(compiled, state)
    if not found:
        missed = example.side is Side.INVALID
        return Checked(example, Outcome.MISSING, "the rule finds nothing") if missed else _passed(example)
    changes = rule.fix is not None or rule.instruction is not None
    asks = rule.instruction is not None
    if example.side is Side.VALID and (compiled.asked.certain or not changes):
        line, text = state.document.position(found[0].cut.start)[0], found[0].cut.of(state.document.text)
        return Checked(example, Outcome.NOISY, f"the rule finds {_short(text)} in line {line}")
    if example.fixed is not None and not changes:
        return Checked(example, Outcome.WRONG, "the rule has neither `fix` nor `instruction`, so nothing is fixed")
    if not changes or (asks and door is None):
        return _passed(example)
    try:
        applied = _applied(compiled, state, door if asks else None)
    except ModelUnrecorded as error:
        return Checked(example, Outcome.UNRECORDED, error.message)
    return _noise(example, applied) if example.side is Side.VALID else _fixed(compiled, example, applied)


def _unseen(rule: Rule, example: Example) -> Rule:
    """The rule without the fixed form of the example: the prompt shows some, and nobody is tested with the answer
    before
    them.
    """
    if example.side is Side.VALID:
        return rule
    own = Invalid(example.code, example.fixed)
    seen = tuple(Invalid(test.code) if test == own else test for test in rule.tests.invalid)
    return replace(rule, tests=RuleTests(rule.tests.valid, seen))


def _applied(compiled: CompiledRule, state: FileState, door: Callable[[], Door] | None) -> Applied:
    if door is None:
        return apply_rule(compiled, state, _nobody, len)
    opened = door()

    def reserve(text: str) -> int:
        tokens = opened.estimator.text(text)
        return max(reserve_for(tokens), tokens + REPLY_TOKENS)

    return apply_rule(compiled, state, _through(opened), reserve)


def _nobody(job: Job, steps: Callable[[Job], Steps]) -> Result:  # noqa: ARG001  as in `Run`
    raise AssertionError("a rule with a fix asks no model")


def _through(door: Door) -> Run:
    def run(job: Job, steps: Callable[[Job], Steps]) -> Result:
        running = steps(job)
        try:
            prompt = next(running)
            while True:
                prompt = _step(running, prompt)
        except StopIteration as end:
            result: Result = end.value
            return result

    def _step(running: Steps, prompt: Prompt) -> Prompt:
        try:
            reply, _ = door.complete(prompt, "test")
        except ModelTooLarge as error:
            return running.throw(error)
        return running.send(reply)

    return run


def _noise(example: Example, applied: Applied) -> Checked:
    """A candidate or a whole file that conforms must stay as it is."""
    if not applied.changed:
        return _passed(example)
    return Checked(example, Outcome.NOISY, "the rule changes it", applied.state.document.text)


def _fixed(compiled: CompiledRule, example: Example, applied: Applied) -> Checked:
    if applied.proof is Proof.REFUSED:
        return Checked(example, Outcome.WRONG, f"rejected: {applied.reason}")
    if not applied.changed:
        return Checked(example, Outcome.WRONG, applied.reason or "it stays as it is")
    got = applied.state.document.text
    if example.fixed is not None and got.rstrip("\n") != example.fixed.rstrip("\n"):
        return Checked(example, Outcome.WRONG, "fixed in another way than the example says", got)
    high = compiled.rule.confidence is Confidence.HIGH
    if high and compiled.rule.fix is not None and sites_of(compiled, applied.state):
        return Checked(example, Outcome.WRONG, "the rule finds it again after the fix", got)
    held = f"held: {applied.reason}" if applied.proof is Proof.DOUBTFUL else ""
    return Checked(example, Outcome.PASSED, held, got)


def _passed(example: Example) -> Checked:
    return Checked(example, Outcome.PASSED)


def _short(text: str, limit: int = 60) -> str:
    first, _, rest = text.strip().partition("\n")
    return f"`{first[:limit]}{'…' if rest or len(first) > limit else ''}`"
