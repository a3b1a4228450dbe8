"""Which tokens of a rewrite belong to the match, and which stand around it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from litecode.core.patching.gates.base import Rewrite
from litecode.core.patching.gates.places import places
from litecode.core.patching.syntax import Token

Rewriting = Callable[..., Rewrite]


def joined(found: tuple[Token, ...]) -> str:
    return " ".join(token.text for token in found)


@pytest.mark.parametrize(
    ("old", "site", "new", "inside", "added", "broken"),
    [
        ("x = f(1)[0]", "f(1)", "x = g(1, 2)[0]", "f ( 1 )", "g ( 1 , 2 )", ""),
        ("x = f(1)[0]", "f(1)", "x = f(1)[0]", "f ( 1 )", "f ( 1 )", ""),
        ("h(f(1),)", "f(1)", "h(g(1))", "f ( 1 )", "g ( 1 )", ""),  # a trailing comma says nothing
        ("f(1); g(2)", "f(1)", "h(1)", "f ( 1 )", "h ( 1 )", ""),
        ("x = f(1)[0]", "f(1)", "x = g(1)[2]", "f ( 1 )", "g ( 1 ) 2", "0"),
        ("x = f(1)", "f(1)", "y = g(1)", "f ( 1 )", "y = g ( 1 )", "x"),
        ("return f(1)", "f(1)", "g(1)", "f ( 1 )", "g ( 1 )", "return"),
        ("a(f(1), b)", "f(1)", "a(b, g(1))", "f ( 1 )", "g ( 1 )", None),
    ],
)
def test_places(
    rewriting: Rewriting, old: str, site: str, new: str, inside: str, added: str, broken: str | None
) -> None:
    before = f"def k(a, b, x):\n    {old}\n"
    found = places(rewriting("python", before, site, new, kind="statement"))
    assert joined(found.inside) == inside
    if broken is None:
        assert found.broken is not None  # the comma beside the match, or what comes after it
        return
    assert (found.broken.text if found.broken else "") == broken
    if not broken:
        assert joined(found.added) == added
        assert sorted((*found.kept, *found.added), key=lambda t: t.cut) == list(found.new)


def test_without_a_grammar_the_region_is_the_place(rewriting: Rewriting) -> None:
    found = places(rewriting(None, "a b c\n", "b", "a d c", kind="line"))
    assert (joined(found.inside), joined(found.outside), joined(found.added), found.broken) == ("b", "a c", "d", None)


def test_the_place_grows_to_the_node_around_a_match(rewriting: Rewriting) -> None:
    """A regex often finds the beginning of what has to change."""
    found = places(rewriting("python", "f(a, b)[0]\n", "f(", "f(b, a)[0]"))
    assert (joined(found.inside), joined(found.outside), found.broken) == ("f ( a , b )", "[ 0 ]", None)


def test_what_is_added_beside_the_match(rewriting: Rewriting) -> None:
    near = places(rewriting("python", "x = f(1)[0]\n", "f(1)", "x = g(1)[0].h"))
    assert [joined(run) for run in near.beside] == [". h"]
    far = places(rewriting("python", "x = f(1) if a else b\n", "f(1)", "x = f(1) if a else b or c"))
    assert joined(far.far) == "or c"
