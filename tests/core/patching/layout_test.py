"""Indentation goes and comes back; line breaks go only where they mean nothing."""

from __future__ import annotations

import ast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from litecode.core.patching.document import Cut
from litecode.core.patching.layout import dedent, indent, margin_of, on_one_line


@pytest.mark.parametrize(
    ("text", "start", "margin"),
    [
        ("    x = 1\n", 4, "    "),
        ("a\n\tx = 1\n", 3, "\t"),
        ("a\n \t x\n", 5, " \t "),
        ("x = 1\n", 0, ""),
        ("a; x = 1\n", 3, ""),  # other code stands before it
        ("if a: x\n", 6, ""),
        ("\n\n  x", 4, "  "),
    ],
)
def test_margin(text: str, start: int, margin: str) -> None:
    assert margin_of(text, Cut(start, len(text))) == margin


@pytest.mark.parametrize(
    ("part", "margin", "dedented"),
    [
        ("f(\n        1)", "    ", "f(\n    1)"),
        ("f(\n    1)", "    ", "f(\n1)"),
        ("a\n\n    b", "    ", "a\n\nb"),
        ("a\n    \n    b", "    ", "a\n    \nb"),
        ("a\n  \n\t\n    b\n      ", "    ", "a\n  \n\t\nb\n      "),
        ("a\n\t\tb", "\t", "a\n\tb"),
        ("a", "    ", "a"),
        ("a\n  b", "", "a\n  b"),
        ("a\n  b", "    ", None),
        ("a\n    b\nc", "    ", None),
        ("a\n    b", "\t", None),
        ("s = '''\n  b\n    '''", "    ", None),  # a string that is less indented keeps its text
    ],
)
def test_dedent(part: str, margin: str, dedented: str | None) -> None:
    assert dedent(part, margin) == dedented
    if dedented is not None:
        assert indent(dedented, margin) == part


@settings(deadline=None, max_examples=300)
@given(st.text(alphabet="a \t\n", max_size=30), st.sampled_from(["", "  ", "    ", "\t"]))
def test_what_goes_comes_back(part: str, margin: str) -> None:
    dedented = dedent(part, margin)
    assert dedented is None or indent(dedented, margin) == part


@pytest.mark.parametrize(
    ("language", "part", "joined"),
    [
        ("python", "x = f(\n    1,\n    2,\n)", "x = f(1, 2)"),
        ("python", "f(a,\n\n  b)", "f(a, b)"),
        ("python", "x = [\n    y\n    for y in z\n]", "x = [y for y in z]"),
        ("python", "x[\n    1\n]", "x[1]"),
        ("python", "print('a'\n      % b)", "print('a' % b)"),
        ("python", "if x:\n    f(\n        1)\n    g()", "if x:\n    f(1)\n    g()"),
        ("python", "f('''\n a\n''',\n  1)", "f('''\n a\n''', 1)"),
        ("javascript", "f({\n  a: 1,\n  b,\n}, [\n  1,\n])", "f({a: 1, b}, [1])"),
        ("java", "f(\n    a,\n    b);", "f(a, b);"),
        ("rust", "f(|x| {\n    let y = 1;\n    y\n})", "f(|x| {let y = 1; y})"),
        ("ruby", "foo(\n  1,\n  2\n)", "foo(1, 2)"),
        ("bash", "a && (\n  b\n)\nc", "a && (b)\nc"),
    ],
)
def test_on_one_line(language: str, part: str, joined: str) -> None:
    assert on_one_line(part, language) == joined


@pytest.mark.parametrize(
    ("language", "part"),
    [
        ("python", "f(\n    1,  # one\n    2)"),
        ("python", "x = (\n    1,\n)"),  # a tuple
        ("python", "x = (1,\n)"),
        ("python", "def f():\n    a()\n    b()"),
        ("python", "d = {\n    'a': 1,\n}"),
        ("python", "x = a + \\\n    b"),
        ("python", "x = 1"),
        ("javascript", "f(() => {\n  a()\n  b()\n})"),
        ("javascript", "f(`\n  a\n`)"),
        ("go", "f(func() {\n\ta()\n\tb()\n})"),
        ("swift", "f(a, { x in\n  g()\n  h()\n})"),
        ("bash", "if (\n  a\n  b\n); then c; fi"),
        (None, "f(\n  1)"),
    ],
)
def test_what_keeps_its_lines(language: str | None, part: str) -> None:
    assert on_one_line(part, language) == part


EXPRESSIONS = st.recursive(
    st.sampled_from(["x", "1", "'a b'", "y.z"]),
    lambda inner: st.builds(
        lambda opener, parts, gap, comma: (
            f"{opener}{gap}{f',{gap}'.join(parts)}{comma * bool(parts)}{gap}{opener[-1:].translate({40: 41, 91: 93})}"
        ),
        st.sampled_from(["f(", "[", "("]),
        st.lists(inner, min_size=1, max_size=3),
        st.sampled_from(["", "\n  ", " \n"]),
        st.sampled_from(["", ","]),
    ),
    max_leaves=10,
)


@settings(deadline=None, max_examples=100)
@given(EXPRESSIONS)
def test_the_meaning_stays(code: str) -> None:
    assert ast.dump(ast.parse(on_one_line(f"v = {code}", "python"))) == ast.dump(ast.parse(f"v = {code}"))
