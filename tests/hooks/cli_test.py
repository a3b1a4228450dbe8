from __future__ import annotations

import ast
import inspect
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import click
import pytest

from litecode.core.errors import ConfigError, Interrupted, LitecodeError, ModelCancelled, NotARepository
from litecode.hooks import cli
from litecode.hooks.cli import COMMANDS, main
from litecode.hooks.failure import KEEP_REPORTS

BUILT = [name for name, entry in COMMANDS.items() if (Path(cli.__file__).parent / "commands" / f"{name}.py").exists()]


def program(*args: str, cwd: Path | None = None, **more: Any) -> subprocess.CompletedProcess[str]:
    code = "import sys; from litecode.hooks.cli import main; sys.exit(main())"
    return subprocess.run(
        [sys.executable, "-c", code, *args], cwd=cwd, capture_output=True, text=True, check=False, **more
    )


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[], Any]], None]:
    """Puts a function in place of `git litecode log`."""

    def put(function: Callable[[], Any]) -> None:
        monkeypatch.setattr("litecode.hooks.commands.log.command", click.command()(lambda: function()))

    return put


def test_help_lists_every_command_and_imports_none(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["-h"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("Usage: git litecode [OPTIONS] COMMAND [ARGS]...\n")
    assert re.findall(r"^  ([a-z]+)  ", out.partition("Commands:")[2], re.MULTILINE) == list(COMMANDS)
    done = program("-h", env=os.environ | {"PYTHONPROFILEIMPORTTIME": "1"})
    assert done.returncode == 0
    assert "litecode.hooks.commands." not in done.stderr
    assert program("--help").stdout == out


@pytest.mark.parametrize("name", BUILT)
def test_each_command_has_help_that_begins_with_its_line_in_the_list(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([name, "-h"]) == 0
    out = capsys.readouterr().out
    assert out.startswith(f"Usage: git litecode {name}")
    assert "-h, --help" in out
    command = import_module(COMMANDS[name].module).command
    first = " ".join((inspect.getdoc(command.callback) or "").split())
    assert first.split()[0] == COMMANDS[name].help.split()[0]


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert re.fullmatch(r"litecode \d+\.\d+\S*\n", capsys.readouterr().out)


def test_without_a_command_there_is_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    got = capsys.readouterr()
    assert got.out == ""
    assert got.err.startswith("Usage: git litecode")


@pytest.mark.parametrize(
    ("argv", "lines"),
    [
        (["chekc"], ["litecode: there is no command chekc", "hint: did you mean `git litecode check`?"]),
        (["frobnicate"], ["litecode: there is no command frobnicate", "hint: `git litecode -h` lists the commands"]),
        (["a\x1b[2J"], ["litecode: there is no command a\\x1b[2J", "hint: `git litecode -h` lists the commands"]),
        (["--nope"], ["litecode: No such option '--nope'.", "hint: `git litecode -h` shows how it is used"]),
        (
            ["log", "x"],
            ["litecode: Got unexpected extra argument (x)", "hint: `git litecode log -h` shows how it is used"],
        ),
        (
            ["run", "--to-ref", "x"],
            ["litecode: --to-ref says where to end, but not where to begin", "hint: add --from-ref REV"],
        ),
        (
            ["check", "--all-files", "--from-ref", "x"],
            ["litecode: --all-files and --from-ref ask for different files", "hint: leave one of them out"],
        ),
        (
            ["check", "--diff", "--format", "json"],
            ["litecode: --diff and --format json ask for different output", "hint: leave one of them out"],
        ),
    ],
)
def test_wrong_command_lines(argv: list[str], lines: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(argv) == 2
    got = capsys.readouterr()
    assert got.err.splitlines() == lines
    assert got.out == ""


def test_a_wrong_choice_names_the_right_ones(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "--format", "xml"]) == 2
    assert "'xml' is not one of 'text', 'json', 'github', 'sarif'" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["log", "show", "undo", "explain", "run", "check"])
def test_outside_of_a_repository(name: str, hermetic: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([name]) == 2
    assert capsys.readouterr().err.splitlines() == [
        f"litecode: {hermetic} is not in a git repository",
        "hint: change into a repository, or run `git init` first",
    ]


@pytest.mark.parametrize(
    ("error", "code", "lines"),
    [
        (LitecodeError("It broke", "Mend it"), 2, ["litecode: It broke", "hint: Mend it"]),
        (NotARepository("none here", "go elsewhere"), 2, ["litecode: none here", "hint: go elsewhere"]),
        (ConfigError("bad", "good", "a.yaml:1:2"), 2, ["litecode: a.yaml:1:2: bad", "hint: good"]),
        (Interrupted("x", "y"), 130, ["litecode: interrupted, nothing was changed"]),
        (ModelCancelled("x", "y"), 130, ["litecode: interrupted, nothing was changed"]),
        (KeyboardInterrupt(), 130, ["litecode: interrupted, nothing was changed"]),
        (click.Abort(), 130, ["litecode: interrupted, nothing was changed"]),
        (BrokenPipeError(), 141, []),
    ],
)
def test_where_errors_end(
    command: Callable[..., None],
    error: BaseException,
    code: int,
    lines: list[str],
    capsys: pytest.CaptureFixture[str],
) -> None:
    def fail() -> None:
        raise error

    command(fail)
    assert main(["log"]) == code
    got = capsys.readouterr()
    assert got.err.splitlines() == lines
    assert got.out == ""


@pytest.mark.parametrize(("value", "code"), [(None, 0), (0, 0), (1, 1), (2, 2)])
def test_what_a_command_gives_is_the_exit_code(command: Callable[..., None], value: int | None, code: int) -> None:
    command(lambda: value)
    assert main(["log"]) == code


@pytest.mark.usefixtures("fail")
class TestBug:
    @pytest.fixture
    def fail(self, command: Callable[..., None]) -> None:
        def bug() -> None:
            raise KeyError("a\x1b[2Jb\nsecond line")

        command(bug)

    def test_one_line_and_a_report(self, hermetic: Path, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["log"]) == 2
        message, hint = capsys.readouterr().err.splitlines()
        assert message == "litecode: internal error, KeyError: 'a\\x1b[2Jb\\nsecond line'"
        (report,) = (hermetic / ".cache/litecode/crashes").iterdir()
        assert hint == f"hint: report this defect of LiteCode; the details are in {report}"
        text = report.read_text()
        assert "Traceback (most recent call last):" in text
        assert "KeyError" in text
        assert re.search(r"^litecode \S+, Python \d+\.\d+\.\d+, ", text, re.MULTILINE)
        assert re.search(r"\bclick \d", text)
        assert report.stat().st_mode & 0o777 == 0o600
        assert report.parent.stat().st_mode & 0o777 == 0o700

    def test_reports_do_not_pile_up(self, hermetic: Path) -> None:
        folder = hermetic / ".cache/litecode/crashes"
        folder.mkdir(parents=True)
        for number in range(30):
            (folder / f"20200101-0000{number:02}-1.log").write_text("old")
        assert main(["log"]) == 2
        left = sorted(path.name for path in folder.iterdir())
        assert len(left) == KEEP_REPORTS
        assert left[0] == "20200101-000021-1.log"

    def test_no_place_for_a_report(self, hermetic: Path, capsys: pytest.CaptureFixture[str]) -> None:
        (hermetic / ".cache").write_text("a file")
        assert main(["log"]) == 2
        assert capsys.readouterr().err.splitlines()[1] == (
            "hint: report this defect of LiteCode; the details could not be written: Not a directory"
        )


def test_a_reader_that_leaves_early_is_no_error(repo: Any) -> None:
    code = (
        "import sys; from litecode.hooks import cli; from litecode.hooks.commands import log; import click\n"
        "log.command = click.command()(lambda: [click.echo('x' * 1000) for _ in range(1000)] and None)\n"
        "sys.exit(cli.main())"
    )
    child = subprocess.Popen(
        [sys.executable, "-c", code, "log"], cwd=repo.path, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert child.stdout
    assert child.stderr
    child.stdout.read(10)
    child.stdout.close()
    assert child.wait(30) == 141
    assert child.stderr.read() == b""
    child.stderr.close()


WAITING = """
import sys, threading, time, click
from concurrent.futures import ThreadPoolExecutor
from litecode.hooks import cli
from litecode.hooks.commands import log
from litecode.core.orchestrator import run_plan
from litecode.core.values import Plan, Task

def work(task, seen):
    print("begun", flush=True)
    time.sleep(60)

def wait():
    run_plan(Plan((Task("1", "a", "x"),)), work, ThreadPoolExecutor(1), per_file={}, cancel=threading.Event())

log.command = click.command()(wait)
sys.exit(cli.main())
"""


def test_ctrl_c_ends_at_once_although_a_call_goes_on(hermetic: Path) -> None:
    child = subprocess.Popen(
        [sys.executable, "-c", WAITING, "log"], cwd=hermetic, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert child.stdout
    assert child.stdout.readline() == "begun\n"
    begun = time.monotonic()
    child.send_signal(signal.SIGINT)
    out, err = child.communicate(timeout=30)
    assert time.monotonic() - begun < 5
    assert (child.returncode, out, err) == (130, "", "litecode: interrupted, nothing was changed\n")


HEAVY = ("pygit2", "ollama", "openai", "tiktoken", "rich", "xllamacpp", "ast_grep_py", "pyflakes", "unidiff", "sqlite3")


@pytest.mark.parametrize(
    ("argv", "code"), [(["log"], 0), (["explain"], 0), (["check", "--nope"], 2), (["run", "--nope"], 2), (["show"], 2)]
)
def test_commands_import_what_they_use_and_no_more(repo: Any, argv: list[str], code: int) -> None:
    repo.add({".litecode.yaml": "rules: []\n"})
    done = program(*argv, cwd=repo.path, env=os.environ | {"PYTHONPROFILEIMPORTTIME": "1"})
    assert done.returncode == code, done.stderr[-300:]
    imported = set(re.findall(r"\| +([\w.]+)$", done.stderr, re.MULTILINE))
    assert "click" in imported
    assert sorted(name for name in imported if name.partition(".")[0] in HEAVY) == []
    others = {f"litecode.hooks.commands.{name}" for name in COMMANDS if name != argv[0]}
    assert sorted(imported & others) == []


def test_modules_do_not_import_other_commands() -> None:
    """Each command stands alone, so that calling one never pays for another."""
    for name in BUILT:
        tree = ast.parse((Path(cli.__file__).parent / "commands" / f"{name}.py").read_bytes())
        modules = [node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
        assert [module for module in modules if module.startswith("litecode.hooks.commands")] == []
