"""The regions around places in real code of several languages."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from litecode.core.patching.document import Cut, Document
from litecode.core.patching.regions import KINDS, Area, functions, region_of, regions_of, wider

PYTHON = '''\
import os


@dec
def f(a):
    """Doc."""
    if a == None:
        g(1,
          2)  # two
    # alone
    return [x for x in b]


class K:
    x = 1

    @property
    def m(self):
        def inner():
            h()

        return inner

    y = lambda: z


top(3); bottom(4)
'''

JAVASCRIPT = """\
import a from 'b';

export const f = (x) => {
  for (var i = 0; i < 3; i++) { g(i); }
  if (a == null) return 1;
};

class K extends L {
  m(x) {
    return () => h(x);
  }
  static n = 1;
}

export default function z() {
  switch (q) { case 1: w(); break; default: v() }
}

describe("d", () => {
  it("i", () => {
    expect(1);
    more(2);
  });
});

module.exports.p = function () { r(); };
const o = { s() { t() } };
"""

TYPESCRIPT = """\
interface I { a: number }

abstract class A<T> {
  private x?: T;
  abstract m(): void;
  constructor(readonly y: any) { super(); }
}

type Z = any;
"""

GO = """\
package a

type T struct {
	X int
}

func (t *T) M() error {
	if err := f(); err != nil {
		return err
	}
	go func() { g() }()
	switch x {
	case 1:
		h()
	}
	return nil
}

var V = 3
"""

RUST = """\
use a::b;

fn f() -> u8 {
    let x = y.unwrap();
    match z {
        Some(q) => g(q),
        None => { h(); }
    }
    k()
}

impl T {
    pub fn m(&self) { n() }
}
"""

JAVA = """\
class A {
    private int x = 1;

    @Override
    public int f(int a) {
        for (int i = 0; i < 3; i++) g(i);
        try { h(); } catch (E e) { k(); }
        return 1;
    }
}
"""

C = """\
#include <a.h>

static int f(int a)
{
	for (i = 0; i < 3; i++)
		g(i);
	switch (a) {
	case 1:
		h();
	}
	if (a) return 1; else k();
}

struct S { int x; };
"""

BASH = """\
set -e
f() {
  local x=$1
  if [ "$x" = y ]; then
    echo $x | wc
  fi
}
x=1
"""

YAML = """\
a:
  b: 1
  c:
    - d: 2
      e: 3
f: |
  g
