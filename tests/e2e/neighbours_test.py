"""LiteCode beside others that own the hooks: husky and lefthook call it, or it is chained; with the real programs where
they are installed (`NODE_TOOLS` names a `node_modules` folder), else with what they are known to write.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

TOOLS = Path(os.environ.get("NODE_TOOLS", "/nonexistent"))
RULES = """\
rules:
- id: is-none
  message: Compare with None by identity.
  language: python
  pattern: $VALUE == None
  fix: $VALUE is None
"""
BAD, GOOD = b"x == None\n", b"x is None\n"
# `.husky/_/h` of husky 9, to the letter but for the notes about its earlier versions.
HUSKY = """\
#!/usr/bin/env sh
[ "$HUSKY" = "2" ] && set -x
n=$(basename "$0")
s=$(dirname "$(dirname "$0")")/$n
[ ! -f "$s" ] && exit 0
sh -e "$s" "$@"
c=$?
[ $c != 0 ] && echo "husky - $n script failed (code $c)"
exit $c
"""


@pytest.fixture
def scene(repo: Any) -> Any:
    repo.add({".litecode.yaml": RULES, "a.py": "1\n"}, commit="base")
    return repo


def install(repo: Any) -> str:
    done = subprocess.run(("git", "litecode", "install"), cwd=repo.path, capture_output=True, text=True, check=False)
    return done.stdout + done.stderr


def files(repo: Any) -> dict[str, bytes]:
    found = [repo / ".git/config", *(repo / ".git/hooks").glob("*"), *(repo / ".husky").rglob("*")]
    return {str(file): file.read_bytes() for file in found if file.is_file()}


def set_up_husky(repo: Any) -> None:
    if (TOOLS / "husky").is_dir():
        repo.write("package.json", "{}")
        node = ("node", TOOLS / "husky/bin.js")
        subprocess.run(node, cwd=repo.path, check=True, capture_output=True)
        return
    for name in ("pre-commit", "commit-msg"):
        repo.write(f".husky/_/{name}", '#!/usr/bin/env sh\n. "$(dirname "$0")/h"', 0o755)
    repo.write(".husky/_/h", HUSKY)
    repo.config("core.hooksPath", ".husky/_")


@pytest.mark.parametrize("words", [(), ("-a",), ("--", "a.py")])
def test_husky_calls_it(scene: Any, words: tuple[str, ...]) -> None:
    """`install` refuses and says which line goes where; with that line it works in every form of commit."""
    set_up_husky(scene)
    before = files(scene)
    said = install(scene)
    assert "husky owns the hooks folder" in said
    assert 'add the line `litecode-hook pre-commit "$@"` to' in said
    assert files(scene) == before
    scene.write(".husky/pre-commit", 'echo linter >> "$PWD/../ran"\nlitecode-hook pre-commit "$@"\n')
    scene.write("a.py", BAD)
    scene.git("commit", "-q", "-m", "x", *words) if words else scene.git("commit", "-qam", "x")
    assert scene.blob("a.py", "HEAD") == scene.blob("a.py") == scene.read("a.py") == GOOD
    assert (scene / "../ran").exists()


def test_a_refusal_goes_through_husky(scene: Any) -> None:
    set_up_husky(scene)
    scene.write(".husky/pre-commit", 'litecode-hook pre-commit "$@"\n')
    scene.add({"a.py": BAD})
    scene.write("a.py", b"x == None  # mine\n")
    head = scene.rev("HEAD")
    scene.git("commit", "-q", "-m", "x", rc=1)
    assert (scene.rev("HEAD"), scene.read("a.py")) == (head, b"x == None  # mine\n")


LEFTHOOK_SHIM = '#!/bin/sh\n# lefthook\nlitecode-hook pre-commit "$@"\n'


def test_lefthook_calls_it(scene: Any) -> None:
    program = TOOLS / "lefthook-linux-x64/bin/lefthook"
    scene.write("lefthook.yml", "pre-commit:\n  jobs:\n  - name: litecode\n    run: litecode-hook pre-commit\n")
    if program.exists():
        subprocess.run((program, "install"), cwd=scene.path, check=True, capture_output=True)
        os.environ["LEFTHOOK_BIN"] = str(program)
    else:
        scene.hook("pre-commit", LEFTHOOK_SHIM)
    before = files(scene)
    try:
        assert "lefthook.yml" in install(scene) or "calls litecode-hook already" in install(scene)
        assert files(scene) == before
        scene.add({"a.py": BAD})
        scene.git("commit", "-q", "-m", "x")
    finally:
        os.environ.pop("LEFTHOOK_BIN", None)
    assert scene.blob("a.py", "HEAD") == scene.blob("a.py") == scene.read("a.py") == GOOD


def test_an_existing_hook_is_chained_and_restored(scene: Any) -> None:
    """Content, mode, time and inode come back."""
    hook = scene.hook("pre-commit", "echo other >> ../ran")
    hook.chmod(0o751)
    os.utime(hook, (1, 1))
    facts, before = hook.stat(), files(scene)
    install(scene)
    scene.add({"a.py": BAD})
    scene.git("commit", "-q", "-m", "x")
    assert scene.blob("a.py", "HEAD") == GOOD
    assert (scene / "../ran").read_bytes() == b"other\n"
    scene.git("litecode", "uninstall")
    assert files(scene) == before
    now = hook.stat()
    assert (now.st_ino, now.st_mode, now.st_mtime) == (facts.st_ino, facts.st_mode, facts.st_mtime)


@pytest.mark.parametrize("path", ["hooks", "$TOP/../company"])
def test_hooks_path_is_honoured(scene: Any, path: str) -> None:
    """A folder in the worktree is used; one outside of it belongs to others too, and needs `--shared`."""
    folder = Path(path.replace("$TOP", str(scene.path)))
    full = folder if folder.is_absolute() else scene / path
    full.mkdir()
    scene.config("core.hooksPath", str(folder))
    said = install(scene)
    if folder.is_absolute():
        assert "lies outside of this repository" in said
        assert list(full.iterdir()) == []
        scene.git("litecode", "install", "--shared")
    scene.add({"a.py": BAD})
    scene.git("commit", "-q", "-m", "x")
    assert scene.blob("a.py", "HEAD") == GOOD
    scene.git("litecode", "uninstall")
    assert list(full.iterdir()) == []


def test_a_commit_from_an_editor_without_a_terminal(scene: Any) -> None:
    """No terminal, no TERM, no standard input, a short PATH, its own session: nothing is asked, nothing is coloured."""
    install(scene)
    scene.add({"a.py": BAD})
    git = shutil.which("git")
    assert git is not None
    env = {"HOME": os.environ["HOME"], "PATH": "/usr/bin:/bin", "GIT_CONFIG_GLOBAL": os.environ["GIT_CONFIG_GLOBAL"]}
    done = subprocess.run(
        (git, "-c", "user.useConfigOnly=false", "commit", "-m", "from the editor"),
        cwd=scene.path,
        env=env,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        start_new_session=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert b"\x1b" not in done.stdout + done.stderr
    assert b"git litecode undo" in done.stdout + done.stderr
    assert scene.blob("a.py", "HEAD") == scene.read("a.py") == GOOD
