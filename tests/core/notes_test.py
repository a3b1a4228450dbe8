"""What a person reads about runs that did not end."""

from __future__ import annotations

import pytest

from litecode.core.git.recovery import Recovery
from litecode.core.notes import recovery_sentences


@pytest.mark.parametrize(
    ("recovery", "want"),
    [
        (Recovery(), []),
        (Recovery(ids=("7f3a",)), []),
        (Recovery(forward=("a.py",)), ["an interrupted run was finished: a.py"]),
        (Recovery(back=("a.py", "b.py", "c.py")), ["an interrupted run was taken back: a.py, b.py, c.py"]),
        (Recovery(back=tuple("abcde")), ["an interrupted run was taken back: a, b, c and 2 more"]),
        (
            Recovery(edited=("a.py",), ids=("7f3a",)),
            ["edited since an interrupted run, so left as they are: a.py (see git litecode undo 7f3a)"],
        ),
        (
            Recovery(edited=("a.py",)),
            ["edited since an interrupted run, so left as they are: a.py (see git litecode log)"],
        ),
        (
            Recovery(unstaged=("a.py",)),
            [
                "the commit of an earlier run was given up, its changes are in the worktree only: a.py "
                "(git add them, or git litecode undo)"
            ],
        ),
        (
            Recovery(forward=("a",), back=("b",), damaged=("an open journal cannot be read",)),
            [
                "an interrupted run was finished: a",
                "an interrupted run was taken back: b",
                "an open journal cannot be read",
            ],
        ),
    ],
)
def test_sentences(recovery: Recovery, want: list[str]) -> None:
    assert list(recovery_sentences(recovery)) == want
