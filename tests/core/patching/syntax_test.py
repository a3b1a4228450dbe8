"""Trees and tokens of real snippets: every character that is no white space is in exactly one token."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from litecode.core.errors import RuleError
from litecode.core.patching.syntax import LANGUAGES, errors, has_grammar, parse, tokens

# language -> (code, its comments, the literal parts of its strings without the quotes that some grammars count as such)
SNIPPETS: dict[str, tuple[str, list[str], list[str]]] = {
    "python": (
        '#!/usr/bin/env python3\n"""Doc ü 😀."""\n\n\nasync def f(a, *b, **c):  # trailing\n'
        "    x = f\"{a!r:>{width}.3f} {b['k']} {{y}} \\n\" \"second\" rb'\\x00' ' '\n"
        '    y = """multi\n    line # not a comment"""\n    @dec\n    class K: pass\n'
        "    match x:\n        case [1, *_] if x: return lambda: 0x_ff\n    print(x \\\n        , y)\n",
        ["#!/usr/bin/env python3", "# trailing"],
        ["Doc ü 😀.", " ", "k", " {{y}} \\n", "second", "\\x00", " ", "multi\n    line # not a comment"],
    ),
    "javascript": (
        "// c\n/** doc\n * more */\nconst t = `a ${b + `in ${c}`} \\` d`;\n"
        "const r = /ab+\\/[c/]#/gi, s = 'it\\'s', u = \"\\u{1F600}😀 // no\";\n"
        "if (a?.b ?? c) { x **= 2 } else { y => ({...z}) }\n",
        ["// c", "/** doc\n * more */"],
        ["a ", "in ", " ", "\\`", " d", "it", "\\'", "s", "\\u{1F600}", "😀 // no"],
    ),
    "typescript": (
        '// c\nconst x: Map<string, number[]> = <any>y!; type T = `a${string}`; enum E { A = "a" }\n'
        "@dec() class K<T extends object = {}> { private readonly a?: T; }\n",
        ["// c"],
        ["a", "a"],
    ),
    "tsx": (
        'const a = <div className="x" {...p}>\n  some text {/* c */} {b && <C />}\n</div>; // d\n',
        ["/* c */", "// d"],
        ["x", "some text"],
    ),
    "go": (
        'package a // c\n\n/* b */\nvar s = `raw\n// no` + "a\\tb" + string(\'\\\'\') + " "\n\n'
        "func (r *R) F(x ...int) {\n\tdefer g()\n\tif x, ok := m[1]; ok {\n\t}\n}\n",
        ["// c", "/* b */"],
        ["raw\n// no", "a", "\\t", "b", "'\\''", " "],
    ),
    "rust": (
        "/// doc\n/* a /* nested */ b */\nfn f<'a>(x: &'a str) -> u8 {\n"
        '    let s = r#"raw "q" // no"#; // end\n    println!("{x:?} {}", b"by\\x00te");\n    1_000u8\n}\n',
        ["/// doc", "/* a /* nested */ b */", "// end"],
        ['raw "q" // no', "{x:?} {}", "by", "\\x00", "te"],
    ),
    "java": (
        'class A {\n  String s = "a\\"b"; char c = \'\\u0041\'; /* x */\n  @Override int f() { return 1_0; } // y\n}\n',
        ["/* x */", "// y"],
        ["a", '\\"', "b", "'\\u0041'"],
    ),
    "c": (
        "#include <stdio.h>\n#define M(x) \\\n  do { x; } while (0)\n/* c */\n"
        'int main(void) {\n  printf("a%d\\n" "b", \'c\'); // e\n  return 0;\n}\n',
        ["/* c */", "// e"],
        ["<stdio.h>", "a%d", "\\n", "b", "'c'"],
    ),
    "cpp": ('auto s = R"x(raw "a)b" // no)x"; int n = 1\'000; // c\n', ["// c"], ["x", 'raw "a)b" // no', "x"]),
    "csharp": (
        '// c\nvar s = $"a {b:F2} {{x}}"; var v = @"c:\\d ""q"""; /* d */\n',
        ["// c", "/* d */"],
        ["a ", " ", "{{x}}", '@"c:\\d ""q"""'],
    ),
    "ruby": (
        '# c\nx = <<~EOS\n  a #{b + 1}\n  # no\nEOS\nputs "a#{c}\\n", :sym, %w[d e]\n=begin\nblock\n=end\n',
        ["# c", "=begin\nblock\n=end"],
        ["\n  a #{b + 1}\n  # no\nEOS", "a", "\\n", "d", "e"],
    ),
    "php": (
        "<?php // c\n# d\n$x = <<<EOT\na {$b['c']} $d\nEOT;\necho \"a $b->c\", 'it\\'s'; /* e */\n",
        ["// c", "# d", "/* e */"],
        ["\na {$b['c']} $d", "a ", "it", "\\'", "s"],
    ),
    "kotlin": (
        '// c\nval s = "a ${b + c} d"\n/* e */ fun f() = g("x")\n',
        ["// c", "/* e */"],
        ["a ", " d", "x"],
    ),
    "swift": (
        '// c\nlet s = "a \\(b) d\\n"\n/* a /* b */ c */\nlet m = """\n  multi "x"\n  """\n',
        ["// c", "/* a /* b */ c */"],
        ["a ", " d", "\\n", "\n  multi ", "x", "\n  "],
    ),
    "bash": (
        '#!/usr/bin/env bash\nset -euo pipefail # c\ncat <<EOF | tee "$out"\nHello $name $(date +%F)\n  # no\nEOF\n'
        "for f in *.{txt,md}; do [[ $f == *.txt ]] && echo \"a b\" || x; done\nx=$((1 + 2)); arr=(a 'b c' $'d\\n')\n",
        ["#!/usr/bin/env bash", "# c"],
        ["Hello $name $(date +%F)\n  # no\n", "a b", "'b c'", "$'d\\n'"],
    ),
    "yaml": (
        "# c\na: \"x\\ny\" # d\nb: |\n  block # no\n  text\nc: [1, 'it''s', *anchor]\n",
        ["# c", "# d"],
        ["a", "x", "\\n", "y", "b", "\n  block # no\n  text", "c", "it", "''", "s"],
    ),
    "css": ('/* c */\na:hover, .b > #c { color: #fff; content: "d e"; width: calc(1px * 2) }\n', ["/* c */"], ["d e"]),
    "html": (
        '<!-- c --><p class="a b">text &amp; more</p>\n<script>let a = 1;</script>\n',
        ["<!-- c -->"],
        ["a b", "text", "more"],
    ),
    "lua": (
        "-- c\n--[[ block\nc ]]\nlocal s = [[long \"x\"]] .. 'a\\n' -- d\n",
        ["-- c", "--[[ block\nc ]]", "-- d"],
        ['long "x"', "a\\n"],
    ),
    "elixir": ('# c\nx = "a #{b} \\n" <> ~s(sig #{c})\n', ["# c"], ["a ", " ", "\\n", "sig "]),
    "json": ('{"a": [1, -2.5e3, "x\\n 😀"], "b": null}\n', [], ["a", "x", "\\n", " 😀", "b"]),
    "haskell": ('-- c\n{- b {- n -} -}\nmain = putStrLn "a\\"b"\n', ["-- c", "{- b {- n -} -}"], ['"a\\"b"']),
}
QUOTES = {"string_start", "string_end"}