"""

F_PYTHON = PYTHON[PYTHON.index("@dec") : PYTHON.index("\n\n\nclass")]
K_PYTHON = PYTHON[PYTHON.index("class K") : PYTHON.index("\n\n\ntop")]
M_PYTHON = K_PYTHON[K_PYTHON.index("@property") : K_PYTHON.index("\n\n    y =")]
F_JS = JAVASCRIPT[JAVASCRIPT.index("export const") : JAVASCRIPT.index("\n\nclass")]
K_JS = JAVASCRIPT[JAVASCRIPT.index("class K") : JAVASCRIPT.index("\n\nexport default")]
Z_JS = JAVASCRIPT[JAVASCRIPT.index("export default") : JAVASCRIPT.index("\n\ndescribe")]
IT_JS = JAVASCRIPT[JAVASCRIPT.index("it(") : JAVASCRIPT.index("\n});\n\nmodule")]
M_GO = GO[GO.index("func (t") : GO.index("\n\nvar")]
F_RUST = RUST[RUST.index("fn f") : RUST.index("\n\nimpl")]
F_JAVA = JAVA[JAVA.index("@Override") : JAVA.index("\n}\n")]
F_C = C[C.index("static") : C.index("\n\nstruct")]
F_BASH = BASH[BASH.index("f()") : BASH.index("\nx=1")]

# language, text, place, kind asked for, kind found, region
REGIONS = [
    ("python", PYTHON, "a == None", "expression", "expression", "a == None"),
    ("python", PYTHON, "a == None", "line", "line", "if a == None:"),
    ("python", PYTHON, "a == None", "statement", "statement", "if a == None:\n        g(1,\n          2)  # two"),
    ("python", PYTHON, "a == None", "function", "function", F_PYTHON),
    ("python", PYTHON, "a == None", "class", "function", F_PYTHON),
    ("python", PYTHON, "a == None", "file", "file", PYTHON),
    ("python", PYTHON, "g(1", "expression", "expression", "g(1,\n          2)"),
    ("python", PYTHON, "g(1", "statement", "statement", "g(1,\n          2)"),
    ("python", PYTHON, "2)", "line", "line", "2)  # two"),
    ("python", PYTHON, "# alone", "statement", "statement", "# alone"),
    ("python", PYTHON, "x for", "statement", "statement", "return [x for x in b]"),
    ("python", PYTHON, "@dec", "statement", "statement", F_PYTHON),
    ("python", PYTHON, "@dec", "function", "function", F_PYTHON),
    ("python", PYTHON, "@property", "function", "function", M_PYTHON),
    ("python", PYTHON, "h()", "statement", "statement", "h()"),
    ("python", PYTHON, "h()", "function", "function", "def inner():\n            h()"),
    ("python", PYTHON, "return inner", "function", "function", M_PYTHON),
    ("python", PYTHON, "return inner", "class", "class", K_PYTHON),
    ("python", PYTHON, "x = 1", "function", "statement", "x = 1"),
    ("python", PYTHON, "lambda", "function", "statement", "y = lambda: z"),
    ("python", PYTHON, "top(3)", "class", "statement", "top(3)"),
    ("python", PYTHON, "bottom", "statement", "statement", "bottom(4)"),
    ("python", PYTHON, "bottom", "line", "line", "top(3); bottom(4)"),
    ("python", PYTHON, "import os", "function", "statement", "import os"),
    ("javascript", JAVASCRIPT, "var i", "statement", "statement", "var i = 0;"),
    ("javascript", JAVASCRIPT, "i < 3", "statement", "statement", "for (var i = 0; i < 3; i++) { g(i); }"),
    ("javascript", JAVASCRIPT, "a == null", "statement", "statement", "if (a == null) return 1;"),
    ("javascript", JAVASCRIPT, "a == null", "function", "function", F_JS),
    ("javascript", JAVASCRIPT, "export const", "function", "function", F_JS),
    ("javascript", JAVASCRIPT, "h(x)", "statement", "statement", "return () => h(x);"),
    ("javascript", JAVASCRIPT, "h(x)", "function", "function", "m(x) {\n    return () => h(x);\n  }"),
    ("javascript", JAVASCRIPT, "h(x)", "class", "class", K_JS),
    ("javascript", JAVASCRIPT, "n = 1", "statement", "statement", "static n = 1"),
    ("javascript", JAVASCRIPT, "w()", "statement", "statement", "w();"),
    ("javascript", JAVASCRIPT, "v()", "function", "function", Z_JS),
    ("javascript", JAVASCRIPT, "expect(1)", "statement", "statement", "expect(1);"),
    ("javascript", JAVASCRIPT, "expect(1)", "function", "statement", IT_JS),
    ("javascript", JAVASCRIPT, "r()", "function", "statement", "module.exports.p = function () { r(); };"),
    ("javascript", JAVASCRIPT, "t()", "function", "function", "s() { t() }"),
    ("typescript", TYPESCRIPT, "a: number", "class", "class", "interface I { a: number }"),
    ("typescript", TYPESCRIPT, "x?: T", "statement", "statement", "private x?: T"),
    ("typescript", TYPESCRIPT, "super", "function", "function", "constructor(readonly y: any) { super(); }"),
    ("typescript", TYPESCRIPT, "m()", "class", "class", TYPESCRIPT[TYPESCRIPT.index("abstract class") : -16]),
    ("typescript", TYPESCRIPT, "Z = any", "function", "statement", "type Z = any;"),
    ("go", GO, "err != nil", "statement", "statement", "if err := f(); err != nil {\n\t\treturn err\n\t}"),
    ("go", GO, "g()", "statement", "statement", "g()"),
    ("go", GO, "g()", "function", "function", M_GO),
    ("go", GO, "h()", "statement", "statement", "h()"),
    ("go", GO, "X int", "class", "class", "type T struct {\n\tX int\n}"),
    ("go", GO, "V = 3", "statement", "statement", "var V = 3"),
    ("rust", RUST, "y.unwrap", "statement", "statement", "let x = y.unwrap();"),
    ("rust", RUST, "g(q)", "expression", "expression", "g(q)"),
    ("rust", RUST, "h()", "statement", "statement", "h();"),
    ("rust", RUST, "k()", "statement", "statement", "k()"),
    ("rust", RUST, "k()", "function", "function", F_RUST),
    ("rust", RUST, "n()", "class", "class", "impl T {\n    pub fn m(&self) { n() }\n}"),
    ("java", JAVA, "x = 1", "statement", "statement", "private int x = 1;"),
    ("java", JAVA, "g(i)", "statement", "statement", "g(i);"),
    ("java", JAVA, "k()", "statement", "statement", "k();"),
    ("java", JAVA, "k()", "function", "function", F_JAVA),
    ("java", JAVA, "x = 1", "class", "class", JAVA[:-1]),
    ("c", C, "i < 3", "statement", "statement", "for (i = 0; i < 3; i++)\n\t\tg(i);"),
    ("c", C, "g(i)", "statement", "statement", "g(i);"),
    ("c", C, "h()", "statement", "statement", "h();"),
    ("c", C, "k()", "function", "function", F_C),
    ("c", C, "int x", "statement", "statement", "int x;"),
    ("bash", BASH, '"$x" = y', "statement", "statement", 'if [ "$x" = y ]; then\n    echo $x | wc\n  fi'),
    ("bash", BASH, "echo", "statement", "statement", "echo $x"),
    ("bash", BASH, "$x | ", "statement", "statement", "echo $x | wc"),
    ("bash", BASH, "local", "function", "function", F_BASH),
    ("bash", BASH, "x=1", "function", "statement", "x=1"),
    ("yaml", YAML, "1", "statement", "statement", "b: 1"),
    ("yaml", YAML, "d:", "statement", "statement", "d: 2"),
    ("yaml", YAML, "e", "function", "statement", "e: 3"),
    ("yaml", YAML, "c:", "statement", "statement", "c:\n    - d: 2\n      e: 3"),
    ("json", '{"a": {"b": 1}, "c": [2]}\n', "1", "statement", "statement", '"b": 1'),
    ("css", "a { color: red; margin: 0 }\n", "red", "statement", "statement", "color: red;"),
    ("html", "<div><b class='c'>d</b></div>\n", "'c'", "statement", "statement", "<b class='c'>d</b>"),
    ("ruby", "def f\n  g(1) if x\nend\n", "g(1)", "function", "function", "def f\n  g(1) if x\nend"),
    ("kotlin", "class A {\n  fun f() {\n    val y = h()\n  }\n}\n", "h()", "statement", "statement", "val y = h()"),
    (None, "a b\n  c d\n\ne f\n  g h\n", "c", "statement", "statement", "c d"),
    (None, "a b\n  c d\n\ne f\n  g h\n", "c", "line", "line", "c d"),
    (None, "a b\n  c d\n\ne f\n  g h\n", "c", "function", "function", "a b\n  c d"),
    (None, "a b\n  c d\n\ne f\n  g h\n", "h", "class", "class", "e f\n  g h"),
    (None, "a b\n  c d\n\ne f\n  g h\n", "h", "file", "file", "a b\n  c d\n\ne f\n  g h\n"),
    ("sql", "SELECT 1;\n", "1", "statement", "statement", "SELECT 1;"),
]


def place(text: str, needle: str) -> Cut:
    return Cut(text.index(needle), text.index(needle) + len(needle))


@pytest.mark.parametrize(("language", "text", "needle", "kind", "found", "expected"), REGIONS)
def test_region(language: str | None, text: str, needle: str, kind: str, found: str, expected: str) -> None:
    site = place(text, needle)
    area = region_of(Document(text), site, kind, language)
    assert (area.cut.of(text), area.kind, area.sites) == (expected, found, (site,))


@pytest.mark.parametrize(
    ("language", "text", "first", "last", "expected"),
    [
        ("python", "a()\nb(1,\n  2)\nc()\n", "a", "b(1", "a()\nb(1,\n  2)"),
        ("python", "def f():\n    a()\n    b()\n    c()\n", "a", "b", "a()\n    b()"),
        ("javascript", "a(); b({\n  c: 1,\n});\nd();\n", "a", "b", "a(); b({\n  c: 1,\n});"),
        ("yaml", "a: 1\nb:\n  c: 2\nd: 3\n", "1", "b", "a: 1\nb:\n  c: 2"),
    ],
)
def test_a_site_over_several_statements(language: str, text: str, first: str, last: str, expected: str) -> None:
    site = Cut(place(text, first).start, place(text, last).end)
    assert region_of(Document(text), site, "statement", language).cut.of(text) == expected


def grouped(language: str | None, text: str, kind: str, *needles: str) -> list[tuple[str, list[str]]]:
    areas = regions_of(Document(text), [place(text, n) for n in needles], kind, language)
    return [(a.cut.of(text), [s.of(text) for s in a.sites]) for a in areas]


class TestSeveralSites:
    def test_each_has_its_own(self) -> None:
        assert grouped("python", "a(1)\nb(2)\n", "statement", "2", "1") == [("a(1)", ["1"]), ("b(2)", ["2"])]

    def test_one_region_is_shared(self) -> None:
        assert grouped("python", "f(a(1), b(2))\n", "statement", "a(1)", "b(2)") == [
            ("f(a(1), b(2))", ["a(1)", "b(2)"])
        ]

    def test_a_region_within_another_is_part_of_it(self) -> None:
        text = "if a(1):\n    b(2)\nc(3)\n"
        assert grouped("python", text, "statement", "b(2)", "c(3)", "a(1)") == [
            ("if a(1):\n    b(2)", ["a(1)", "b(2)"]),
            ("c(3)", ["c(3)"]),
        ]

    def test_functions(self) -> None:
        text = "def f():\n    a(1)\n    b(2)\n\n\ndef g():\n    c(3)\n"
        assert grouped("python", text, "function", "a(1)", "b(2)", "c(3)") == [
            ("def f():\n    a(1)\n    b(2)", ["a(1)", "b(2)"]),
            ("def g():\n    c(3)", ["c(3)"]),
        ]

    def test_lines(self) -> None:
        assert grouped(None, "a b\nc\n", "line", "a", "b", "c") == [("a b", ["a", "b"]), ("c", ["c"])]

    def test_no_sites(self) -> None:
        assert regions_of(Document("a\n"), [], "statement", "python") == []


@pytest.mark.parametrize(
    ("language", "text", "needle", "kind", "steps"),
    [
        (
            "python",
            PYTHON,
            "g(1",
            "expression",
            [("function", F_PYTHON)],  # the statement is the expression
        ),
        ("python", PYTHON, "x for", "expression", [("statement", "return [x for x in b]"), ("function", F_PYTHON)]),
        ("python", PYTHON, "return inner", "statement", [("function", M_PYTHON), ("class", K_PYTHON)]),
        ("python", PYTHON, "top(3)", "statement", []),
        ("python", PYTHON, "2)", "line", [("function", F_PYTHON)]),
        (
            "javascript",
            JAVASCRIPT,
            "h(x)",
            "statement",
            [("function", K_JS[K_JS.index("m(x)") : K_JS.index("\n  st")]), ("class", K_JS)],
        ),
        ("c", C, "h()", "statement", [("function", F_C)]),
        (None, "a b\nc d\n\ne\n", "c", "line", [("function", "a b\nc d")]),
        (None, "a b\n\ne\n", "a", "line", []),
    ],
)
def test_wider(language: str | None, text: str, needle: str, kind: str, steps: list[tuple[str, str]]) -> None:
    document = Document(text)
    area: Area | None = region_of(document, place(text, needle), kind, language)
    assert area is not None
    found = []
    while (area := wider(document, area, language)) is not None:
        found.append((area.kind, area.cut.of(text)))
        assert area.sites == (place(text, needle),)
    assert found == steps


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("python", PYTHON, [F_PYTHON, M_PYTHON]),
        ("javascript", JAVASCRIPT, [F_JS, "m(x) {\n    return () => h(x);\n  }", Z_JS, "s() { t() }"]),
        ("go", GO, [M_GO]),
        ("rust", RUST, [F_RUST, "pub fn m(&self) { n() }"]),
        ("java", JAVA, [F_JAVA]),
        ("c", C, [F_C]),
        ("bash", BASH, [F_BASH]),
        ("yaml", YAML, []),
        (None, "def f(): pass\n", []),
        ("javascript", "x = " + " + ".join(["a"] * 3000), []),
    ],
)
def test_functions_of_a_text(language: str | None, text: str, expected: list[str]) -> None:
    assert [area.cut.of(text) for area in functions(Document(text), language)] == expected


@settings(deadline=None, max_examples=150)
@given(
    st.sampled_from([("python", PYTHON), ("javascript", JAVASCRIPT), ("go", GO), ("c", C), ("yaml", YAML), (None, C)]),
    st.sampled_from(["line", *KINDS]),
    st.data(),
)
def test_a_region_holds_its_site(case: tuple[str | None, str], kind: str, data: st.DataObject) -> None:
    """Wherever a site begins and ends, as long as it does so in code: sites are trimmed."""
    language, text = case
    solid = [i for i, char in enumerate(text) if not char.isspace()]
    start = data.draw(st.integers(0, len(solid) - 1))
    end = data.draw(st.integers(start, min(start + 60, len(solid) - 1)))
    site = Cut(solid[start], solid[end] + 1)
    area = region_of(Document(text), site, kind, language)
    assert area.cut.covers(site)
    assert kind == "file" or area.cut.of(text).strip() == area.cut.of(text)
