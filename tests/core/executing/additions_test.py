"""New things that requests ask for: what counts as one, and where it goes."""

from __future__ import annotations

import pytest

from litecode.core.executing.additions import asked_addition, definition_in, inserted
from litecode.core.executing.choose import block_area, entry_area, named, top_area
from litecode.core.filemap.outline import language_of, outline
from litecode.core.patching.document import Document
from litecode.core.patching.edits import Edit, splice

TEXT = (
    '"""Doc."""\n\nLIMIT = 3\n\n\nclass Cart:\n    def total(self):\n        return 1\n\n\nclass Bill:\n    pass\n'
    "\n\ndef load(p):\n    return p\n\n\ndef save(p):\n    return p\n"
)


@pytest.mark.parametrize(
    ("request_", "name", "owner"),
    [
        ("add a function median(values)", "median", ""),
        ("add a function median that sorts first", "median", ""),
        ("implement median()", "median", ""),
        ("Cart should have a method clear()", "clear", "Cart"),
        ("add a method Cart.clear", "clear", "Cart"),
        ("write a class Basket", "Basket", ""),
        ("add an exception CartError", "CartError", ""),
        ("define a constant MOST = 4", "MOST", ""),
    ],
)
def test_new_things(request_: str, name: str, owner: str) -> None:
    found = asked_addition(request_, Document(TEXT), outline(TEXT, "a.py"), "python")
    assert found is not None
    assert (found.name, found.owner) == (name, owner)


@pytest.mark.parametrize(
    "request_",
    [
        "add type hints to load",
        "add error handling to load",
        "add a docstring to load",
        "add a class docstring to Cart",
        "add a parameter size to load()",
        "load() must have a default",
        "add a method Basket.clear",
        "add load()",
        "Cart.total should return 2",
        "use load in save",
        "add a log line",
    ],
)
def test_no_new_things(request_: str) -> None:
    assert asked_addition(request_, Document(TEXT), outline(TEXT, "a.py"), "python") is None


@pytest.mark.parametrize(
    ("request_", "code", "before", "after"),
    [
        ("add a function f() after load", "def f():\n    return 1", "    return p\n\n\n", "\n\n\ndef save"),
        ("add a function f()", "def f():\n    return 1", "    return p\n\n\n", "\n"),
        ("add a method f to Cart", "def f(self):\n    return 1", "        return 1\n\n    ", "\n\n\nclass Bill"),
        ("add a method f to Bill", "def f(self):\n    return 1", "    pass\n\n    ", "\n\n\ndef load"),
        ("add a constant F", "F = 1", "LIMIT = 3\n", "\n\n\nclass Cart"),
    ],
)
def test_places(request_: str, code: str, before: str, after: str) -> None:
    document = Document(TEXT)
    found = asked_addition(request_, document, outline(TEXT, "a.py"), "python")
    assert found is not None
    cut, new = inserted(found, code, document, "python")
    text = splice(TEXT, [Edit(cut, new)])
    indented = code.replace("\n", "\n    ") if found.owner else code
    assert before + indented + after in text


def test_a_definition_is_taken_out_of_a_longer_reply() -> None:
    reply = (
        "import x\n\nclass A:\n    # why\n    @property\n    def f(self):\n        return 1\n\n"
        "    def g(self):\n        pass\n"
    )
    assert definition_in(reply, "f", "a.py") == "# why\n@property\ndef f(self):\n    return 1"
    assert definition_in(reply, "h", "a.py") == reply


@pytest.mark.parametrize(
    ("request_", "names"),
    [
        ("let total of Cart be rounded", ["Cart.total"]),
        ("load should accept paths like save does", ["load"]),
        ("use `load` in `save`", ["save"]),
        ("raise LIMIT to 4 and let load() check it", ["LIMIT", "load"]),
        ("the function save sorts", ["save"]),
        ("Cart.total in Cart", ["Cart.total"]),
        ("prices are wrong", []),
        ("loads of saved bills", []),
    ],
)
def test_what_a_request_names(request_: str, names: list[str]) -> None:
    assert [s.name for s in named(request_, outline(TEXT, "a.py"))] == names


