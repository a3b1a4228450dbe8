"""The hook's quick answer: right in every doubt, and cheap."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from litecode.config.select import CACHE_VERSION, Filter, Selection
from litecode.hooks import fast

RULES = "rules: []\n"
SELECTION = Selection(
    "",
    "^vendor/",
    (
        ("no-print", Filter(files="^src/", types=("python",))),
        ("no-todo", Filter(types_or=("python", "c"), exclude=r"_test\.py$")),
        ("shell", Filter(types=("shell",))),
    ),
)


def _data(selection: Selection = SELECTION, **more: str) -> dict[str, Any]:
    rows = [[rule, *chosen] for rule, chosen in selection.rules]
    return {"version": CACHE_VERSION, "files": selection.files, "exclude": selection.exclude, "rules": rows, **more}


@pytest.fixture
def ready(repo: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A repository with committed rules and a cache of what they select, to stand in."""
    repo.add({".litecode.yaml": RULES, "old.py": "1\n", "gone.py": "1\n"}, commit="base")
    monkeypatch.chdir(repo.path)
    remember(repo)
    return repo


def remember(repo: Any) -> None:
    state = fast.rules_state()
    assert state is not None
    fast.remember(str(repo / ".git/litecode"), state, _data())


@pytest.mark.parametrize(
    ("path", "content", "mode", "expected"),
    [
        ("README.md", "print(1)\n", "100644", True),
        ("notes", "print(1)\n", "100644", True),
        ("vendor/src/a.py", "print(1)\n", "100644", True),
        ("lib/a_test.py", "print(1)\n", "100644", True),
        ("picture", "\0\1\2", "100644", True),
        ("link.py", "old.py", "120000", True),
        ("caf\u00e9 \U0001f980\n.md", "x\n", "100644", True),
        ("\udcff.txt", "x\n", "100644", True),
        ("tool", "#!/bin/sh\n", "100644", True),
        ("tool", "#!/bin/sh\n", "100755", False),
        ("src/a.py", "x\n", "100644", False),
        ("lib/a.c", "x\n", "100644", False),
        ("lib/\udcff.py", "x\n", "100644", False),
        ("src/a_test.py", "x\n", "100644", False),
    ],
)
def test_one_staged_file(ready: Any, path: str, content: str, mode: str, expected: bool) -> None:
    ready.stage_blob(path, content, mode)
    assert fast.nothing_to_do() is expected


def test_nothing_staged(ready: Any) -> None:
    assert fast.nothing_to_do() is True
    ready.write("old.py", "unstaged\n")
    assert fast.nothing_to_do() is True


def test_a_deletion_is_nothing_to_do(ready: Any) -> None:
    ready.add({"gone.py": None})
    assert fast.nothing_to_do() is True


def test_without_a_rules_file(repo: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(repo.path)
    repo.add({"src/a.py": "print(1)\n"})
    assert fast.nothing_to_do() is True  # on an unborn branch, too
    repo.commit()
    repo.add({"src/a.py": "print(2)\n"})
    assert fast.nothing_to_do() is True


@pytest.mark.parametrize("stage", [True, False])
def test_a_rules_file_that_has_changed_is_loaded_again(ready: Any, stage: bool) -> None:
    ready.add({"README.md": "x\n"})
    assert fast.nothing_to_do() is True
    ready.write(".litecode.yaml", "rules: []\n# more\n")
    if stage:
        ready.git("add", ".litecode.yaml")
    assert fast.nothing_to_do() is False
    remember(ready)
    assert fast.nothing_to_do() is True


def test_a_rules_file_that_is_only_staged_or_only_in_the_worktree_counts(ready: Any) -> None:
    ready.add({"src/a.py": "x\n"})
    (ready / ".litecode.yaml").unlink()
    assert fast.nothing_to_do() is False
    ready.git("rm", "-q", "--cached", ".litecode.yaml")
    assert fast.nothing_to_do() is True
    ready.write(".litecode.yaml", RULES)
    assert fast.nothing_to_do() is False


@pytest.mark.parametrize(
    "damage",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b'{"rules": 1}',
        b"\xff",
        json.dumps({"rules": "STATE", "selection": {"version": CACHE_VERSION + 1}}).encode(),
        json.dumps({"rules": "STATE", "selection": _data(files="(")}).encode(),
    ],
)
def test_a_damaged_cache_is_not_believed(ready: Any, damage: bytes) -> None:
    ready.add({"README.md": "x\n"})
    state = json.dumps(fast.rules_state()).encode()
    (ready / ".git/litecode/select.json").write_bytes(damage.replace(b'"STATE"', state))
    assert fast.nothing_to_do() is False


