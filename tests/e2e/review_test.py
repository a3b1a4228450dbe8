"""`git litecode review` at a terminal: every key, and what is in the index, the worktree and the run afterwards."""

from __future__ import annotations

from typing import Any

import pytest

RULES = """\
rules:
- id: is-none
  message: Compare with None by identity.
  language: python
  pattern: $VALUE == None
  fix: $VALUE is None
"""
GAP = "".join(f"# {number}\n" for number in range(9))
BASE = f"a = 1\n{GAP}b = 1\nkept = 2\nc = 1\n{GAP}d = 1\n"
STAGED = BASE.replace("= 1", "== None")
ASK = "Stage this hunk ["


@pytest.fixture
def held(repo: Any) -> Any:
    """Three hunks are held: a; b and c with an unchanged line between them; d."""
    repo.add({".litecode.yaml": RULES, "a.py": BASE}, commit="base")
    repo.add({"a.py": STAGED})
    repo.git("litecode", "run", "--apply", "hold", rc=1)
    return repo


def after(*names: str) -> str:
    """The file with these of its lines changed."""
    text = STAGED
    for name in names:
        text = text.replace(f"{name} == None", f"{name} is None")
    return text


def press(terminal: Any, *keys: str) -> str:
    """Each key after its question."""
    for number, key in enumerate(keys, 1):
        terminal.wait_for(ASK, number)
        terminal.type(key, "Enter")
    screen: str = terminal.wait("[exit ")
    return screen


@pytest.mark.parametrize(
    ("keys", "changed", "code"),
    [
        ("yyy", "abcd", 0),
        ("ynj", "a", 1),
        ("a", "abcd", 0),
        ("na", "bcd", 0),
        ("d", "", 0),
        ("q", "", 1),
        ("ysynq", "ab", 1),
        ("?nnn", "", 0),
        ("xnsnyn", "c", 0),
    ],
)
def test_keys(keys: str, changed: str, code: int, held: Any, keyboard: Any) -> None:
    screen = press(keyboard("git litecode review", cwd=held.path), *keys)
    assert f"[exit {code}]" in screen
    assert "Traceback" not in screen
    assert held.blob("a.py").decode() == after(*changed)
    assert held.read("a.py").decode() == after(*changed)
    if "?" in keys or "x" in keys:
        assert "s - split it into smaller hunks" in screen
    if "s" in keys:
        assert "Split into 2 hunks." in screen


def test_the_editor(held: Any, keyboard: Any) -> None:
    """A line is taken out of the hunk in the editor, and the rest of it is staged."""
    script = held.write(
        ".git/editor", "#!/bin/sh\nsed -i -e 's/^-c == None/ c == None/' -e '/^+c is None/d' \"$1\"\n", 0o755
    )
    screen = press(keyboard("git litecode review", cwd=held.path, env={"GIT_EDITOR": str(script)}), "n", "e", "q")
    assert "1 hunk to stage, 1 dropped, 1 left held" in screen
    assert held.blob("a.py").decode() == after("b")


def test_interrupted(held: Any, keyboard: Any) -> None:
    """What was answered before Ctrl-C counts for nothing: everything is staged together at the end."""
    before = held.index(), held.read("a.py")
    terminal = keyboard("git litecode review", cwd=held.path)
    terminal.wait_for(ASK, 1)
    terminal.type("y", "Enter")
    terminal.wait_for(ASK, 2)
    terminal.type("", "C-c")
    screen = terminal.wait("[exit ")
    assert "[exit 130]" in screen
    assert "litecode: interrupted, nothing was changed" in screen
    assert "Traceback" not in screen
    assert (held.index(), held.read("a.py")) == before
    assert held.git("litecode", "review", "--list", rc=1).count(b"is-none") == 3
