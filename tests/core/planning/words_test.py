"""Words that should meet, and words that should not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from litecode.core.planning import words
from litecode.core.planning.words import of_name, of_path, of_request, of_text, stem


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("config", "configs"),
        ("logging", "log"),
        ("logs", "logged"),
        ("renders", "rendering"),
        ("validate", "validation"),
        ("validated", "validates"),
        ("query", "queries"),
        ("matches", "match"),
        ("boxes", "box"),
        ("stopping", "stop"),
        ("parser", "parsers"),
        ("serialize", "serialization"),
        ("classes", "class"),
    ],
)
def test_forms_of_one_word_meet(one: str, other: str) -> None:
    assert stem(one) == stem(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("login", "logging"),
        ("status", "state"),
        ("class", "clas"),
        ("bus", "bu"),
        ("string", "strong"),
        ("thing", "th"),
        ("ring", "r"),
        ("this", "thi"),
        ("user", "use"),
        ("ação", "aç"),
    ],
)
def test_different_words_stay_apart(one: str, other: str) -> None:
    assert stem(one) != stem(other)


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("getUserName", ("get", "user", "name", "getusername")),
        ("HTTPServer", ("http", "server", "httpserver")),
        ("fetch_rows", ("fetch", "row", "fetchrows")),
        ("MAX_SIZE", ("max", "size", "maxsize")),
        ("total", ("total",)),
        ("x", ()),
        ("is_a", ("isa",)),
        ("sha256", ("sha", "256", "sha256")),
    ],
)
def test_parts_of_names(name: str, parts: tuple[str, ...]) -> None:
    assert of_name(name) == parts


def test_paths_are_words_without_their_signs() -> None:
    assert set(of_path("src/userTable/list_view.test.ts")) >= {"src", "user", "tabl", "list", "view", "test", "ts"}


def test_a_text_is_counted() -> None:
    assert of_text("load_rows(rows)  # rows\nx = 1") == {"load": 1, "row": 3, "loadrows": 1}


@pytest.mark.parametrize("text", ["", "a the of", "1 + 2", "add fixes", "é"])
def test_nothing_to_say(text: str) -> None:
    assert not of_request(text)


def test_data_is_no_word() -> None:
    assert not of_text("a" * 41 + " " + "x1" * 30)


@given(st.text(alphabet=st.sampled_from("aAbBzZsedingIO09_$ .-é"), max_size=40))
def test_ascii_is_read_as_everything_else_is(text: str) -> None:
    """There is a faster way for it, that a letter of another alphabet closes; it stands apart from all others."""
    plain = text.replace("é", " ")
    both = of_text(f"{plain} ж")
    both.pop("ж", None)
    assert of_text(plain) == both
    assert words._ASCII_PART.findall(plain) == words._PART.findall(plain)
