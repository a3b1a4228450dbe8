"""The last lines of a hook that stops a commit."""

from __future__ import annotations

import pytest

from litecode.core.settle import held_by, kept_back_with
from litecode.core.values import Apply, Change, Patch, Plan, Run, Severity, State, Verdict
from litecode.core.world import Options
from litecode.hooks.stopping import stop_lines

HOOK = Options(hook=True)
AGAIN = "hint: then commit again; git commit --no-verify commits what is staged now"
APPLY = "hint: git litecode apply 7f3a stages it, git litecode review 7f3a hunk by hunk"


def verdict(
    rule: str, state: State, reason: str = "", severity: Severity = Severity.ERROR, path: str = "a.py"
) -> Verdict:
    return Verdict(path, rule, state, reason, severity=severity, line=3)


def lines(*verdicts: Verdict, held: int = 0, name: str = "7f3a") -> list[str]:
    patches = tuple(Patch(f"{n}.py", "", State.HELD, (), Change(f"{n}.py", "", None, b"")) for n in range(held))
    run = Run(name, 1.0, ("litecode-hook",), Plan(()), verdicts, patches)
    return list(stop_lines(run, HOOK, "the commit was stopped"))


WARNING = verdict("no-print", State.HELD, "two answers: a, b", Severity.WARNING)
FOUND = verdict("no-debugger", State.FOUND)
REJECTED = verdict("no-print", State.REJECTED, "`x` is lost")


@pytest.mark.parametrize(
    ("verdicts", "held", "want"),
    [
        (
            (verdict("is-none", State.HELD, held_by(WARNING)), WARNING),
            1,
            [
                "litecode: the commit was stopped: is-none (error) is held in a.py:3, because no-print (warning) on the"
                " same file is held: two answers: a, b",
                APPLY,
                AGAIN,
            ],
        ),
        (
            (verdict("is-none", State.HELD, "two answers: a, b"),),
            1,
            ["litecode: the commit was stopped: is-none (error) is held in a.py:3: two answers: a, b", APPLY, AGAIN],
        ),
        (
            (FOUND, verdict("is-none", State.HELD, kept_back_with(FOUND), path="b.py")),
            2,
            [
                "litecode: the commit was stopped: no-debugger (error) is found in a.py:3",
                APPLY.replace("it,", "all 2 patches,"),
                "hint: change the code, or put `litecode-ignore: no-debugger` in a comment there",
                AGAIN,
            ],
        ),
        (
            (REJECTED,),
            0,
            [
                "litecode: the commit was stopped: no-print (error) is rejected in a.py:3: `x` is lost",
                "hint: change the code, or put `litecode-ignore: no-print` in a comment there",
                "hint: git litecode show 7f3a has what was tried",
                AGAIN,
            ],
        ),
        (
            (verdict("no-print", State.FAILED, "no model is there", Severity.WARNING),),
            0,
            [
                "litecode: the commit was stopped: no-print (warning) could not be carried out in a.py:3: no model is"
                " there",
                AGAIN,
            ],
        ),
    ],
)
def test_why_and_what_next(verdicts: tuple[Verdict, ...], held: int, want: list[str]) -> None:
    assert lines(*verdicts, held=held) == want


@pytest.mark.parametrize(
    "other",
    [
        WARNING,
        verdict("r", State.REJECTED, "no", Severity.WARNING),
        verdict("r", State.FOUND, "", Severity.INFO),
        verdict("r", State.SKIPPED, "no time"),
        verdict("r", State.STAGED),
        verdict("r", State.CONFORMS),
    ],
)
def test_what_stops_nobody_is_not_named(other: Verdict) -> None:
    assert lines(other, FOUND) == lines(FOUND)


def test_many_reasons_are_counted() -> None:
    said = lines(*(verdict(f"r{number}", State.FOUND) for number in range(6)))
    assert [line.split(" (")[0] for line in said[:3]] == [f"litecode: the commit was stopped: r{n}" for n in range(3)]
    assert said[3] == "litecode: 3 more stop it too, see above"


def test_a_request_has_no_rule_and_names_are_harmless() -> None:
    said = lines(verdict("", State.HELD, "asked for\x1b[2J", path="a\x1b.py"), held=1)
    assert said[0] == "litecode: the commit was stopped: the request (error) is held in a\\x1b.py:3: asked for\\x1b[2J"


def test_without_a_kept_run_no_command_names_it() -> None:
    assert lines(FOUND, held=1, name="") == [lines(FOUND)[0], *lines(FOUND)[1:]]


def test_what_was_changed_in_the_worktree_only() -> None:
    """Under a front end of the framework whose patch cannot be found."""
    changed = verdict("is-none", State.STAGED, path="a b.py")
    run = Run("7f3a", 1.0, ("litecode-hook",), Plan(()), (changed, verdict("x", State.CONFORMS)))
    assert list(stop_lines(run, Options(hook=True, apply=Apply.WORKTREE), "the hook fails")) == [
        "litecode: the hook fails: is-none (error) is changed in the worktree only, and not staged, in a b.py:3",
        "hint: look at it and stage it: git add 'a b.py'",
        AGAIN,
    ]
    assert lines(changed) == [AGAIN]
