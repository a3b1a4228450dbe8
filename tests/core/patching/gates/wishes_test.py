"""What the gates for requests let pass and what they refuse; every gate has rows of both kinds."""

# ruff: noqa: E501 - tables of texts

from __future__ import annotations

import pytest

from litecode.core.filemap.outline import language_of
from litecode.core.patching.document import Cut
from litecode.core.patching.gates import wishes
from litecode.core.patching.gates.base import Asked, Rewrite
from litecode.core.patching.gates.wishes import WishGate
from litecode.core.patching.regions import Area
from litecode.core.patching.wish import Only, wish


def objection(gate: WishGate, request: str, old: str, new: str, path: str = "a.py") -> str:
    language = language_of(path, old)[1]
    asked = Asked(wish(request).vocabulary, None, None, None, (), certain=False)
    found = gate(Rewrite(old, Area(Cut(0, len(old)), "function", ()), new, new, new, language, asked), wish(request))
    return found.text if found else ""


F = 'def f(a, b=1):\n    """Doc."""\n    # why\n    return a + b\n'
MANY = "def f():\n" + "".join(f"    a{n} = {n}\n" for n in range(12))

REFUSED: list[tuple[WishGate, str, str, str]] = [
    (wishes.changed, "make it faster", F, F),
    (wishes.changed, "make it faster", F, F.replace("a + b", "a+b")),
    (wishes.lost, "make f faster", F, F.replace("def f", "def g")),
    (wishes.lost, "remove x", F + "def g(): ...\n", F),
    (wishes.added, "make f faster", F, F + "\n\n" + F),
    (wishes.added, "make f faster", F, F + "\n\ndef cached(): ...\n"),
    (wishes.signature, "make f faster", F, F.replace("a, b=1", "a")),
    (wishes.signature, "make f faster", F, F.replace("b=1", "b=2")),
    (wishes.signature, "make f faster", F, F.replace("b=1", "b=1, speed=2")),
    (wishes.signature, "add a parameter c to f", F, F.replace("a, b=1", "a, c, b=1")),
    (wishes.signature, "add a parameter c to f", F, F.replace("a, b=1", "c, a, b=1")),
    (wishes.signature, "add an optional argument c to f", F, F.replace("a, b=1", "a, c=2, b=1")),
    (wishes.signature, "add an optional argument c to f", F, F.replace("a, b=1", "b=1, a=2, c=3")),
    (wishes.decorators, "make f faster", "@cache\n" + F, F),
    (wishes.decorators, "make f faster", F, "@cache\n" + F),
    (wishes.docstrings, "make f faster", F, F.replace('    """Doc."""\n', "")),
    (wishes.comments, "make f faster", F, F.replace("    # why\n", "")),
    (wishes.comments, "add a docstring to f", F, F.replace("    # why\n", "")),
    (wishes.only, "document f", F, F.replace("a + b", "b + a")),
    (wishes.only, "add a docstring to f", F, F.replace('"""Doc."""', '"""More."""').replace("b=1", "b=2")),
    (wishes.only, "add a comment that explains the sum", F, F.replace("a + b", "b + a")),
    (wishes.only, "add type hints to f", F, F.replace("(a, b=1)", "(a: int, b: int = 2) -> int")),
    (wishes.wanted, "add an optional argument speed", F, F.replace("b=1", "b=1, pace=2")),
    (wishes.wanted, "f must raise ValueError when a is negative", F, F.replace("    return", "    if a < 0: raise Error\n    return")),
    (wishes.unused, "add an argument c", F, F.replace("b=1", "b=1, c=2")),
    (wishes.stubs, "let f log", F, F.replace("    return", "    # TODO: log\n    return")),
    (wishes.stubs, "let f log", F, F.replace("return a + b", "raise NotImplementedError")),
    (wishes.churn, "start at 1", MANY, "def f():\n    return {n: n for n in range(12)}\n"),
]  # fmt: skip
ACCEPTED: list[tuple[WishGate, str, str, str]] = [
    (wishes.changed, "make it faster", F, F.replace("a + b", "b + a")),
    (wishes.changed, "reword the comment", F, F.replace("why", "because")),
    (wishes.lost, "remove g", F + "def g(): ...\n", F),
    (wishes.lost, "make f faster", F, F.replace("a + b", "b + a")),
    (wishes.added, "extract a helper from f", F, F + "\n\ndef part(): ...\n"),
    (wishes.added, "let f use cached()", F, F + "\n\ndef cached(): ...\n"),
    (wishes.added, "make f faster", F, F.replace("    return", "    def inner(): ...\n    return")),
    (wishes.signature, "add a parameter c to f", F, F.replace("b=1", "b=1, c=2")),
    (wishes.signature, "add a parameter c to f", F, F.replace("b=1", "b=1, *, c=2")),
    (wishes.signature, "add a required parameter c to f", F, F.replace("a, b=1", "a, c, b=1")),
    (wishes.signature, "the default of b should be 2", F, F.replace("b=1", "b=2")),
    (wishes.signature, "use 3 when no a is given", F, F.replace("(a, b=1)", "(a=3, b=1)")),
    (wishes.signature, "swap a and b", F, F.replace("a, b=1", "b=1, a=2")),
    (wishes.signature, "make f faster", F, F.replace("a + b", "b + a")),
    (wishes.decorators, "cache the results of f with lru_cache", F, "@lru_cache\n" + F),
    (wishes.decorators, "remove cache from f", "@cache\n" + F, F),
    (wishes.docstrings, "make f faster", F, F.replace("Doc.", "More doc.")),
    (wishes.docstrings, "remove the docstring", F, F.replace('    """Doc."""\n', "")),
    (wishes.comments, "remove the comment in f", F, F.replace("    # why\n", "")),
    (wishes.comments, "improve the docstring and comments of f", F, F.replace("    # why\n", "")),
    (wishes.comments, "make f faster", F, F.replace("# why", "# why\n    # and how")),
    (wishes.only, "document f", F, F.replace("Doc.", "Return the sum of a and b.")),
    (wishes.only, "add a comment that explains the sum", F, F.replace("# why", "# the sum")),
    (wishes.only, "add type hints to f", F, F.replace("(a, b=1)", "(a: int, b: int = 1) -> int")),
    (wishes.only, "add a docstring to f and raise ValueError for negative a", F, F.replace("a + b", "a - b")),
    (wishes.wanted, "add an optional argument speed", F, F.replace("b=1", "b=1, speed=2")),
    (wishes.wanted, "return None instead of raising KeyError", F, F),
    (wishes.wanted, "f must raise ValueError when a is negative", F, F.replace("    return", "    if a < 0: raise ValueError\n    return")),
    (wishes.unused, "add an argument c", F, F.replace("b=1", "b=1, c=2").replace("a + b", "a + b + c")),
    (wishes.unused, "add an argument c", F, F.replace("b=1", "b=1, c=2").replace("a + b", 'f"{c}"')),
    (wishes.stubs, "raise NotImplementedError in f", F, F.replace("return a + b", "raise NotImplementedError")),
    (wishes.churn, "refactor f", MANY, "def f():\n    return {n: n for n in range(12)}\n"),
    (wishes.churn, "start at 1", MANY, MANY.replace("a0 = 0", "a0 = 1")),
    (wishes.churn, "start at 1", F, "def f(a, b=1):\n    return 1\n"),
]  # fmt: skip


