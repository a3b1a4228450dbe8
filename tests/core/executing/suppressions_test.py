"""Which lines a comment takes out of a rule, and which comments are idle."""

from __future__ import annotations

import pytest

from litecode.core.executing.suppressions import in_comment, needless, suppressed_lines, suppressions, unknown
from litecode.core.patching.document import Cut, Document
from litecode.core.patching.match import ast_matcher, regex_matcher


def test_suppressed_lines_are_those_of_one_rule() -> None:
    text = "# litecode-ignore: a\nx\ny  # litecode-ignore: b, a\n"
    assert suppressed_lines(text, "a", "python") == {1, 2, 3}
    assert suppressed_lines(text, "b", "python") == {3}
    assert suppressed_lines(text, "c", "python") == frozenset()


@pytest.mark.parametrize(
    ("text", "grammar", "want"),
    [
        # alone: this line and the next
        ("# litecode-ignore: a\nx\n", "python", {1, 2}),
        ("x = 1\n    # so said the customer, litecode-ignore: a\n", "python", {2, 3}),
        ("// litecode-ignore: a\nx\n", "javascript", {1, 2}),
        ("/*\n * it is so\n * litecode-ignore: a */\nx\n", "javascript", {3, 4}),
        ("f(<b>{/* litecode-ignore: a */}</b>)\n", "tsx", {1}),
        ("  {/* litecode-ignore: a */}\n", "tsx", {1, 2}),
        ("<!-- litecode-ignore: a -->\n", "html", {1, 2}),
        ("# why: litecode-ignore: a\n", "bash", {1, 2}),
        ("-- so it is, litecode-ignore: a\n", None, {1, 2}),
        ("; litecode-ignore: a\n", None, {1, 2}),
        ("REM litecode-ignore: a\r\n", None, {1, 2}),
        ("[comment]: # (litecode-ignore: a)\n", None, {1}),
        # behind code: this line alone
        ("x = 1  # litecode-ignore: a\n", "python", {1}),
        ("x = 1;  // litecode-ignore: a\n", "javascript", {1}),
        ("echo a  # litecode-ignore: a\n", "bash", {1}),
        ("select 1 -- litecode-ignore: a\n", None, {1}),
        # in a text
        ('x = "litecode-ignore: a"\n', "python", set()),
        ("x = f('# litecode-ignore: a {y}')\n", "python", set()),
        ("let x = '// litecode-ignore: a'\n", "javascript", set()),
        ("# put `litecode-ignore: a` on the line\n", "python", set()),
        ('x = """\nlitecode-ignore: a\n"""\n', "python", {2, 3}),
        ("# litecode-ignorer: a\n", "python", set()),
        ("# litecode-ignore a\n", "python", set()),
    ],
)
def test_where_a_comment_counts(text: str, grammar: str | None, want: set[int]) -> None:
    assert suppressed_lines(text, "a", grammar) == want


def test_lines_are_counted_from_the_last_one_found() -> None:
    text = "\n# litecode-ignore: a\n\n\nx  # litecode-ignore: b , c\n# litecode-ignore\n"
    assert [tuple(found) for found in suppressions(text, "python")] == [
        (2, ("a",), True),
        (5, ("b", "c"), False),
        (6, (), True),
    ]


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("print(1)  # litecode-ignore: a\n", []),
        ("# litecode-ignore: a\nprint(1)\n", []),
        ("x = 1  # litecode-ignore: a\n", [1]),
        ("x = 1  # litecode-ignore: a\nprint(1)\n", [1]),
        ("x = 1  # litecode-ignore: b\n", []),
    ],
)
def test_needless(text: str, want: list[int]) -> None:
    assert needless(Document(text), ast_matcher({"pattern": "print($A)"}, {}, "python"), "a", "python") == want
    assert needless(Document(text), None, "a", "python") == []
    assert needless(Document(text), regex_matcher("print"), "a", None) == want


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("x  # litecode-ignore: noprint\n", [(1, "noprint")]),
        ("x  # litecode-ignore: no-print, todoo\n", [(1, "todoo")]),
        ("x\n# litecode-ignore:\n", [(2, "")]),
        ("x  # litecode-ignore\n", [(1, "")]),
        ("x  # litecode-ignore: no-print\n", []),
        ("x  # litecode-ignore: no-print, todo since it is so\n", []),
        ("# litecode-ignore is a word here\n", []),
        ("# write `litecode-ignore: rule-id` there\n", []),
        ("x = 'litecode-ignore: noprint'\n", []),
    ],
)
def test_unknown(text: str, want: list[tuple[int, str]]) -> None:
    assert list(unknown(text, ["no-print", "todo"], "python")) == want


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
