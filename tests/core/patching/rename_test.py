"""Renames across files: what changes, what only looks alike, and what is refused."""

from __future__ import annotations

import re

import pytest

from litecode.core.patching.document import Document
from litecode.core.patching.impossible import Impossible
from litecode.core.patching.rename import rename_identifier

# ruff: noqa: E501 - a table of texts
READER = "def fetch_rows(name):\n    return [name]\n\n\ndef fetch_row(name):\n    return fetch_rows(name)[0]\n"


def renamed(files: dict[str, str], old: str, new: str, **options: bool | str) -> dict[str, str]:
    documents = {path: Document(text) for path, text in files.items()}
    return rename_identifier(documents, old, new, **options)  # type: ignore[arg-type]  # options are of two kinds


def line_after(text: str, line: str) -> dict[str, str]:
    """One user of the reader; the line is its last."""
    return {"app/reader.py": READER, "app/use.py": f"{text}\n{line}\n"}


CHANGES = [
    ("from app.reader import fetch_rows", "x = fetch_rows('a')", "x = load_rows('a')"),
    ("from app.reader import fetch_rows as rows", "x = rows('a')", "x = rows('a')"),
    ("from .reader import fetch_rows", "x = map(fetch_rows, [])", "x = map(load_rows, [])"),
    ("from app import reader", "x = reader.fetch_rows('a')", "x = reader.load_rows('a')"),
    ("import app.reader", "x = app.reader.fetch_rows('a')", "x = app.reader.load_rows('a')"),
    ("import app.reader as r", "x = r.fetch_rows('a')", "x = r.load_rows('a')"),
    ("from app.reader import *", "x = fetch_rows('a')", "x = load_rows('a')"),
    (
        "from app.reader import fetch_rows",
        '__all__ = ["fetch_rows", "fetch_row"]',
        '__all__ = ["load_rows", "fetch_row"]',
    ),
    (
        "from unittest.mock import patch",
        "@patch('app.reader.fetch_rows')\ndef f(m): ...",
        "@patch('app.reader.load_rows')\ndef f(m): ...",
    ),
    ("from app import reader", "setattr(reader, 'fetch_rows', None)", "setattr(reader, 'load_rows', None)"),
    (
        "from app.reader import fetch_rows",
        "x = f'{fetch_row(1)} ä'; y = fetch_rows(2)",
        "x = f'{fetch_row(1)} ä'; y = load_rows(2)",
    ),
    ("import store", "x = store.db.fetch_rows('a')", "x = store.db.fetch_rows('a')"),
    ("def f(db):", "    return db.fetch_rows('a')", "    return db.load_rows('a')"),
]
STAYS = [
    ("from other import fetch_rows", "x = fetch_rows('a')"),
    ("import other", "x = other.fetch_rows('a')"),
    ("def f(fetch_rows):", "    return fetch_rows('a')"),
    ("from app.reader import fetch_row", "x = fetch_row('a')"),
    ("x = 'fetch_rows'", "y = {'fetch_rows': 1}"),
    ("def f():", "    fetch_rows = []\n    return fetch_rows"),
    ("from other import patch", "x = 'other.fetch_rows'"),
    ("prefetch_rows = 1", "fetch_rows_2 = prefetch_rows"),
    ("import f", "f.call(fetch_rows=1)"),
    ("class Api:", "    def fetch_rows(self):\n        return self.fetch_rows"),
    ("x = lambda fetch_rows: fetch_rows", "y = 1  # fetch_rows is slow"),
]


@pytest.mark.parametrize(("head", "line", "wanted"), CHANGES)
def test_uses_follow(head: str, line: str, wanted: str) -> None:
    out = renamed(line_after(head, line), "fetch_rows", "load_rows")
    assert out["app/reader.py"] == re.sub(r"\bfetch_rows\b", "load_rows", READER)
    assert out.get("app/use.py", f"{head}\n{line}\n").endswith(f"{wanted}\n")


@pytest.mark.parametrize(("head", "line"), STAYS)
def test_what_only_looks_alike_stays(head: str, line: str) -> None:
    out = renamed(line_after(head, line), "fetch_rows", "load_rows")
    assert list(out) == ["app/reader.py"]


def test_reexports_are_followed() -> None:
    files = {
        "app/reader.py": READER,
        "app/__init__.py": 'from app.reader import fetch_rows\n\n__all__ = ["fetch_rows"]\n',
        "main.py": "import app\nfrom app import fetch_rows\n\nprint(fetch_rows(1), app.fetch_rows(2))\n",
    }
    out = renamed(files, "fetch_rows", "load_rows")
    assert out["main.py"] == "import app\nfrom app import load_rows\n\nprint(load_rows(1), app.load_rows(2))\n"
    assert out["app/__init__.py"] == 'from app.reader import load_rows\n\n__all__ = ["load_rows"]\n'


CART = "class Cart:\n    def total(self):\n        return 1\n\n    def show(self):\n        return self.total()\n"
MEMBERS = [
    (
        {"a.py": CART, "b.py": "from a import Cart\n\nprint(Cart().total(), total)\n"},
        "b.py",
        "print(Cart().sum_up(), total)",
    ),
    ({"a.py": CART, "b.py": "def f(cart):\n    return cart.total()\n"}, "b.py", "return cart.sum_up()"),
    (
        {"a.py": CART + "\n\nclass Big(Cart):\n    def total(self):\n        return super().total()\n"},
        "a.py",
        "return super().sum_up()",
    ),
    (
        {
            "a.py": CART,
            "b.py": "class Bill:\n    def total(self):\n        return self.total\n\n\nc = Cart()\nc.total()\n",
        },
        "b.py",
        "return self.total\n\n\nc = Cart()\nc.sum_up()",
    ),
]


