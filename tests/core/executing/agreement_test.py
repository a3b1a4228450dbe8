"""Answers that do the same, and answers that do not."""

from __future__ import annotations

import pytest

from litecode.core.executing.agreement import difference, meaning

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
    ("bash", "if a; then\n  b\nfi", "if a; then\n    b\nfi", "c"),
    ("python", "if x:\n    f(\n  a)", "if x:\n    f(a)", OLD),
    ("python", "def f():\n    g()", 'def f():\n    """Say\n  so.\n    """\n    g()', OLD),
    ("python", "if x:\n    # so\n    g()", "if x:\n  # or so\n    g()", OLD),
    ("javascript", "if (x) {\n  f();\n}", "if (x) { f(); }", "f();"),
    ("python", "if x: return 1", "if x:\n    return 1", OLD),
    ("python", "    return (rows)", "    return rows", OLD),
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
    ("bash", "echo a\nb", "echo a b", "c"),
    ("python", "for x in y:\n    a()\n    b()", "for x in y:\n    a()\nb()", OLD),
    (
        "python",
        "if x:\n    if y:\n        a()\n    else:\n        b()",
        "if x:\n    if y:\n        a()\nelse:\n    b()",
        OLD,
    ),
    ("yaml", "a:\n  b: 2\n  c: 3", "a:\n  b: 2\nc: 3", "a: 2"),
]
REQUEST = "print 'usage: f DIR' when rows is empty"


@pytest.mark.parametrize(("language", "one", "two", "old"), SAME)
def test_answers_that_do_the_same(language: str, one: str, two: str, old: str) -> None:
    assert meaning(one, old, language, REQUEST) == meaning(two, old, language, REQUEST)


@pytest.mark.parametrize(("language", "one", "two", "old"), DIFFERENT)
def test_answers_that_do_not(language: str, one: str, two: str, old: str) -> None:
    assert meaning(one, old, language, REQUEST) != meaning(two, old, language, REQUEST)


SAME_CODE = [
    ("bash", "if a; then\n  b\nfi", "if a; then\n    b\nfi", "c"),
    ("rust", "let s = S { a, };", "let s = S { a };", "let s = T;"),
    ("python", "f(a,)", "f(a)", "f(b)"),
    ("python", "f(\n    'a',\n    b,\n)", 'f("a", b)', "f(c)"),
    ("python", "x = (a, b,)", "x = (a, b)", "x = a"),
    ("python", "return [a,]", "return [a]", "return a"),
    ("python", "f('a')('b',)", 'f("a")("b")', "f"),
    ("python", "x = 1  # a", "x = 1  # b", "x = 2"),
    ("python", "if x: raise E(a)", "if x:\n    raise E(a)", "assert not x"),
    ("python", "f('a'\n  'b')", "f('ab')", "f(a)"),
    ("python", "    return (a < b) and c", "    return a < b and c", "    return c"),
    ("python", "if x:\n    f(\n  a)", "if x:\n    f(a)", "f(b)"),
    ("javascript", "let a = ['x', y,];", 'let a = ["x",y];', "var a = ['x',y];"),
    ("javascript", "if (x) {\n  f();\n}", "if (x) { f(); }", "f();"),
    (None, "a  b\n", "a  b", "c"),
]
OTHER_CODE = [
    ("python", "(x,)", "(x)", "x"),
    ("python", "y = a[x,]", "y = a[x]", "y = a"),
    ("bash", "echo a\nb", "echo a b", "c"),
    ("bash", "f() {\n  echo a\n  b\n}", "f() {\n  echo a b\n}", "f() { c; }"),
    ("ruby", "foo\nbar", "foo bar", "c"),
    ("python", "f((a))", "f((a,))", "f(a)"),
    ("python", "if x: raise E(a)", "if x:\n    raise E(b)", "assert not x"),
    ("python", "if x: f()\ng()", "if x:\n    f()\n    g()", "f()"),
    ("python", "a = (b or c) and d", "a = b or (c and d)", "a = d"),
    ("python", 'f("a", "b")', 'f("a" "b")', "f(a)"),
    ("python", "x = (a,)", "x = (a)", "x = a"),
    ("python", "return (a,)", "return (a)", "return a"),
    ("python", "for x in y:\n    a()\n    b()", "for x in y:\n    a()\nb()", "for x in y:\n    a()"),
    ("python", "x = 'it\"s'", 'x = "it\'s"', "x = 1"),
    ("python", "# create", "# delete", "# make"),
    ("python", "f(a)  # create", "f(a)  # delete", "f(a)  # make"),
    ("yaml", "a:\n  b: 2\n  c: 3", "a:\n  b: 2\nc: 3", "a: 2"),
    ("bash", 'echo "$a"', "echo '$a'", "echo $a"),
    (None, "it's", 'it"s', "its"),
]


@pytest.mark.parametrize(
    ("language", "one", "other", "old", "same"),
    [*((*row, True) for row in SAME_CODE), *((*row, False) for row in OTHER_CODE)],
)
def test_difference(language: str | None, one: str, other: str, old: str, same: bool) -> None:
    assert (difference(one, other, old, language) is None) is same
    assert (difference(other, one, old, language) is None) is same