def uncovered(text: str, language: str | None) -> str:
    """What no token has, and every token that is not where it says."""
    found, at = "", 0
    for token in tokens(text, language):
        found += text[at : token.cut.start].strip()
        if token.cut.start < at or token.cut.of(text) != token.text or not token.text:
            found += f"<{token}>"
        at = token.cut.end
    return found + text[at:].strip()


@pytest.mark.parametrize("language", SNIPPETS)
class TestSnippets:
    def test_every_character_is_in_one_token(self, language: str) -> None:
        assert uncovered(SNIPPETS[language][0], language) == ""

    def test_comments(self, language: str) -> None:
        text, comments, _ = SNIPPETS[language]
        assert [t.text for t in tokens(text, language) if t.is_comment] == comments

    def test_strings(self, language: str) -> None:
        text, _, strings = SNIPPETS[language]
        found = [t for t in tokens(text, language) if t.is_string and t.text.strip("\"rbf#'")]
        assert [t.text for t in found if t.kind not in QUOTES] == [s for s in strings if s.strip("\"rbf#'")]

    def test_without_errors(self, language: str) -> None:
        assert errors(SNIPPETS[language][0], language) == 0


@pytest.mark.parametrize(
    ("language", "one", "other"),
    [
        ("python", 'f(sep=" ")', 'f(sep="")'),
        ("python", 'f(sep=" ")', 'f(sep="  ")'),
        ("python", 'f(" a")', 'f("a")'),
        ("javascript", 'f(" ")', 'f("  ")'),
        ("javascript", "f(`${a} ${b}`)", "f(`${a}${b}`)"),
        ("go", 'package a\n\nvar x = " "\n', 'package a\n\nvar x = ""\n'),
        ("rust", "fn f() { g(' ') }", "fn f() { g('\\t') }"),
        ("java", "class A { char c = ' '; }", "class A { char c = '\\n'; }"),
        ("c", 'char *s = " ";', 'char *s = "";'),
        ("yaml", "a: ' '\n", "a: ''\n"),
        ("ruby", 'x = " "', 'x = ""'),
        ("elixir", 'x = " "', 'x = ""'),
        ("swift", 'let s = " "', 'let s = ""'),
        ("bash", "x=' '", "x=''"),
    ],
)
def test_white_space_in_literals_counts(language: str, one: str, other: str) -> None:
    assert [t.text for t in tokens(one, language)] != [t.text for t in tokens(other, language)]


