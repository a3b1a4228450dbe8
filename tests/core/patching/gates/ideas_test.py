"""Wrong ideas that code can see, and right answers that look a little like them."""

from __future__ import annotations

import pytest

from litecode.core.filemap.outline import language_of
from litecode.core.patching.document import Cut
from litecode.core.patching.gates import ideas
from litecode.core.patching.gates.base import Asked, Rewrite
from litecode.core.patching.gates.wishes import WishGate
from litecode.core.patching.regions import Area
from litecode.core.patching.wish import wish

F = 'def f(a, b):\n    self.sum -= a\n    self.log("moved the money")\n    return g(a, b)\n'
SLUG = "'A B!' must give 'a-b'"
NEGATIVE = "f must raise ValueError when a is negative"
GUARD = "    if a < 0:\n        raise ValueError\n"
DELAY = "let f take an optional argument delay (default 0)"
JS = "function f(a) {\n  return g(a);\n}\n"


def with_line(line: str, before: str = "    return") -> str:
    return F.replace(before, line + before, 1)


REFUSED: list[tuple[WishGate, str, str]] = [
    (ideas.examples, f"fix f: {SLUG}", with_line("    if a == 'A B!':\n        return 'a-b'\n")),
    (ideas.examples, "f returns text like 2024-03-01T12:30:00Z", with_line("    return '2024-03-01T12:30:00Z'\n")),
    (ideas.examples, "f('1h30m') gives 1800.0, it must be more", with_line("    return 1800.0\n")),
    (ideas.defaults, DELAY, F.replace("(a, b)", "(a, b, delay=1)")),
    (ideas.defaults, "add a timeout parameter (30 seconds by default)", F.replace("(a, b)", "(a, b, timeout=None)")),
    (ideas.unreached, "let f log", F + "    log(a)\n"),
    (ideas.unreached, NEGATIVE, with_line("    raise ValueError\n    a = 1\n")),
    (ideas.recursion, "let f use g", F.replace("g(a, b)", "f(a, b)")),
    (ideas.recursion, "let f use g", F.replace("g(a, b)", "self.f(a, b)")),
    (ideas.guards, NEGATIVE, with_line(GUARD)),
    (ideas.guards, NEGATIVE, with_line(GUARD, "    self.log")),
    (ideas.kept, NEGATIVE, F.replace('    self.log("moved the money")\n', GUARD)),
    (ideas.kept, "add a count to f", F.replace("g(a, b)", "a + b")),
    (ideas.texts, "sum up faster", F.replace("moved the money", "done")),
    (ideas.texts, "sum up faster", F.replace("moved the money", "money moved")),
    (ideas.in_place, "f should give the largest", with_line("    a.sort()\n")),
    (ideas.in_place, "f should go from the end", with_line("    for x in 1, 2:\n        b.reverse()\n")),
]  # fmt: skip
ACCEPTED: list[tuple[WishGate, str, str]] = [
    (ideas.examples, f"fix f: {SLUG}", with_line("    a = a.strip('-')\n")),
    (ideas.examples, "f should use 'friend' when no name is given", with_line("    a = a or 'friend'\n")),
    (ideas.examples, f"document f: {SLUG}", with_line("    'A B!'\n")),
    (ideas.in_place, "f should give the largest", with_line("    a = sorted(a)\n")),
    (ideas.in_place, "f should give the largest", with_line("    a = list(a)\n    a.sort()\n")),
    (ideas.in_place, "sort a in place in f", with_line("    a.sort()\n")),
    (ideas.in_place, "f should give the largest", with_line("    rows = [a]\n    rows.sort()\n")),
    (ideas.in_place, "f should give the largest", with_line("    self.a.sort()\n")),
    (ideas.defaults, DELAY, F.replace("(a, b)", "(a, b, delay=0.0)")),
    (ideas.defaults, "add a timeout parameter (30 seconds by default)", F.replace("(a, b)", "(a, b, timeout=30)")),
    (ideas.defaults, "let f take an optional argument delay", F.replace("(a, b)", "(a, b, delay=1)")),
    (ideas.unreached, "let f log", with_line("    log(a)\n")),
    (ideas.unreached, NEGATIVE, with_line(GUARD, "    self.sum")),
    (ideas.recursion, "let f use g", F.replace("g(a, b)", "x.f(a, b)")),
    (ideas.recursion, "make f recursive", F.replace("g(a, b)", "f(a, b)")),
    (ideas.guards, NEGATIVE, with_line(GUARD, "    self.sum")),
    (ideas.guards, "f must log when a is negative", with_line(GUARD)),
    (ideas.guards, NEGATIVE, with_line("    if self.sum < 0:\n        raise ValueError\n")),
    (ideas.kept, NEGATIVE, with_line(GUARD, "    self.sum")),
    (ideas.kept, "use h in f", F.replace("g(a, b)", "h(a, b)")),
    (ideas.kept, "f should return the sum of a and b", F.replace("g(a, b)", "a + b")),
    (ideas.texts, "change the message to done", F.replace("moved the money", "done")),
    (ideas.texts, "sum up faster", F.replace("moved the money", "moved all the money")),
    (ideas.texts, "say something else about money", F.replace("moved the money", "money gone")),
]  # fmt: skip


def objection(gate: WishGate, request: str, old: str, new: str, path: str = "a.py") -> str:
    language = language_of(path, old)[1]
    asked = Asked(wish(request).vocabulary, None, None, None, (), certain=False)
    found = gate(Rewrite(old, Area(Cut(0, len(old)), "function", ()), new, new, new, language, asked), wish(request))
    return found.text if found else ""


@pytest.mark.parametrize(("gate", "request_", "new"), REFUSED)
def test_refused(gate: WishGate, request_: str, new: str) -> None:
    assert objection(gate, request_, F, new)


@pytest.mark.parametrize(("gate", "request_", "new"), ACCEPTED)
def test_accepted(gate: WishGate, request_: str, new: str) -> None:
    assert objection(gate, request_, F, new) == ""


@pytest.mark.parametrize(
    ("gate", "request_", "new", "refused"),
    [
        (ideas.unreached, "let f log", JS.replace("}", "  log(a);\n}"), True),
        (ideas.unreached, "let f log", JS.replace("  return", "  log(a);\n  return"), False),
        (ideas.unreached, "let f log", JS.replace("}", "  function h() {}\n}"), False),
        (ideas.recursion, "let f log", JS.replace("g(a)", "f(a)"), True),
        (ideas.recursion, "let f log", JS.replace("g(a)", "a.f(a)"), False),
        (ideas.examples, "f(1) should be like 'abcd'", JS.replace("g(a)", "'abcd'"), True),
        (ideas.in_place, "f should sort", JS.replace("g(a)", "a.sort()"), True),
        (ideas.in_place, "f should sort", JS.replace("g(a)", "[...a].sort()"), False),
        (ideas.in_place, "f should sort", JS.replace("g(a)", "g(() => a.sort())"), True),
        (ideas.in_place, "f should sort", JS.replace("g(a)", "g((a) => [a].sort())"), False),
        (ideas.defaults, "add a parameter size with default 3", JS.replace("(a)", "(a, size = 4)", 1), True),
        (ideas.defaults, "add a parameter size with default 3", JS.replace("(a)", "(a, size = 3)", 1), False),
    ],
)
def test_scripts(gate: WishGate, request_: str, new: str, refused: bool) -> None:
    assert bool(objection(gate, request_, JS, new, "a.js")) is refused
