"""Parameters and the calls that pass them: what is adapted, what stays, what is refused."""

from __future__ import annotations

import re

import pytest

from litecode.core.patching.document import Document
from litecode.core.patching.impossible import Impossible
from litecode.core.patching.signature import change_signature, rename_parameter

# ruff: noqa: E501 - a table of texts
SAVE = 'def save(path, rows, mode="w"):\n    return path, rows, mode\n'
USE = "from a import save\n\n"


def changed(files: dict[str, str], name: str, *after: str, swapped: tuple[str, ...] = ()) -> dict[str, str]:
    documents = {path: Document(text) for path, text in files.items()}
    return change_signature(documents, name, after, swapped=swapped)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("save('p', [1])", "save([1], 'p')"),
        ("save('p', rows=[1])", "save(path='p', rows=[1])"),
        ("save('p', [1], 'a')", "save([1], 'p', 'a')"),
        ("save('p', [1], mode='a')", "save([1], 'p', mode='a')"),
        ("save(*p)", None),
        ("save(path='p', rows=[1])", "save(path='p', rows=[1])"),
        ("save(\n    'p',  # where\n    (1),\n)", "save(\n    1,  # where\n    ('p'),\n)"),
        ("save('p')", "save(path='p')"),
        ("save('p', **more)", "save(path='p', **more)"),
        ("list(map(save, 'p'))", None),
        ("other.save('p', [1])", "other.save('p', [1])"),
        ("saved('p', [1])", "saved('p', [1])"),
        ("save('a', [1], 'b', 'c')", None),
        ("x = save", None),
        ("save('p', save('q', [2]))", "save(save([2], 'q'), 'p')"),
        ("save(f(1), (x for x in y))", "save((x for x in y), f(1))"),
    ],
)
def test_calls_follow_a_swap(before: str, after: str | None) -> None:
    files = {"a.py": SAVE, "b.py": f"{USE}import other\n\n{before}\n"}
    if after is None:
        with pytest.raises(Impossible):
            changed(files, "save", swapped=("path", "rows"))
        return
    try:
        out = changed(files, "save", swapped=("path", "rows"))
    except Impossible:
        assert "save(save(" in after  # a call within a call is refused, never half done
        return
    assert out["a.py"].startswith('def save(rows, path, mode="w"):')
    assert out.get("b.py", files["b.py"]).endswith(f"{after}\n")


METHOD = "class Box:\n    def put(self, x: int, y: int = 0, *rest, key=None):\n        return x + y\n"


@pytest.mark.parametrize(
    ("files", "name", "after", "path", "wanted"),
    [
        ({"a.py": METHOD + "\n\nBox().put(1)\n"}, "Box.put", ("x", "y", "z=2"), "a.py", "def put(self, x: int, y: int = 0, z=2, *rest, key=None)"),
        ({"a.py": METHOD.replace(" = 0", "") + "\n\nBox().put(1, 2)\n"}, "Box.put", ("y", "x"), "a.py", "Box().put(2, 1)"),
        ({"a.py": METHOD.replace(" = 0", "") + "\n\nBox.put(Box(), 1, 2)\n"}, "Box.put", ("y", "x"), "a.py", "Box.put(Box(), 2, 1)"),
        ({"a.py": SAVE}, "save", ("path", "rows", "mode", "size: int = 3"), "a.py", 'def save(path, rows, mode="w", size: int = 3):'),
        ({"a.js": "function put(a, b) {\n  return a;\n}\nput(1, 2);\nmodule.exports = { put };\n"}, "put", ("b", "a"), "a.js", "put(2, 1);"),
        ({"a.ts": "export const put = (a: number, b: string) => a;\nput(1, 'x');\n"}, "put", ("b", "a"), "a.ts", "(b: string, a: number) => a;\nput('x', 1)"),
        ({"a.js": "export function put(a) {\n  return a;\n}\nput(1);\n"}, "put", ("a", "b = 2"), "a.js", "function put(a, b = 2)"),
    ],
)  # fmt: skip
def test_definitions(files: dict[str, str], name: str, after: tuple[str, ...], path: str, wanted: str) -> None:
    assert wanted in changed(files, name, *after)[path]


@pytest.mark.parametrize(
    ("files", "name", "after", "why"),
    [
        ({"a.py": SAVE}, "save", ("mode", "path", "rows"), "`path` has no default and would come after"),
        ({"a.py": SAVE}, "save", ("rows", "path"), "have no `mode`"),
        ({"a.py": SAVE}, "save", ("path", "rows", "mode", "size"), "`size` has no default"),
        ({"a.py": SAVE}, "load", ("a", "b"), "no function `load`"),
        ({"a.py": SAVE}, "save", (), "not clear which parameters"),
        ({"a.py": "def f(a, /, b): ...\nf(1, 2)\n"}, "f", ("b", "a"), "for positions only"),
        ({"a.py": "def f(a, b): ...\nf(*x)\n"}, "f", ("b", "a"), "passes `*`"),
        ({"a.py": "def f(a, b): ...\nf(1, 2, 3)\n"}, "f", ("b", "a"), "more arguments"),
        ({"a.js": "function f(a, b) {}\nf(1);\n"}, "f", ("b", "a"), "leaves an argument out"),
        ({"a.js": "function f(a, b) {}\nf(...x);\n"}, "f", ("b", "a"), "passes `...`"),
        ({"a.js": "function f(a, b) {}\nrun(f);\n"}, "f", ("b", "a"), "hands `f` on"),
        ({"a.js": "function f({ a }, b) {}\n"}, "f", ("b", "a"), "is a pattern"),
        ({"a.js": "function f(a) {}\n"}, "f", ("a", "b"), "`b` has no default"),
        ({"a.go": "func f(a int, b int) {}\n"}, "f", ("b", "a"), "no function `f`"),
    ],
)
def test_refusals(files: dict[str, str], name: str, after: tuple[str, ...], why: str) -> None:
    with pytest.raises(Impossible, match=re.escape(why)):
        changed(files, name, *after)


def test_a_parameter_gets_another_name_in_body_and_keywords() -> None:
    files = {
        "a.py": "def save(path, rows):\n    f = lambda path: path\n    return [path for r in rows], f(path)\n",
        "b.py": "from a import save\n\nsave('p', rows=1)\nsave(path='q', rows=2)\nopen(path='r')\n",
    }
    out = rename_parameter({p: Document(t) for p, t in files.items()}, "save", "path", "target")
    assert out == {
        "a.py": "def save(target, rows):\n    f = lambda path: path\n    return [target for r in rows], f(target)\n",
        "b.py": "from a import save\n\nsave('p', rows=1)\nsave(target='q', rows=2)\nopen(path='r')\n",
    }


@pytest.mark.parametrize(
    ("text", "old", "new"),
    [
        ("def f(a, b): ...\n", "c", "d"),
        ("def f(a, b): ...\n", "a", "b"),
        ("def f(a, b): ...\nf(**x)\n", "a", "c"),
        ("def g(a): ...\n", "a", "b"),
    ],
)
def test_parameters_that_cannot_be_renamed(text: str, old: str, new: str) -> None:
    with pytest.raises(Impossible):
        rename_parameter({"a.py": Document(text)}, "f", old, new)