@pytest.mark.parametrize(("files", "path", "wanted"), MEMBERS)
def test_members(files: dict[str, str], path: str, wanted: str) -> None:
    out = renamed(files, "Cart.total", "Cart.sum_up")
    assert wanted in out[path]
    assert "def sum_up(self)" in out["a.py"]


OTHERS = [
    ("a.js", "function slug(t) {\n  return t;\n}\nconst slugs = { slug: 1 };\nmodule.exports = { slug };\n",
     "b.js", "const { slug } = require('./a');\nconsole.log(slug(1), x.slug);\n",
     "const { slugify } = require('./a');\nconsole.log(slugify(1), x.slug);\n"),
    ("a.ts", "export function slug(t: string) {\n  return t;\n}\n",
     "b.ts", "import { slug } from './a';\nimport * as a from './a';\nexport const f = (slug: string) => slug;\nexport const g = { slug };\na.slug('slug');\n",
     "import { slugify } from './a';\nimport * as a from './a';\nexport const f = (slug: string) => slug;\nexport const g = { slug: slugify };\na.slugify('slug');\n"),
    ("a.go", "package a\n\nfunc slug(t string) string {\n\treturn t // slug\n}\n",
     "b.go", "package a\n\nvar x = slug(\"slug\")\n", "package a\n\nvar x = slugify(\"slug\")\n"),
    ("a.rb", "def slug(t)\n  t\nend\n", "b.rb", "puts slug('slug')\n", "puts slugify('slug')\n"),
    ("a.sh", "slug() {\n  echo \"$1\"\n}\n", "b.sh", "slug a\necho slugs\n", "slugify a\necho slugs\n"),
]  # fmt: skip


@pytest.mark.parametrize(("home", "definition", "path", "before", "after"), OTHERS)
def test_other_languages(home: str, definition: str, path: str, before: str, after: str) -> None:
    out = renamed({home: definition, path: before}, "slug", "slugify")
    assert out[path] == after
    assert "slugify" in out[home]


@pytest.mark.parametrize(
    ("files", "old", "new", "why"),
    [
        ({"a.py": READER}, "load", "fetch", "none of the files defines"),
        ({"a.py": READER}, "fetch_rows", "fetch_row", "a.py has a `fetch_row` already"),
        ({"a.py": READER}, "fetch_rows", "fetch rows", "is no name"),
        ({"a.py": READER}, "fetch_rows", "fetch_rows", "the old name is the new one"),
        ({"a.py": READER, "b.py": READER}, "fetch_rows", "x", "is defined in a.py and in b.py"),
        ({"a.py": READER, "b.py": "from a import fetch_rows\nload = 1\n"}, "fetch_rows", "load", "b.py has a `load`"),
        ({"a.py": "def fetch_rows(:\n"}, "fetch_rows", "x", "does not parse"),
        ({"a.py": READER, "b.py": "from a import fetch_rows\ndef f(x):\n    return fetch_rows(x)\n"}, "fetch_rows", "x", "local `x`"),
        ({"a.py": CART + "class Bill:\n    def total(self): ...\n"}, "total", "sum_up", "belongs to `Bill` and to `Cart`"),
        ({"a.py": CART + "class Bill:\n    def total(self): ...\ndef f(x):\n    return x.total\n"}, "Cart.total", "sum_up", "cannot be told"),
        ({"a.py": CART}, "Cart.total", "show", "`Cart` has a `show` already"),
        ({"a.py": "class A:\n    def get(self): ...\n"}, "get", "fetch", "say of which class"),
        ({"a.js": "function a() {}\nfunction b() {}\n"}, "a", "b", "a.js has a `b` already"),
        ({"a.go": "func (s *S) Run() {}\nfunc (t *T) Run() {}\n"}, "Run", "Go", "more than once"),
        ({"README.md": "`fetch_rows`\n"}, "fetch_rows", "x", "none of the files defines"),
    ],
)  # fmt: skip
def test_refusals(files: dict[str, str], old: str, new: str, why: str) -> None:
    with pytest.raises(Impossible, match=re.escape(why)):
        renamed(files, old, new)


def test_a_script_that_has_the_name_from_elsewhere_stays() -> None:
    home = "export function slug(t) {\n  return t;\n}\n"
    files = {
        "a.js": home,
        "b.js": "import { slug } from 'slugs';\nslug(1);\n",
        "c.js": "import { slug } from './a.js';\n",
    }
    assert sorted(renamed(files, "slug", "slugify")) == ["a.js", "c.js"]


def test_mentions_change_only_when_everything_is_asked_for() -> None:
    files = {
        "app/reader.py": 'def fetch_rows():\n    """See fetch_rows(), prefetch_rows."""\n    return "fetch_rows"  # fetch_rows\n',
        "README.md": "Call `fetch_rows()`, not app/fetch_rows.py or fetch_rows2.\n",
    }
    assert list(renamed(files, "fetch_rows", "load_rows")) == ["app/reader.py"]
    out = renamed(files, "fetch_rows", "load_rows", everywhere=True)
    assert out == {
        "app/reader.py": 'def load_rows():\n    """See load_rows(), prefetch_rows."""\n    return "fetch_rows"  # load_rows\n',
        "README.md": "Call `load_rows()`, not app/fetch_rows.py or fetch_rows2.\n",
    }


def test_the_home_of_a_name_tells_several_apart() -> None:
    files = {"a/x.py": READER, "b/x.py": READER, "c.py": "from b.x import fetch_rows\n"}
    assert sorted(renamed(files, "fetch_rows", "load_rows", home="b/x.py")) == ["b/x.py", "c.py"]
