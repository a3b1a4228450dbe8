"""What no match touches stays where it is; what a regex has found keeps the order of its names."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from litecode.core.patching.gates.base import Grade, Rewrite
from litecode.core.patching.gates.statements import order, placeholders, untouched, wrapped

Rewriting = Callable[..., Rewrite]

PYTHON = """\
def f(a, b=[]):
    \"\"\"Doc.\"\"\"
    if a:
        g(a)  # why
    else:
        h(b, c,)
    return a, b
"""
HEAD = "def f(a, b=None):\n"
BODY = PYTHON[PYTHON.index("    if a") :].rstrip()
DOC = '    """Doc."""\n'
TEST = "    if b is None:\n        b = []\n"


@pytest.mark.parametrize(
    "new",
    [
        HEAD + DOC + BODY,
        HEAD + DOC + TEST + BODY,
        HEAD + DOC + TEST + BODY.replace("  # why", ""),  # comments have a gate of their own
        HEAD + DOC + TEST + BODY.replace("h(b, c,)", "h(\n            b,\n            c\n        )"),
        HEAD + DOC + TEST + BODY.replace("return a, b", "return a, b;"),
        HEAD + DOC.replace('"""', "'''") + TEST + BODY,
        HEAD + DOC + BODY.replace("    return", TEST + "    return"),
        "def other(a):\n" + DOC + BODY,  # the statement that the match touches is another gate's
        HEAD + DOC + BODY + "\n    more()",
    ],
)
def test_untouched(rewriting: Rewriting, new: str) -> None:
    assert untouched(rewriting("python", PYTHON, "def f(a, b=[])", new, kind="function")) is None


@pytest.mark.parametrize(
    ("new", "said"),
    [
        (HEAD + DOC + TEST + BODY.replace("a, b", "b, a"), "`return a, b` was changed, moved or lost"),
        (HEAD + DOC + TEST + BODY.replace("g(a)", "g(b)"), "`g(a)` was changed, moved or lost"),
        (HEAD + DOC + TEST + BODY.replace("if a:", "if b:"), "`if a:` was changed, moved or lost"),
        (
            HEAD + DOC + TEST + BODY.replace("    return a, b", "        return a, b"),
            "`return a, b` was moved into another block",
        ),
        (HEAD + DOC + TEST + BODY.replace("    return a, b", ""), "`return a, b` was changed, moved or lost"),
        (HEAD + TEST + BODY, '`"""Doc."""` was changed, moved or lost'),
        (HEAD + DOC + "    return a, b\n" + BODY, None),  # there are two now, the second in its place
        (
            HEAD + DOC + "    return a, b\n" + BODY.replace("    return a, b", ""),
            "`return a, b` was changed, moved or lost",
        ),
        (
            HEAD + DOC + BODY.replace("        g(a)  # why", "        if b is None:\n            g(a)"),
            "`g(a)` was moved into another block",
        ),
    ],
)
def test_changed_moved_or_lost(rewriting: Rewriting, new: str, said: str | None) -> None:
    found = untouched(rewriting("python", PYTHON, "def f(a, b=[])", new, kind="function"))
    assert (found.text if found else None) == said
    assert found is None or (found.gate, found.grade) == ("untouched", Grade.DOUBT)


@pytest.mark.parametrize(
    ("language", "before", "site", "kind", "new", "said"),
    [
        ("javascript", "function f() { a(1); b(2); }\n", "a(1)", "function", "function f() { c(1); b(2); }", ""),
        ("javascript", "function f() { a(1); b(2); }\n", "a(1)", "function", "function f() { c(1); b(2) }", ""),
        (
            "javascript",
            "function f() { a(1); b(2); }\n",
            "a(1)",
            "function",
            "function f() { c(1); b(3); }",
            "`b(2);` was changed, moved or lost",
        ),
        (
            "javascript",
            "function f() { a(1); b(2); }\n",
            "a(1)",
            "function",
            "function f() { if (c(1)) { b(2); } }",
            "`b(2);` was moved into another block",
        ),
        ("go", "package a\n\nfunc f() {\n\ta(1)\n\tb(2)\n}\n", "a(1)", "function", "func f() {\n\tc(1)\n\tb(2)\n}", ""),
        ("go", "package a\n\nfunc f() {\n\ta(1)\n\tb(2)\n}\n", "a(1)", "function", "func f() {\n\tb(2)\n\tc(1)\n}", ""),
        (
            "go",
            "package a\n\nfunc f() {\n\ta(1)\n\tb(2)\n\td(3)\n}\n",
            "a(1)",
            "function",
            "func f() {\n\tc(1)\n\td(3)\n\tb(2)\n}",
            "`d(3)` was changed, moved or lost",
        ),
        ("python", "a(1)\n", "a(1)", "statement", "b(1)", ""),
        ("python", "try:\n    a(1)\nexcept E:\n    b(2)\n", "a(1)", "statement", "c(1)", ""),
        ("python", "with a(1) as x:\n    b(2)\n", "a(1)", "statement", "with c(1) as x:\n    b(2)", ""),
        (
            "python",
            "with a(1) as x:\n    b(2)\n",
            "a(1)",
            "statement",
            "with c(1) as x:\n    b(3)",
            "`b(2)` was changed, moved or lost",
        ),
        (
            "python",
            "if x:\n    a(1)\n    b(2)\n",
            "a(1)",
            "file",
            "if y:\n    a(1)\n    b(2)\n",
            "",
        ),  # around the match
        ("yaml", "a:\n  b: 1\n  c: 2\n", "b", "file", "a:\n  d: 1\n  c: 2\n", ""),
        ("yaml", "a:\n  b: 1\n  c: 2\n", "b", "file", "a:\n  d: 1\n  c: 3\n", "`c: 2` was changed, moved or lost"),
        ("sql", "select a;\nselect b;\n", "a", "file", "select c;", ""),
        (None, "a\nb\n", "a", "file", "c", ""),
    ],
)
def test_other_languages_and_regions(
    rewriting: Rewriting, language: str | None, before: str, site: str, kind: str, new: str, said: str
) -> None:
    found = untouched(rewriting(language, before, site, new, kind=kind))
    assert (found.text if found else "") == said


