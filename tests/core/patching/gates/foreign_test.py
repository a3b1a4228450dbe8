"""Attributes of objects whose class another file defines, and of those that nobody knows."""

# ruff: noqa: E501 - tables of texts

from __future__ import annotations

import pytest

from litecode.core.patching.document import Cut, Document
from litecode.core.patching.gates.base import Asked
from litecode.core.patching.gates.foreign import classes_of, foreign
from litecode.core.patching.judge import rewrite_of
from litecode.core.patching.pymodules import imported_by
from litecode.core.patching.regions import Area
from litecode.core.patching.vocabulary import vocabulary

STOCK = """class Item:
    name: str
    price: float


class Stock:
    def __init__(self):
        self.rows = {}

    def names(self):
        return list(self.rows)

    def value(self):
        return 1


class Late(Stock):
    def more(self):
        return 2


class Odd(Base):
    def names(self):
        return []
"""
CLASSES = classes_of({"shop/stock.py": Document(STOCK)})
OLD = "from shop.stock import Item, Stock\n\n\ndef report(stock):\n    return stock.names()\n"


def said(old: str, new: str, language: str = "python") -> str:
    asked = Asked(vocabulary("do it"), None, None, None, (), certain=False)
    found = foreign(rewrite_of(Document(old), Area(Cut(0, len(old)), "file", ()), new, language, asked), CLASSES)
    return found.text if found else ""


def test_classes_with_unknown_bases_are_left_out() -> None:
    assert {name: "names" in members for name, members in CLASSES.items()} == {
        "Item": False,
        "Stock": True,
        "Late": True,
    }
    twice = {
        "a.py": Document("class A:\n    x = 1\n"),
        "b.py": Document("class A:\n    y = 1\n"),
        "c.txt": Document("A"),
    }
    assert classes_of(twice) == {}


@pytest.mark.parametrize(
    ("old", "new", "what"),
    [
        (OLD, OLD.replace("stock.names()", "[i.name for i in stock.items()]"), "stock.items"),
        (OLD, OLD.replace("names()", "names() + stock.tags"), "stock.tags"),
        (OLD.replace("stock)", "stock: Stock)"), OLD.replace("stock)", "stock: Stock)").replace("names", "all"), "stock.all"),
        (OLD, OLD + "\n\ndef new():\n    s = Stock()\n    s.add(1)\n", "s.add"),
        (OLD, OLD + "\n\ndef tell(item: Item):\n    return item.label\n", "item.label"),
    ],
)  # fmt: skip
def test_names_that_are_nothing(old: str, new: str, what: str) -> None:
    cls = "Item has name, price" if what == "item.label" else "Stock has names, rows, value"
    assert said(old, new) == f"`{what}` is nothing: {cls}"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (OLD, OLD.replace("names()", "names() + [stock.value()]")),
        (OLD, OLD.replace("names()", "names() + stock.rows")),
        (OLD, OLD.replace("return", "stock = wrap(stock)\n    return").replace("names", "items")),
        (OLD.replace("import Item, Stock", "import Item"), OLD.replace("import Item, Stock", "import Item").replace("names", "items")),
        ("from a import Stock\n\n\ndef f(x):\n    return x\n", "from a import Stock\n\n\ndef f(x):\n    return x.items()\n"),
        (OLD, OLD + "\n\ndef new():\n    for s in Stock():\n        s.add(1)\n"),
        (OLD, OLD + "\n\ndef new():\n    s = Stock() if 1 else Item()\n    s.add(1)\n"),
        (OLD, "from shop.stock import Late\n" + OLD + "\n\ndef new(late: Late):\n    return late.names() + late.more()\n"),
        (OLD, OLD + "\n\ndef new(odd: Odd):\n    return odd.add(1)\n"),
        (OLD.replace("names", "other"), OLD.replace("names", "more")),
        (OLD, OLD.replace("return stock", "return stock(")),
    ],
)  # fmt: skip
def test_names_that_nobody_can_know(old: str, new: str) -> None:
    assert said(old, new) == ""


def test_other_languages() -> None:
    assert said("f(stock.names())\n", "f(stock.items())\n", "javascript") == ""


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("from shop.stock import Item\nimport shop.cart\n", ("shop/stock.py", "shop/cart.py")),
        ("from shop import stock\n", ("shop/__init__.py", "shop/stock.py")),
        ("from .stock import Item\nfrom . import cart\n", ("shop/stock.py", "shop/__init__.py", "shop/cart.py")),
        ("import os\nfrom other import stock2\n", ()),
        ("import (\n", ()),
    ],
)
def test_files_that_are_imported(text: str, paths: tuple[str, ...]) -> None:
    files = dict.fromkeys(["shop/__init__.py", "shop/stock.py", "shop/cart.py", "shop/report.py", "README.md"])
    assert imported_by("shop/report.py", text, files) == paths
