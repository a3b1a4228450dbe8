"""Single hunks of a reply are mended; the rest of it stays."""

from __future__ import annotations

import pytest

from litecode.core.executing.salvage import MOST_HUNKS, Hunk, hunks, variants

OLD = "a\nprint(x)\nb\n# why\nc\nd"


def mended(old: str, new: str, *sites: range, optional: bool = False) -> list[str]:
    return list(variants(old, new, sites, optional=optional, is_comment=lambda line: line.startswith("#")))


@pytest.mark.parametrize(
    ("old", "new", "want"),
    [
        ("a b c", "a b c", []),
        ("a b c", "a x c", [Hunk(1, 2, 1, 2)]),
        ("a b c", "a c", [Hunk(1, 2, 1, 1)]),
        ("a c", "a b c", [Hunk(1, 1, 1, 2)]),
        ("a b c d", "x b c y z", [Hunk(0, 1, 0, 1), Hunk(3, 4, 3, 5)]),
        ("", "a", [Hunk(0, 0, 0, 1)]),
    ],
)
def test_hunks(old: str, new: str, want: list[Hunk]) -> None:
    assert hunks(old.split(), new.split()) == want


@pytest.mark.parametrize(
    ("new", "want"),
    [
        # beside the site, line for line: taken back
        ("a\nlog(x)\nb\n# why\nC\nd", ["a\nlog(x)\nb\n# why\nc\nd"]),
        ("a\nlog(x)\nb\n# why\nC\nD", ["a\nlog(x)\nb\n# why\nc\nd"]),
        # a comment that is gone comes back, before what came in its place
        ("a\nlog(x)\nb\nc\nd", ["a\nlog(x)\nb\n# why\nc\nd"]),
        ("a\nlog(x)\nb\nlog(y)\nc\nd", ["a\nlog(x)\nb\n# why\nlog(y)\nc\nd"]),
        # one of two, the other of two, both
        (
            "a\nlog(x)\nb\nc\nD",
            ["a\nlog(x)\nb\n# why\nc\nD", "a\nlog(x)\nb\nc\nd", "a\nlog(x)\nb\n# why\nc\nd"],
        ),
        # a line that changed right beside the site is one hunk with it
        ("a\nlog(x)\nB\n# why\nc\nD", ["a\nlog(x)\nB\n# why\nc\nd"]),
    ],
)
def test_collateral_changes(new: str, want: list[str]) -> None:
    assert mended(OLD, new, range(1, 2)) == want


@pytest.mark.parametrize(
    "new",
    [
        OLD,
        "a\nlog(x)\nb\n# why\nc\nd",  # the site alone
        "a\nlog(x)\nb\n# why\nc\nd\ne",  # an insertion may be the second half of what was asked
        "a\nlog(x)\nb\n# why\nc",  # a deletion too
        "a\nlog(x)\nb\n# why\nC\nC2\nd",  # one line that became two
    ],
)
def test_what_is_not_taken_back(new: str) -> None:
    assert mended(OLD, new, range(1, 2)) == []


def test_sites_that_are_only_candidates_may_go_back_too() -> None:
    old, new = "get(a)\nx\nget(b)", "get(a, t)\nx\nget(b, t)"
    assert mended(old, new, range(1), range(2, 3), optional=True) == ["get(a)\nx\nget(b, t)", "get(a, t)\nx\nget(b)"]
    assert mended(old, new, range(1), range(2, 3)) == []


def test_the_region_itself_is_no_variant() -> None:
    assert mended("a\nb", "a\nB", range(1)) == []


def test_at_most_two_hunks_are_mended_and_a_reply_of_many_is_left_alone() -> None:
    old = "\n".join(f"line {n}\nkeep {n}" for n in range(MOST_HUNKS + 1))

    def changed(count: int) -> str:
        return "\n".join(f"{'LINE' if n < count else 'line'} {n}\nkeep {n}" for n in range(MOST_HUNKS + 1))

    few = mended(old, changed(3), range(0))
    assert [variant.count("LINE") for variant in few] == [2, 2, 2, 1, 1, 1]
    assert len(mended(old, changed(MOST_HUNKS), range(0))) == 8 + 28
    assert mended(old, changed(MOST_HUNKS + 1), range(0)) == []