@pytest.mark.parametrize(
    ("language", "old", "new", "instruction", "said"),
    [
        ("python", "f(a)", "if a:\n    f(a)", "", "there is a new `if` around the code"),
        ("python", "f(a)", "def g(a):\n    f(a)", "", "there is a new `def` around the code"),
        ("python", "f(a)", "try:\n    f(a)\nexcept E:\n    pass", "", "there is a new `try` around the code"),
        ("javascript", "f(a);", "if (a) { f(a); }", "", "there is a new `if` around the code"),
        ("python", "f(a)", "try:\n    f(a)\nexcept E:\n    pass", "Wrap it in try.", ""),
        ("python", "f(a)", "g(a)", "", ""),
        ("python", "x = f(a)", "x = f(a) if a else b", "", ""),
        ("python", "if a:\n    f(a)", "if a:\n    g(a)", "", ""),
        ("python", "if a:\n    f(a)", "if a:\n    if a:\n        g(a)", "", ""),  # one more of a kind that is there
        ("javascript", "f(a);", "f(() => { g(a); });", "", ""),
        (None, "f(a)", "if a: f(a)", "", ""),
    ],
)
def test_wrapped(rewriting: Rewriting, language: str | None, old: str, new: str, instruction: str, said: str) -> None:
    found = wrapped(rewriting(language, f"{old}\n", old, new, instruction=instruction))
    assert (found.text if found else "") == said


TIMEOUT = {"pattern": r"/requests\.(get|post)/", "instruction": "Add timeout=10 as the last keyword argument."}
SQL = {"pattern": r"/execute\(f/", "instruction": 'Put "?" in place of each value, and give the values as a tuple.'}
SHELL = {"pattern": r"/cp .*/", "instruction": "Put double quotes around every variable."}


@pytest.mark.parametrize(
    ("language", "old", "new", "options", "said"),
    [
        ("python", "r = requests.get(u, headers=h)", "r = requests.get(u, headers=h, timeout=10)", TIMEOUT, ""),
        ("python", "r = requests.get(u, headers=h)", "r = requests.get(u, timeout=10, headers=h)", TIMEOUT, ""),
        ("python", "c.execute(f'{a} {b.c}')", "c.execute('? ?', (a, b.c))", SQL, ""),
        ("python", "def f(a, b): requests.get(a)", "def f(a, b): requests.get(a, timeout=10)", TIMEOUT, ""),
        ("bash", "cp $a $b/c", 'cp "$a" "$b/c"', SHELL, ""),
        (None, "cp a b", "cp 'a' 'b'", SHELL, ""),
        (
            "python",
            "r = requests.get(u, headers=h)",
            "r = requests.get(h, headers=u)",
            TIMEOUT,
            "the names of `r requests get u headers h` were changed or moved",
        ),
        (
            "python",
            "r = requests.get(u)",
            "r = u.get(requests)",
            TIMEOUT,
            "the names of `r requests get u` were changed or moved",
        ),
        (
            "python",
            "r = requests.get(u)",
            "r = requests.post(u)",
            TIMEOUT,
            "`post` is another thing that the rule looks for",
        ),
        (
            "python",
            "c.execute(f'{a} {b.c}')",
            "c.execute('? ?', (b.c, a))",
            SQL,
            "the names of `c execute a b c` were changed or moved",
        ),
        (None, "cp a b", "cp b a", SHELL, "the names of `cp a b` were changed or moved"),
        ("bash", "cp $a $b", "cp $b $a", SHELL, "the names of `cp a b` were changed or moved"),
    ],
)
def test_order(
    rewriting: Rewriting, language: str | None, old: str, new: str, options: dict[str, str], said: str
) -> None:
    found = order(rewriting(language, f"{old}\n", old, new, **options))
    assert (found.text if found else "") == said


def test_the_order_of_a_pattern_is_the_business_of_its_values(rewriting: Rewriting) -> None:
    assert order(rewriting("python", "f(a, b)\n", "f(a, b)", "f(b, a)", pattern="f($$$A)")) is None


@pytest.mark.parametrize(
    ("old", "new", "instruction", "refused"),
    [
        ("c.execute(f\"a = '{a}'\")", "c.execute(\"a = '?'\", (a,))", 'Put "?" in place of values.', True),
        ("c.execute(f\"a = '{a}'\")", "c.execute('a = \"?\"', (a,))", "Put ? in place of values.", True),
        ("c.execute(f\"a = '{a}'\")", 'c.execute("a = ?", (a,))', 'Put "?" in place of values.', False),
        ("c.execute(\"a = '?'\")", "c.query(\"a = '?'\")", 'Put "?" in place of values.', False),
        ("print(\"a = 'b'\")", "log(\"a = '?'\")", "Use log.", False),
    ],
)
def test_placeholders(rewriting: Rewriting, old: str, new: str, instruction: str, refused: bool) -> None:
    assert (placeholders(rewriting("python", f"{old}\n", old, new, instruction=instruction)) is not None) == refused
