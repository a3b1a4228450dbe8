"""Matches of patterns and regexes: the right places, and words for what cannot be searched."""

from __future__ import annotations

import itertools
import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from litecode.core.errors import RuleError
from litecode.core.patching.match import REGEX_SECONDS, AstMatcher, ast_matcher, regex_matcher


def matcher(rule: str | dict[str, Any], language: str, constraints: dict[str, Any] | None = None) -> AstMatcher:
    return ast_matcher({"pattern": rule} if isinstance(rule, str) else rule, constraints or {}, language)


def found(rule: str | dict[str, Any], language: str, text: str, constraints: dict[str, Any] | None = None) -> list[str]:
    return [match.cut.of(text) for match in matcher(rule, language, constraints).find(text)]


@pytest.mark.parametrize(
    ("language", "pattern", "text", "expected"),
    [
        ("python", "print($$$A)", "print(1, 2)\nprint()\n", ["print(1, 2)", "print()"]),
        ("python", "print($$$A)", "sprint(1)\nx.print(1)\nprint\n", []),
        ("python", "print($A)", "print(1, 2)\nprint()\n", []),
        ("python", "print($$$A)", "f(print(print(1)), print(2))\n", ["print(print(1))", "print(2)"]),
        ("python", "$A == $A", "x == x\nx == y\nf(1) == f(1)\n", ["x == x", "f(1) == f(1)"]),
        ("python", "$A == None", "if x == None and not y == None: pass\n", ["x == None", "y == None"]),
        ("python", "def $F($$$A): $$$B", "@d\ndef f(a):\n    return 1\n", ["def f(a):\n    return 1"]),
        ("python", "assert $A", "assert x\nassert x, 'm'\n", ["assert x", "assert x, 'm'"]),  # it may go on
        ("python", "import $A", "import os\nfrom a import b\n", ["import os"]),
        ("python", "x = '$A'", "x = 'é😀'\ny = 1\n", ["x = 'é😀'"]),
        ("javascript", "var $A = $B", "var x = 1; for (var i = 0;;) {}\n", ["var x = 1;", "var i = 0;"]),
        ("javascript", "if ($A) { $$$B }", "if (x) { y(); z() }\n", ["if (x) { y(); z() }"]),
        ("javascript", "$A == null", "a == null; a === null\n", ["a == null"]),
        ("typescript", "$A as any", "const y = x as any, z = x as string;\n", ["x as any"]),
        ("tsx", "<div>$A</div>", "x = <div>{a}</div>;\n", ["<div>{a}</div>"]),
        ("go", "fmt.Println($$$A)", 'package a\n\nfunc f() {\n\tfmt.Println("x", 1)\n}\n', ['fmt.Println("x", 1)']),
        ("go", "errors.New($A)", 'package a\n\nfunc f() error {\n\treturn errors.New("x")\n}\n', ['errors.New("x")']),
        ("go", "return $A", "package a\n\nfunc f() int {\n\treturn 1\n}\n", ["return 1"]),
        ("go", "$A.Close()", "package a\n\nfunc f() {\n\tdefer x.Close()\n}\n", ["x.Close()"]),
        ("rust", "$A.unwrap()", "fn f() { let x = y.unwrap(); y.unwrap_or(1); }\n", ["y.unwrap()"]),
        (
            "java",
            "System.out.println($$$A)",
            "class A { void f() { System.out.println(1); } }",
            ["System.out.println(1)"],
        ),
        ("c", "malloc($A)", "void f() { x = malloc(n * 2); }\n", ["malloc(n * 2)"]),
        ("c", "malloc($A)", "void f() { malloc(3); }\n", ["malloc(3)"]),
        ("c", "printf($$$A);", 'void f() { printf("x", 1); }\n', ['printf("x", 1);']),
        ("c", "strcpy($A, $B)", "void f() { if (!strcpy(a, b)) g(); }\n", ["strcpy(a, b)"]),
        ("cpp", "std::move($A)", "void f() { g(std::move(x)); }\n", ["std::move(x)"]),
        ("css", "color: $A", "a { color: red; background: blue }\n", ["color: red;"]),
        ("dart", "print($A)", "void f() { print(1); }\n", ["print(1)"]),
        ("solidity", "require($A)", "contract C { function f() public { require(x); } }\n", ["require(x)"]),
        ("bash", "echo $A", "if x; then echo a; fi\n", ["echo a"]),
        ("ruby", "puts $A", "puts 1\nputs(2)\n", ["puts 1", "puts(2)"]),
        ("yaml", "debug: $A", "a:\n  debug: true\n", ["debug: true"]),
        ("php", "var_dump($A);", "<?php var_dump($x);\n", ["var_dump($x);"]),
        ("kotlin", "println($A)", 'fun f() { println("x") }\n', ['println("x")']),
    ],
)
def test_patterns(language: str, pattern: str, text: str, expected: list[str]) -> None:
    assert found(pattern, language, text) == expected


