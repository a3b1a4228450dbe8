"""Where a rule applies: matches, less what is unchanged, suppressed, or let stand by the rule itself."""

from __future__ import annotations

import pytest

from litecode.core.executing.sites import exceptions_of, find_sites
from litecode.core.patching.document import Document
from litecode.core.patching.match import Matcher, ast_matcher, regex_matcher
from litecode.core.patching.vocabulary import vocabulary

PRINT = ast_matcher({"pattern": "print($$$A)"}, {}, "python")
TEXT = "print(1)\nprint(2)\nprint(\n    3,\n)\nprint(4)\n"


def found(
    text: str,
    matcher: Matcher = PRINT,
    changed: set[int] | None = None,
    rule: str = "no-print",
    grammar: str | None = "python",
) -> list[str]:
    lines = None if changed is None else frozenset(changed)
    return [match.cut.of(text) for match in find_sites(Document(text), matcher, rule, lines, (), grammar)]


@pytest.mark.parametrize(
    ("changed", "want"),
    [
        (None, ["print(1)", "print(2)", "print(\n    3,\n)", "print(4)"]),
        ({1}, ["print(1)"]),
        ({2, 6}, ["print(2)", "print(4)"]),
        ({3}, ["print(\n    3,\n)"]),
        ({4}, ["print(\n    3,\n)"]),
        ({5}, ["print(\n    3,\n)"]),
        ({7}, []),
        (set(), []),
    ],
)
def test_only_sites_that_touch_a_changed_line_count(changed: set[int] | None, want: list[str]) -> None:
    assert found(TEXT, changed=changed) == want


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("print(1)  # litecode-ignore: no-print\n", []),
        ("print(1)  #litecode-ignore:no-print\n", []),
        ("# litecode-ignore: no-print\nprint(1)\n", []),
        ("# litecode-ignore: other, no-print\nprint(1)\n", []),
        ("# litecode-ignore: no-print , other\nprint(1)\n", []),
        ("print(\n    1,  # litecode-ignore: no-print\n)\n", []),
        ("print(1)  # litecode-ignore: no-print because of the tool that reads it\n", []),
        # not for this one
        ("# litecode-ignore: other\nprint(1)\n", ["print(1)"]),
        ("# litecode-ignore: no-print-at-all\nprint(1)\n", ["print(1)"]),
        ("# litecode-ignore: no\nprint(1)\n", ["print(1)"]),
        ("# litecode-ignore:\nprint(1)\n", ["print(1)"]),
        ("# litecode-ignore\nprint(1)\n", ["print(1)"]),
        ("# ignore: no-print\nprint(1)\n", ["print(1)"]),
        ("# litecode-ignore: no-print\n\nprint(1)\n", ["print(1)"]),
        ("print(1)\n# litecode-ignore: no-print\n", ["print(1)"]),
        ("x = 1  # litecode-ignore: no-print\nprint(1)\n", ["print(1)"]),
        ("x = 'litecode-ignore: no-print'\nprint(1)\n", ["print(1)"]),
        ("print('# litecode-ignore: no-print')\n", ["print('# litecode-ignore: no-print')"]),
        ("# litecode-ignore: no-print\nprint(1)\nprint(2)\n", ["print(2)"]),
    ],
)
def test_a_comment_lets_its_line_stand_or_the_next_one(text: str, want: list[str]) -> None:
    assert found(text) == want


def test_a_regex_has_sites_in_any_text() -> None:
    assert found("colour: red\ncolour: blue\n", regex_matcher("colour"), {2}, grammar=None) == ["colour"]
    assert found("; litecode-ignore: no-print\ncolour\n", regex_matcher("colour"), grammar=None) == []


class TestExceptions:
    INSTRUCTION = "Replace `==` by `===`. Exception: comparing with null (x == null) is allowed."
    TEXT = "if (a == 1 || b == null || c.d == null) {}\n"

    def sites(self, instruction: str, language: str = "javascript") -> list[str]:
        standing = exceptions_of(vocabulary(instruction), language)
        matcher = ast_matcher({"pattern": "$A == $B"}, {}, "javascript")
        return [m.cut.of(self.TEXT) for m in find_sites(Document(self.TEXT), matcher, "eqeqeq", None, standing)]

    def test_what_the_instruction_lets_stand_is_no_site(self) -> None:
        assert self.sites(self.INSTRUCTION) == ["a == 1"]

    def test_without_an_exception_all_of_them_are(self) -> None:
        assert self.sites("Replace `==` by `===`.") == ["a == 1", "b == null", "c.d == null"]

    @pytest.mark.parametrize(
        ("instruction", "language"),
        [
            (INSTRUCTION, None),
            (INSTRUCTION, "no such language"),
            ("Exception: `x == (` is allowed.", "javascript"),
            ("Comparing with null is allowed.", "javascript"),
        ],
    )
    def test_what_is_no_code_is_no_exception(self, instruction: str, language: str | None) -> None:
        assert exceptions_of(vocabulary(instruction), language) == ()
