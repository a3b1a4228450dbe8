"""What fails when there is nothing to loop over, and what does not."""

from __future__ import annotations

import pytest

from litecode.core.patching.document import Cut
from litecode.core.patching.gates.base import Asked, Rewrite
from litecode.core.patching.gates.empties import empties
from litecode.core.patching.regions import Area
from litecode.core.patching.wish import wish

OLD = "def f(rows, out):\n    n = 0\n    for row in rows:\n        n += row.size\n    return n\n"
SCRIPT = "function f(rows) {\n  let n = 0;\n  for (const row of rows) n += row.size;\n  return n;\n}\n"


def with_first(line: str) -> str:
    return OLD.replace("    n = 0\n", f"    n = 0\n    {line}\n")


def said(old: str, new: str, language: str) -> str:
    asked = Asked(wish("change f").vocabulary, None, None, None, (), certain=False)
    found = empties(Rewrite(old, Area(Cut(0, len(old)), "function", ()), new, new, new, language, asked), wish("x"))
    return found.text if found else ""


@pytest.mark.parametrize(
    ("old", "new", "language", "what"),
    [
        (OLD, with_first("out.write(','.join(rows[0]))"), "python", "rows[0]"),
        (OLD, with_first("last = rows[-1].size"), "python", "rows[-1]"),
        (OLD, with_first("out(max(rows))"), "python", "max(rows)"),
        (OLD, with_first("out(next(iter(rows)))"), "python", "next(iter(rows))"),
        (OLD, OLD.replace("return n", "return n / len(rows)"), "python", "n / len(rows)"),
        (OLD, "def f(rows, out):\n    return min(rows)\n", "python", "min(rows)"),
        (SCRIPT, "function f(rows) {\n  return rows.reduce((a, b) => a + b.size);\n}\n", "javascript", "rows.reduce()"),
    ],
)  # fmt: skip
def test_what_needs_an_item_is_refused(old: str, new: str, language: str, what: str) -> None:
    assert said(old, new, language) == f"`{what}` fails when rows is empty; check that first"


@pytest.mark.parametrize(
    ("old", "new", "language"),
    [
        (OLD, with_first("if rows:\n        out.write(','.join(rows[0]))"), "python"),
        (OLD, with_first("if not rows:\n        return 0\n    out(rows[-1])"), "python"),
        (OLD, with_first("out(max(rows, default=0))"), "python"),
        (OLD, with_first("out(rows[0] if rows else '')"), "python"),
        (OLD, with_first("out(rows and rows[0])"), "python"),
        (OLD, with_first("try:\n        out(rows[0])\n    except IndexError:\n        pass"), "python"),
        (OLD, with_first("out(rows[:1])"), "python"),
        (OLD, with_first("rows[0] = 1"), "python"),
        (OLD, with_first("out(out[0])"), "python"),
        (with_first("out(rows[0])"), with_first("out(rows[0], 1)"), "python"),
        ("def f(pair):\n    return pair\n", "def f(pair):\n    return pair[0]\n", "python"),
        (SCRIPT, "function f(rows) {\n  return rows.reduce((a, b) => a + b.size, 0);\n}\n", "javascript"),
        (SCRIPT, SCRIPT.replace("n;", "n * out.reduce;"), "javascript"),
        ("f() {\n  a\n}\n", "f() {\n  b\n}\n", "bash"),
        (OLD, "def f(rows, out:\n", "python"),
    ],
)  # fmt: skip
def test_what_goes_on_without_one_is_left_alone(old: str, new: str, language: str) -> None:
    assert said(old, new, language) == ""
