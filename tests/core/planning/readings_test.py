"""What code reads out of a request, and what it leaves to others."""

from __future__ import annotations

import pytest

from litecode.core.planning.readings import Move, Remove, Rename, Reorder, read_request

RENAMES = [
    ("Rename fetch_rows() to load_rows() and adapt everything that calls it.", [("fetch_rows", "load_rows")], True),
    ("rename `Cart.total` to `Cart.sum` everywhere", [("Cart.total", "Cart.sum")], True),
    ("rename getUser -> fetchUser, setUser -> saveUser", [("getUser", "fetchUser"), ("setUser", "saveUser")], True),
    ("rename a to b and c to d", [("a", "b"), ("c", "d")], True),
    ("Could you rename the class Foo as Bar?", [("Foo", "Bar")], True),
    ("change the name of the function load into read", [("load", "read")], True),
    ("HOT should be named MAX_TEMPERATURE", [("HOT", "MAX_TEMPERATURE")], True),
    ("renaming Stock::reserve to Stock::hold", [("Stock::reserve", "Stock::hold")], True),
    ("Rename foo to bar and make it return None for empty input", [("foo", "bar")], False),
    ("Rename foo to bar. It should log its argument.", [("foo", "bar")], False),
    ("Rename foo to bar, update the tests and the docs", [("foo", "bar")], True),
    ("rename foo to bar but leave foo_old alone", [("foo", "bar")], True),
]
NOTHING = [
    "add a function rename(old, new)",
    "the rename must be atomic",
    "cart.py: let Cart.total take a discount",
    "f(1) should be f(2)",
    "slugify('a b') should be slugify('a-b')",
    "move the cursor to the left",
    "swap the colours of the header",
    "swap a and b",
    "save_report(path, rows) should be quick",
    "resize(width, height) to resize(width, height)",
    "",
]


@pytest.mark.parametrize(("text", "pairs", "pure"), RENAMES)
def test_renames(text: str, pairs: list[tuple[str, str]], pure: bool) -> None:
    reading = read_request(text)
    assert [(r.old, r.new) for r in reading.renames] == pairs
    assert (reading.reorders, reading.moves, reading.pure) == ((), (), pure)


@pytest.mark.parametrize("text", NOTHING)
def test_nothing(text: str) -> None:
    reading = read_request(text)
    assert (reading.found, reading.pure, reading.rest) == (False, False, text)


def test_local_names() -> None:
    renames = read_request("rename the parameter n to count in take()").renames
    assert renames == (Rename("n", "count", "parameter", "take"),)
    assert renames[0].parameter
    assert renames[0].local
    assert not Rename("take", "first", "function").local
    assert not Rename("take", "first").local


@pytest.mark.parametrize(
    ("rest", "pure"),
    [
        (", with its doc comment; cleanAll, the method Clean and the field clean keep their names", True),
        (", and its docstring", True),
        (", c and d stay", True),
        (". fetch_row() keeps its name.", True),
        (", and test it", False),
        (" and sort", False),
        (", with the comments of read; add a docstring", False),
        (", and write its docstring", False),
    ],
)
def test_what_is_said_beside_a_rename(rest: str, pure: bool) -> None:
    reading = read_request(f"rename the function clean to fold{rest}")
    assert reading.pure is pure
    assert reading.renames == (Rename("clean", "fold", "function"),)


REORDERS = [
    (
        "save_report(path, rows) should be save_report(rows, path): swap the two parameters and adapt all callers",
        Reorder("save_report", ("path", "rows"), ("rows", "path")),
    ),
    (
        "change resize(width, height=1) to resize(height, width)",
        Reorder("resize", ("width", "height=1"), ("height", "width")),
    ),
    ("swap the parameters a and b of resize", Reorder("resize", swapped=("a", "b"))),
    ("swap the arguments of the function connect() and update callers", Reorder("connect")),
    ("f(a) -> f(a, b=None)", Reorder("f", ("a",), ("a", "b=None"))),
]


@pytest.mark.parametrize(("text", "reorder"), REORDERS)
def test_reorders(text: str, reorder: Reorder) -> None:
    reading = read_request(text)
    assert (reading.reorders, reading.pure) == ((reorder,), True)


MOVES = [
    (
        "move the class ConfigError from settings/config.py to settings/errors.py, where the other errors are, and"
        " import it from there in config.py and loader.py",
        Move(("ConfigError",), "settings/config.py", "settings/errors.py"),
    ),
    (
        "move the helpers parse_a and parse_b out of x/a.py into x/b.py",
        Move(("parse_a", "parse_b"), "x/a.py", "x/b.py"),
    ),
    ("move Foo to lib/foo.ts", Move(("Foo",), "", "lib/foo.ts")),
    ("move `parseDate()` into the file src/dates.js", Move(("parseDate",), "", "src/dates.js")),
]


@pytest.mark.parametrize(("text", "move"), MOVES)
def test_moves(text: str, move: Move) -> None:
    reading = read_request(text)
    assert (reading.moves, reading.pure) == ((move,), True)


def test_a_move_with_more_work() -> None:
    assert not read_request("move Foo to lib/foo.ts and make it abstract").pure


@pytest.mark.parametrize(
    ("text", "found", "pure"),
    [
        ("remove the unused function legacy_total from billing.py", [("legacy_total", "billing.py")], True),
        ("delete the method `Stack.peek`", [("Stack.peek", "")], True),
        ("Drop the old helper class Foo in src/foo.ts.", [("Foo", "src/foo.ts")], True),
        ("get rid of the constant MAX, adapt all imports", [("MAX", "")], True),
        ("remove the function f and let g log its argument", [("f", "")], False),
        ("remove the function call from f", [], False),
        ("remove the function body of f", [], False),
        ("remove the parameter a from f", [], False),
        ("remove f", [], False),
        ("remove the type hints from f", [], False),
        ("delete the function f() that nobody calls", [], False),
        ("remove the class attribute x of A", [], False),
    ],
)
def test_removes(text: str, found: list[tuple[str, str]], pure: bool) -> None:
    reading = read_request(text)
    assert (list(reading.removes), reading.pure) == ([Remove(*pair) for pair in found], pure)
