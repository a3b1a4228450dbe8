"""Maps at every budget, and line indexes."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from litecode.core.filemap.outline import outline
from litecode.core.filemap.render import MapFile, file_map, line_index

CART = '''\
"""Shopping carts."""
from decimal import Decimal

TAX = Decimal("0.19")
cache = {}


class Cart:
    def add(self, line, count=1): ...

    @property
    def total(self) -> Decimal: ...


async def load(path): ...
'''
FILES = [
    MapFile("shop/cart.py", outline(CART, "shop/cart.py")),
    MapFile("shop/data/x.json", outline('{"a": 1, "b": 2}\n', "x.json")),
    MapFile("README.md", outline("# The Shop\n\n## Use\n", "README.md")),
    MapFile("shop/mail.py", outline("def send(to): ...\n", "shop/mail.py")),
]


def words(text: str) -> int:
    return len(text.split())


METHODS = """\
- README.md (3 lines): The Shop
  The Shop, Use
- shop/cart.py (15 lines): Shopping carts
  TAX, cache
  class Cart: add(self, line, count=1); total(self) -> Decimal
  async def load(path)
- shop/data/x.json (1 line)
  a, b
- shop/mail.py (1 line)
  def send(to)
"""
FIRST = """\
- README.md
- shop/cart.py (15 lines): Shopping carts
  TAX, cache
  class Cart: add(self, line, count=1); total(self) -> Decimal
  async def load(path)
- shop/data/x.json
- shop/mail.py
"""
MIXED = """\
- README.md
- shop/cart.py (15 lines): Shopping carts
  TAX, Cart, load
- shop/data/x.json
- shop/mail.py
"""
GROUPED = """\
- README.md
- shop/: cart.py, mail.py
- shop/data/: x.json
"""
FOLDERS = """\
4 files are not shown by name:
- ./ 1 file
- shop/ 2 files
- shop/data/ 1 file
"""
COARSE = """\
4 files are not shown by name:
- ./ 4 files
"""


@pytest.mark.parametrize(
    ("budget", "text", "detail", "left_out"),
    [
        (1000, METHODS, "methods", 0),
        (40, METHODS, "methods", 0),
        (39, METHODS.replace("def send(to)", "send"), "symbols", 0),
        (26, FIRST, "paths", 0),
        (15, MIXED, "paths", 0),
        (14, GROUPED, "paths", 0),
        (11, COARSE, "folders", 4),
        (9, "", "folders", 4),
    ],
)
def test_detail_follows_the_budget(budget: int, text: str, detail: str, left_out: int) -> None:
    found = file_map(FILES, budget, words, ["shop/cart.py"])
    assert (found.text, found.detail, len(found.left_out)) == (text, detail, left_out)
    assert found.tokens == words(text) <= budget


def test_folders_are_as_deep_as_fits() -> None:
    """Names of files that are long, so that counted folders need less."""
    files = [MapFile(f"{file.path}{' x' * 40}", file.outline) for file in FILES]
    assert file_map(files, 45, words).text == FOLDERS


def test_no_files() -> None:
    assert file_map([], 100, words) == ("", 0, (), "methods")


def test_first_files_are_shown_before_others() -> None:
    files = [MapFile(f"src/m{number}.py", FILES[3].outline) for number in range(40)]
    found = file_map(files, 60, words, ["src/m39.py", "gone.py"])
    assert "- src/m39.py (1 line)\n  def send(to)\n" in found.text
    assert "Other files by folder:\n- src/: m" in found.text
    assert found.left_out == ()


def test_folders_and_the_first_files() -> None:
    files = [MapFile(f"src/p{number}/m.py", FILES[3].outline) for number in range(400)]
    found = file_map(files, 18, words, ["src/p7/m.py"])
    assert found.text == "- src/p7/m.py (1 line)\n  def send(to)\n399 files are not shown by name:\n- src/ 399 files\n"
    assert len(found.left_out) == 399


def test_text_from_the_repository_stays_on_its_line() -> None:
    path = "a\n- b/\x1b[31m\udcff.py"
    text = file_map([MapFile(path, outline(CART, "a.py"))], 1000, words).text
    assert text.splitlines()[0] == "- a\\n- b/\\x1b[31m\\udcff.py (15 lines): Shopping carts"
    assert text.isascii()


def test_long_files_are_cut_and_say_so() -> None:
    text = "".join(f"def function_number_{n}(): ...\n" for n in range(100))
    file = MapFile("a.py", outline(text, "a.py"))
    assert "… 86 more" in file_map([file], 60, words).text.splitlines()[1]
    assert file_map([file], 1000, words).text.splitlines()[-1] == "  … 61 more"


def test_line_index() -> None:
    assert line_index(outline(CART, "a.py")).splitlines() == [
        '4-4 TAX = Decimal("0.19")',
        "5-5 cache = {}",
        "8-12 class Cart",
        "  9-9 def add(self, line, count=1)",
        "  11-12 def total(self) -> Decimal",
        "15-15 async def load(path)",
    ]
    assert line_index(outline("# A\n## B\n# C\n", "a.md")) == "1-2 # A\n  2-2 ## B\n3-3 # C"
    assert line_index(outline("", "a.py")) == ""


@settings(max_examples=80, deadline=None)
@given(
    st.lists(st.from_regex(r"[a-c]{1,2}(/[a-d]{1,3}){0,3}\.py", fullmatch=True), min_size=1, max_size=60, unique=True),
    st.integers(0, 400),
    st.integers(0, 5),
)
def test_a_map_never_exceeds_its_budget(paths: list[str], budget: int, first: int) -> None:
    files = [MapFile(path, FILES[len(path) % 4].outline) for path in paths]
    found = file_map(files, budget, len, paths[-first:])
    assert found.tokens == len(found.text) <= budget
    assert found == file_map(list(reversed(files)), budget, len, paths[-first:]) or first < len(paths)
    missing = [p for p in paths if p not in found.left_out and p.rpartition("/")[2] not in found.text]
    assert missing == []