@pytest.mark.parametrize(
    ("language", "pattern", "text"),
    [
        ("python", "print($$$A)", '# print(1)\nx = "print(2)"\n"""print(3)"""\ny = f"print(4) {z}"\n'),
        ("python", "$A == None", "# x == None\nx = 'x == None'\n"),
        (
            "javascript",
            "console.log($$$A)",
            "// console.log(1)\n/* console.log(2) */ x = 'console.log(3)' + `console.log(4)`",
        ),
        ("javascript", "console.log($$$A)", "x = /console.log(1)/\n"),
        ("go", "fmt.Println($$$A)", 'package a\n\n// fmt.Println(1)\nvar x = "fmt.Println(2)" + `fmt.Println(3)`\n'),
        ("rust", "$A.unwrap()", '/// x.unwrap()\nfn f() { g("x.unwrap()", r"x.unwrap()"); }\n'),
        (
            "java",
            "System.out.println($$$A)",
            'class A { /** System.out.println(1) */ String s = "System.out.println(2)"; }',
        ),
        ("c", "malloc($A)", '/* malloc(1) */ char *s = "malloc(2)"; // malloc(3)\n'),
        ("bash", "rm $A", "# rm x\nx='rm y'\ncat <<'EOF'\nrm z\nEOF\n"),
        ("yaml", "debug: $A", "# debug: true\na: 'debug: true'\nb: |\n  debug: true\n"),
    ],
)
def test_comments_and_strings_are_no_places_of_a_pattern(language: str, pattern: str, text: str) -> None:
    assert found(pattern, language, text) == []


def test_code_inside_of_a_string_template_is_code() -> None:
    assert found("print($$$A)", "python", 'f"print(1) {print(2)}"\n') == ["print(2)"]
    assert found("log($A)", "javascript", "`log(1) ${log(2)}`") == ["log(2)"]


RULES: list[tuple[str, dict[str, Any], dict[str, Any], str, list[str]]] = [
    ("python", {"kind": "except_clause", "not": {"has": {"kind": "identifier"}}}, {}, "", []),
    (
        "python",
        {"kind": "except_clause", "not": {"regex": "^except [A-Z]"}},
        {},
        "try:\n    a()\nexcept E:\n    b()\nexcept:\n    c()\n",
        ["except:\n    c()"],
    ),
    ("python", {"pattern": "f($A)"}, {"A": {"regex": "^x"}}, "f(x1)\nf(y)\n", ["f(x1)"]),
    ("python", {"any": [{"pattern": "f($A)"}, {"pattern": "g($A)"}]}, {}, "f(1)\ng(2)\nh(3)\n", ["f(1)", "g(2)"]),
    (
        "python",
        {"pattern": "f()", "not": {"inside": {"pattern": "f().g($$$A)", "stopBy": "end"}}},
        {},
        "f()\nf().g(1)\n",
        ["f()"],
    ),
    ("javascript", {"pattern": "await $A", "inside": {"kind": "for_statement", "stopBy": "end"}}, {}, "await x\n", []),
    (
        "javascript",
        {"pattern": "await $A", "inside": {"kind": "for_statement", "stopBy": "end"}},
        {},
        "for (;;) { if (a) { await x } }\n",
        ["await x"],
    ),
    (
        "go",
        {"pattern": "fmt.Println($$$A)", "inside": {"kind": "function_declaration", "stopBy": "end"}},
        {},
        "package a\n\nfunc f() {\n\tfmt.Println(1)\n}\n",
        ["fmt.Println(1)"],
    ),
    (
        "go",
        {"pattern": {"context": "package a\nfunc f() { fmt.Println($$$A) }", "selector": "call_expression"}},
        {},
        "package a\n\nfunc f() {\n\tfmt.Println(1)\n}\n",
        ["fmt.Println(1)"],
    ),
    (
        "go",
        {"kind": "return_statement", "has": {"pattern": "errors.New($A)", "stopBy": "end"}},
        {},
        'package a\n\nfunc f() error {\n\treturn errors.New("x")\n}\n',
        ['return errors.New("x")'],
    ),
]


