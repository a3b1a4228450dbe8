"""An assertion that becomes a test is turned over, not copied; and what else may look different in a rewrite."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from litecode.core.patching.gates.base import Rewrite
from litecode.core.patching.gates.polarity import polarity, turned
from litecode.core.patching.judge import judge

Rewriting = Callable[..., Rewrite]

ASSERT = "Replace the assert statement by an if statement that raises ValueError with a message."


@pytest.mark.parametrize(
    ("language", "before", "site", "new", "old", "test"),
    [
        ("python", "assert n > 0\n", "assert n > 0", 'if n <= 0:\n    raise ValueError("n")', "n > 0", "n <= 0"),
        ("python", "assert a\n", "assert a", 'if not a:\n    raise ValueError("a")', "a", "not a"),
        ("python", "assert not a\n", "assert not a", 'if a:\n    raise ValueError("a")', "not a", "a"),
        ("python", "assert (a and b), c\n", "assert (a and b), c", "if not (a and b):\n    raise E(c)", None, None),
        ("python", "assert a in b\n", "assert a in b", "if a not in b:\n    raise E()", "a in b", "a not in b"),
        (
            "python",
            "assert a is not None and b\n",
            "assert a is not None and b",
            "if a is None or not b:\n    raise E()",
            "a is not None and b",
            "a is None or not b",
        ),
        (
            "python",
            "def f():\n    assert a == b and c == d, m  # why\n\n    return a\n",
            "assert a == b and c == d, m",
            "if a != b or c != d:\n    raise E(m)",
            "a == b and c == d",
            "a != b or c != d",
        ),
        ("python", "assert 0 < a < 9\n", "assert 0 < a < 9", "if not 0 < a < 9:\n    raise E()", "0 < a < 9", None),
        ("java", "class A { void f() { assert a > 0; } }", "assert a > 0;", "if (a <= 0) { throw e; }", "a > 0", None),
        ("javascript", "assert(a && !b);", "assert(a && !b);", "if (!a || b) { throw e; }", "a && !b", "(!a || b)"),
    ],
)
def test_turned_over(
    rewriting: Rewriting, language: str, before: str, site: str, new: str, old: str | None, test: str | None
) -> None:
    rewrite = rewriting(language, before, site, new)
    pairs = turned(rewrite)
    assert len(pairs) == 1
    assert old is None or pairs[0].old.of(rewrite.before) == old
    assert test is None or pairs[0].new.of(rewrite.after) == test
    assert polarity(rewrite) is None


@pytest.mark.parametrize(
    ("language", "before", "site", "new"),
    [
        ("python", "assert n > 0\n", "assert n > 0", 'if n < 0:\n    raise ValueError("n")'),
        ("python", "assert n > 0\n", "assert n > 0", 'if m <= 0:\n    raise ValueError("n")'),
        ("python", "assert a and b\n", "assert a and b", "if not a and not b:\n    raise E()"),
        ("python", "assert a or b\n", "assert a or b", "if not a or not b:\n    raise E()"),
        ("python", "assert a in b\n", "assert a in b", "if b not in a:\n    raise E()"),
        ("python", "assert f(a)\n", "assert f(a)", "if not f(b):\n    raise E()"),
        ("python", "print(a > b)\n", "print(a > b)", 'logger.info("%s", a <= b)'),
        ("python", "if a > b:\n    print(a)\n", "print(a)", "print(b)"),
        ("python", "if a:\n    g()\n", "if a:\n    g()", "if not a:\n    g()"),
        ("javascript", "assert(a && b);", "assert(a && b);", "if (!a && !b) { throw e; }"),
        ("yaml", "a: b\n", "a: b", "a: c"),
        (None, "assert a", "assert a", "if not a: raise"),
        ("python", "assert " + " and ".join(["a"] * 3000) + "\n", "assert a", "if not b:\n    raise E()"),
    ],
)
def test_not_turned_over(rewriting: Rewriting, language: str | None, before: str, site: str, new: str) -> None:
    assert turned(rewriting(language, before, site, new)) == ()


@pytest.mark.parametrize(
    ("language", "before", "new"),
    [
        ("python", "assert n > 0", "if n > 0:\n    raise ValueError()"),
        ("python", "assert a is None or b", "if a is None or b:\n    raise ValueError()"),
        ("python", "assert not a", "if not a:\n    raise ValueError()"),
        ("javascript", "assert(a === 1);", "if (a === 1) { throw new Error(); }"),
        ("javascript", "console.assert(a);", "if (a) { throw new Error(); }"),
        ("go", "package m\nfunc f() {\n\trequire.True(t, a)\n}", "if a {\n\tt.Fatal()\n}"),
    ],
)
def test_copied_as_it_is(rewriting: Rewriting, language: str, before: str, new: str) -> None:
    site = "require.True(t, a)" if language == "go" else before
    objection = polarity(rewriting(language, before, site, new))
    assert objection is not None
    assert "opposite" in objection.text


def rule(rewriting: Rewriting, language: str, before: str, new: str, pattern: str, instruction: str) -> str:
    """What is said against a rewrite of the whole text, empty for nothing but doubts."""
    judgement = judge(rewriting(language, before, before.strip(), new, pattern=pattern, instruction=instruction))
    return "" if judgement.refusal is None else judgement.refusal.gate


@pytest.mark.parametrize(
    ("language", "before", "new", "pattern", "instruction", "gate"),
    [
        ("python", "assert n > 0", 'if n <= 0:\n    raise ValueError("n")', "assert $X", ASSERT, ""),
        ("python", "assert n > 0", 'if n < 0:\n    raise ValueError("n")', "assert $X", ASSERT, "operators"),
        ("python", "assert n > 0", 'if n > 0:\n    raise ValueError("n")', "assert $X", ASSERT, "polarity"),
        ("python", "assert n > 0", 'if m <= 0:\n    raise ValueError("n")', "assert $X", ASSERT, "names"),
        ("python", "assert a and b", 'if not a or not b:\n    raise ValueError("n")', "assert $X", ASSERT, ""),
        (
            "python",
            "assert a and b",
            'if not a and not b:\n    raise ValueError("n")',
            "assert $X",
            ASSERT,
            "operators",
        ),
        ("python", "x = dict(a=1, b=f(2))", 'x = {"a": 1, "b": f(2)}', "dict($$$A)", "Write a dict literal.", ""),
        ("python", "x = dict(a=1, b=f(2))", 'x = {"b": 1, "a": f(2)}', "dict($$$A)", "Write a dict literal.", "names"),
        ("python", "x = dict(a=1, b=f(2))", 'x = {"a": 1}', "dict($$$A)", "Write a dict literal.", "names"),
        ("python", "x = dict(a=1)", 'x = {"c": 1}', "dict($$$A)", "Write a dict literal.", "names"),
        ("python", "x = dict(a=b)", 'x = {"a": "b"}', "dict($$$A)", "Write a dict literal.", "names"),
        ("python", 'x = d["key"]', "x = d.key", "$D[$K]", "Use attribute access.", ""),
        ("python", 'x = d["key"]', "x = d.kez", "$D[$K]", "Use attribute access.", "strings"),
        ("css", "a { color: #FF00AA; }", "a { color: #ff00aa; }", "/#[0-9A-F]{6}/", "Write it in lower case.", ""),
        ("css", "a { color: #FF00AA; }", "a { color: #ff00ab; }", "/#[0-9A-F]{6}/", "Write it in lower case.", "names"),
        ("css", "a { color: #FF00AA; }", "a { color: #ff00aa; }", "/#[0-9A-F]{6}/", "Write it otherwise.", "names"),
        (
            "python",
            "if not d.has_key(k):\n    f()",
            "if k not in d:\n    f()",
            "$X.has_key($K)",
            "Use the in operator.",
            "",
        ),
        (
            "python",
            'if not d.has_key("k") and e:\n    f()',
            'if "k" not in d and e:\n    f()',
            "$X.has_key($K)",
            "Use the in operator.",
            "",
        ),
        (
            "python",
            'if not d.has_key("k") and e:\n    f()',
            'if "k" in d and e:\n    f()',
            "$X.has_key($K)",
            "Use the in operator.",
            "operators",
        ),
    ],
)
def test_a_rule(
    rewriting: Rewriting, language: str, before: str, new: str, pattern: str, instruction: str, gate: str
) -> None:
    assert rule(rewriting, language, before, new, pattern, instruction) == gate
