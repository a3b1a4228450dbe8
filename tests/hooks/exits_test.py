from __future__ import annotations

import itertools

import pytest

from litecode.core.values import Apply, Plan, Run, Severity, State, Verdict
from litecode.core.world import Options
from litecode.hooks.exits import exit_code, remains


def run(*verdicts: tuple[State, Severity]) -> Run:
    return Run("7f3a", 0.0, (), Plan(()), tuple(Verdict("a", "r", state, severity=rank) for state, rank in verdicts))


MATRIX = {
    (State.CONFORMS, Severity.ERROR): 0,
    (State.STAGED, Severity.ERROR): 0,
    (State.SKIPPED, Severity.ERROR): 0,
    (State.HELD, Severity.ERROR): 1,
    (State.REJECTED, Severity.ERROR): 1,
    (State.FOUND, Severity.ERROR): 1,
}


@pytest.mark.parametrize(("state", "severity"), list(itertools.product(State, Severity)))
def test_one_verdict(state: State, severity: Severity) -> None:
    assert exit_code(run((state, severity)), Options()) == MATRIX.get(
        (state, severity), 2 if state is State.FAILED else 0
    )


@pytest.mark.parametrize(
    ("verdicts", "code"),
    [
        ((), 0),
        (((State.STAGED, Severity.ERROR), (State.HELD, Severity.WARNING)), 0),
        (((State.HELD, Severity.WARNING), (State.HELD, Severity.ERROR)), 1),
        (((State.HELD, Severity.ERROR), (State.FAILED, Severity.HINT)), 2),
    ],
)
def test_the_worst_verdict_counts(verdicts: tuple[tuple[State, Severity], ...], code: int) -> None:
    assert exit_code(run(*verdicts), Options()) == code


@pytest.mark.parametrize(("apply", "code"), [(Apply.STAGE, 0), (Apply.HOLD, 0), (Apply.WORKTREE, 1)])
def test_a_change_that_is_not_staged_is_still_to_do(apply: Apply, code: int) -> None:
    verdict = Verdict("a", "r", State.STAGED)
    assert exit_code(run((State.STAGED, Severity.ERROR)), Options(apply=apply)) == code
    assert remains(verdict, Options(apply=apply)) == (code == 1)