@pytest.mark.parametrize(("gate", "request_", "old", "new"), REFUSED)
def test_refused(gate: WishGate, request_: str, old: str, new: str) -> None:
    assert objection(gate, request_, old, new)


@pytest.mark.parametrize(("gate", "request_", "old", "new"), ACCEPTED)
def test_accepted(gate: WishGate, request_: str, old: str, new: str) -> None:
    assert objection(gate, request_, old, new) == ""


JS = "/** Doc. */\nfunction f(a, b = 1) {\n  return a + b; // sum\n}\n"


@pytest.mark.parametrize(
    ("gate", "request_", "new", "refused"),
    [
        (wishes.signature, "make f faster", JS.replace("a, b = 1", "a"), True),
        (wishes.signature, "add a parameter c", JS.replace("b = 1", "b = 1, c"), True),
        (wishes.signature, "add a parameter c", JS.replace("b = 1", "b = 1, c = 2"), False),
        (wishes.comments, "make f faster", JS.replace(" // sum", ""), True),
        (wishes.only, "document f", JS.replace("a + b", "b"), True),
        (wishes.only, "document f", JS.replace("Doc.", "Adds."), False),
        (wishes.lost, "make f faster", JS.replace("function f", "function g"), True),
        (wishes.unused, "add a parameter c", JS.replace("b = 1", "b = 1, c = 2"), True),
        (wishes.unused, "add a parameter c", JS.replace("b = 1", "b = 1, c = 2").replace("a + b", "a + c"), False),
    ],
)
def test_scripts(gate: WishGate, request_: str, new: str, refused: bool) -> None:
    assert bool(objection(gate, request_, JS, new, "a.js")) is refused


@pytest.mark.parametrize(
    ("request_", "only"),
    [
        ("document retry_delay: a docstring that says what it returns", Only.DOCSTRING),
        ("add a docstring to f", Only.DOCSTRING),
        ("net.py: write docs for Client.get", Only.DOCSTRING),
        ("add a JSDoc comment to parseRange that says what it returns", Only.DOCSTRING),
        ("improve the docstring of f", Only.DOCSTRING),
        ("add a comment that explains the regex", Only.COMMENTS),
        ("add type hints to area", Only.TYPES),
        ("annotate area", Only.TYPES),
        ("add a document class", None),
        ("comment out the call of f", None),
        ("add a docstring to f and raise ValueError for negative values", None),
        ("the docs say 3, so f must return 3", None),
        ("documents are sorted by name", None),
        ("f should strip comments", None),
        ("let f take types", None),
    ],
)
def test_requests_for_one_kind_of_thing(request_: str, only: Only | None) -> None:
    assert wish(request_).only is only


@pytest.mark.parametrize(
    ("request_", "adds", "raises"),
    [
        ("let total take an optional argument discount (default 0)", ("discount",), ()),
        ("add a timeout parameter and pass it on", ("timeout",), ()),
        ("add an optional parameter named `limit`", ("limit",), ()),
        ("f must raise LedgerError when they are the same", (), ("LedgerError",)),
        ("throw an IllegalArgumentException when it is negative", (), ("IllegalArgumentException",)),
        ("return None instead of raising KeyError", (), ()),
        ("remove the parameter verbose", (), ()),
        ("swap the two parameters", (), ()),
        ("check the argument for None", (), ()),
        ("the parameter is a path", (), ()),
        ("raise the limit to 5", (), ()),
    ],
)
def test_what_must_be_there(request_: str, adds: tuple[str, ...], raises: tuple[str, ...]) -> None:
    found = wish(request_)
    assert (found.adds, found.raises) == (adds, raises)
