"""Ctrl-C, at a terminal and from outside: nothing is written, the exit code is 130, and no word of Python is said."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from litecode.hooks.cli import main
from litecode.hooks.starting import SAID

RULES = """\
rules:
- id: no-print
  message: Use the logger.
  language: python
  pattern: print($$$ARGS)
  instruction: Replace the print() call by a logger.info() call.
  ensure: [import logging, logger = logging.getLogger(__name__)]
"""
FILES = {f"{name}.py": f'def {name}(x):\n    print("{name}", x)\n\n\n# end\n' for name in ("one", "two", "three")}
# A call, and how many of the ten parts of its answer have come. Call 0 is before the first one.
MOMENTS = [(0, 0), (1, 0), (1, 1), (1, 4), (1, 7), (2, 0), (2, 4), (2, 7), (3, 1), (3, 7)]
# Modules that are imported before the work begins, and in it.
WROTE = "litecode: interrupted, but the run {} had written already: git status, git litecode log"
EARLY = {
    "starting": ["click.globals", "click.core", "litecode.core.errors", "litecode.hooks.cli"],
    "pre_commit": ["litecode.hooks.fast", "litecode.core.errors", "litecode.core.values", "litecode.hooks.entries"],
}
LATE = ["litecode.config.rules", "yaml", "litecode.core.executing.executor", "litecode.core.pipeline"]
IMPORTS = [(entry, module) for entry, modules in EARLY.items() for module in (*modules, *LATE)]


class Stop:
    """Lets an answer come until a moment, says that it is there, and then waits for the end of the test."""

    def __init__(self, server: Any, moment: tuple[int, int]) -> None:
        self.server, self.moment = server, moment
        self.there, self.over = threading.Event(), threading.Event()
        self._records, self._facts = server.records, server.facts
        server.records, server.facts = self.records, self.facts

    def records(self, messages: list[dict[str, str]]) -> Iterator[dict[str, Any]]:
        for part, record in enumerate(self._records(messages)):
            self.wait(self.server.chats, part)
            yield record

    def facts(self, path: str) -> dict[str, Any]:
        if path != "/api/ps":
            self.wait(0, 0)
        found: dict[str, Any] = self._facts(path)
        return found

    def wait(self, *here: int) -> None:
        if here == self.moment:
            self.there.set()
            self.over.wait(300)


@pytest.fixture
def stop(imitation: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[tuple[int, int]], Stop]]:
    made: list[Stop] = []

    def at(moment: tuple[int, int]) -> Stop:
        monkeypatch.setenv("OLLAMA_HOST", imitation.address)
        made.append(Stop(imitation, moment))
        return made[-1]

    yield at
    for one in made:
        one.over.set()


@pytest.fixture
def project(repo: Any) -> Any:
    repo.add({".litecode.yaml": RULES, "other.py": "x = 1\n"}, commit="base")
    repo.add(FILES)
    repo.write("two.py", FILES["two.py"] + "# mine\n")
    return repo


def everything(repo: Any) -> tuple[Any, ...]:
    return repo.index(), repo.status(), [repo.read(path) for path in (*FILES, "other.py")], repo.rev("HEAD")


@pytest.mark.parametrize("moment", MOMENTS)
def test_at_a_terminal(moment: tuple[int, int], project: Any, keyboard: Any, stop: Callable[..., Stop]) -> None:
    """`git litecode` at a keyboard, where git gets the signal, too, and passes it on."""
    before = everything(project)
    waiting = stop(moment)
    terminal = keyboard("git litecode run", cwd=project.path)
    assert waiting.there.wait(300), terminal.screen
    if moment[0]:
        terminal.wait(f"litecode: {moment[0] - 1} of 3 tasks")
    terminal.type("", "C-c")
    screen = terminal.wait("[exit ")
    assert "[exit 130]" in screen
    assert SAID in screen
    assert "Traceback" not in screen
    assert " of 3 tasks" not in screen  # the progress line is taken away
    assert everything(project) == before
    assert not list(project.path.glob(".git/litecode/runs/*"))


@pytest.mark.parametrize(
    "argv", [("run",), ("check",), ("run", "-m", "add a docstring to one in one.py"), ("ask", "what?")]
)
def test_every_command_that_asks_a_model(argv: tuple[str, ...], project: Any, stop: Callable[..., Stop]) -> None:
    before = everything(project)
    waiting = stop((1, 4))
    with subprocess.Popen(("git-litecode", *argv), cwd=project.path, stderr=subprocess.PIPE, text=True) as started:
        assert waiting.there.wait(300)
        started.send_signal(signal.SIGINT)
        _, said = started.communicate(timeout=300)
    assert (started.returncode, said.splitlines()[-1]) == (130, SAID)
    assert "Traceback" not in said
    assert everything(project) == before


def test_a_commit(project: Any, keyboard: Any, stop: Callable[..., Stop]) -> None:
    project.git("litecode", "install")
    before = everything(project)
    waiting = stop((2, 4))
    terminal = keyboard("git commit -m change", cwd=project.path)
    assert waiting.there.wait(300), terminal.screen
    terminal.type("", "C-c")
    screen = terminal.wait("[exit ")
    assert "[exit 130]" in screen
    assert "Traceback" not in screen
    assert everything(project) == before


@pytest.mark.parametrize(("entry", "module"), IMPORTS)
def test_while_modules_are_imported(entry: str, module: str, project: Any) -> None:
    """The interpreter says what it has just imported, and gets the signal there."""
    before = everything(project)
    code = f"import sys; from litecode.hooks.{entry} import main; sys.exit(main())"
    argv = (sys.executable, "-u", "-X", "importtime", "-c", code, "pre-commit" if entry == "pre_commit" else "run")
    with subprocess.Popen(argv, cwd=project.path, stderr=subprocess.PIPE, text=True) as started:
        assert started.stderr is not None
        for line in started.stderr:
            if line.rstrip().endswith(f" {module}"):
                started.send_signal(signal.SIGINT)
                break
        else:
            pytest.fail(f"{module} is not imported")
        said = "".join(line for line in started.stderr if not line.startswith("import time:"))
    assert (started.returncode, said) == (130, SAID + "\n")
    assert everything(project) == before


def test_twice(project: Any, stop: Callable[..., Stop]) -> None:
    """A second Ctrl-C while the first one is being dealt with."""
    waiting = stop((1, 4))
    with subprocess.Popen(("git-litecode", "run"), cwd=project.path, stderr=subprocess.PIPE, text=True) as started:
        assert waiting.there.wait(300)
        for _ in range(20):
            started.send_signal(signal.SIGINT)
        _, said = started.communicate(timeout=300)
    assert started.returncode in (130, -signal.SIGINT)
    assert "Traceback" not in said
    assert set(said.splitlines()) <= {SAID}


@pytest.mark.parametrize(("fix", "changed"), [("$VALUE is None", True), ("", False)])
def test_after_the_write(
    fix: str, changed: bool, repo: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """While the result is shown it is too late to say that nothing was changed."""

    def interrupt(*_args: object, **_more: object) -> None:
        raise KeyboardInterrupt

    rule = "- id: r\n  message: m\n  language: python\n  pattern: $VALUE == None\n"
    repo.add({".litecode.yaml": f"rules:\n{rule}" + (f"  fix: {fix}\n" if fix else ""), "a.py": "x == None\n"})
    monkeypatch.chdir(repo.path)
    monkeypatch.setattr("litecode.hooks.performing.report", interrupt)
    for _ in range(2):  # the second run has nothing to change, and says so
        assert main(["run"]) == 130
        said = capsys.readouterr().err.splitlines()[-1]
        run = repo.git("litecode", "log", "-n", "1")[:4].decode()
        assert said == (WROTE.format(run) if changed else SAID)
        assert repo.blob("a.py") == (b"x is None\n" if fix else b"x == None\n")
        changed = False


def interrupting(monkeypatch: pytest.MonkeyPatch, place: str) -> None:
    """Ctrl-C at the very moment at which a function is called."""

    def interrupt(*_args: object, **_more: object) -> None:
        monkeypatch.undo()
        raise KeyboardInterrupt

    monkeypatch.setattr(place, interrupt)


@pytest.mark.parametrize(
    ("argv", "place", "written"),
    [
        (("run",), "litecode.core.git.swap.IndexSwap.take_lock", False),
        (("run",), "litecode.core.git.transaction.finish", True),
        (("run",), "litecode.core.store.runs.RunStore.save", True),
        (("apply",), "litecode.core.git.transaction.decide", False),
        (("apply",), "litecode.core.git.swap.IndexSwap.commit", False),
        (("apply",), "litecode.core.git.transaction.finish", True),
        (("apply",), "litecode.core.store.runs.RunStore.save", True),
        (("apply",), "litecode.hooks.deciding.operation_sentences", True),
        (("review", "--accept", "a.py"), "litecode.core.git.swap.IndexSwap.edit", False),
        (("review", "--accept", "a.py"), "litecode.core.store.runs.RunStore.save", True),
        (("drop",), "litecode.hooks.deciding.open_patches", False),
        (("undo",), "litecode.core.git.files.Files.put_all", False),
        (("undo",), "litecode.core.git.transaction.finish", True),
        (("undo",), "litecode.hooks.commands.undo.count", True),
    ],
)
def test_what_is_said_is_true(
    argv: tuple[str, ...],
    place: str,
    written: bool,
    repo: Any,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    rule = "- id: r\n  message: m\n  language: python\n  pattern: $VALUE == None\n  fix: $VALUE is None\n"
    held = argv[0] in ("apply", "review", "drop")
    repo.add({".litecode.yaml": f"rules:\n{rule}" + ("  severity: warning\n" if held else ""), "a.py": "x == None\n"})
    monkeypatch.chdir(repo.path)
    if held:
        repo.git("config", "litecode.apply", "hold")
    if argv[0] != "run":
        main(["run"])
    before = repo.index(), repo.read("a.py")
    capsys.readouterr()
    with monkeypatch.context() as patching:
        interrupting(patching, place)
        assert main(list(argv)) == 130
    said = capsys.readouterr().err.splitlines()[-1]
    assert ((repo.index(), repo.read("a.py")) != before) == written
    run = next(repo.path.glob(".git/litecode/txn-*")).name[4:8] if written else ""
    assert said == (WROTE.format(run) if written else SAID)


def test_an_end_without_an_interrupt(
    project: Any, imitation: Any, keyboard: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same run when nobody stops it; the progress line shows tasks, tokens and time, and is gone in the end."""
    imitation.pace = 0.08
    monkeypatch.setenv("OLLAMA_HOST", imitation.address)
    terminal = keyboard("git litecode run", cwd=project.path)
    screen = terminal.wait(" tokens at ")
    line = next(line for line in screen.splitlines() if "of 3 tasks" in line)
    assert " tokens at " in line
    assert line.rsplit("; ", 1)[1] in {f"{path} no-print" for path in FILES}
    screen = terminal.wait("[exit ")
    assert "[exit 0]" in screen
    assert "3 patches staged" in screen
    assert " of 3 tasks" not in screen
    assert [project.blob(path) != FILES[path].encode() for path in FILES] == [True, True, True]
    assert os.environ["OLLAMA_HOST"] == imitation.address
