"""The gates that need no grammar, on what small models do to text, and on text that only looks like it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from litecode.core.patching.gates import text
from litecode.core.patching.gates.base import Grade, Rewrite

Rewriting = Callable[..., Rewrite]


@pytest.mark.parametrize("new", ["", " ", "\n\n", "\t"])
def test_empty(rewriting: Rewriting, new: str) -> None:
    found = text.empty(rewriting("python", "x = 1\n", "x", new))
    assert found is not None
    assert (found.gate, found.grade, found.text) == ("empty", Grade.REFUSE, "the code is empty")
    assert text.empty(rewriting("python", "x = 1\n", "x", "y")) is None


@pytest.mark.parametrize(
    "mark",
    [
        *(
            "<|im_end|>",
            "<|endoftext|>",
            "<|fim_middle|>",
            "<\uff5cend\u2581of\u2581sentence\uff5c>",
            "<think>",
            "</think>",
        ),
        *("</s>", "<tool_call>", "[INST]", "[/INST]", "<<SYS>>", "<start_of_turn>", "<end_of_turn>", "</thinking>"),
        *(
            "\x00",
            "\x07",
            "\x1b[0m",
            "\x7f",
            "\r",
            "\x0c",
            "\x85",
            "\xa0",
            "\xad",
            "\u200b",
            "\u200d",
            "\u202e",
            "\u2028",
        ),
        *("\u2066", "\u2003", "\u3000", "\ufeff", "\ufffd"),
    ],
)
def test_marks_and_unseen_characters(rewriting: Rewriting, mark: str) -> None:
    found = text.chat_tokens(rewriting("python", "x = 'a'\n", "x", f"x = 'b{mark}'"))
    assert found is not None
    assert (found.gate, found.grade) == ("chat-tokens", Grade.REFUSE)
    assert found.text.isascii()
    kept = rewriting("python", f"x = 'a{mark}'\n", "x", f"x = 'b{mark}'")
    assert text.chat_tokens(kept) is None
    assert text.chat_tokens(rewriting("python", f"x = 'a{mark}'\n", "x", f"x = 'b{mark}{mark}'")) is not None


@pytest.mark.parametrize(
    "new",
    [
        "x = a | b | c",
        "x = a < b > c",
        "x = '<html><span></span>'",
        "x = 'naïve — “quoted” 😀 日本語'",
        "x = [INST, '\\x00', '\\u200b']",
        "x = '\t'",
        "if a <= b |c|d: pass",
    ],
)
def test_other_characters(rewriting: Rewriting, new: str) -> None:
    assert text.chat_tokens(rewriting("python", "x = 1\n", "x", new)) is None


@pytest.mark.parametrize(
    ("old", "new", "refused"),
    [
        ("x = 1", "```python\nx = 2", True),
        ("x = 1", "x = 2\n```", True),
        ("x = 1", "~~~\nx = 2", True),
        ('x = """\n```\na\n```\n"""', 'x = """\n```\nb\n```\n"""', False),
        ('x = """\n```\na\n```\n"""', 'x = """\n```\nb\n```\n```\n"""', True),
        ("x = 1", "x = '``'", False),
    ],
)
def test_fences(rewriting: Rewriting, old: str, new: str, refused: bool) -> None:
    assert (text.fences(rewriting("python", f"{old}\n", "x", new)) is not None) == refused


@pytest.mark.parametrize(
    ("language", "new"),
    [
        ("python", "x = 1\n..."),
        ("python", "x = 1\n    ..."),
        ("python", "x = 1\n# ..."),
        ("python", "x = 1\n# ... rest of the code ..."),
        ("python", "x = 1\n# (rest of the function unchanged)"),
        ("python", "x = 1\n# … existing code …"),
        ("python", "x = 1  # remaining lines stay the same"),
        ("python", "x = 1\n# Your code here"),
        ("javascript", "x = 1;\n// ... existing code ..."),
        ("javascript", "x = 1;\n/* same as before, the rest of the function */"),
        ("javascript", "x = 1;\n// other code"),
        ("c", "x = 1; /* previous implementation */"),
        ("html", "<p>a</p>\n<!-- rest of the file -->"),
        ("sql", "select 1;\n-- remaining code"),
        (None, "a\n# ... rest of file"),
        (None, "a\n... (unchanged)"),
        (None, "a\n... the other entries ..."),
    ],
)
def test_elision(rewriting: Rewriting, language: str | None, new: str) -> None:
    found = text.elision(rewriting(language, "x\n", "x", new))
    assert found is not None
    assert (found.gate, found.grade) == ("elision", Grade.REFUSE)
    assert found.text.endswith("; write all of it")


@pytest.mark.parametrize(
    ("language", "old", "new", "instruction"),
    [
        ("python", 'print(f"loading {n}...")', 'logger.info("loading %s...", n)', ""),
        ("python", 'print("wait...")', 'logger.info("wait...")', ""),
        ("python", "print(1)  # and so on...", "log(1)  # and so on...", ""),
        ("python", "def f():\n    ...", "def g():\n    ...", ""),
        ("python", "def f():\n    pass", "def f():\n    ...", 'Replace pass by "..." in stubs.'),
        ("python", "x = a[1]", "x = a[..., 1]", ""),
        ("python", "x = 1", "x = 1  # the previous value", ""),
        ("python", "x = 1", "x = 1  # code review", ""),
        ("python", "# lädt den Rest...\nx = 1", "# loads the rest...\nx = 1", "Translate comments."),
        ("javascript", "f(a)", "f(...a)", ""),
        ("javascript", "x = { a }", "x = {\n  ...a,\n  b,\n}", ""),
        ("javascript", "x = 'a'", "x = 'https://a.example/rest of code here'", ""),
        ("go", "f(a)", "f(a...)", ""),
        (None, "a: 50%", "a: 50% of the existing code", ""),
        (None, "url = //host", "url = http://host/...", ""),
    ],
)
def test_no_elision(rewriting: Rewriting, language: str | None, old: str, new: str, instruction: str) -> None:
    assert text.elision(rewriting(language, f"{old}\n", old, new, instruction=instruction)) is None


@pytest.mark.parametrize(
    ("old", "new", "refused"),
    [
        ("f(a, b, c, d, e, f, g, h)", "f()", True),
        ("f(a, b, c, d, e, f, g, h)", "f(a, b, c, d)", False),
        ("f(a, b)", "f", False),  # short code may lose much
        ("f(a)", " + ".join(["a"] * 60), True),
        ("f(a)", " + ".join(["a"] * 25), False),
        ("f(" + "a, " * 100 + ")", "f(" + "a, " * 240 + ")", False),
        ("f(" + "a, " * 100 + ")", "f(" + "a, " * 300 + ")", True),
    ],
)
def test_size(rewriting: Rewriting, old: str, new: str, refused: bool) -> None:
    assert (text.size(rewriting("python", f"{old}\n", "f", new)) is not None) == refused


FILE = "def f():\n    first = 1\n    second = 2\n    third = 3\n"


@pytest.mark.parametrize(
    ("kind", "new", "said"),
    [
        ("line", "second = 4\nmore = 5", "1 line became 2; keep the number of lines"),
        ("line", "second = 4", ""),
        ("statement", "first = 1\n    second = 4", "the line before the code is repeated: `first = 1`"),
        ("statement", "second = 4\n    third = 3", "the line after the code is repeated: `third = 3`"),
        ("statement", "second = 4", ""),
        ("statement", "second = (\n        4\n    )", ""),
        ("statement", "third = 3", ""),  # one line alone is what was asked for
    ],
)
def test_lines(rewriting: Rewriting, kind: str, new: str, said: str) -> None:
    found = text.lines(rewriting("python", FILE, "second", new, kind=kind))
    assert (found.text if found else "") == said


def test_short_neighbours_do_not_count(rewriting: Rewriting) -> None:
    before = "a {\n}\n}\n"
    assert text.lines(rewriting(None, before, "a {", "b {\n}", kind="statement")) is None
