"""Definitions that go: what goes with them, what stays, and what is refused."""

# ruff: noqa: E501 - tables of texts

from __future__ import annotations

import re

import pytest

from litecode.core.patching.document import Document
from litecode.core.patching.impossible import Impossible
from litecode.core.patching.remove import remove_symbol

BILLING = '''"""Bills."""

import json
import os


def total(items):
    return sum(items)


# kept for old callers
@old
def legacy(items):
    """Old."""
    return json.dumps(items)


class Tax:
    def rate(self):
        return 1

    def old_rate(self):
        return os.getcwd()


def last():
    return os.sep
'''
SHOP = "export function a() {\n  return 1;\n}\n\n/** Old. */\nexport function b() {\n  return 2;\n}\n\nexport const c = 3;\n"
GO = "package x\n\n// A is new.\nfunc A() int {\n\treturn 1\n}\n\n// B is old.\nfunc B() int {\n\treturn 2\n}\n"


def removed(text: str, name: str, path: str = "billing.py", **others: str) -> str:
    files = {path: Document(text), **{f"{stem}.py": Document(content) for stem, content in others.items()}}
    return remove_symbol(files, name, path)[path]


@pytest.mark.parametrize(
    ("text", "name", "path", "wanted"),
    [
        (
            BILLING,
            "legacy",
            "billing.py",
            BILLING.replace(BILLING[BILLING.index("# kept") : BILLING.index("class Tax")], "").replace(
                "import json\n", ""
            ),
        ),
        (BILLING, "last", "billing.py", BILLING[: BILLING.index("\n\ndef last")]),
        (
            BILLING,
            "Tax.old_rate",
            "billing.py",
            BILLING.replace("\n    def old_rate(self):\n        return os.getcwd()\n", ""),
        ),
        (BILLING, "rate", "billing.py", BILLING.replace("    def rate(self):\n        return 1\n\n", "")),
        (SHOP, "b", "shop.mjs", SHOP.replace(SHOP[SHOP.index("/** Old") : SHOP.index("export const")], "")),
        (GO, "B", "x.go", GO[: GO.index("\n// B")]),
    ],
)
def test_a_definition_goes_with_what_is_its_own(text: str, name: str, path: str, wanted: str) -> None:
    assert removed(text, name, path) == wanted


@pytest.mark.parametrize(
    ("text", "name", "path", "why"),
    [
        (BILLING, "other", "billing.py", "`other` is not defined in billing.py"),
        (BILLING + "print(total([1]))\n", "total", "billing.py", "`total` is still used in billing.py, line 28"),
        (BILLING + '__all__ = ["total"]\n', "total", "billing.py", "`total` is still used in billing.py, line 28"),
        (BILLING + "Tax().old_rate()\n", "Tax.old_rate", "billing.py", "still used in billing.py"),
        ("class A:\n    def f(self):\n        pass\n", "A.f", "a.py", "a.py does not parse without `A.f`"),
        (
            "class A:\n    def f(self):\n        pass\n\n\nclass B:\n    def f(self):\n        pass\n",
            "f",
            "a.py",
            "more than once",
        ),
        ("def f():\n    pass\n", "f", "a.txt", "code cannot take a definition out of a.txt"),
        (SHOP + "a();\n", "a", "shop.mjs", "still used in shop.mjs, line 11"),
    ],
)
def test_what_cannot_go_is_refused(text: str, name: str, path: str, why: str) -> None:
    with pytest.raises(Impossible, match=re.escape(why)):
        removed(text, name, path)


def test_other_files_that_use_it_keep_it() -> None:
    with pytest.raises(Impossible, match=re.escape("`legacy` is still used in report.py, line 2")):
        removed(BILLING, "legacy", report="import billing\nbilling.legacy([])\n")
    assert "legacy" not in removed(BILLING, "legacy", report="# legacy is gone\nlegacy_name = 1\n")