@pytest.mark.parametrize(
    ("language", "one", "other"),
    [
        ("python", "f(a,b)", "f( a,\n  b )"),
        ("python", 'x = "a" "b"', 'x = "a"   "b"'),
        ("javascript", "f(a);g()", "f( a ) ;\n\n g()"),
        ("tsx", "x = <p>some <b/></p>", "x = <p>\n  some\n  <b/>\n</p>"),
        ("go", "package a\n\nvar x = 1\n", "package a\nvar   x =   1\n"),
        ("json", '{"a":1}', '{\n  "a": 1\n}\n'),
        ("rust", "/// doc\nfn f() {}", "/// doc\n\nfn f() { }"),
    ],
)
def test_white_space_between_tokens_does_not(language: str, one: str, other: str) -> None:
    assert [t.text for t in tokens(one, language)] == [t.text for t in tokens(other, language)]


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("javascript", "foo(a;\n"),
        ("javascript", "if (a) { b()\n"),
        ("javascript", "x = ;\n"),
        ("javascript", "`a"),
        ("typescript", "let x: = 3\n"),
        ("go", "package a\n\nfunc f() {\n\tx := g(1\n}\n"),
        ("rust", "fn f() { g(1; }"),
        ("java", "class A { void f() { g(1; } }"),
        ("java", "class A { void f() { int x = 3 } }"),
        ("c", "int f() { g(1; }\n"),
        ("c", "int f() { return 2 }\n"),
        ("cpp", "int f() { g(1; }"),
        ("csharp", "class A { void f() { g(1; } }"),
        ("kotlin", "fun f() { g(1 }"),
        ("php", "<?php foo(1;\n"),
        ("bash", "if true; then echo a\n"),
        ("ruby", "foo(1\n"),
        ("css", "a { color: red\n"),
        ("json", '{"a": 1,'),
        ("python", "foo(a\n"),
        ("python", "def f(:\n    pass\n"),
        ("yaml", "a: [1\n"),
    ],
)
def test_errors_of_broken_code(language: str, text: str) -> None:
    """A token that the parser had to make up is an error too: tree-sitter repairs `f(a;` silently."""
    assert errors(text, language) > 0
    assert uncovered(text, language) == ""


@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_an_empty_text_has_no_tokens(language: str) -> None:
    assert tokens("", language) == ()
    assert errors("", language) == 0


CODE = st.lists(
    st.sampled_from(
        'a é 😀 1 ( ) [ ] { } \' " ` \\ # // /* */ ${ : ; , = \n \t if def class f" <a> <<EOF\n |'.split(" ")
    )
).map(" ".join)


@pytest.mark.parametrize("language", ["python", "javascript", "tsx", "go", "rust", "bash", "yaml", "html", None])
@settings(deadline=None, max_examples=40)
@given(text=CODE)
def test_every_character_of_nonsense_is_in_one_token(language: str | None, text: str) -> None:
    assert uncovered(text, language) == ""


def test_tokens_without_a_grammar() -> None:
    found = [(t.kind, t.text) for t in tokens("SELECT a_1, 'ü x' -- 3.5e1\n", None)]
    assert found == [
        ("identifier", "SELECT"),
        ("identifier", "a_1"),
        ("sign", ","),
        ("sign", "'"),
        ("identifier", "ü"),
        ("identifier", "x"),
        ("sign", "'"),
        ("sign", "-"),
        ("sign", "-"),
        ("number", "3.5e1"),
    ]
    assert tokens("a", "cobol") == tokens("a", None)


def test_a_language_without_a_grammar_has_no_tree() -> None:
    assert [has_grammar(name) for name in ("python", "tsx", "sql", "cobol", "", None)] == [True, True] + [False] * 4
    with pytest.raises(ValueError, match="no grammar for cobol"):
        parse("a", "cobol")


