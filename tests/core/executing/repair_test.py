"""The region's own form is given back to a reply; what the reply really changed stays changed."""

from __future__ import annotations

import pytest

from litecode.core.executing.repair import repair
from litecode.core.patching.vocabulary import vocabulary

PLAIN = vocabulary("Call the logger instead.")
LOGGER = "logger = logging.getLogger(__name__)"


def repaired(code: str, region: str, language: str | None = "python", *ensure: str, instruction: str = "") -> str:
    return repair(code, region, language, vocabulary(instruction) if instruction else PLAIN, ensure)


@pytest.mark.parametrize(
    ("region", "language"),
    [
        ("print(x)", "python"),
        ("print(\n    x,  # the first\n    y,\n)  # end", "python"),
        ("import ujson as json", "python"),
        ("from a import (\n    b,\n    c,\n)", "python"),
        ("def f():\n    '''Say.'''\n\n    # why\n    return '  two  ' 'blanks'\n", "python"),
        ("x = '''a\n  b\n\n c'''", "python"),
        ("use std::{fmt,  io};", "rust"),
        ("/* why */ f(a,  b); // how", "javascript"),
        ("a:\n  - b:   1\n    c: 2", "yaml"),
        ("some  text,\n  in lines", None),
        ("", "python"),
    ],
)
def test_an_unchanged_region_stays_as_it_is(region: str, language: str | None) -> None:
    assert repaired(region, region, language) == region


class TestAddedLines:
    @pytest.mark.parametrize(
        ("code", "region", "language"),
        [
            ("import logging\nlog(x)", "print(x)", "python"),
            ("import logging\n\n\nlog(x)", "print(x)", "python"),
            ("from a import (\n    b,\n)\n\nlog(x)", "print(x)", "python"),
            ("from __future__ import annotations\nlog(x)", "print(x)", "python"),
            ("import logging; log(x)", "print(x)", "python"),
            ("log(x)\nimport logging", "print(x)", "python"),
            ("import { log } from './log.js';\nlog(x)", "console.log(x)", "javascript"),
            ("use log::info;\nlog(x)", "print(x)", "rust"),
            ("#include <stdio.h>\nlog(x)", "print(x)", "c"),
            ("using namespace std;\nlog(x)", "print(x)", "cpp"),
            ("using System;\nlog(x)", "print(x)", "csharp"),
            ('import "log"\nlog(x)', "print(x)", "go"),
        ],
    )
    def test_imports_go_to_the_head_of_the_file_or_nowhere(self, code: str, region: str, language: str) -> None:
        assert repaired(code, region, language) == "log(x)"

    @pytest.mark.parametrize(
        ("code", "region", "language"),
        [
            ("import json", "import ujson", "python"),
            ("from b import c", "from a import c", "python"),
            ("import a from './a.js';", "const a = 1;\nimport b from './b.js';", "javascript"),
            ("using var file = Open(path, 1);", "using var file = Open(path);", "csharp"),
            ("use(thing, 2);", "use(thing);", "javascript"),
            ("imported(x)", "print(x)", "python"),
            ("def f():\n    import logging\n    log(x)", "def f():\n    print(x)", "python"),
        ],
    )
    def test_what_only_looks_like_an_added_import_stays(self, code: str, region: str, language: str) -> None:
        assert repaired(code, region, language) == code

    @pytest.mark.parametrize(
        ("code", "region", "want"),
        [
            (f"{LOGGER}\nlog(x)", "print(x)", "log(x)"),
            (f"import logging\n{LOGGER}\n\nlog(x)", "print(x)", "log(x)"),
            (f"{LOGGER}\nlog(x)", f"{LOGGER}\nprint(x)", f"{LOGGER}\nlog(x)"),
            ("logger = logging.getLogger('b')\nlog(x)", "print(x)", "logger = logging.getLogger('b')\nlog(x)"),
        ],
    )
    def test_ensured_lines_are_put_in_by_code(self, code: str, region: str, want: str) -> None:
        assert repaired(code, region, "python", LOGGER) == want

    @pytest.mark.parametrize(
        ("code", "want"),
        [
            ("use logger\nlog x", "log x"),
            ("log x\n\nuse logger\n", "log x"),
            ("use logger 2\nlog x", "use logger 2\nlog x"),
        ],
    )
    def test_ensured_lines_of_a_file_without_a_grammar(self, code: str, want: str) -> None:
        assert repaired(code, "print x", None, "use logger") == want

    def test_a_semicolon_more_is_the_same_line(self) -> None:
        code = "const log = make();\nlog(x)"
        assert repaired(code, "print(x)", "javascript", "const log = make()") == "log(x)"