@pytest.mark.parametrize(("language", "rule", "constraints", "text", "expected"), RULES)
def test_rule_objects(
    language: str, rule: dict[str, Any], constraints: dict[str, Any], text: str, expected: list[str]
) -> None:
    assert found(rule, language, text, constraints) == expected


@pytest.mark.parametrize(
    ("language", "rule", "message"),
    [
        ("python", "print(", "the pattern does not parse as python: print("),
        ("python", "))", "the pattern does not parse as python: ))"),
        ("python", "$A $B", "the pattern does not parse as python: $A $B"),
        ("python", "x = 'a", "the pattern does not parse as python: x = 'a"),
        ("python", "", "the pattern cannot be used: No AST root is detected. Please check the pattern source ``"),
        ("python", "console.log(x);;)", "the pattern does not parse as python: console.log(x);;)"),
        ("javascript", "foo($A", "the pattern does not parse as javascript: foo($A"),
        ("javascript", "if ($A) { $$$B", "the pattern does not parse as javascript: if ($A) { $$$B"),
        ("javascript", "def f(): pass", "the pattern does not parse as javascript: def f(): pass"),
        ("go", "case $A: $$$B", "the pattern does not parse as go: case $A: $$$B"),
        ("rust", "let x = ", "the pattern does not parse as rust: let x = "),
        ("go", "x := f(", "the pattern does not parse as go: x := f("),
        ("java", "foo($A", "the pattern does not parse as java: foo($A"),
        ("python", {"kind": "no_such_kind"}, "the pattern cannot be used: Kind `no_such_kind` is invalid"),
        ("python", {"any": [{"pattern": "b"}, {"pattern": "f($A"}]}, "the pattern does not parse as python: f($A"),
        ("python", {"pattern": "a", "inside": {"pattern": "f($A"}}, "the pattern does not parse as python: f($A"),
        ("javascript", "catch ($E) {}", "the pattern cannot be used: Multiple AST nodes are detected"),
        ("cobol", "x", "patterns are not available for cobol"),
        ("sql", "x", "patterns are not available for sql"),
    ],
)
def test_broken_patterns(language: str, rule: str | dict[str, Any], message: str) -> None:
    with pytest.raises(RuleError) as err:
        matcher(rule, language)
    assert err.value.message.startswith(message)
    assert "\n" not in err.value.message
    assert err.value.hint


@pytest.mark.parametrize(
    ("language", "pattern", "hint"),
    [
        ("python", "print($A", "check brackets and quotes"),
        ("python", "f(]", "check brackets and quotes"),
        ("python", "x = 'a", "check brackets and quotes"),
        ("python", "x = '''a", "check brackets and quotes"),
        ("python", "def $F($$$ARGS)", "write the whole statement, with `: $$$BODY` at its end"),
        ("python", "class $C", "write the whole statement, with `: $$$BODY` at its end"),
        ("python", "if $A['a)']:", "write the whole statement, with `$$$BODY` at its end"),
        ("javascript", "class $C", "write the whole statement, with `{ $$$BODY }` at its end"),
        ("python", "except:", "write a whole statement or expression; for a part"),
        ("python", "@$D", "write a whole statement or expression; for a part"),
        ("python", "x =", "write a whole statement or expression; for a part"),
        ("go", "case $A: $$$B", "write a whole statement or expression; for a part"),
    ],
)
def test_what_is_missing_in_a_broken_pattern(language: str, pattern: str, hint: str) -> None:
    with pytest.raises(RuleError) as err:
        matcher(pattern, language)
    assert err.value.hint.startswith(hint)
    assert err.value.snippet == pattern


