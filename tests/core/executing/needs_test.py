"""Imports that new code needs, and those that it does not."""

from __future__ import annotations

import pytest

from litecode.core.executing.needs import needed, offered
from litecode.core.patching.document import Document

HEAD = "import requests\n\n\ndef f():\n"


@pytest.mark.parametrize(
    ("body", "offers", "lines"),
    [
        ("    return time.time()\n", (), ("import time",)),
        ("    return Path('a')\n", (), ("from pathlib import Path",)),
        ("    return datetime.now(timezone.utc)\n", ("from datetime import datetime, timezone",),
         ("from datetime import datetime", "from datetime import timezone")),
        ("    return Session()\n", ("from requests import Session",), ("from requests import Session",)),
        ("    return np.array()\n", ("import numpy as np",), ()),
        ("    return helper(1)\n", (), ("from pkg.tools import helper",)),
        ("    return wrong(1)\n", ("from pkg.tools import wrong",), ()),
        ("    return imported(1)\n", (), ()),
        ("    return nowhere(1)\n", (), ()),
        ("    return requests.get('a')\n", (), ()),
        ("    return time.time(\n", (), ()),
    ],
)  # fmt: skip
def test_python(body: str, offers: tuple[str, ...], lines: tuple[str, ...]) -> None:
    others = {"pkg/tools.py": Document("from x import imported\n\n\ndef helper(a):\n    return a\n")}
    found = needed(HEAD + "    return 1\n", HEAD + body, "pkg/a.py", "python", others, offers)
    assert found == lines


@pytest.mark.parametrize(
    ("before", "provider", "text", "lines"),
    [
        (
            "import { a } from './a.js';\n",
            "src/b.js",
            "export function help() {}\n",
            ("import { help } from './b.js';",),
        ),
        ('import { a } from "./a"\n', "src/lib/b.ts", "export const help = 1\n", ('import { help } from "./lib/b"',)),
        ("const a = require('./a');\n", "b.js", "module.exports = { help };\n", ("const { help } = require('../b');",)),
        ("const a = require('./a');\n", "b.js", "exports.help = 1;\n", ("const { help } = require('../b');",)),
        ("import { help } from './c';\n", "b.js", "export function help() {}\n", ()),
        ("const a = 1;\n", "b.js", "function help() {}\n", ()),
        ("const a = 1;\n", "b.py", "def help(): ...\n", ()),
        ("help(2);\n", "b.js", "export function help() {}\n", ()),
    ],
)
def test_scripts(before: str, provider: str, text: str, lines: tuple[str, ...]) -> None:
    after = f"{before}help(1);\n"
    assert needed(before, after, "src/x.js", "javascript", {provider: Document(text)}, ()) == lines


def test_other_languages_get_none() -> None:
    assert needed("x", "y", "a.go", "go", {"b.go": Document("func y() {}")}, ("import y",)) == ()
    assert offered("import y", "go") == ()
    assert offered("import y\nx = 1\n", "python") == ("import y",)
