"""The proof: what the rule says is gone, or what it wants is there."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from litecode.core.patching.gates.base import Rewrite
from litecode.core.patching.gates.proof import proof

Rewriting = Callable[..., Rewrite]

LEFT = "refuse: the code still breaks the rule"
PLACE = "refuse: the code still breaks the rule in one place"
THERE = "refuse: what the rule rejects is still there"
MISSING = "refuse: what the rule expects is not there"
UNKNOWN = "doubt: the rule has no pattern, so nothing shows that it applies"
CANDIDATE = "doubt: a match of the rule is only a candidate, and it has no reject: or expect:"


def said(rewrite: Rewrite) -> str:
    found = proof(rewrite)
    return "" if found is None else f"{found.grade}: {found.text}"


@pytest.mark.parametrize(
    ("new", "options", "expected"),
    [
        ("log(1)", {}, ""),
        ("print(1)", {}, LEFT),
        ("log(print(1))", {}, LEFT),
        ("'print(1)'", {}, ""),
        ("# print(1)\nlog(1)", {}, ""),
        ("log(1)", {"pattern": "/print/"}, ""),
        ("log('print')", {"pattern": "/print/"}, LEFT),
        ("log(1)", {"pattern": ""}, UNKNOWN),
        ("log(1)", {"certain": False}, CANDIDATE),
        ("log(1)", {"certain": False, "reject": "print($$$)"}, ""),
        ("print(2)", {"certain": False, "reject": "print($$$)"}, THERE),
        ("print(2)", {"certain": False, "reject": "print(1)"}, ""),
        ("log(1)", {"certain": False, "expect": "log($A)"}, ""),
        ("log(1, 2)", {"certain": False, "expect": "log($A)"}, MISSING),
        ("log(1)", {"reject": "print($$$)", "expect": "log($A)"}, ""),
        ("log(print(1))", {"reject": "print($$$)", "expect": "log($A)"}, THERE),
        ("x(1)", {"reject": "print($$$)", "expect": "log($A)"}, MISSING),
        ("log(1)", {"pattern": "", "expect": "log($A)"}, ""),
        ("print(1, file=f)", {"expect": "print($$$A, file=$F)"}, ""),
        ("a(print(1, file=f), print(2, file=f))", {"expect": "print($$$A, file=$F)"}, ""),
        ("a(print(1, file=f), print(2))", {"expect": "print($$$A, file=$F)"}, PLACE),
        ("a(print(1, file=f), print(2))", {"expect": "print($$$A, file=$F)", "certain": False}, ""),
    ],
)
def test_proof(rewriting: Rewriting, new: str, options: dict[str, object], expected: str) -> None:
    chosen = {"pattern": "print($$$)", **options}
    # What stands elsewhere in the file, match or not, is none of the region's business.
    before = "print(0)\nlog(0)\nprint(1)\nprint(2)\nlog(0)\n"
    assert said(rewriting("python", before, "print(1)", new, **chosen)) == expected


def test_a_match_over_the_edge_of_the_region_counts(rewriting: Rewriting) -> None:
    before = "a = 1\nb = 2\n"
    assert said(rewriting(None, before, "a = 1", "a = 3", kind="line", pattern="/[13]\\nb/")) == LEFT
    assert said(rewriting(None, before, "a = 1", "a = 4", kind="line", pattern="/[13]\\nb/")) == ""
