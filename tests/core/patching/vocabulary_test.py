"""What an instruction asks for, what it only gives as an example, and what must stay."""

from __future__ import annotations

import pytest

from litecode.core.patching.vocabulary import fragments, stay_pattern, vocabulary

PRINT = "Replace print() by logger.info() with %s placeholders (no f-string). Keep the order."
DEFAULT = 'Change [] to None, and begin the body with "if name is None:" and "name = []".'
EXCEPT = 'Name the exception, for example "except ZeroDivisionError:" for a division.'
EQUAL = "Replace == by ===. Exception: a comparison with null (x == null) stays."
PAIR = "Use parameters. Example: f(a) becomes g(a, 1)."


@pytest.mark.parametrize(
    ("instruction", "fragment"),
    [
        ("Use `a.b` here.", ["a.b"]),
        ('Write "x = 1" there.', ["x = 1"]),
        ("Say (x == null) and (nothing).", ["x == null", "=="]),
        ("Call f(x), then a.b.", ["f(x)", "a.b"]),
        ("Plain words only; 3 of them.", []),
        ("Use snake_case and $HOME.", ["snake_case", "$HOME"]),
        ("", []),
    ],
)
def test_fragments(instruction: str, fragment: list[str]) -> None:
    assert fragments(instruction) == fragment


def test_the_words_and_the_code() -> None:
    found = vocabulary(PRINT)
    assert {"Replace", "print", "logger", "info", "placeholders", "order"} <= found.words
    assert {"print", "logger", "info"} <= found.code
    assert found.code.isdisjoint({"Replace", "placeholders", "order", "Keep"})
    assert "%s" in found.signs.split()
    assert (found.quoted, found.examples, found.stays) == ({"%s", "logger", "info"}, frozenset(), ())


def test_quoted_code_is_asked_for() -> None:
    assert vocabulary(DEFAULT).quoted == {"if", "name", "is", "None"}
    assert {"if", "is"} <= vocabulary(DEFAULT).code
    assert vocabulary(DEFAULT).plain.isdisjoint({"if", "is"})  # they are English words, too


@pytest.mark.parametrize(
    ("instruction", "signs"),
    [
        ("Set it to a list when it is None.", "is"),
        ("Return early if the row is not None.", "is not"),
        ("Use the operator `is`.", "is"),
        ("The name is not nice.", ""),
        ("None is what it returns.", ""),
        ("This Nonesuch is Nonesuch.", ""),
    ],
)
def test_operators_in_words(instruction: str, signs: str) -> None:
    found = vocabulary(instruction).signs.split()
    assert [word for word in found if word in ("is", "not")] == signs.split()


@pytest.mark.parametrize(
    ("instruction", "quoted"),
    [
        ('Make the command the condition: "if command; then".', {"if", "then"}),
        ('Make it the condition: "if command; then".', {"if", "command", "then"}),
        ('Find the command with "command -v".', {"command", "v"}),
        ('Catch the error: "except error as e".', {"except", "as", "e"}),
        ('Give the timeout: "return get(timeout=1)".', {"return", "get", "timeout"}),
        ("Throw new HttpError(status, message) in its place.", {"HttpError"}),
        ("Throw new HttpError(status) in its place.", {"HttpError"}),
        ("Throw HttpError(status) in its place.", set()),
    ],
)
def test_words_that_stand_for_other_code(instruction: str, quoted: set[str]) -> None:
    assert vocabulary(instruction).quoted == quoted


@pytest.mark.parametrize(
    ("instruction", "conditional"),
    [
        ("Write a loop; if it uses the index, loop over list.entries().", {"list", "entries"}),
        ("Use fmt.Errorf(...). If a value is an error, use %w for it.", {"%w"}),
        ("Use fmt.Errorf(...) and %w. If a value is an error, use %w for it.", set()),
        ('If it is in an except block, add "from err".', set()),
        ('Change [] to None, and begin with "if name is None:", if there is a body.', set()),
        ("Write a loop over list.entries().", set()),
    ],
)
def test_words_that_only_some_places_need(instruction: str, conditional: set[str]) -> None:
    assert vocabulary(instruction).conditional == conditional


def test_calls_with_several_arguments_are_code() -> None:
    assert vocabulary("Throw new HttpError(status, f(message)) there.").code >= {
        "HttpError",
        "status",
        "f",
        "message",
        "new",
    }
    assert vocabulary("Throw an error (status, message) there.").code == frozenset()


def test_examples_are_not_asked_for() -> None:
    found = vocabulary(EXCEPT)
    assert found.examples == {"ZeroDivisionError"}
    assert "ZeroDivisionError" not in found.words
    assert found.quoted == frozenset()


def test_what_stays() -> None:
    assert "x == null" in vocabulary(EQUAL).stays
    assert vocabulary("Use get. TABLE and self.row must stay.").kept_names == {"TABLE"}
    assert vocabulary("Use get. Do not touch max_size.").kept_names == {"max_size"}
    assert vocabulary("Use get.").kept_names == frozenset()


def test_pairs() -> None:
    assert vocabulary(PAIR).pairs == (("f(a)", "g(a, 1)"),)
    assert vocabulary("The day becomes the night.").pairs == ()


@pytest.mark.parametrize(
    ("instruction", "comments", "fstrings", "numbers"),
    [
        ("Write comments in English.", True, False, set()),
        ("Add a docstring.", True, False, set()),
        ("Use the logger (no f-string).", False, True, set()),
        ("Use the logger, not an f-string.", False, True, set()),
        ("Without f-strings.", False, True, set()),
        ("Use an f-string.", False, False, set()),
        ("Add timeout=10, at most 2.5 s.", False, False, {"10", "2.5"}),
        ("Commence.", False, False, set()),
        ("", False, False, set()),
    ],
)
def test_what_it_is_about(instruction: str, comments: bool, fstrings: bool, numbers: set[str]) -> None:
    found = vocabulary(instruction)
    assert (found.about_comments, found.bans_fstrings, found.numbers) == (comments, fstrings, numbers)


@pytest.mark.parametrize(
    ("fragment", "pattern"),
    [
        ("x == null", "$X == null"),
        ("x == y", "$X == $Y"),
        ("f(x)", "f($X)"),
        ("x.y == 1", "$X.y == 1"),
        ("null", None),
        ("foo", None),
        ("'x'", None),
        ("$a", None),
        ("self.x", None),
        ("==", None),
    ],
)
def test_the_pattern_of_what_stays(fragment: str, pattern: str | None) -> None:
    assert stay_pattern(fragment) == pattern