def test_without_a_cache_or_outside_a_repository_there_is_something_to_do(
    ready: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ready.add({"README.md": "x\n"})
    (ready / ".git/litecode/select.json").unlink()
    assert fast.nothing_to_do() is False
    monkeypatch.chdir(tmp_path)
    assert fast.nothing_to_do() is False


def test_an_unborn_branch_with_rules_is_looked_at(repo: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(repo.path)
    repo.add({".litecode.yaml": RULES})
    remember(repo)
    assert fast.nothing_to_do() is False


@pytest.mark.parametrize("state", ["MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD"])
def test_in_the_middle_of_something_there_is_time_to_say_so(ready: Any, state: str) -> None:
    ready.write(f".git/{state}", ready.rev("HEAD"))
    assert fast.nothing_to_do() is False


def test_the_index_that_git_names_is_the_one_that_counts(ready: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    (ready / ".git/other").write_bytes(ready.read(".git/index"))
    ready.add({"src/a.py": "x\n"})
    assert fast.nothing_to_do() is False
    monkeypatch.setenv("GIT_INDEX_FILE", ".git/other")
    assert fast.nothing_to_do() is True


def test_a_linked_worktree_has_a_cache_of_its_own(
    ready: Any, open_repo: Callable[[Path], Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ready.git("worktree", "add", "-q", str(tmp_path / "linked"))
    linked = open_repo(tmp_path / "linked")
    monkeypatch.chdir(linked.path)
    linked.add({"README.md": "x\n"})
    assert fast.nothing_to_do() is False
    state = fast.rules_state()
    assert state is not None
    fast.remember(linked.git("rev-parse", "--git-path", "litecode").decode().strip(), state, _data())
    assert fast.nothing_to_do() is True
    monkeypatch.setenv("GIT_DIR", str(ready / ".git/worktrees/linked"))
    assert fast.nothing_to_do() is True


def test_run_git(ready: Any) -> None:
    assert fast.run_git("cat-file", "blob", "HEAD:old.py") == b"1\n"
    assert fast.run_git("cat-file", "blob", "HEAD:nope") is None
    ready.add({"big": b"x" * 1_000_000})
    assert fast.run_git("cat-file", "blob", ":big", limit=10) == b"x" * 10
    assert len(fast.run_git("cat-file", "blob", ":big") or b"") == 1_000_000
    open_before = len(list(Path("/dev/fd").iterdir()))
    for _ in range(20):
        fast.run_git("rev-parse", "HEAD")
    assert len(list(Path("/dev/fd").iterdir())) == open_before


@pytest.mark.usefixtures("ready")
def test_without_git_on_the_path_it_is_in_doubt(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    assert fast.run_git("version") is None
    assert fast.nothing_to_do() is False


HEAVY = {
    "ast_grep_py",
    "asyncio",
    "click",
    "dataclasses",
    "httpx",
    "importlib.metadata",
    "msgspec",
    "ollama",
    "pathlib",
}
HEAVY |= {"pygit2", "regex", "rich", "subprocess", "tiktoken", "unidiff", "xllamacpp", "yaml"}


@pytest.mark.parametrize("staged", [{}, {"README.md": "x\n"}, {"notes": "x\n"}])
def test_the_hook_with_nothing_to_do_imports_nothing_heavy(ready: Any, staged: dict[str, str]) -> None:
    ready.add(staged)
    code = "import sys; from litecode.hooks.pre_commit import main; sys.exit(main())"
    argv = (sys.executable, "-I", "-X", "importtime", "-c", code, "pre-commit")
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    loaded = {line.rsplit("|", 1)[1].strip() for line in done.stderr.splitlines() if line.startswith("import time:")}
    assert "litecode.hooks.fast" in loaded
    site = _site_modules()
    assert not {name for name in loaded - site if name in HEAVY or name.split(".")[0] in HEAVY}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (b"", True),
        (b"Subject\n\nUse litecode: here\n", True),
        (b"Subject\n\n Litecode: x\n+Litecode: x\n", True),
        (b"\xff\x00\n# Litecode: x", True),
        (b"Subject\n\nLitecode: x\n", False),
        (b"Subject\r\n\r\nLITECODE : x", False),
        (b"litecode", False),
        (None, False),
    ],
)
def test_a_message_without_a_request(tmp_path: Path, text: bytes | None, expected: bool) -> None:
    if text is not None:
        (tmp_path / "message").write_bytes(text)
    assert fast.no_request([str(tmp_path / "message")]) is expected
    assert fast.no_request([]) is False


@pytest.mark.parametrize("name", ["commit-msg", "message"])
def test_a_message_without_a_request_imports_nothing_heavy(tmp_path: Path, name: str) -> None:
    (tmp_path / "message").write_bytes(b"Subject\n")
    code = "import sys; from litecode.hooks.pre_commit import main; sys.exit(main())"
    argv = (sys.executable, "-I", "-X", "importtime", "-c", code, name, str(tmp_path / "message"))
    done = subprocess.run(argv, capture_output=True, text=True, check=True)
    loaded = {line.rsplit("|", 1)[1].strip() for line in done.stderr.splitlines() if line.startswith("import time:")}
    assert "litecode.hooks.fast" in loaded
    assert not {found for found in loaded - _site_modules() if found in HEAVY or found.split(".")[0] in HEAVY}


def _site_modules() -> set[str]:
    """What the interpreter loads by itself, an editable installation's finder included."""
    argv = (sys.executable, "-I", "-X", "importtime", "-c", "")
    done = subprocess.run(argv, capture_output=True, text=True, check=True)
    return {line.rsplit("|", 1)[1].strip() for line in done.stderr.splitlines() if line.startswith("import time:")}
