"""Which comments belong to what stands below them."""

from __future__ import annotations

import pytest

from litecode.core.patching.above import with_comments


@pytest.mark.parametrize(
    ("text", "at", "language", "first"),
    [
        ("x = 1\n# one\n# two\ndef f():\n    pass\n", "def", "python", "# one"),
        ("class A:\n    # one\n    def f(self):\n        pass\n", "    def", "python", "    # one"),
        ("/** Doc. */\nfunction f() {}\n", "function", "javascript", "/** Doc. */"),
        ("// A is\n// new.\nfunc A() {}\n", "func", "go", "// A is"),
        ("# one\n\n# two\ndef f():\n    pass\n", "def", "python", "# two"),
        ("# one\n\ndef f():\n    pass\n", "def", "python", "def"),
        ("x = 1  # one\ndef f():\n    pass\n", "def", "python", "def"),
        ("x = '# one'\ndef f():\n    pass\n", "def", "python", "def"),
        ("def f():\n    pass\n", "def", "python", "def"),
        ("// one\nf(); // two\nfunction g() {}\n", "function", "javascript", "function"),
    ],
)
def test_comments_above(text: str, at: str, language: str, first: str) -> None:
    assert with_comments(text, text.index(at), language) == text.index(first)
