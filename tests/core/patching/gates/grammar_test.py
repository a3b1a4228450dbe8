"""The gates on the whole file: it parses as before, and nothing of it is lost."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from litecode.core.patching.gates import grammar
from litecode.core.patching.gates.base import Grade, Rewrite
from litecode.core.patching.gates.grammar import definitions

Rewriting = Callable[..., Rewrite]


@pytest.mark.parametrize(
    ("language", "before", "site", "new", "said"),
    [
        ("python", "x = 1\n", "x", "x = (1", "the code does not parse: '(' was never closed (line 1)"),
        ("python", "def f():\n    x = 1\n", "x", "x = 1\nreturn x", "'return' outside function (line 3)"),
        ("python", "def f():\n    x = 1\n", "x = 1", "x = await g()", "'await' outside async function (line 2)"),
        ("python", "def f():\n    x = 1\n", "x = 1", "y = 1\n        x = 1", "unexpected indent (line 3)"),
        ("python", "x = 1\n", "x", "f(a=1, a=2)", "keyword argument repeated: a (line 1)"),
        ("javascript", "f(a);\n", "f", "f(a;", "the code does not parse"),
        ("javascript", "if (a) { b(); }\n", "b", "b(); }", "the code does not parse"),
        ("typescript", "let x: number = 1;\n", "x", "let x: = 1;", "the code does not parse"),
        ("go", "package a\n\nfunc f() {\n\tg(1)\n}\n", "g(1)", "g(1", "the code does not parse"),
        ("rust", "fn f() { g(1); }\n", "g(1)", "g(1;", "the code does not parse"),
        ("java", "class A { void f() { g(1); } }\n", "g(1)", "g(1)", "the code does not parse"),  # the semicolon
        ("c", "int f() { g(1); }\n", "g(1)", "g(1);}", "the code does not parse"),
        ("bash", "if a; then b; fi\n", "b", 'b "c', "the code does not parse"),
        ("json", '{"a": 1}\n', "1", '"a": 1 1', "the code does not parse: Expecting ',' delimiter"),
        ("yaml", "a: 1\nb: 2\n", "1", "a: [1", "the code does not parse: while parsing a flow sequence"),
        ("yaml", "a:\n  b: 1\n", "1", "b: 1\n c: 2", "the code does not parse: while parsing a block mapping"),
        ("toml", "a = 1\n", "a", "a = ", "the code does not parse: Invalid value"),
        ("toml", "a = 1\nb = 2\n", "b", "a = 2", "the code does not parse: Cannot overwrite a value"),
        # A file with faults of its own may not get more, nor larger ones.
        ("c", "UNKNOWN(x) y z;\nint f() { g(1); }\n", "g(1)", "g(1;", "the code does not parse"),
        ("javascript", "f(;\nfunction g() {\n  h();\n}\n", "h()", "h(); }}", "the code does not parse"),
    ],
)
def test_new_faults(rewriting: Rewriting, language: str, before: str, site: str, new: str, said: str) -> None:
    found = grammar.syntax(rewriting(language, before, site, new))
    assert found is not None
    assert (found.gate, found.grade) == ("syntax", Grade.REFUSE)
    assert said in found.text
    assert "\n" not in found.text


@pytest.mark.parametrize(
    ("language", "before", "site", "new"),
    [
        ("python", "x = 1\n", "x", "x = (1)"),
        ("python", 'x = "a"\n', "x", 'x = "\\d"'),  # a warning is no fault
        ("python", "print 'a'\nx = 1\n", "x", "x = 2"),  # an older Python
        ("python", "return 1\nx = 1\n", "x", "x = 2"),
        ("python", f"x = 1\ny = {'+'.join('a' * 3000)}\n", "x", "x = 2"),  # deeper than Python's own parser goes
        ("javascript", "f(a)\n", "f", "g(a)"),
        ("javascript", "f(;\ng(1);\n", "g(1)", "h(1, 2);"),
        ("go", "package a\n\nfunc f() {\n\tg(1)\n}\n", "g(1)", "if err := g(1); err != nil {\n\t\treturn\n\t}"),
        ("c", "UNKNOWN(x) y z;\nint f() { g(1); }\n", "g(1)", "h(1);"),
        ("json", '{"a": 1}\n', "1", '"b": [1]'),
        ("json", '// jsonc\n{"a": 1}\n', "1", '"b": 2'),
        ("yaml", "a: !custom 1\nb: {{ template }}\n", "1", "a: !custom 2"),
        ("yaml", "a: 1\n---\nb: 2\n", "b", "b: 3"),
        ("toml", "a = 1\n", "a", "a = [1]"),
        ("toml", "not toml\na = 1\n", "a", "a = = 1"),
        ("sql", "select 1\n", "select", "select (("),
        (None, "a\n", "a", "(("),
    ],
)
def test_no_new_faults(rewriting: Rewriting, language: str | None, before: str, site: str, new: str) -> None:
    assert grammar.syntax(rewriting(language, before, site, new)) is None


def test_ensured_lines_are_part_of_the_file(rewriting: Rewriting) -> None:
    assert grammar.syntax(rewriting("python", "x = 1\n", "x", "x = 2", ensure=("import os",))) is None
    assert grammar.syntax(rewriting("python", "x = 1\n", "x", "x = 2", ensure=("import",))) is not None


PYTHON = """\
import os
import re as regex
from a import b

