"""Commands on the tree that a commit would have: a copy, with nothing of the person's environment in it."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from litecode.core.git.repository import Repository
from litecode.core.git.verify import environment, verify
from litecode.core.values import Change


def sh(script: str) -> tuple[str, ...]:
    return ("/bin/sh", "-c", script)


def found(repo: Any) -> Repository:
    return Repository.discover(repo.path, os.environ)


def change(repo: Any, path: str, after: bytes) -> Change:
    return Change(path, "100644", repo.oid(path), after)


@pytest.fixture
def scene(repo: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A committed file with staged and unstaged edits, an untracked one, and a private TMPDIR."""
    (tmp_path / "tmp").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "tmp"))
    repo.add({"a.py": "one\n", "sub/b.txt": "b\n", "run.sh": "#!/bin/sh\nexit 0\n"}, commit="base")
    (repo / "run.sh").chmod(0o755)
    repo.add({"a.py": "two\n", "run.sh": "#!/bin/sh\nexit 0\n"})
    repo.write("a.py", "unstaged\n")
    repo.write("untracked.txt", "no\n")
    return repo


def test_the_tree_is_the_index_with_the_changes(scene: Any, tmp_path: Path) -> None:
    before = scene.snapshot()
    out = tmp_path / "out"
    script = f"(cat a.py sub/b.txt; ls -A; stat -c %a .. run.sh; test -d .git || echo bare) > '{out}'"
    done = verify(found(scene), [change(scene, "a.py", b"three\n")], [sh(script), ("./run.sh",)], 20, os.environ)
    assert (done.ok, done.reason) == (True, "")
    assert out.read_text().split() == ["three", "b", "a.py", "run.sh", "sub", "700", "755", "bare"]
    after = scene.snapshot()
    changed = {path for path in before.keys() | after.keys() if before.get(path) != after.get(path)}
    assert all(path.startswith(".git/objects") or path == ".git" for path in changed)  # one blob
    assert list((tmp_path / "tmp").iterdir()) == []


def test_a_new_file_and_nothing_changed(scene: Any) -> None:
    new = Change("new/c.py", "100644", None, b"c\n")
    assert verify(found(scene), [new], [sh("test -f new/c.py")], 20, os.environ).ok
    assert verify(found(scene), [], [sh("grep -q two a.py && test ! -e new")], 20, os.environ).ok


@pytest.mark.parametrize(
    ("commands", "reason"),
    [
        ([sh("echo out; echo why >&2; exit 3")], "exited with 3: why"),
        ([sh("exit 1")], "`/bin/sh -c 'exit 1'` exited with 1"),
        ([sh("kill -9 $$")], "was killed (9)"),
        ([("no-such-program",)], "`no-such-program` cannot be run: no such file or directory"),
        ([("./a.py",)], "cannot be run: permission denied"),
        ([sh("true"), sh("echo 'a\033[31m red'; false")], "exited with 1: a red"),
        ([("a\0b",)], "cannot be run"),
    ],
)
def test_failures(scene: Any, commands: list[tuple[str, ...]], reason: str) -> None:
    done = verify(found(scene), [], commands, 20, os.environ)
    assert not done.ok
    assert reason in done.reason
    assert "\x1b" not in done.output


def test_the_first_failure_ends_it(scene: Any, tmp_path: Path) -> None:
    assert not verify(found(scene), [], [sh("false"), sh(f"touch '{tmp_path}/more'")], 20, os.environ).ok
    assert not (tmp_path / "more").exists()


def test_no_shell_takes_arguments_apart(scene: Any, tmp_path: Path) -> None:
    done = verify(found(scene), [], [("echo", f"; touch {tmp_path}/evil", "$(id)", "`id`")], 20, os.environ)
    assert done.ok
    assert not (tmp_path / "evil").exists()


def test_time_is_limited_and_children_end_with_it(scene: Any, tmp_path: Path) -> None:
    began = time.monotonic()
    script = f"(sleep 3; touch '{tmp_path}/late') & sleep 30"
    done = verify(found(scene), [], [sh(script)], 0.5, os.environ)
    assert not done.ok
    assert "did not end within 0 s" in done.reason or "within" in done.reason
    assert time.monotonic() - began < 15
    time.sleep(max(0.0, began + 4 - time.monotonic()))
    assert not (tmp_path / "late").exists()


def test_children_that_are_left_behind_end(scene: Any, tmp_path: Path) -> None:
    assert verify(found(scene), [], [sh(f"(sleep 2; touch '{tmp_path}/late') & true")], 20, os.environ).ok
    time.sleep(2.5)
    assert not (tmp_path / "late").exists()


def test_interruption(scene: Any) -> None:
    cancel = threading.Event()
    cancel.set()
    done = verify(found(scene), [], [sh("sleep 30")], 60, os.environ, cancel)
    assert (done.ok, "was interrupted" in done.reason) == (False, True)


def test_endless_output(scene: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("litecode.core.git.verify.OUTPUT_LIMIT", 1 << 20)
    done = verify(found(scene), [], [("yes",)], 60, os.environ)
    assert "printed too much" in done.reason
    assert len(done.output) <= 4096


def test_what_is_left_behind_goes(scene: Any, tmp_path: Path) -> None:
    done = verify(found(scene), [], [sh("mkdir -p x/y && touch x/y/z && chmod 500 x/y x")], 20, os.environ)
    assert done.ok
    assert list((tmp_path / "tmp").iterdir()) == []


def test_no_hook_and_no_input(scene: Any, tmp_path: Path) -> None:
    for name in ("post-checkout", "post-index-change", "pre-commit"):
        scene.hook(name, f"touch '{tmp_path}/hooked'")
    assert verify(found(scene), [], [sh("! read line")], 20, os.environ).ok
    assert not (tmp_path / "hooked").exists()


def test_the_environment_has_no_secrets(scene: Any, tmp_path: Path) -> None:
    dirty = {
        **os.environ,
        "GIT_DIR": str(scene / ".git"),
        "GIT_INDEX_FILE": "/x",
        "OPENAI_API_KEY": "sk-1",
        "AWS_SECRET_ACCESS_KEY": "s",
        "SSH_AUTH_SOCK": "/s",
        "LITECODE_ENDPOINT": "embedded",
        "PYTHONPATH": ".",
        "LD_PRELOAD": "./evil.so",
        "BASH_ENV": "./evil.sh",
        "PATH": f".:bin::{os.environ['PATH']}",
    }
    out = tmp_path / "env"
    assert verify(found(scene), [], [sh(f"env > '{out}'")], 20, dirty).ok
    names = {line.partition("=")[0] for line in out.read_text().splitlines()}
    assert names <= set(environment(os.environ, tmp_path)) | {"_", "OLDPWD", "SHLVL"}
    assert names.isdisjoint(set(dirty) - set(os.environ))
    assert environment(dirty, tmp_path)["PATH"] == environment(os.environ, tmp_path)["PATH"]
    assert environment({}, tmp_path)["PATH"]


def test_a_link_out_of_the_tree_is_a_link(scene: Any, tmp_path: Path) -> None:
    scene.stage_blob("link", str(tmp_path / "outside"), "120000")
    assert verify(found(scene), [], [sh("test -L link && test ! -e link")], 20, os.environ).ok
    assert not (tmp_path / "outside").exists()