@pytest.mark.parametrize(
    ("rule", "fits"),
    [
        ({"pattern": "f($A)", "not": {"pattern": "f(1"}}, False),
        ({"pattern": "f($A)", "not": {"inside": {"pattern": "g(", "stopBy": "end"}}}, False),
        ({"pattern": "f($A)", "not": {"pattern": "f(1)"}}, True),
        ({"pattern": "f($A)", "not": {"any": [{"pattern": "f(1)"}, {"kind": "call"}]}}, True),
    ],
)
def test_what_must_not_be_there_parses_too(rule: dict[str, Any], fits: bool) -> None:
    if fits:
        assert matcher(rule, "python").rule == rule
    else:
        with pytest.raises(RuleError, match="does not parse as python"):
            matcher(rule, "python")


def test_broken_constraints() -> None:
    with pytest.raises(RuleError, match="does not parse as python: g\\("):
        matcher("f($A)", "python", {"A": {"pattern": "g("}})
    with pytest.raises(RuleError, match="Undefined meta var `B`"):
        matcher("f($A)", "python", {"B": {"regex": "x"}})


@pytest.mark.parametrize(
    ("language", "pattern"),
    [
        ("python", "class $A: $$$B"),
        ("bash", "$A=$(date)"),
        ("python", "lambda: $A"),
        ("python", "$A[$B]"),
        ("python", "try:\n    $$$A\nexcept:\n    $$$B"),
        ("java", "return $A;"),
        ("java", "if ($A) { $$$B }"),
        ("c", "if ($A) { $$$B }"),
        ("rust", "if $A { $$$B }"),
        ("rust", "use $A;"),
        ("rust", "#[derive($$$A)]"),
        ("go", "if $A { $$$B }"),
        ("csharp", "Console.WriteLine($$$A)"),
        ("c", "#include <$A>"),
        ("c", "#include <stdio.h>"),
        ("kotlin", "val $A = $B"),
        ("swift", "print($A)"),
        ("json", "null"),
    ],
)
def test_sound_patterns_are_accepted(language: str, pattern: str) -> None:
    assert matcher(pattern, language).find("") == []


def test_offsets_are_characters() -> None:
    text = "s = 'é😀'; print(s)  # ü\nprint('😀')\n"
    assert found("print($A)", "python", text) == ["print(s)", "print('😀')"]
    assert [m.cut.of(text) for m in regex_matcher(r"print\(.*?\)").find(text)] == ["print(s)", "print('😀')"]


@pytest.mark.parametrize(
    ("language", "rule", "words", "sources"),
    [
        ("python", {"pattern": "requests.get($URL, $$$)"}, {"requests", "get"}, ("requests.get($URL, $$$)",)),
        ("python", {"pattern": "f()", "kind": "call"}, {"f"}, ("f()",)),
        ("python", {"pattern": "a()", "not": {"inside": {"pattern": "b()"}}}, {"a"}, ("a()",)),
        ("python", {"any": [{"pattern": "a()"}, {"all": [{"pattern": "b()"}]}]}, {"a", "b"}, ("a()",)),
        ("python", {"all": [{"pattern": "a()"}, {"kind": "call"}]}, {"a"}, ("a()",)),
        ("python", {"kind": "call"}, set(), ()),
        ("go", {"pattern": "fmt.Println($A)"}, {"fmt", "Println"}, ("fmt.Println($A)",)),
        (
            "go",
            {"pattern": {"context": "package p\nfunc f() { log.Fatal() }", "selector": "call_expression"}},
            {"log", "Fatal"},
            (),
        ),
    ],
)
def test_the_words_of_a_pattern(language: str, rule: dict[str, Any], words: set[str], sources: tuple[str, ...]) -> None:
    compiled = matcher(rule, language)
    assert (compiled.words, compiled.sources) == (words, sources)


def test_the_signs_of_a_pattern() -> None:
    assert matcher("$A == null", "javascript").signs.split() == ["==", "null"]
    assert regex_matcher(r"a\s*==").signs == r"a\s*=="