DEEP = "x = " + " + ".join(["a"] * 3000)


def test_code_deeper_than_pythons_stack() -> None:
    assert len(tokens(DEEP, "javascript")) == 6001
    assert sum(node.kind == "binary_expression" for node in parse(DEEP, "javascript").walk()) == 2999
    assert len(tokens("[" * 3000 + "]" * 3000, "json")) == 6000


class TestNodes:
    def test_offsets_are_characters(self) -> None:
        text = "s = 'é😀'; print(s, 'ü😀', x)\n"
        found = parse(text, "python").find_all({"pattern": "print($$$ARGS)"})
        assert [n.cut.of(text) for n in found] == ["print(s, 'ü😀', x)"]
        args = found[0].captured("ARGS")
        assert args is not None
        assert args.of(text) == "s, 'ü😀', x"

    @pytest.mark.parametrize(
        ("text", "held"),
        [
            ("f(a)", "a"),
            ("f(a, b)", "a, b"),
            ("f(a, b,)", "a, b"),
            ("f(\n    a,  # one\n    b,  # two\n)", "a,  # one\n    b"),
            ("f()", None),
            ("f(*a, k=1)", "*a, k=1"),
        ],
    )
    def test_what_a_meta_variable_holds(self, text: str, held: str | None) -> None:
        cut = parse(text, "python").find_all({"pattern": "f($$$A)"})[0].captured("A")
        assert (cut.of(text) if cut else None) == held

    def test_matches_come_in_the_order_of_the_text_and_larger_first(self) -> None:
        text = "f(f(1), f(2))\nf(3)\n"
        found = parse(text, "python").find_all({"pattern": "f($$$)"})
        assert [n.text for n in found] == ["f(f(1), f(2))", "f(1)", "f(2)", "f(3)"]

    def test_fields_parents_and_walk(self) -> None:
        root = parse("def f(a):\n    return a\n", "python")
        function = root.children()[0]
        name = function.field("name")
        assert name is not None
        assert (name.text, name.named, function.field("nothing")) == ("f", True, None)
        parent = name.parent()
        assert parent is not None
        assert (parent.kind, root.parent()) == ("function_definition", None)
        assert [n.text for n in root.walk() if n.kind == "identifier"] == ["f", "a", "a"]

    @pytest.mark.parametrize(
        ("rule", "reason"),
        [
            ({"kind": "no_such_kind"}, "Kind `no_such_kind` is invalid"),
            ({"patern": "x"}, "unknown field `patern`"),
            ({"regex": "("}, "unclosed group"),
            ({"regex": "(?<=a)b"}, "look-around, including look-ahead and look-behind, is not supported"),
            ({"pattern": {"context": "f(x)", "selector": "nothing"}}, "Kind `nothing` is invalid"),
            ({"pattern": "$A $B"}, "Multiple AST nodes are detected. Please check the pattern source `$A $B`"),
            ({"pattern": "$$$"}, "Standalone multi meta variable `$$$` is invalid"),
            ({"pattern": ""}, "No AST root is detected"),
            ({"pattern": 3}, "did not match"),
            ({"kind": 3}, "unexpected type: 'int'"),
            ({"nthChild": "x"}, "Illegal character x encountered"),
            ({"has": {"field": "no_field", "kind": "identifier"}}, "invalid field no_field"),
            ({"matches": "no-such-util"}, "Rule `no-such-util` is not defined"),
            ({}, "Rule must have one positive matcher"),
        ],
    )
    def test_a_bad_rule_is_explained_in_one_line(self, rule: dict[str, object], reason: str) -> None:
        with pytest.raises(RuleError) as err:
            parse("x", "python").find_all(rule)
        assert err.value.message.startswith("the pattern cannot be used: ")
        assert reason in err.value.message
        assert "\n" not in err.value.message
        assert err.value.hint == "try it at https://ast-grep.github.io/playground.html"

    def test_bad_constraints(self) -> None:
        with pytest.raises(RuleError, match=r"Undefined meta var `B` used in `constraints`$"):
            parse("x", "python").find_all({"pattern": "f($A)"}, {"B": {"regex": "x"}})

    def test_trees_are_shared_between_threads(self) -> None:
        root = parse("x = f(1)\n" * 50, "python")
        with ThreadPoolExecutor(4) as pool:
            found = list(pool.map(lambda _: len(root.find_all({"pattern": "f($A)"})), range(20)))
        assert found == [50] * 20
