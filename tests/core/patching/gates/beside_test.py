"""What comes beside the part that was to change, and what the code around misses afterwards."""

from __future__ import annotations

import pytest

from litecode.core.patching.document import Cut
from litecode.core.patching.edits import Edit, splice
from litecode.core.patching.gates.base import Asked, Rewrite
from litecode.core.patching.gates.beside import statements, unset
from litecode.core.patching.regions import Area
from litecode.core.patching.wish import wish

METHOD = "class Stack:\n    def push(self, item):\n        self.items.append(item)\n"
FUNCTION = "def push(items, item):\n    items.append(item)\n"
LOG = "logger = logging.getLogger(__name__)\n"


def rewritten(text: str, old: str, new: str, language: str, kind: str = "function", request: str = "x") -> Rewrite:
    start = text.index(old)
    cut = Cut(start, start + len(old))
    after = splice(text, [Edit(cut, new)])
    asked = Asked(wish(request).vocabulary, None, None, None, (), certain=False)
    return Rewrite(text, Area(cut, kind, ()), new, after, after, language, asked)


OLD_METHOD = "def push(self, item):\n        self.items.append(item)"
OLD_FUNCTION = FUNCTION.rstrip("\n")


@pytest.mark.parametrize(
    ("text", "old", "new", "request_", "refused"),
    [
        (METHOD, OLD_METHOD, f"{LOG}\n    {OLD_METHOD}", "log it", True),
        (METHOD, OLD_METHOD, f"{OLD_METHOD}\n\n    push(1)", "log it", True),
        (METHOD, OLD_METHOD, f"LIMIT = 3\n\n    {OLD_METHOD}", "log it", True),
        (FUNCTION, OLD_FUNCTION, f"print(1)\n\n\n{OLD_FUNCTION}", "log it", True),
        (FUNCTION, OLD_FUNCTION, f"LIMIT = 3\n\n\n{OLD_FUNCTION}", "log it", True),
        (FUNCTION, OLD_FUNCTION, f"LIMIT = 3\n\n\n{OLD_FUNCTION}[:LIMIT]", "cut it", False),
        (FUNCTION, OLD_FUNCTION, f"LIMIT = 3\n\n\n{OLD_FUNCTION}", "add a constant LIMIT", False),
        (METHOD, OLD_METHOD, f"{OLD_METHOD}\n        return 1", "log it", False),
        (METHOD, OLD_METHOD, f"{OLD_METHOD}\n\n    def pop(self):\n        return 1", "log it", False),
        (METHOD, OLD_METHOD, f"@final\n    {OLD_METHOD}", "log it", False),
        (FUNCTION, OLD_FUNCTION, f"import os\n\n\n{OLD_FUNCTION}", "log it", False),
        (FUNCTION, OLD_FUNCTION, "def push(:", "log it", False),
    ],
)  # fmt: skip
def test_what_comes_beside_a_function(text: str, old: str, new: str, request_: str, refused: bool) -> None:
    rewrite = rewritten(text, old, new, "python", request=request_)
    assert (statements(rewrite, wish(request_)) is not None) == refused


SCRIPT = "set -eu\ntarget=${1:-staging}\necho $target\n"
TARGET = "target=${1:-staging}"


@pytest.mark.parametrize(
    ("text", "old", "new", "language", "name"),
    [
        (SCRIPT, TARGET, 'if [ "$target" != a ]; then exit 1; fi', "bash", "target"),
        ("const a = 1;\nuse(a);\n", "const a = 1;", "const b = 1;", "javascript", "a"),
        ("a = 1\nprint(a)\n", "a = 1", "b = 1", "python", "a"),
        ("x := 1\nf(x)\n", "x := 1", "y := 1", "go", "x"),
        (SCRIPT, TARGET, f'{TARGET}\n[ "$target" = a ] || exit 1', "bash", ""),
        (SCRIPT, TARGET, "readonly target=${1:-production}", "bash", ""),
        ("a = 1\nprint(2)\n", "a = 1", "b = 1", "python", ""),
        ("f(a=1)\nprint(a)\n", "f(a=1)", "f(1)", "python", ""),
        ("o.a = 1\nprint(o.a)\n", "o.a = 1", "o.b = 1", "python", ""),
        ("a = 1\n# a\n", "a = 1", "b = 1", "python", ""),
        ("no code here\n", "code", "text", "text", ""),
    ],
)
def test_what_is_not_set_any_more(text: str, old: str, new: str, language: str, name: str) -> None:
    found = unset(rewritten(text, old, new, language, "statement"), wish("x"))
    assert (found.text if found else "") == (f"`{name}` is not set any more, but it is still used" if name else "")
