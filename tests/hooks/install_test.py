"""Installing and removing the native hook, with real git, real hooks and real commits."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from litecode.core.errors import GitError, NotARepository
from litecode.core.git.repository import Repository
from litecode.hooks.install import Shape, install, script, shape_of, uninstall
from litecode.hooks.place import Place
from litecode.hooks.place import locate as locate_in

# What a stand-in for the interpreter prints: the arguments it got, and its standard input.
FAKE = """\
#!/bin/sh
for word in "$@"; do case $word in *import*) ;; *) echo "arg:$word" ;; esac; done
echo "stdin:$(cat)"
"""


def locate(cwd: Path) -> Place:
    return locate_in(Repository.discover(cwd, os.environ))


def folder_state(place: Place) -> dict[str, tuple[int, int, bytes]]:
    """Names, modes, inodes and contents: what `uninstall` has to give back."""
    found = {}
    for path in sorted(place.folder.iterdir()) if place.folder.is_dir() else []:
        facts = path.lstat()
        content = os.fsencode(path.readlink()) if path.is_symlink() else path.read_bytes()
        found[path.name] = (facts.st_mode, facts.st_ino, content)
    return found


def whole_state(repo: Any) -> tuple[Any, ...]:
    place = locate(repo.path)
    return place.folder.exists(), folder_state(place), repo.read(".git/config")


def staged(repo: Any) -> Any:
    repo.add({"notes.txt": "a\n"})
    return repo


def test_without_a_hook_and_without_a_hooks_folder(repo: Any) -> None:
    before = whole_state(repo)
    assert not before[0]
    place = locate(repo.path)
    hooks = [place.hook("pre-commit"), place.hook("commit-msg")]
    assert install(place) == [f"installed {hook}" for hook in hooks]
    for hook in hooks:
        assert shape_of(hook) is Shape.OURS
        assert os.access(hook, os.X_OK)
    assert install(place) == [f"{hook} is installed already" for hook in hooks]
    assert uninstall(place) == [f"removed {hook}" for hook in hooks]
    assert whole_state(repo) == before
    assert uninstall(place) == []


def test_a_hooks_folder_that_was_there_stays(repo: Any) -> None:
    repo.hook("post-commit", "true")
    before = whole_state(repo)
    place = locate(repo.path)
    install(place)
    uninstall(place)
    assert whole_state(repo) == before


@pytest.mark.parametrize("mode", [0o755, 0o700, 0o644])
@pytest.mark.parametrize("name", ["pre-commit", "commit-msg"])
def test_an_existing_hook_comes_back_as_it_was(repo: Any, name: str, mode: int) -> None:
    hook = repo.hook(name, "#!/bin/sh\r\necho 'caf\u00e9'  # no final newline")
    hook.chmod(mode)
    before = whole_state(repo)
    place = locate(repo.path)
    chained = f"{name}.litecode-chained"
    assert f"installed {hook}; the hook that was there runs first, as {chained}" in install(place)
    assert f"{hook} is installed already" in install(place)
    assert sorted(folder_state(place)) == sorted(["pre-commit", "commit-msg", chained])
    uninstall(place)
    assert whole_state(repo) == before


def test_a_hook_that_is_a_link_is_chained_and_comes_back(repo: Any) -> None:
    repo.write("scripts/pre-commit", "#!/bin/sh\necho linked >&2\nexit 3\n", mode=0o755)
    place = locate(repo.path)
    place.folder.mkdir(parents=True)
    place.hook("pre-commit").symlink_to("../../scripts/pre-commit")
    before = whole_state(repo)
    install(place)
    staged(repo).git("commit", "-m", "x", rc=1)
    uninstall(place)
    assert whole_state(repo) == before


def fake_interpreter(place: Place, tmp_path: Path, name: str = "pre-commit") -> None:
    """Let the installed hook start a stand-in, so that a test sees what it hands over."""
    fake = tmp_path / "python"
    fake.write_text(FAKE, encoding="utf-8")
    fake.chmod(0o755)
    place.hook(name).write_bytes(script(name, str(fake), "-I", str(fake)))


def test_the_existing_hook_runs_first_with_arguments_and_input(repo: Any, tmp_path: Path) -> None:
    repo.hook("pre-commit", 'echo "old:$*"; read line; echo "old read:$line"')
    place = locate(repo.path)
    install(place)
    fake_interpreter(place, tmp_path)
    done = _run([str(place.hook("pre-commit")), "one", "two words"], repo.path, b"first\nsecond\n")
    assert done.splitlines() == [
        "old:one two words",
        "old read:first",
        "arg:-I",
        "arg:-c",
        "arg:pre-commit",
        "arg:one",
        "arg:two words",
        "stdin:second",
    ]


def _run(argv: list[str], cwd: Path, stdin: bytes = b"", rc: int = 0, env: dict[str, str] | None = None) -> str:
    done = subprocess.run(argv, cwd=cwd, input=stdin, capture_output=True, check=False, env=env)
    assert done.returncode == rc, done
    return (done.stdout + done.stderr).decode()


def test_a_refusal_of_the_existing_hook_ends_the_commit_at_once(repo: Any, tmp_path: Path) -> None:
    repo.hook("pre-commit", "echo no >&2; exit 7")
    place = locate(repo.path)
    install(place)
    fake_interpreter(place, tmp_path)
    assert _run([str(place.hook("pre-commit"))], repo.path, rc=7) == "no\n"
    staged(repo).git("commit", "-m", "x", rc=1)


def test_the_existing_hook_does_not_run_when_git_would_not_have_run_it(repo: Any) -> None:
    repo.hook("pre-commit", "exit 1").chmod(0o644)
    install(locate(repo.path))
    staged(repo).git("commit", "-m", "x")


@pytest.mark.parametrize(
    ("text", "starts"),
    [
        ("S\n\nLitecode: do it\n", True),
        ("S\n\nLITECODE: do it", True),
        ("litecode-run: 7f3a\n", True),
        ("S\n\n\xfc\x00\xff\nlitecode: x\n", True),
        (None, True),  # in doubt the real hook has the words for it
        ("", False),
        ("Use litecode: more\n", False),
        ("S\n\n Litecode: do it\n+Litecode: x\n# Litecode: x\n", False),
    ],
)
def test_the_message_hook_starts_python_for_our_trailers_alone(
    repo: Any, tmp_path: Path, text: str | None, starts: bool
) -> None:
    place = locate(repo.path)
    install(place)
    fake_interpreter(place, tmp_path, "commit-msg")
    if text is not None:
        repo.path.joinpath("message").write_bytes(text.encode("latin-1"))
    said = _run([str(place.hook("commit-msg")), "message"], repo.path)
    assert said.splitlines() == (["arg:-I", "arg:-c", "arg:commit-msg", "arg:message", "stdin:"] if starts else [])


@pytest.mark.parametrize(
    ("setting", "env", "rc"),
    [
        (None, {}, 0),
        ("skip", {}, 0),
        ("fail", {}, 1),
        (None, {"CI": "true"}, 1),
        ("skip", {"CI": "true"}, 0),
    ],
)
def test_a_missing_installation_says_so_in_one_line(
    repo: Any, tmp_path: Path, setting: str | None, env: dict[str, str], rc: int
) -> None:
    place = locate(repo.path)
    install(place)
    place.hook("pre-commit").write_bytes(script("pre-commit", str(tmp_path / "gone"), "-I", str(tmp_path / "gone.py")))
    if setting:
        repo.config("litecode.onUnavailable", setting)
    tools = tmp_path / "bin"
    tools.mkdir()
    for name in ("git", "sh"):
        (tools / name).symlink_to(str(shutil.which(name)))
    before = repo.add({"notes.txt": "a\n"}, commit="base")
    repo.add({"notes.txt": "b\n"})
    repo.git("commit", "-m", "x", rc=rc, env={"PATH": str(tools), **env})
    assert (repo.rev("HEAD") == before) is (rc == 1)
    said = _run([str(place.hook("pre-commit"))], repo.path, rc=rc, env={"PATH": str(tools), **env})
    assert said.count("\n") == 1
    assert "git litecode install" in said


def test_it_installs_for_all_worktrees_at_once(repo: Any, open_repo: Callable[[Path], Any], tmp_path: Path) -> None:
    repo.add({"a": "1\n"}, commit="base")
    repo.git("worktree", "add", "-q", str(tmp_path / "linked"))
    linked = open_repo(tmp_path / "linked")
    place = locate(linked.path)
    assert place.folder.resolve() == repo.path / ".git/hooks"
    install(place)
    assert shape_of(repo.path / ".git/hooks/pre-commit") is Shape.OURS
    uninstall(locate(repo.path))
    assert not (repo.path / ".git/hooks/pre-commit").exists()


def test_it_finds_the_folder_from_a_subdirectory(repo: Any) -> None:
    (repo.path / "a/b").mkdir(parents=True)
    assert locate(repo.path / "a/b") == locate(repo.path)
    repo.config("core.hooksPath", ".myhooks")
    assert locate(repo.path / "a/b").folder == repo.path / ".myhooks"


def test_core_hooks_path_inside_the_repository_is_honoured(repo: Any) -> None:
    repo.config("core.hooksPath", ".git/other")
    before = whole_state(repo)
    install(locate(repo.path))
    assert (repo.path / ".git/other/pre-commit").is_file()
    assert not (repo.path / ".git/hooks/pre-commit").exists()
    uninstall(locate(repo.path))
    assert whole_state(repo) == before


def test_a_folder_of_others_is_only_touched_on_request(repo: Any, tmp_path: Path) -> None:
    company = tmp_path / "company"
    company.mkdir()
    repo.git("config", "--global", "core.hooksPath", str(company))
    place = locate(repo.path)
    with pytest.raises(GitError, match="outside of this repository") as caught:
        install(place)
    assert "--shared" in caught.value.hint
    assert list(company.iterdir()) == []
    install(place, shared=True)
    assert shape_of(company / "pre-commit") is Shape.OURS
    uninstall(place)
    assert list(company.iterdir()) == []


def test_committed_hooks_are_only_touched_on_request(repo: Any) -> None:
    repo.add({".githooks/pre-commit": "#!/bin/sh\n"}, commit="hooks for all")
    repo.config("core.hooksPath", ".githooks")
    with pytest.raises(GitError, match="has committed files") as caught:
        install(locate(repo.path))
    assert 'litecode-hook pre-commit "$@"' in caught.value.hint
    assert repo.status() == []


def test_husky_and_lefthook_are_told_what_to_do(repo: Any) -> None:
    repo.config("core.hooksPath", ".husky/_")
    with pytest.raises(GitError, match="husky") as caught:
        install(locate(repo.path), shared=True)
    assert caught.value.hint == (
        f'add the line `litecode-hook pre-commit "$@"` to {repo.path}/.husky/pre-commit'
        " (and, for requests in messages, the same with commit-msg)"
    )
    repo.config("core.hooksPath", ".git/hooks")
    repo.hook("pre-commit", 'call_lefthook run "pre-commit" "$@"')
    with pytest.raises(GitError, match="lefthook") as caught:
        install(locate(repo.path))
    assert "lefthook.yml" in caught.value.hint


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('exec litecode-hook pre-commit "$@"', "calls litecode-hook already"),
        ('hook=$(basename "$0"); exec run-hooks "$hook"', "looks at its own name"),
        ('exec run-hooks "${0##*/}"', "looks at its own name"),
    ],
)
def test_hooks_that_cannot_be_chained_are_left_alone(repo: Any, text: str, said: str) -> None:
    repo.hook("pre-commit", text)
    before = whole_state(repo)
    with pytest.raises(GitError, match=said):
        install(locate(repo.path))
    assert whole_state(repo) == before


@pytest.mark.parametrize("kind", ["folder", "pipe"])
def test_what_is_no_file_is_left_alone(repo: Any, kind: str) -> None:
    place = locate(repo.path)
    place.folder.mkdir()
    if kind == "folder":
        place.hook("pre-commit").mkdir()
    else:
        os.mkfifo(place.hook("pre-commit"))
    with pytest.raises(GitError, match="neither a file nor a link"):
        install(place)
    assert uninstall(place) == []
    assert shape_of(place.hook("pre-commit")) is Shape.UNKNOWN


def test_an_edited_hook_is_never_overwritten_or_removed(repo: Any) -> None:
    repo.hook("pre-commit", "echo old")
    place = locate(repo.path)
    install(place)
    hook = place.hook("pre-commit")
    hook.write_bytes(hook.read_bytes() + b"echo mine\n")
    before = whole_state(repo)
    assert shape_of(hook) is Shape.EDITED
    for action in (install, uninstall):
        with pytest.raises(GitError, match="was edited") as caught:
            action(place)
        assert "copy your lines out of it" in caught.value.hint
    assert whole_state(repo) == before
    hook.unlink()  # as the hint says
    uninstall(place)
    assert b"echo old" in hook.read_bytes()


def test_a_hook_that_another_tool_put_over_ours_is_left_alone(repo: Any) -> None:
    repo.hook("pre-commit", "echo old")
    place = locate(repo.path)
    install(place)
    repo.hook("pre-commit", "echo newer")
    before = whole_state(repo)
    for action in (install, uninstall):
        with pytest.raises(GitError, match="replaced since LiteCode was installed"):
            action(place)
    assert whole_state(repo) == before


@pytest.mark.parametrize("action", [install, uninstall])
def test_an_interrupted_installation_is_completed_or_taken_back(repo: Any, action: Callable[[Place], Any]) -> None:
    hook = repo.hook("pre-commit", "echo old")
    place = locate(repo.path)
    before = whole_state(repo)
    os.link(hook, place.chained("pre-commit"))
    action(place)
    if action is install:
        assert shape_of(hook) is Shape.OURS
        uninstall(place)
    assert whole_state(repo) == before


def test_an_upgrade_renews_the_hook_and_keeps_the_chained_one(repo: Any) -> None:
    repo.hook("pre-commit", "echo old")
    place = locate(repo.path)
    before = whole_state(repo)
    install(place)
    place.hook("pre-commit").write_bytes(script("pre-commit", "/old/python", "-I", "/old/fast.py"))
    assert install(place)[0] == f"renewed {place.hook('pre-commit')}"
    assert sys.executable.encode() in place.hook("pre-commit").read_bytes()
    uninstall(place)
    assert whole_state(repo) == before


def test_outside_a_worktree_there_is_nothing_to_install_into(tmp_path: Path, make_repo: Callable[..., Any]) -> None:
    with pytest.raises(NotARepository):
        locate(tmp_path)
    bare = make_repo("bare", "--bare")
    with pytest.raises(NotARepository) as caught:
        locate(bare.path)
    assert "worktree" in caught.value.hint
    assert not (bare.path / "hooks/pre-commit").exists()


def test_a_folder_that_cannot_be_written_is_an_error_with_the_path(repo: Any) -> None:
    place = locate(repo.path)
    place.folder.write_text("a file where the folder should be", encoding="utf-8")
    with pytest.raises(GitError, match="hooks") as caught:
        install(place)
    assert caught.value.hint == "look at its owner and mode"
    assert stat.S_ISREG(place.folder.lstat().st_mode)


class TestPreCommitFramework:
    @pytest.fixture
    def framework(self, repo: Any) -> Any:
        pytest.importorskip("pre_commit")
        local = (
            "repos:\n- repo: local\n  hooks:\n"
            "  - {id: no-secret, name: no-secret, language: pygrep, entry: SECRET, files: .}\n"
        )
        repo.add({".pre-commit-config.yaml": local}, commit="framework")
        _run([sys.executable, "-m", "pre_commit", "install"], repo.path)
        return repo

    def test_its_hook_is_chained_and_comes_back(self, framework: Any) -> None:
        before = whole_state(framework)
        place = locate(framework.path)
        install(place)
        framework.add({"a.txt": "SECRET\n"})
        framework.git("commit", "-m", "x", rc=1)
        framework.add({"a.txt": "fine\n"})
        framework.git("commit", "-m", "x")
        uninstall(place)
        assert whole_state(framework) == before

    def test_installed_over_ours_it_still_runs_both_and_uninstall_says_how_to_go_on(self, repo: Any) -> None:
        pytest.importorskip("pre_commit")
        place = locate(repo.path)
        install(place)
        repo.add({".pre-commit-config.yaml": "repos: []\n"})
        _run([sys.executable, "-m", "pre_commit", "install"], repo.path)
        repo.git("commit", "-m", "x")
        with pytest.raises(GitError, match=r"runs it as pre-commit\.legacy") as caught:
            uninstall(place)
        assert "pre-commit uninstall" in caught.value.hint
        _run([sys.executable, "-m", "pre_commit", "uninstall"], repo.path)
        assert uninstall(place)[0] == f"removed {place.hook('pre-commit')}"
