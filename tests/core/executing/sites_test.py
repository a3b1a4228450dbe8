"""Where a rule applies: matches, less what is unchanged, suppressed, or let stand by the rule itself."""

from __future__ import annotations

import pytest

from litecode.core.executing.sites import exceptions_of, find_sites, in_comment, suppressed_lines
from litecode.core.patching.document import Cut, Document
from litecode.core.patching.match import Matcher, ast_matcher, regex_matcher
from litecode.core.patching.vocabulary import vocabulary

PRINT = ast_matcher({"pattern": "print($$$A)"}, {}, "python")
TEXT = "print(1)\nprint(2)\nprint(\n    3,\n)\nprint(4)\n"


def found(text: str, matcher: Matcher = PRINT, changed: set[int] | None = None, rule: str = "no-print") -> list[str]:
    lines = None if changed is None else frozenset(changed)
    return [match.cut.of(text) for match in find_sites(Document(text), matcher, rule, lines)]


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
        ("# litecode-ignore: no-print\nprint(1)\nprint(2)\n", ["print(2)"]),
    ],
)
def test_a_comment_lets_its_line_and_the_next_one_stand(text: str, want: list[str]) -> None:
    assert found(text) == want


def test_suppressed_lines_are_those_of_one_rule() -> None:
    text = "# litecode-ignore: a\nx\ny  # litecode-ignore: b, a\n"
    assert suppressed_lines(text, "a") == {1, 2, 3, 4}
    assert suppressed_lines(text, "b") == {3, 4}
    assert suppressed_lines(text, "c") == frozenset()


def test_a_regex_has_sites_in_any_text() -> None:
    assert found("colour: red\ncolour: blue\n", regex_matcher("colour"), {2}) == ["colour"]
    assert found("; litecode-ignore: no-print\ncolour\n", regex_matcher("colour")) == []


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


@pytest.mark.parametrize(
    ("cut", "language", "want"),
    [
        (Cut(7, 12), "python", True),
        (Cut(7, 8), "python", True),
        (Cut(0, 1), "python", False),
        (Cut(4, 12), "python", False),
        (Cut(7, 12), None, False),
    ],
)
def test_in_comment(cut: Cut, language: str | None, want: bool) -> None:
    assert in_comment("x = 1  # why\n", language, cut) is want


@pytest.mark.parametrize(
    ("at", "want"), [("one", True), ("two", True), ("b = 2", False), ("three", True), ("c = 3  # th", False)]
)
def test_in_one_of_several_comments(at: str, want: bool) -> None:
    text = "# one\na = 1  # two\nb = 2\nc = 3  # three\n"
    start = text.index(at)
    assert in_comment(text, "python", Cut(start, start + len(at))) is want