def test_the_top_of_a_file() -> None:
    area = top_area(Document(TEXT), outline(TEXT, "a.py"))
    assert area is not None
    assert area.cut.of(TEXT) == '"""Doc."""\n\nLIMIT = 3'
    assert top_area(Document("def f(): ...\n"), outline("def f(): ...\n", "a.py")) is None


def test_blocks_of_files_without_symbols() -> None:
    rows = "\n\n".join(f"[part{n}]\nkey = {n}\nname = x" for n in range(30)) + "\n"
    found = block_area(Document(rows), "set the key of part7 to 3")
    assert found is not None
    assert found.cut.of(rows) == "[part7]\nkey = 7\nname = x"
    assert block_area(Document(rows), "set the key to 3") is None
    assert block_area(Document("\n"), "set the key to 3") is None
    small = block_area(Document("a = 1\n\nb = 2\n"), "anything")
    assert small is not None
    assert small.kind == "file"
    assert language_of("a.ini", "")[1] is None


TESTS = "from a import f\n\n\ndef test_f():\n    assert f(1) == 1\n\n\ndef helper():\n    return 1\n"
CASES = "import unittest\n\n\nclass Tests(unittest.TestCase):\n    def test_f(self):\n        pass\n"


@pytest.mark.parametrize(
    ("text", "request_", "owner"),
    [
        (TESTS, "add a test to tests/test_a.py that checks f() with 2", ""),
        (TESTS, "write another unit test for f", ""),
        (CASES, "add a regression test: f(2) gives 2", "Tests"),
        (TESTS, "add a test case that f takes 2", ""),
        (TESTS, "add a test_helper to the file", None),
        (TESTS, "add a test-only option to f", None),
        (TESTS, "test f with 2", None),
        (TEXT, "add a test for load", None),
    ],
)
def test_new_tests(text: str, request_: str, owner: str | None) -> None:
    found = asked_addition(request_, Document(text), outline(text, "test_a.py"), "python")
    assert (found and (found.kind, found.name, found.owner)) == (None if owner is None else ("test", "", owner))


ENTRIES = """\
name: kiosk
services:
  web:
    env: {A: 1}
    ports:
      - 80
  worker:
    mem: 1g

    env:
      A: 2
  db:
    env:
      A: 3
"""


@pytest.mark.parametrize(
    ("request_", "first"),
    [
        ("give worker more memory", "worker:"),
        ("set A of the service `worker` to 3 in services", "worker:"),
        ("the env of db should have B", "db:"),
        ("change the services", "services:"),
        ("set A to 3", None),
        ("change env", None),
        ("worker and db get B", None),
        ("rename the thing", None),
        ("db should look like worker", "db:"),
        ("add a new service cache to services", None),
        ("change the name", None),
    ],
)
def test_entries_of_a_mapping(request_: str, first: str | None) -> None:
    document = Document(ENTRIES)
    area = entry_area(document, "yaml", request_)
    assert (area.cut.of(ENTRIES).split("\n")[0] if area else None) == first
    assert entry_area(document, "python", request_) is None


def test_an_entry_ends_before_the_next_one() -> None:
    area = entry_area(Document(ENTRIES), "yaml", "give worker more memory")
    assert area is not None
    assert area.cut.of(ENTRIES) == "worker:\n    mem: 1g\n\n    env:\n      A: 2"
    data = '{\n  "a": {\n    "b": 1\n  },\n  "c": {\n    "d": 2\n  }\n}\n'
    found = entry_area(Document(data), "json", "set d of c to 3")
    assert found is not None
    assert found.cut.of(data) == '"c": {\n    "d": 2\n  }'
