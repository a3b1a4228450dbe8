"""Real shells complete `git litecode`: bash through git's own completion, zsh at a keyboard, fish by its own words."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from litecode.hooks.cli import COMMANDS, group
from litecode.hooks.completing import SHELLS, script

GIT_COMPLETION = Path("/usr/share/bash-completion/completions/git")
RULES = """\
rules:
- id: is-none
  message: Compare with None by identity.
  language: python
  pattern: $VALUE == None
  fix: $VALUE is None
- id: no-tabs
  message: Indent with spaces.
  regex: ^\\t
"""
# The words of a line, and what TAB offers for the last one.
LINES = [
    (("git", "litecode", "un"), ["undo", "uninstall"]),
    (("git", "-C", ".", "litecode", "model", ""), ["list", "pull", "serve"]),
    (("git", "litecode", "check", "--format", ""), ["github", "json", "sarif", "text"]),
    (("git", "litecode", "run", "--al"), ["--all-files"]),
    (("git", "litecode", "explain", ""), ["is-none", "no-tabs"]),
    (("git", "litecode", "run", "--only", "no"), ["no-tabs"]),
    (("git", "litecode", "show", ""), ["RUN"]),
    (("git", "litecode", "zzz"), []),
    (("git", "litecode", "run", "--zzz"), []),
    (("git", "litecode", "explain", "zzz"), []),
]


@pytest.fixture
def project(repo: Any) -> Any:
    """Two rules, and a run."""
    repo.add({".litecode.yaml": RULES}, commit="base")
    repo.add({"a.py": "x = y == None\n"})
    repo.git("litecode", "run")
    return repo


def expected(repo: Any, offered: list[str]) -> list[str]:
    (run,) = (path.name for path in (repo / ".git/litecode/runs").iterdir())
    return [run if word == "RUN" else word for word in offered]


def shell(*argv: str, cwd: Path, stdin: str = "") -> str:
    done = subprocess.run(argv, cwd=cwd, input=stdin, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.skipif(not GIT_COMPLETION.exists(), reason="git's completion for bash is not where Debian has it")
def test_bash_with_the_completion_of_git(project: Any) -> None:
    asked = [" ".join(f"'{word}'" for word in words) for words, _ in LINES]
    text = f"""
        source {GIT_COMPLETION}
        source <(git litecode completion bash)
        for line in {" ".join(f'"{line}"' for line in asked)}; do
            eval "COMP_WORDS=($line)"
            COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)) COMP_LINE="${{COMP_WORDS[*]}}" COMPREPLY=()
            COMP_POINT=${{#COMP_LINE}}
            __git_wrap__git_main 2>/dev/null
            printf '%s|' "${{COMPREPLY[@]}}"
            echo
        done
    """
    said = shell("bash", "--norc", "-c", text, cwd=project.path).splitlines()
    for (words, offered), line in zip(LINES, said, strict=True):
        found = [word for word in line.split("|") if word]
        assert all(word.endswith(" ") for word in found), words  # git's completion adds none
        assert sorted(word.strip() for word in found) == sorted(expected(project, offered)), words


def test_bash_without_the_completion_of_git(project: Any) -> None:
    text = """
        source <(git-litecode completion bash)
        COMP_WORDS=(git-litecode un) COMP_CWORD=1
        _git_litecode_completion git-litecode
        printf '%s\\n' "${COMPREPLY[@]}"
    """
    assert sorted(shell("bash", "--norc", "-c", text, cwd=project.path).split()) == ["undo", "uninstall"]


@pytest.mark.skipif(shutil.which("fish") is None, reason="no fish on this machine")
def test_fish(project: Any) -> None:
    asked = [" ".join(words) for words, _ in LINES]
    lines = "\n".join(f"complete --do-complete '{line}'; echo END" for line in asked)
    said = shell("fish", cwd=project.path, stdin=f"git litecode completion fish | source\n{lines}\n")
    parts = said.split("END\n")[:-1]
    for (words, offered), part in zip(LINES, parts, strict=True):
        found = [line.partition("\t")[0] for line in part.splitlines()]
        wanted = expected(project, offered)
        assert (sorted(found) == sorted(wanted)) if wanted else "zzz" not in part, words


@pytest.mark.skipif(shutil.which("zsh") is None, reason="no zsh on this machine")
def test_zsh(project: Any, keyboard: Callable[..., Any]) -> None:
    project.write(".zshrc", "autoload -U compinit; compinit -D; PS1='ready> '\nsource <(git litecode completion zsh)\n")
    screen = keyboard("zsh", cwd=project.path, env={"ZDOTDIR": str(project.path)})
    screen.wait("ready>")
    for typed, whole in [
        ("git litecode unin", "git litecode uninstall"),
        ("git-litecode docto", "git-litecode doctor"),
        ("git litecode check --format sa", "git litecode check --format sarif"),
        ("git litecode explain is", "git litecode explain is-none"),
    ]:
        screen.type(typed, "Tab")
        screen.wait(whole)
        screen.type("", "C-u")


@pytest.mark.parametrize("name", SHELLS)
def test_the_command_prints_the_script(name: str, hermetic: Path) -> None:
    said = shell("git", "litecode", "completion", name, cwd=hermetic)
    assert said == script(name, group)
    assert "git_litecode" in said


def test_another_shell_is_refused(hermetic: Path) -> None:
    done = subprocess.run(("git", "litecode", "completion", "tcsh"), cwd=hermetic, capture_output=True, check=False)
    assert done.returncode == 2
    assert b"'tcsh' is not one of 'bash', 'zsh', 'fish'" in done.stderr
    assert done.stdout == b""


def test_nothing_is_said_where_nothing_can_be_found(hermetic: Path) -> None:
    """Outside of a repository, or with a rules file that is none, there are no candidates, and no message."""
    environ = os.environ | {"_GIT_LITECODE_COMPLETE": "fish_complete", "COMP_CWORD": ""}
    for words in ("git-litecode explain ", "git-litecode show "):
        done = subprocess.run(
            ("git-litecode",), cwd=hermetic, env=environ | {"COMP_WORDS": words}, capture_output=True, check=False
        )
        assert (done.returncode, done.stdout.strip(), done.stderr) == (0, b"", b"")


def test_commands_are_listed_without_their_import(hermetic: Path) -> None:
    environ = os.environ | {
        "_GIT_LITECODE_COMPLETE": "fish_complete",
        "COMP_WORDS": "git-litecode ",
        "COMP_CWORD": "",
        "PYTHONPROFILEIMPORTTIME": "1",
    }
    done = subprocess.run(("git-litecode",), cwd=hermetic, env=environ, capture_output=True, text=True, check=False)
    assert [line.split(",")[1].split("\t")[0] for line in done.stdout.splitlines() if line] == list(COMMANDS)
    assert "litecode.hooks.commands." not in done.stderr
