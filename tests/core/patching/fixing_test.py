"""Fixes by code: the right text, in the layout of the old one, or a refusal; never less than was there."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from litecode.core.errors import LitecodeError, RuleError
from litecode.core.patching.edits import splice
from litecode.core.patching.fixing import Unfixable, fix_match, fix_regex
from litecode.core.patching.judge import fault_of_fix
from litecode.core.patching.match import ast_matcher, regex_matcher
from litecode.core.patching.snippets import check_ensure, check_fix
from litecode.core.patching.syntax import errors


def fixed(language: str, rule: str | dict[str, Any], fix: str, text: str) -> str:
    """What a rule makes of a text, as rules are applied: checked, every match replaced, the result proven."""
    matcher = ast_matcher({"pattern": rule} if isinstance(rule, str) else rule, {}, language)
    check_fix(fix, matcher)
    new = splice(text, [fix_match(text, match, matcher, fix) for match in matcher.find(text)])
    assert errors(new, language) <= errors(text, language)
    return new


GO = "package a\n\nfunc f() {{\n\t{}\n}}\n"

# language, pattern, fix, code, fixed code
FIXES = [
    (
        "python",
        "datetime.utcnow()",
        "datetime.now(timezone.utc)",
        "x = datetime.utcnow()\n",
        "x = datetime.now(timezone.utc)\n",
    ),
    (
        "python",
        "print($$$A)",
        "log($$$A)",
        "print()\nprint(1)\nprint(1, *b, c=2)\n",
        "log()\nlog(1)\nlog(1, *b, c=2)\n",
    ),
    ("python", "f($A, $B)", "g($B, $A)", "f(1, 2)\n", "g(2, 1)\n"),
    ("python", "f($A, $A)", "g($A)", "f(x, x)\nf(x, y)\n", "g(x)\nf(x, y)\n"),
    ("python", "f($A)", "g($A, $A)", "f(x)\n", "g(x, x)\n"),
    ("python", "f($A, debug=$D)", "f($A)", "f(1, debug=True)\n", "f(1)\n"),
    ("python", "f($A, $$$)", "g($A)", "f(1, 2, 3)\nf(1)\n", "g(1)\nf(1)\n"),
    ("python", "f($X, $$$A)", "g($$$A)", "f(1, 2, 3)\nf(1, 2)\n", "g(2, 3)\ng(2)\n"),
    ("python", 'open($A, "r")', "open($A)", 'open(x, "r")\nopen(x, "w")\n', 'open(x)\nopen(x, "w")\n'),
    ("python", "print $A", "print($A)", "x = 1\n", "x = 1\n"),
    ("python", "$A == None", "$A is None", "if é == None and x: pass  # 😀\n", "if é is None and x: pass  # 😀\n"),
    ("python", "lambda: $A()", "$A", "f(lambda: g(), lambda: h(1))\n", "f(g, lambda: h(1))\n"),
    ("python", 'log(f"$A")', "log($A)", 'log("x")\n', 'log("x")\n'),
    ("javascript", "var $A = $B", "let $A = $B", "var x = 1;\nvar y = 2\n", "let x = 1;\nlet y = 2\n"),
    ("javascript", "$A == $B", "$A === $B", "if (a == b || !(c == 'd')) x();\n", "if (a === b || !(c === 'd')) x();\n"),
    ("typescript", "$A as any", "$A as unknown", "const y = (x as any).z;\n", "const y = (x as unknown).z;\n"),
    ("rust", "$A.unwrap()", "$A?", "fn f() { x(y.unwrap(), z); }\n", "fn f() { x(y?, z); }\n"),
    ("go", "fmt.Println($$$A)", "log.Print($$$A)", GO.format('fmt.Println("x", 1)'), GO.format('log.Print("x", 1)')),
    (
        "java",
        "System.out.println($A);",
        "log.info($A);",
        "class A { void f() { System.out.println(1); } }",
        "class A { void f() { log.info(1); } }",
    ),
    (
        "c",
        "strcpy($A, $B)",
        "strlcpy($A, $B, sizeof $A)",
        "void f() { strcpy(a, b); }\n",
        "void f() { strlcpy(a, b, sizeof a); }\n",
    ),
    ("bash", "egrep $$$A", "grep -E $$$A", "egrep -v a b | wc\n", "grep -E -v a b | wc\n"),
    ("yaml", "version: $V", "schema: $V", "a: 1\nversion: 2 # c\n", "a: 1\nschema: 2 # c\n"),
    ("css", "color: $A", "color: blue", "a { color: red; margin: 0 }\n", "a { color: blue; margin: 0 }\n"),
]


@pytest.mark.parametrize(("language", "pattern", "fix", "text", "expected"), FIXES)
def test_fix(language: str, pattern: str, fix: str, text: str, expected: str) -> None:
    assert fixed(language, pattern, fix, text) == expected
    assert fixed(language, pattern, fix, expected) == expected


@pytest.mark.parametrize(
    ("pattern", "fix", "text", "expected"),
    [
        ("f($$$A)", "g($$$A)", "f(\n    1,\n    2,\n)\n", "g(\n    1,\n    2,\n)\n"),
        ("f($$$A)", "g($$$A)", "f( 1,2 )\n", "g( 1,2 )\n"),
        ("f($$$A)", "g($$$A)", "f(1,)\n", "g(1,)\n"),
        (
            "f($$$A)",
            "g($$$A)",
            "f(  # why\n    1,  # one\n    # two\n    2\n)\n",
            "g(  # why\n    1,  # one\n    # two\n    2\n)\n",
        ),
        (
            "f($A, $B)",
            "g($A, $B)",
            "f(\n    1, # one\n    2,\n    # end\n)\n",
            "g(\n    1, # one\n    2,\n    # end\n)\n",
        ),
        ("f($$$A)", "g($$$A, x=1)", "f()\nf(1)\nf(1,)\n", "g(x=1)\ng(1, x=1)\ng(1, x=1)\n"),
        ("f($$$A)", "g($$$A, x=1)", "f(\n    1,\n    2,\n)\n", "g(\n    1,\n    2,\n    x=1,\n)\n"),
        ("f($$$A)", "g($$$A, x=1)", "f(\n  1,\n  2\n)\n", "g(\n  1,\n  2,\n  x=1\n)\n"),
        ("f($$$A)", "g($$$A, x=1)", "f(\n\t1,  # one\n\t2  # two\n)\n", "g(\n\t1,  # one\n\t2,  # two\n\tx=1\n)\n"),
        ("f($$$A)", "g($$$A, x=1)", "f(1,\n  2)\n", "g(1,\n  2, x=1)\n"),
        (
            "f($$$A)",
            "g(x, $$$A)",
            "f()\nf(1)\nf(\n    1,\n    2,\n)\n",
            "g(x)\ng(x, 1)\ng(\n    x,\n    1,\n    2,\n)\n",
        ),
        ("f($A, debug=$D)", "f($A)", "f(\n    1,\n    debug=True,\n)\n", "f(\n    1,\n)\n"),
        ("f($A, debug=$D)", "f($A)", "f(\n    1,\n    debug=True\n)\n", "f(\n    1\n)\n"),
        ("$A == None", "$A is None", "x = (\n    a\n    == None\n)\n", "x = (\n    a\n    is None\n)\n"),
        (
            "datetime.utcnow()",
            "datetime.now(timezone.utc)",
            "x = (datetime\n     .utcnow())\n",
            "x = (datetime\n     .now(timezone.utc))\n",
        ),
        ("a.b($X)", "a.c($X)", "(a  # one\n .b(  # two\n   1))\n", "(a  # one\n .c(  # two\n   1))\n"),
        ("f($A, $B)", "g($B, $A)", "f(1,\n  h(\n    2))\n", "g(h(\n  2), 1)\n"),
        ("f($A)", "g($A)", 'f("""\n  a\n""")\n', 'g("""\n  a\n""")\n'),
    ],
)
def test_layout_is_kept(pattern: str, fix: str, text: str, expected: str) -> None:
    assert fixed("python", pattern, fix, text) == expected


@pytest.mark.parametrize(
    ("language", "pattern", "fix", "text", "expected"),
    [
        ("python", "f($$$A)", "g($$$A)", "f(f(1), f(f(2)))\n", "g(g(1), g(g(2)))\n"),
        ("python", "f($A, $B)", "g($B, $A)", "f(f(1, 2), h(f(3, 4)))\n", "g(h(g(4, 3)), g(2, 1))\n"),
        ("python", "f($A)", "$A", "f(f(f(x)))\n", "x\n"),
        (
            "python",
            "f($$$A)",
            "g($$$A)",
            "f(\n    f(1),  # f(2)\n    'f(3)',\n)\n",
            "g(\n    g(1),  # f(2)\n    'f(3)',\n)\n",
        ),
        ("javascript", "$A == $B", "$A === $B", "(a == b) == (c == d)\n", "(a === b) === (c === d)\n"),
        ("rust", "$A.unwrap()", "$A?", "fn f() { a.unwrap().b.unwrap(); }\n", "fn f() { a?.b?; }\n"),
    ],
)
def test_nested_matches(language: str, pattern: str, fix: str, text: str, expected: str) -> None:
    assert fixed(language, pattern, fix, text) == expected


@pytest.mark.parametrize(
    ("language", "pattern", "fix", "text", "expected"),
    [
        (
            "python",
            "with old($A): $$$B",
            "with new($A):\n    $$$B",
            "def f():\n    with old(1):\n        x = 1\n        y = 2\n    return x\n",
            "def f():\n    with new(1):\n        x = 1\n        y = 2\n    return x\n",
        ),
        (
            "python",
            "with old: $$$B",
            "$$$B",
            "def f():\n    with old:\n        x = 1\n        y = '''\n        z\n        '''\n    return x\n",
            "def f():\n    x = 1\n    y = '''\n        z\n        '''\n    return x\n",
        ),
        ("python", "old($A)", "if $A:\n    new($A)", "def f():\n    old(x)\n", "def f():\n    if x:\n        new(x)\n"),
        (
            "javascript",
            "if (DEBUG) { $$$B }",
            "$$$B",
            "function f() {\n  if (DEBUG) {\n    a({\n      b: 1,\n    });\n\n    c();\n  }\n}\n",
            "function f() {\n  a({\n    b: 1,\n  });\n\n  c();\n}\n",
        ),
        (
            "javascript",
            "if ($A) { $$$B }",
            "when($A, () => { $$$B })",
            "if (x) {\n  a();\n  // c\n  b();\n}\n",
            "when(x, () => {\n  a();\n  // c\n  b();\n})\n",
        ),
        (
            "javascript",
            "run($A)",
            "try {\n  run2($A);\n} catch {}",
            "{\n\trun(() => {\n\t\tx();\n\t});\n}\n",
            "{\n\ttry {\n\t  run2(() => {\n\t  \tx();\n\t  });\n\t} catch {};\n}\n",
        ),
    ],
)
def test_lines_are_indented(language: str, pattern: str, fix: str, text: str, expected: str) -> None:
    assert fixed(language, pattern, fix, text) == expected


@pytest.mark.parametrize(
    ("language", "pattern", "fix", "text", "expected"),
    [
        ("python", "math.pow($A, $B)", "$A ** $B", "math.pow(a + b, c)\n", "(a + b) ** c\n"),
        ("python", "math.pow($A, $B)", "$A ** $B", "math.pow(f(1), x.y) ** 2\n", "(f(1) ** x.y) ** 2\n"),
        (
            "python",
            "f($A)",
            "$A is None",
            "f(lambda: 1)\nf(a).b\nnot f(a)\n",
            "(lambda: 1) is None\n(a is None).b\nnot a is None\n",
        ),
        ("python", "f($A)", "g($A, 1)", "f(a + b)\nf(lambda: 1)\n", "g(a + b, 1)\ng(lambda: 1, 1)\n"),
        (
            "javascript",
            "isNull($A)",
            "$A === null",
            "!isNull(x); isNull(a || b);\n",
            "!(x === null); (a || b) === null;\n",
        ),
        (
            "javascript",
            "$A == null",
            "$A === null || $A === undefined",
            "if (x == null && y) z();\n",
            "if ((x === null || x === undefined) && y) z();\n",
        ),
        (
            "javascript",
            "$A == null",
            "$A === null || $A === undefined",
            "if (x == null || y) z();\n",
            "if (x === null || x === undefined || y) z();\n",
        ),
        (
            "c",
            "sq($A)",
            "$A * $A",
            "int f() { return sq(a + b) + sq(c); }\n",
            "int f() { return (a + b) * (a + b) + c * c; }\n",
        ),
        ("rust", "neg($A)", "-$A", "fn f() { neg(a + b); neg(a).abs(); }\n", "fn f() { -(a + b); (-a).abs(); }\n"),
        (
            "java",
            "isNull($A)",
            "$A == null",
            "class A { boolean b = !isNull(c ? d : e); }",
            "class A { boolean b = !((c ? d : e) == null); }",
        ),
        ("go", "isNil($A)", "$A == nil", GO.format("x = !isNil(y)"), GO.format("x = !(y == nil)")),
    ],
)
def test_parentheses_keep_the_meaning(language: str, pattern: str, fix: str, text: str, expected: str) -> None:
    assert fixed(language, pattern, fix, text) == expected


@pytest.mark.parametrize(
    ("language", "pattern", "text", "expected"),
    [
        ("python", "debug($$$A)", "a = 1\ndebug(1)\nb = 2\n", "a = 1\nb = 2\n"),
        (
            "python",
            "debug($$$A)",
            "def f():\n    debug(\n        1,\n    )\n    return 1\n",
            "def f():\n    return 1\n",
        ),
        ("python", "debug($$$A)", "a(); debug(1)\nb()\n", "a();\nb()\n"),
        ("python", "debug($$$A)", "debug(1)  # why\nb()\n", "# why\nb()\n"),
        ("python", "debug($$$A)", "a()\ndebug(1)", "a()"),
        ("python", "debug($$$A)", "debug(1)", ""),
        ("python", "import pdb", "import os\nimport pdb\n\nx = 1\n", "import os\n\nx = 1\n"),
        ("javascript", "console.log($$$A)", "a();\nconsole.log(1);\nb();\n", "a();\nb();\n"),
        ("javascript", "console.log($$$A)", "{\n  console.log(1) ;\n}\n", "{\n}\n"),
        ("javascript", "debugger", "a(); debugger; b();\n", "a(); b();\n"),
        ("javascript", "debugger", "function f() {\n  debugger\n}\n", "function f() {\n}\n"),
        ("javascript", "debug()", "x = [\n  a,\n  debug(),\n  b,\n];\n", "x = [\n  a,\n  b,\n];\n"),
        ("c", "trace($$$A);", "void f() {\n  trace(1);\n  g();\n}\n", "void f() {\n  g();\n}\n"),
        ("go", "debug($$$A)", GO.format("debug(1)\n\tg()"), GO.format("g()")),
        ("rust", "dbg!($A);", "fn f() {\n    dbg!(x);\n    g()\n}\n", "fn f() {\n    g()\n}\n"),
        ("ruby", "debug", "def f\n  debug\n  g\nend\n", "def f\n  g\nend\n"),
        ("yaml", "debug: $A", "a:\n  debug: true\n  b: 1\n", "a:\n  b: 1\n"),
        ("css", "color: $A", "a {\n  color: red;\n  margin: 0;\n}\n", "a {\n  margin: 0;\n}\n"),
    ],
)
def test_an_empty_fix_takes_the_match_out(language: str, pattern: str, text: str, expected: str) -> None:
    assert fixed(language, pattern, "", text) == expected


@pytest.mark.parametrize(
    ("language", "pattern", "text"),
    [
        ("python", "debug($$$A)", "def f():\n    debug(1)\n"),
        ("python", "debug($$$A)", "if x: debug(1)\nb()\n"),
        ("python", "debug($$$A)", "if x:\n    debug(1)\nelse:\n    b()\n"),
        ("javascript", "console.log($$$A)", "if (x)\n  console.log(1);\nb();\n"),
        ("javascript", "debugger", "if (x)\n  debugger;\nb();\n"),
        ("c", "trace($$$A);", "void f() {\n  while (x)\n    trace(1);\n  g();\n}\n"),
        ("java", "trace($$$A);", "class A { void f() {\n  if (x)\n    trace(1);\n  g();\n} }\n"),
        ("kotlin", "debug()", "fun f() {\n  if (x) debug()\n  g()\n}\n"),
    ],
)
def test_what_cannot_be_taken_out(language: str, pattern: str, text: str) -> None:
    """Without it, the next statement would belong to the `if`, or nothing would stand where something must."""
    with pytest.raises(Unfixable, match="the code around the match cannot stand without it") as err:
        fixed(language, pattern, "", text)
    assert err.value.hint


@pytest.mark.parametrize(
    ("language", "pattern", "fix", "text", "lost"),
    [
        ("python", "raise $E", "fail($E)", "raise E from err\n", "from"),
        ("python", "assert $A", "check($A)", "assert x, 'm'\n", ","),
        ("python", "from a import $A", "$A = load()", "from a import x, y\n", ","),
        ("javascript", "if ($A) { $$$B }", "when($A, () => { $$$B })", "if (x) { a() } else { b() }\n", "else"),
        ("javascript", "function $F() { $$$B }", "const $F = () => { $$$B }", "async function f() { a }\n", "async"),
        ("javascript", "const $A = $B", "set($B)", "const a = 1, b = 2;\n", ","),
        ("bash", "echo $A", "say '$A'", "echo a b\n", "b"),
        ("go", "if $A { $$$B }", "when($A, func() { $$$B })", GO.format("if x { y() } else { z() }"), "else"),
    ],
)
def test_a_match_that_goes_on_is_not_cut_off(language: str, pattern: str, fix: str, text: str, lost: str) -> None:
    with pytest.raises(Unfixable) as err:
        fixed(language, pattern, fix, text)
    assert err.value.message == (
        f"the match goes on with `{lost}`, which the pattern does not name and the fix would lose"
    )


@pytest.mark.parametrize(
    ("language", "pattern", "fix", "text", "expected"),
    [
        ("python", "raise $E", "throw = $E", "raise E\n", "throw = E\n"),
        ("python", "assert $A", "assert bool($A), 'n'", "assert x\n", None),
        ("javascript", "var $A = $B", "let $A = $B", "var a = 1, b = 2;\n", "let a = 1, b = 2;\n"),
        ("python", "from a import $A", "from b import $A", "from a import x, y as z\n", "from b import x, y as z\n"),
        ("javascript", "for (var $A = $B; $$$C) $D", "x", "y\n", None),
        ("bash", "echo $A", "printf $A", "echo a b\n", "printf a b\n"),
        ("javascript", "f($A, $B)", "g($B, $A)", "x = f(1, 2);\n", "x = g(2, 1);\n"),
    ],
)
def test_the_rest_of_a_match_stays(language: str, pattern: str, fix: str, text: str, expected: str | None) -> None:
    if expected is None:
        with pytest.raises(RuleError):
            fixed(language, pattern, fix, text)
    else:
        assert fixed(language, pattern, fix, text) == expected


@pytest.mark.parametrize(
    ("pattern", "fix", "text", "comment"),
    [
        ("min($A, $B)", "max($B, $A)", "min(1,  # one\n  2)\n", "# one"),
        ("min($A, key=$D)", "max($A)", "min(\n    1,\n    key=True,  # why\n)\n", "# why"),
        ("min($$$A)", "max()", "min(\n    # nothing\n)\n", "# nothing"),
    ],
)
def test_a_lost_comment_is_a_fault(pattern: str, fix: str, text: str, comment: str) -> None:
    new = fixed("python", pattern, fix, text)
    assert fault_of_fix(text, new, "python", comments_may_go=False) == f"the comment `{comment}` would be lost"


@pytest.mark.parametrize(
    ("rule", "fix", "message"),
    [
        ("f($A)", "g($B)", "the fix uses $B, which the pattern does not have"),
        ("f($A)", "g($$$REST)", "the fix uses $REST, which the pattern does not have"),
        ("f($A, $$$)", "g($A, $$$)", "$$$ holds nothing that the fix could use"),
        ("f($_)", "g($_)", "$_ holds nothing that the fix could use"),
        (
            {"pattern": "f($A)", "not": {"inside": {"pattern": "g($B)"}}},
            "h($B)",
            "the fix uses $B, which the pattern does not have",
        ),
        ("f($A)", "f(g($A))", "the pattern would match the fixed code again, and the fix would add to it"),
        ("f($$$A)", "f($$$A, x=1)", "the pattern would match the fixed code again, and the fix would add to it"),
        ("f($A, $B)", "f($B, $A)", "the pattern would match the fixed code again, and the fix would add to it"),
        ("raise $E", "raise X($E)", "the pattern would match the fixed code again, and the fix would add to it"),
        ("f($A)", "g($A", "`fix` does not parse as python: g($A"),
        ("f($A)", "x = $A +", "`fix` does not parse as python: x = $A +"),
        ("f($A)", "if $A:\n    return (", "`fix` does not parse as python: if $A: …"),
        ({"kind": "except_clause"}, "except (ValueError:", "`fix` does not parse as python: except (ValueError:"),
    ],
)
def test_fixes_that_cannot_be_used(rule: str | dict[str, Any], fix: str, message: str) -> None:
    matcher = ast_matcher({"pattern": rule} if isinstance(rule, str) else rule, {}, "python")
    with pytest.raises(RuleError) as err:
        check_fix(fix, matcher)
    assert err.value.message == message
    assert err.value.hint


@pytest.mark.parametrize(
    ("rule", "fix"),
    [
        ("f($A)", "g($A)"),
        ("f($$$A)", "g($A)"),
        ("f($A)", "x"),
        ("f($A)", "f($A)"),
        ("f($A)", ""),
        ("f($A)", "'costs $5, $a and $'"),
        ({"pattern": "f($$$A)", "not": {"has": {"kind": "keyword_argument", "stopBy": "end"}}}, "f($$$A, x=1)"),
        ({"any": [{"pattern": "f($A)"}, {"pattern": "g($A)"}]}, "h($A)"),
        ("f($A)", "f'{$A}'"),
        ("f($$$A)", "@g($$$A)\ndef h(): ..."),
        # What no language has by itself: a rule object that finds a part is believed.
        ({"kind": "except_clause"}, "except ValueError: pass"),
        ({"pattern": {"context": "try: pass\nexcept: $$$B", "selector": "except_clause"}}, "except OSError: $$$B"),
        ({"kind": "decorator"}, "@cache"),
        ({"regex": "^==$", "inside": {"kind": "comparison_operator"}}, "is"),
        ({"pattern": "f($A)", "inside": {"pattern": "g($B, $C)", "stopBy": "end"}}, "h($A, $B)"),
    ],
)
def test_fixes_that_can(rule: str | dict[str, Any], fix: str) -> None:
    check_fix(fix, ast_matcher({"pattern": rule} if isinstance(rule, str) else rule, {}, "python"))


@pytest.mark.parametrize(
    ("examples", "good"),
    [
        (["try: f()\nexcept: pass\n"], True),
        (["x = 1\n"], True),  # nothing of it in there, so that it proves nothing
        (["try: f()\nexcept: pass\n", "if a: pass\n"], True),
        (["if a: pass\n"], False),
    ],
)
def test_a_part_is_judged_by_an_example(examples: list[str], good: bool) -> None:
    matcher = ast_matcher({"any": [{"kind": "except_clause"}, {"kind": "if_statement"}]}, {}, "python")
    with nullcontext() if good else pytest.raises(RuleError, match="`fix` does not parse as python: except OSError: p"):
        check_fix("except OSError: pass", matcher, examples)


@pytest.mark.parametrize(
    ("language", "rule", "fix"),
    [
        ("bash", "`$$$A`", "x=$(date) y"),
        ("bash", {"kind": "command_substitution"}, "$(date)"),
        ("javascript", "f($A)", "{ g: $A }"),
        ("javascript", "f($A)", "async $A() {}"),
        ("typescript", "f($A)", "g: $A"),
        ("go", "f($A)", "g($A)"),
        ("java", "f($A);", "@Override public void f() { }"),
        ("java", "void f() { $$$B }", "void g() { $$$B }"),
        ("rust", "f($A)", "g!($A)"),
        ("c", "f($A);", "g($A);"),
        ("css", "color: $C", "colour: $C;"),
        ("yaml", "a: $A", "b:\n  - $A\n  - c: d"),
        ("json", '{"a": 1}', '{"a": [2]}'),
        ("php", "f($A)", "g($A)"),
        ("hcl", "a = $A", "b = [$A]"),
    ],
)
def test_fixes_of_many_languages_parse(language: str, rule: str | dict[str, Any], fix: str) -> None:
    check_fix(fix, ast_matcher({"pattern": rule} if isinstance(rule, str) else rule, {}, language))


@pytest.mark.parametrize(
    ("language", "line", "good"),
    [
        ("python", "import logging", True),
        ("python", "logger = logging.getLogger(__name__)", True),
        ("python", "import (", False),
        ("python", "log = 3 +", False),
        ("go", 'import "fmt"', True),
        ("go", "import fmt)", False),
        ("java", "import a.B;", True),
        ("rust", "use std::fmt;", True),
        ("rust", "use std::{fmt;", False),
        ("php", "use A\\B;", True),
        ("php", "$log = new Log($x);", True),
        ("csharp", "using System;", True),
        ("c", "#include <stdio.h>", True),
        ("cpp", "#pragma once", True),
        ("bash", "set -euo pipefail", True),
        ("bash", 'set -- "$@" "${HOME}"', True),
        ("bash", 'echo "a', False),
        ("typescript", "import type { A } from 'a';", True),
        ("javascript", "'use strict';", True),
        ("javascript", "import { a from 'a'", False),
        ("ruby", "require 'set'", True),
        ("css", "@import 'a.css';", True),
        ("markdown", "# Title", True),
        ("yaml", "a: b", True),
        ("toml", "no parser (", True),
    ],
)
def test_lines_that_a_file_must_have(language: str, line: str, good: bool) -> None:
    with nullcontext() if good else pytest.raises(RuleError) as err:
        check_ensure(["", line], language)
    if err is not None:
        assert (err.value.message, err.value.snippet) == (f"`ensure` does not parse as {language}: {line}", line)


def test_rule_objects() -> None:
    rule = {"any": [{"pattern": "a($X)"}, {"pattern": "b($X, $Y)"}]}
    assert fixed("python", rule, "c($X)", "a(1)\nb(1, 2)\n") == "c(1)\nc(1)\n"
    with pytest.raises(Unfixable, match=r"\$Y of the fix holds nothing here"):
        fixed("python", rule, "c($X, $Y)", "b(1, 2)\na(1)\n")
    missing = {"pattern": "get($$$A)", "not": {"has": {"regex": "^timeout=", "stopBy": "end"}}}
    text = "get(u)\nget(\n    u,\n    timeout=1,\n)\n"
    assert fixed("python", missing, "get($$$A, timeout=10)", text) == text.replace("get(u)", "get(u, timeout=10)")
    assert fixed("python", {"kind": "pass_statement"}, "return", "def f():\n    pass\n") == "def f():\n    return\n"


@pytest.mark.parametrize(
    ("pattern", "fix", "text", "expected"),
    [
        (r"\bfoo\b", "bar", "foo, food\n", "bar, food\n"),
        (r"(\w+)=(\w+)", r"\2=\1", "a=b c=d\n", "b=a d=c\n"),
        (r"(?P<k>\w+)=(?P<v>\w+)", r"\g<v>: \g<k>", "a=b\n", "b: a\n"),
        (r"x(y)?", r"[\1]", "x xy\n", "[] [y]\n"),
        (r"x", r"<\g<0>>", "x\n", "<x>\n"),
        (r"^[ \t]*debugger;\n", "", "a\n  debugger;\nb\n", "a\nb\n"),
        (r"[ \t]+$", "", "a  \nb\t\n", "a\nb\n"),
        (r"^\t", "    ", "\ta\n\t\tb\n", "    a\n    \tb\n"),
        (r"^  x", "  y", "  x\n", "  y\n"),
        (r"\s+x", "y", "a\n  x\n", "ay\n"),
        (r"TODO", r"TODO\n", "TODO a\n", "TODO\n a\n"),
        (r"é", "$1 {x}", "é😀\n", "$1 {x}😀\n"),
    ],
)
def test_regex_templates(pattern: str, fix: str, text: str, expected: str) -> None:
    assert splice(text, [fix_regex(match, fix) for match in regex_matcher(pattern).find(text)]) == expected


@pytest.mark.parametrize(
    ("fix", "message"),
    [
        (r"\2", "the fix cannot be used: no such group"),
        (r"\g<nope>", "the fix cannot be used: unknown group"),
        (r"\q", "the fix cannot be used: bad escape \\q at position 2"),
        ("\\", "the fix cannot be used: bad escape (end of pattern) at position 1"),
        (r"\g<a", "the fix cannot be used: missing > at position 4"),
        (r"\0", "the fix puts a control character into the text"),
        (r"a\r\n", "the fix puts a control character into the text"),
    ],
)
def test_regex_templates_that_cannot_be_used(fix: str, message: str) -> None:
    with pytest.raises(RuleError) as err:
        fix_regex(regex_matcher("(x)").find("x")[0], fix)
    assert err.value.message == message
    assert err.value.hint


CALLS = st.recursive(
    st.sampled_from(["x", "1", "'f(0)'", "y.f", "[f, f]"]),
    lambda inner: st.builds(
        lambda name, args, gap: f"{name}({gap}{(',' + gap).join(args)}{gap.replace('  # f(9)', '')})",
        st.sampled_from(["f", "h", "o.f"]),
        st.lists(inner, max_size=3),
        st.sampled_from(["", " ", "\n  ", "  # f(9)\n "]),
    ),
    max_leaves=12,
)


@settings(deadline=None, max_examples=60)
@given(CALLS)
def test_nothing_but_the_name_changes(code: str) -> None:
    text = f"v = {code}\n"
    new = fixed("python", "f($$$A)", "gg($$$A)", text)
    assert new.replace("gg(", "f(") == text
    assert ast_matcher({"pattern": "f($$$A)"}, {}, "python").find(new) == []
    assert "comment" not in fault_of_fix(text, new, "python", comments_may_go=False)


@settings(deadline=None, max_examples=60)
@given(CALLS)
def test_a_fix_is_done_once(code: str) -> None:
    text = f"v = {code}\n"
    try:
        once = fixed("python", "f($A, $B)", "g($B, k=$A)", text)
    except LitecodeError as err:
        pytest.fail(err.message)
    assert fixed("python", "f($A, $B)", "g($B, k=$A)", once) == once
