from __future__ import annotations

import pytest

from litecode.core.patching.lines import origins

OLD = "1\n2\n3\n4\n5\n"


@pytest.mark.parametrize(
    ("old", "new", "want"),
    [
        (OLD, OLD, [1, 2, 3, 4, 5]),
        ("", "", []),
        (OLD, "head\n\n" + OLD, [1, 1, 1, 2, 3, 4, 5]),
        (OLD, "1\n2\nthree\n4\n5\n", [1, 2, 3, 4, 5]),
        (OLD, "1\n2\nthree\nand\nmore\n4\n5\n", [1, 2, 3, 3, 3, 4, 5]),
        (OLD, "1\n5\n", [1, 5]),
        (OLD, "1\nx\n5\n", [1, 2, 5]),
        (OLD, OLD + "6\n7\n", [1, 2, 3, 4, 5, 5, 5]),
        ("", "a\nb\n", [1, 1]),
        ("a", "b", [1]),
        ("a\n", "b\na", [1, 1]),
    ],
)
def test_lines_and_where_they_come_from(old: str, new: str, want: list[int]) -> None:
    origin = origins(old, new)
    assert [origin(number) for number in range(1, len(new.splitlines()) + 1)] == want


def test_a_line_that_is_not_there_comes_from_the_nearest() -> None:
    assert [origins(OLD, "")(1), origins(OLD, "0\n" + OLD)(99)] == [1, 5]
