"""What an instruction leaves open is held, what it names is there, and files without a grammar lose nothing."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from litecode.core.patching.gates import choice
from litecode.core.patching.gates.base import Grade, Rewrite
from litecode.core.patching.gates.values import values

Rewriting = Callable[..., Rewrite]


@pytest.mark.parametrize(
    ("instruction", "held"),
    [
        ("Write true or false. If it is a country code, put it in quotes.", True),
        ("Write a loop; where the callback uses the index, loop over entries.", True),
        ("If the raise is in an except block, add the cause.", False),
        ("Replace var by const, and by let if it is assigned again.", False),
        ('Begin the body with "if name is None:".', False),
        ("Write true or false.", False),
    ],
)
def test_choices(rewriting: Rewriting, instruction: str, held: bool) -> None:
    found = choice.choice(rewriting("yaml", "a: no\n", "a: no", "a: false", kind="line", instruction=instruction))
    assert (found.grade if found else None) == (Grade.DOUBT if held else None)


@pytest.mark.parametrize(
    ("new", "instruction", "refused"),
    [
        ("raise ValueError(a)", "Write an if that raises ValueError.", False),
        ("raise KeyError(a)", "Write an if that raises ValueError.", True),
        ("raise a", "Raise a `ValueError`.", True),
        ("raise KeyError(a)", "Raise ValueError, or raise KeyError for a key.", False),
        ("log(a)", "Do not raise ValueError here.", False),
        ("log(a)", "Raise it.", False),
        ("raise TypeError(a)", "Raise AssertionError.", False),
    ],
)
def test_errors_that_must_be_raised(rewriting: Rewriting, new: str, instruction: str, refused: bool) -> None:
    old = "f(AssertionError)" if "Assertion" in instruction else "f(a)"
    found = choice.raised(rewriting("python", f"{old}\n", old, new, instruction=instruction))
    assert (found is not None) is refused


@pytest.mark.parametrize(
    ("language", "old", "new", "instruction", "refused"),
    [
        ("yaml", "a: no", 'a: ""', "Put it in quotes.", True),
        ("yaml", "a: no", 'a: "no"', "Put it in quotes.", False),
        ("python", "f('a')", "f('')", "Use g.", True),
        ("python", "f('')", "g('')", "Use g.", False),
        ("python", "f('a')", "f('')", "Pass an empty text.", False),
        ("python", "f()", 'f()\n"""Doc."""', "Say what it does.", False),
        ("bash", "a=b", "a=''", "Quote it.", True),
    ],
)
def test_texts_do_not_become_empty(
    rewriting: Rewriting, language: str, old: str, new: str, instruction: str, refused: bool
) -> None:
    found = choice.emptied(rewriting(language, f"{old}\n", old, new, kind="line", instruction=instruction))
    assert (found is not None) is refused


@pytest.mark.parametrize(
    ("language", "new", "refused"),
    [
        ("go", 'fmt.Errorf("a %s: %w", p, err)', False),
        ("go", 'fmt.Errorf("a %s: %w", p)', True),
        ("go", 'fmt.Errorf("a: %w", p, err)', True),
        ("go", 'fmt.Errorf("a 100%%: %w", err)', False),
        ("go", 'fmt.Errorf("%[1]s %[1]q", p)', False),
        ("go", 'fmt.Errorf("%*d", n, p)', False),
        ("go", 'fmt.Errorf("%s %s", all...)', False),
        ("go", 'fmt.Fprintf(w, "%s", p)', False),
        ("go", 'fmt.Fprintf(w, "%s")', True),
        ("go", 'errors.New("%s")', False),
        ("javascript", 'fmt.Errorf("%s")', False),
    ],
)
def test_values_of_formats(rewriting: Rewriting, language: str, new: str, refused: bool) -> None:
    head = "package a\n\nfunc f() {\n\t%s\n}\n" if language == "go" else "%s;\n"
    old = 'errors.New("a")'
    found = choice.arguments(rewriting(language, head.replace("%s", old), old, new))
    assert (found is not None) is refused


SQL = "INSERT INTO a VALUES (1, 'O''Hara', n - 2); -- two"


@pytest.mark.parametrize(
    ("new", "grade"),
    [
        (SQL.replace("a VALUES", "a (id, name) VALUES"), None),
        (SQL.replace("a VALUES", "a (id) VALUES"), Grade.DOUBT),
        (SQL.replace("a VALUES", "a (name, id) VALUES"), Grade.DOUBT),
        (SQL.replace("a VALUES", "a (no, id) VALUES"), Grade.DOUBT),
        (SQL.replace("a VALUES", "a (id, city) VALUES"), Grade.DOUBT),
        (SQL.replace("n - 2", "n + 2"), Grade.DOUBT),
        (SQL.replace("1, 'O''Hara'", "'O''Hara', 1"), Grade.DOUBT),
        (SQL.replace(" -- two", ""), Grade.DOUBT),
        (SQL.replace("O''Hara", "O''Hare"), Grade.DOUBT),
        (SQL.replace("INSERT INTO", "INSERT  INTO"), None),
    ],
)
def test_files_without_a_grammar(rewriting: Rewriting, new: str, grade: Grade | None) -> None:
    rewrite = rewriting(
        None,
        f"{SQL}\n",
        SQL,
        new,
        kind="line",
        pattern="/^INSERT INTO \\w+ VALUES/",
        instruction="Add the columns: a (id, name), b (no, id).",
    )
    found = choice.plain(rewrite)
    assert (found.grade if found else None) == grade


@pytest.mark.parametrize(
    ("instruction", "new", "grade"),
    [
        ("Pass status and text in this order.", "throw new E(4, 'no');", None),
        ("Pass status and text in this order.", "throw new E('no', 4);", Grade.DOUBT),
        ("Pass status and text.", "throw new E('no', 4);", Grade.REFUSE),
        ("Keep the order.", "throw new E('no', 4);", Grade.REFUSE),
        ("Swap the two.", "throw new E('no', 4);", None),
        ("Swap the two.", "throw new E('no', 4, x);", None),
    ],
)
def test_the_order_of_values(rewriting: Rewriting, instruction: str, new: str, grade: Grade | None) -> None:
    old = "throw { status: 4, text: 'no' };"
    found = values(rewriting("javascript", f"{old}\n", old, new, pattern="throw { $$$K }", instruction=instruction))
    assert (found.grade if found else None) == grade


def test_a_value_in_a_condition_is_not_the_one_in_the_message(rewriting: Rewriting) -> None:
    old = 'assert a in b, "%s of %s" % (a, b.c)'
    right = 'if a not in b:\n    raise E("%s of %s" % (a, b.c))'
    make = {"pattern": "assert $C, $M", "instruction": "Write an if that raises E with the message."}
    assert values(rewriting("python", f"{old}\n", old, right, **make)) is None
    for wrong in (right.replace("(a, b.c)", "(b.c, a)"), right.replace("(a, b.c)", "(b.c)")):
        assert values(rewriting("python", f"{old}\n", old, wrong, **make)) is not None