class TestComments:
    @pytest.mark.parametrize(
        ("code", "region", "language", "want"),
        [
            ("# Use the logger.\nlog(x)", "print(x)", "python", "log(x)"),
            ("log(x)  # use the logger", "print(x)", "python", "log(x)"),
            ("if a:\n    # why\n    log(x)", "if a:\n    print(x)", "python", "if a:\n    log(x)"),
            ("log(x)  # mine\n# yours\n", "print(x)  # mine", "python", "log(x)  # mine"),
            ("/* a */ /* b */ log(x);", "print(x);", "javascript", "log(x);"),
            ("/* a\n   b */\nlog(x); // c", "print(x);", "javascript", "log(x);"),
            ("/* why */ log(x);", "log(1); /* why */ log(x);", "javascript", "/* why */ log(x);"),
            ("log(x) /* new */;", "print(x);", "javascript", "log(x);"),
            ("log(x)  # one\nlog(y)  # one", "print(x)  # one\nprint(y)", "python", "log(x)  # one\nlog(y)"),
        ],
    )
    def test_added_ones_go(self, code: str, region: str, language: str, want: str) -> None:
        assert repaired(code, region, language) == want

    @pytest.mark.parametrize(
        ("code", "region", "language"),
        [
            ("log(x)  # mine", "print(x)  # mine", "python"),
            ("log('# no comment')", "print('# no comment')", "python"),
            ("# note\nlog x", "print x", None),
            ("x = '#fff'", "x = '#000'", "python"),
        ],
    )
    def test_the_others_stay(self, code: str, region: str, language: str | None) -> None:
        assert repaired(code, region, language) == code

    def test_white_space_in_a_comment_is_the_region_s(self) -> None:
        assert repaired("log(x)  # the  total", "print(x)  # the total") == "log(x)  # the  total"

    def test_a_rule_about_comments_may_bring_one(self) -> None:
        code = "# Returns the sum.\ndef f(): ..."
        assert repaired(code, "def f(): ...", instruction="Write a comment above each function.") == code


class TestIndentation:
    @pytest.mark.parametrize(
        ("code", "region", "want"),
        [
            ("    log(x)", "print(x)", "log(x)"),
            ("\tif a:\n\t\tlog(x)", "if a:\n\tprint(x)", "if a:\n\tlog(x)"),
            ("    log(x)\nlog(y)", "print(x)\nprint(y)", "log(x)\nlog(y)"),
            ("    log(x)\n    log(y)", "print(x)\nprint(y)", "log(x)\nlog(y)"),
            ("    log(x)", "    print(x)", "    log(x)"),
            ("log(x)", "print(x)", "log(x)"),
        ],
    )
    def test_a_reply_begins_as_the_region_does(self, code: str, region: str, want: str) -> None:
        assert repaired(code, region) == want

    def test_code_that_moved_into_a_block_keeps_the_reply_s(self) -> None:
        region = "x = f(a)\ny = g(b)"
        code = "with lock:\n    x = f(a)\n    y = g(b)"
        assert repaired(code, region) == code


class TestLayout:
    @pytest.mark.parametrize(
        ("code", "region", "want"),
        [
            ("log(a, b)", "print(a,\n      b)", "log(a,\n      b)"),
            ("log(\n    a,\n    b\n)", "print(a, b)", "log(a, b)"),
            ("f(a=1, b=2, c=3)", "f(a = 1, b = 2)", "f(a = 1, b = 2, c=3)"),
            ("if x:\n    log(1)\n\n\n\n    y()", "if x:\n    print(1)\n\n    y()", "if x:\n    log(1)\n\n    y()"),
            ("if x: y(1)", "if x:\n    y(2)", "if x:\n    y(1)"),
            ("x = {'a': 1,'b': 3}", "x = {'a': 1,\n     'b': 2}", "x = {'a': 1,\n     'b': 3}"),
        ],
    )
    def test_white_space_between_tokens_that_stay_together(self, code: str, region: str, want: str) -> None:
        assert repaired(code, region) == want

    @pytest.mark.parametrize(
        ("code", "region", "language"),
        [
            ("x = 'a b'", "x = 'a  b'", "python"),  # that is text; the gates judge it
            ("x = 'a' 'b'", "x = 'a'  'b'", "python"),
            ("a: 1\nb: 3", "a: 1 b: 2", "yaml"),
            ("word one\nword two", "word one word 2", None),
        ],
    )
    def test_white_space_that_means_something_is_the_reply_s(
        self, code: str, region: str, language: str | None
    ) -> None:
        assert repaired(code, region, language) == code

    def test_text_without_a_grammar_keeps_its_blanks(self) -> None:
        assert repaired("let x  be 2", "set x   be 2", None) == "let x   be 2"
