"""Answers that do the same, and answers that do not."""

from __future__ import annotations

import pytest

from litecode.core.executing.agreement import meaning

OLD = 'def f(rows):\n    """Sum."""\n    return sum(rows)\n'
SAME = [
    ("python", OLD, "def f(rows):\n    # all\n    return sum(rows)\n", OLD),
    ("python", OLD, 'def f(rows):\n    """Return the sum of the rows."""\n    return sum(rows)\n', OLD),
    ("python", "total = 1\nreturn total", "result = 1\nreturn result", OLD),
    ("python", "for row in rows:\n    f(row)", "for r in rows:\n    f(r)", OLD),
    ("python", "try:\n    f()\nexcept E as e:\n    raise e", "try:\n    f()\nexcept E as err:\n    raise err", OLD),
    ("python", "raise E('no such row')", 'raise E("the row is missing")', OLD),
    ("javascript", "const n = 1; f(n)", "const count = 1; f(count)", "f()"),
    ("javascript", "throw new Error('no rows here')", 'throw new Error("rows are missing")', "f()"),
    ("bash", 'dir=$1; ls "$dir"', 'folder=$1; ls "$folder"', "ls"),
]
DIFFERENT = [
    ("python", "return a < b", "return a <= b", OLD),
    ("python", "return time.time()", "return time.monotonic()", OLD),
    ("python", "f(limit=1)", "f(most=1)", OLD),
    ("python", "self.hits = 1", "self.count = 1", OLD),
    ("python", "rows = 1\nreturn rows", "total = 1\nreturn total", OLD),
    ("python", "return 'a'", "return 'b'", OLD),
    ("python", "x = 1\ny = 2\nreturn x", "x = 1\ny = 2\nreturn y", OLD),
    ("python", "print('usage: f DIR')", "print('call it right')", OLD),
    ("python", "q('SELECT a FROM b')", "q('SELECT c FROM b')", "q('SELECT c FROM b')"),
    ("javascript", "const n = 1; f(n)", "const n = 1; f()", "f()"),
    ("bash", 'dir=$1; ls "$dir"', 'dir=$2; ls "$dir"', "ls"),
]
REQUEST = "print 'usage: f DIR' when rows is empty"


@pytest.mark.parametrize(("language", "one", "two", "old"), SAME)
def test_answers_that_do_the_same(language: str, one: str, two: str, old: str) -> None:
    assert meaning(one, old, language, REQUEST) == meaning(two, old, language, REQUEST)


@pytest.mark.parametrize(("language", "one", "two", "old"), DIFFERENT)
def test_answers_that_do_not(language: str, one: str, two: str, old: str) -> None:
    assert meaning(one, old, language, REQUEST) != meaning(two, old, language, REQUEST)