@pytest.mark.parametrize(
    ("pattern", "text", "expected"),
    [
        (r"\bfoo\b", "foo barfoo\nfoo", ["foo", "foo"]),
        (r"^[ \t]*x.*$", "  x = 1  \n\tx\ny\n", ["x = 1", "x"]),  # without the white space around it
        (r"TODO.*\n", "# TODO a\n\n", ["TODO a"]),
        (r"a[^b]*b", "a\n\nb a b", ["a\n\nb", "a b"]),
        (r"(?i)foo", "FOO", ["FOO"]),
        (r"(?s)a.b", "a\nb", ["a\nb"]),
        (r"(?<=\$)\w+", "$a b", ["a"]),
        (r"x*", "abxx", ["xx"]),
        (r"^", "a\nb\n", []),
        (r"[ \t]+$", "a  \nb\t", ["  ", "\t"]),  # nothing but white space is searched for
        (r"^\t+", "a\n\t\tb", ["\t\t"]),
        (r"é+", "ée\u0301", ["é"]),
        (r"\d{4}-\d{2}", "2024-01", ["2024-01"]),
        (r"\{1000000\}", "{1000000}", ["{1000000}"]),
    ],
)
def test_regexes(pattern: str, text: str, expected: list[str]) -> None:
    assert [match.cut.of(text) for match in regex_matcher(pattern).find(text)] == expected


@pytest.mark.parametrize(
    ("pattern", "message"),
    [
        ("(", "the regex cannot be used: missing ) at position 1"),
        ("[a", "the regex cannot be used: unterminated character set at position 2"),
        ("*a", "the regex cannot be used: nothing to repeat at position 0"),
        (r"\8", "the regex cannot be used: invalid group reference at position 2"),
        ("a{1000000000}", "the regex repeats something more than 100000 times: a{1000000000}"),
        ("((a{1000}){1000}){1000,}", "the regex repeats something more than 100000 times: ((a{1000}){1000}){1000,}"),
    ],
)
def test_broken_regexes(pattern: str, message: str) -> None:
    with pytest.raises(RuleError) as err:
        regex_matcher(pattern)
    assert err.value.message == message
    assert err.value.hint


@pytest.mark.parametrize("pattern", ["(a+)+$", "(a|aa)+$", "(?:(?:a|a)+)+$"])
def test_a_catastrophic_regex_is_ended(pattern: str) -> None:
    searching = regex_matcher(pattern)
    started = time.process_time()
    with pytest.raises(RuleError) as err:
        searching.find("a" * 5000 + "b")
    assert time.process_time() - started < REGEX_SECONDS + 1
    assert err.value.message == f"the regex needs more than 2 s on one file: {pattern}"
    assert err.value.hint == "avoid nested repetition such as (a+)+ in it"


@settings(deadline=None, max_examples=100)
@given(
    st.lists(st.sampled_from(["f(", ")", "f()", "x", ", ", "'f(1)'", "# f(2)\n", "\n", "😀"]), max_size=12).map("".join)
)
def test_matches_never_overlap_and_are_what_was_searched(text: str) -> None:
    matches = matcher("f($$$A)", "python").find(text)
    assert all(m.cut.of(text).startswith("f(") for m in matches)
    assert all(one.cut.end <= two.cut.start for one, two in itertools.pairwise(matches))


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ({"pattern": "Optional[$T]"}, ["Optional[str]", "Optional[dict[str, int]]", "Optional[int]", "Optional[a]"]),
        ({"pattern": "Optional[int]"}, ["Optional[int]"]),
        ({"any": [{"pattern": "Optional[int]"}, {"pattern": "Optional[str]"}]}, ["Optional[str]", "Optional[int]"]),
        ({"pattern": "Optional[$T]", "inside": {"kind": "parameters", "stopBy": "end"}}, ["Optional[dict[str, int]]"]),
        ({"pattern": "List[$T]"}, []),
        ({"pattern": "Optional"}, ["Optional"] * 4),
        ({"kind": "typed_default_parameter"}, ["b: Optional[dict[str, int]] = None"]),
    ],
)
def test_annotations_of_python_are_found_too(rule: dict[str, Any], expected: list[str]) -> None:
    text = "a: Optional[str] = b\ndef f(b: Optional[dict[str, int]] = None) -> Optional[int]:\n    return Optional[a]\n"
    assert found(rule, "python", text) == expected


def test_each_of_many_regexes_is_compiled_once(monkeypatch: pytest.MonkeyPatch) -> None:
    import regex

    compiled: list[str] = []
    compile_one = regex.compile
    monkeypatch.setattr("regex.compile", lambda text, flags: compiled.append(text) or compile_one(text, flags))
    patterns = [f"word{number}_once" for number in range(600)]
    for _file in range(3):
        for pattern in patterns:
            assert len(regex_matcher(pattern).find("word7_once")) == (pattern == "word7_once")
    assert compiled == patterns