LIMIT = 1


class K:
    def m(self):
        return LIMIT


def f():
    return os, regex, b
"""


@pytest.mark.parametrize(
    ("language", "before", "site", "new", "lost"),
    [
        ("python", PYTHON, "def m", "pass", "K.m"),
        ("python", PYTHON, "import os", "", "os"),
        ("python", PYTHON, "import re", "import re", "regex"),
        ("python", PYTHON, "from a", "from a import c", "b"),
        ("python", PYTHON, "LIMIT = 1", "limit = 1", "LIMIT"),
        ("python", "def f():\n    def g(): pass\n    return g\n", "def g", "g = 1", "f.g"),
        ("javascript", "import { a } from 'b';\nf(a);\n", "import", "import { c } from 'b';", "a"),
        ("javascript", "class K { m() {} n() {} }\n", "m() {}", "", "K.m"),
        ("javascript", "const f = () => 1;\nfunction g() {}\n", "function g", "", "g"),
        ("typescript", "interface I { a: string }\nlet x = 1;\n", "interface", "", "I"),
        ("go", "package a\n\nfunc f() {}\n\nfunc g() {}\n", "func g", "", "g"),
        ("rust", "struct S;\nfn f() {}\n", "struct", "", "S"),
        ("java", "class A { void f() {} int g() { return 1; } }\n", "void f", "", "A.f"),
        ("c", "int f(int a) { return a; }\nint g(void) { return 1; }\n", "int f", "", "f"),
    ],
)
def test_lost(rewriting: Rewriting, language: str, before: str, site: str, new: str, lost: str) -> None:
    found = grammar.outline(rewriting(language, before, site, new, kind="function" if "def" in site else "statement"))
    assert found is not None
    assert (found.gate, found.grade, found.text) == ("outline", Grade.REFUSE, f"`{lost}` is lost")


@pytest.mark.parametrize(
    ("language", "before", "site", "new", "instruction", "pattern"),
    [
        ("python", PYTHON, "def m", "def m(self, x=1):\n        return x", "", ""),
        ("python", PYTHON, "def m", "def n(self):\n        return LIMIT", "Rename m to n.", ""),
        ("python", PYTHON, "import os", "", "", "import os"),
        ("python", PYTHON, "import os", "import os, sys", "", ""),
        ("python", PYTHON, "LIMIT = 1", "LIMIT: int = 1", "", ""),
        ("python", "for x in y:\n    f(x)\n", "f(x)", "g(1)", "", ""),
        ("javascript", "const f = () => 1;\n", "const", "function f() { return 1; }", "", ""),
        ("javascript", "import a from 'a';\nf(a);\n", "f(a)", "g(a);", "", ""),
        ("yaml", "a: 1\nb: 2\n", "a", "c: 1", "", ""),
        (None, "def f(): pass\n", "def", "x", "", ""),
    ],
)
def test_not_lost(
    rewriting: Rewriting, language: str | None, before: str, site: str, new: str, instruction: str, pattern: str
) -> None:
    assert grammar.outline(rewriting(language, before, site, new, instruction=instruction, pattern=pattern)) is None


def test_definitions() -> None:
    assert definitions(PYTHON, "python") == {"K", "K.m", "f"}
    assert definitions("x = " + " + ".join(["a"] * 3000), "javascript") == set()


@pytest.mark.parametrize(
    ("language", "before", "site", "kind", "new", "said"),
    [
        ("python", "f(1)\n", "f", "statement", "f(1)\nf(2)", "1 statement became 2; give only the changed code"),
        ("python", "f(1)\n", "1", "expression", "1; 2", "1 statement became 2; give only the changed code"),
        (
            "python",
            "def f():\n    g(1)\n",
            "g",
            "statement",
            "import os\ng(1)",
            "1 statement became 2; give only the changed code",
        ),
        (
            "python",
            "def f(): pass\n",
            "f",
            "function",
            "x = 1\ndef f(): pass",
            "1 statement became 2; give only the changed code",
        ),
        ("javascript", "f(1);\n", "f", "statement", "f(1); g();", "1 statement became 2; give only the changed code"),
        ("python", "f(1)\n", "f", "statement", "if a:\n    f(1)\n    g(2)", ""),
        ("python", "f(1)\n", "f", "statement", "# why\nf(1)", ""),
        ("python", "f(1); g(2)\n", "f(1); g", "statement", "f(1); h(2)", ""),
        ("python", "f(1)\n", "f", "line", "f(1); g(2)", ""),
        ("python", "f(1)\n", "f", "file", "f(1)\ng(2)\n", ""),
        ("javascript", "f(1);\n", "f", "statement", "for (;;) { f(1); g(); }", ""),
        ("javascript", "class K { m() {} }\n", "m", "function", "m() { f(); g(); }", ""),
        ("sql", "select 1;\n", "1", "statement", "select 1; select 2;", ""),
        (None, "a\n", "a", "statement", "a b", ""),
    ],
)
def test_statements(
    rewriting: Rewriting, language: str | None, before: str, site: str, kind: str, new: str, said: str
) -> None:
    found = grammar.statements(rewriting(language, before, site, new, kind=kind))
    assert (found.text if found else "") == said


@pytest.mark.parametrize(
    ("language", "new", "said"),
    [
        (
            "go",
            'import "fmt"\n\nfunc f() { fmt.Println(1) }',
            '`import "fmt"` belongs at the top of the file; leave it out',
        ),
        ("go", "package a\n\nfunc f() {}", "`package a` belongs at the top of the file; leave it out"),
        ("go", "func f() {}\n\nfunc g() {}", ""),
        ("go", "// package a\nfunc f() {}", ""),
        ("javascript", "import a from 'a';\nfunction f() {}", ""),
    ],
)
def test_what_only_the_top_of_a_file_has(rewriting: Rewriting, language: str, new: str, said: str) -> None:
    head = 'package a\n\nimport "os"\n\n' if language == "go" else ""
    site = "func f() { g(1) }" if language == "go" else "function f() { g(1) }"
    rewrite = rewriting(language, f"{head}var h = 1\n\n{site}\n", site, new, kind="function")
    found = grammar.heads(rewrite)
    assert (found.text if found else "") == said
    if found is not None:
        assert found.grade is Grade.REFUSE


def test_imports_at_the_top_may_change(rewriting: Rewriting) -> None:
    text = 'package a\n\nimport "os"\n\nvar h = 1\n'
    assert grammar.heads(rewriting("go", text, 'import "os"', 'import (\n\t"fmt"\n\t"os"\n)')) is None
