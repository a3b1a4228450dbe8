"""The commands `run` and `check` on a real repository, with a run that was made by hand."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from litecode.core.errors import Interrupted
from litecode.core.values import Apply, Change, Finding, Patch, Plan, Run, Severity, State, Task, Verdict
from litecode.core.world import Options, World
from litecode.hooks.cli import main

RULES = """\
rules:
- id: no-print
  message: Use the logger.
  language: python
  pattern: print($$$A)
  fix: log($$$A)
- id: other
  message: Other.
  severity: 'off'
  regex: x
"""
DIFF = "--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-print(1)  # \x1b[2J\n+log(1)  # \x1b[2J\n"


def made(*states: State, **more: Any) -> Run:
    verdicts = tuple(
        Verdict(
            f"{name}.py",
            "no-print",
            state,
            "a reason",
            line=3,
            sites=1,
            findings=(Finding(f"{name}.py", 3, 5, 3, "no-print", "Use the logger.", Severity.ERROR),),
        )
        for name, state in zip("abcdef", states, strict=False)
    )
    return Run("7f3a", 1_700_000_000.0, ("git", "litecode"), Plan(()), verdicts, extra={"files": 6}, **more)


def patch(state: State, path: str = "a.py") -> Patch:
    return Patch(path, DIFF, state, ("no-print",), Change(path, "100644", "0" * 40, b""))


class Runner:
    """Stands where the pipeline is: notes what it was asked, and gives the run that was prepared."""

    def __init__(self) -> None:
        self.run: Run | BaseException = made()
        self.asked: list[Options] = []
        self.worlds: list[World] = []

    def __call__(self, world: World, options: Options) -> Run:
        self.worlds.append(world)
        self.asked.append(options)
        if isinstance(self.run, BaseException):
            raise self.run
        return replace(self.run, notes=(*world.notes, *self.run.notes))


@pytest.fixture
def runner(monkeypatch: pytest.MonkeyPatch) -> Runner:
    one = Runner()
    monkeypatch.setattr("litecode.hooks.performing.make_run", one)
    return one


@pytest.fixture
def scene(repo: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    repo.add({".litecode.yaml": RULES, "a.py": "print(1)\n", "src/b.py": "print(2)\n"}, commit="base")
    monkeypatch.chdir(repo.path)
    return repo


Capture = pytest.CaptureFixture[str]


@pytest.mark.usefixtures("scene")
class TestRun:
    def test_text(self, runner: Runner, capsys: Capture) -> None:
        runner.run = made(State.STAGED, State.HELD, patches=(patch(State.STAGED),))
        assert main(["run"]) == 1
        got = capsys.readouterr()
        assert got.out == (
            "  a.py:3  no-print  staged    1 site\n"
            "  b.py:3  no-print  held      a reason\n" + DIFF.replace("\x1b", "\\x1b")
        )
        assert got.err == (
            "litecode: 2 of 6 staged files match 1 rule, 2 sites\n"
            "1 patch staged, 1 held: git litecode show 7f3a    undo: git litecode undo 7f3a\n"
        )

    @pytest.mark.parametrize(
        ("argv", "want"),
        [
            ([], Options()),
            (["a.py", "src"], Options(paths=("a.py", "src"))),
            (["--all-files", "--yes"], Options(all_files=True, yes=True)),
            (["--from-ref", "HEAD", "--to-ref", "main"], Options(from_ref="HEAD", to_ref="main")),
            (["--apply", "hold", "--dry-run"], Options(apply=Apply.HOLD, dry_run=True)),
            (["--apply", "worktree"], Options(apply=Apply.WORKTREE)),
            (["--only", "no-print"], Options(only=("no-print",))),
        ],
    )
    def test_options(self, runner: Runner, argv: list[str], want: Options) -> None:
        assert main(["run", *argv]) == 0
        assert runner.asked == [want]

    def test_settings_say_what_is_done_unless_the_command_line_does(self, runner: Runner, scene: Any) -> None:
        scene.config("litecode.apply", "hold")
        assert main(["run"]) == main(["run", "--apply", "stage"]) == 0
        assert [options.apply for options in runner.asked] == [Apply.HOLD, Apply.STAGE]

    def test_rules_that_are_skipped(self, runner: Runner, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("LITECODE_SKIP", "no-print,nope")
        assert main(["run"]) == 0
        assert runner.asked[0].skip == ("no-print", "nope")
        assert capsys.readouterr().err.splitlines()[:2] == [
            "note: LITECODE_SKIP skips no-print",
            "note: LITECODE_SKIP names nope, which is no rule",
        ]

    def test_a_rules_file_with_unstaged_edits(self, runner: Runner, scene: Any, capsys: Capture) -> None:
        scene.write(".litecode.yaml", RULES.replace("no-print", "no-output"))
        assert main(["run"]) == 0
        assert [rule.id for rule in runner.worlds[0].rules.rules] == ["no-output", "other"]
        assert capsys.readouterr().err.splitlines()[0] == (
            "note: the unstaged edits of .litecode.yaml count here, but not in a commit"
        )

    @pytest.mark.usefixtures("runner")
    def test_warnings_of_the_rules_file_and_the_settings(self, scene: Any, capsys: Capture) -> None:
        scene.write(".litecode.yaml", "exclude: 'a/*'\n" + RULES)
        scene.git("add", ".litecode.yaml")
        scene.config("litecode.endpoint", "ollama")
        assert main(["run"]) == 0
        first, second = capsys.readouterr().err.splitlines()[:2]
        assert first.startswith("note: .litecode.yaml:1:")
        assert second.startswith("note: litecode.endpoint in the local configuration of the repository is ignored")

    @pytest.mark.parametrize(
        ("argv", "lines"),
        [
            (["--only", "no-prnt"], ["litecode: there is no rule no-prnt", "hint: did you mean no-print?"]),
            (
                ["--only", "other"],
                ["litecode: the rule other is switched off", "hint: give it a severity in .litecode.yaml"],
            ),
            (["b.py"], ["litecode: there is no file or folder b.py", "hint: did you mean a.py?"]),
        ],
    )
    def test_what_is_not_there(self, runner: Runner, capsys: Capture, argv: list[str], lines: list[str]) -> None:
        assert main(["run", *argv]) == 2
        assert capsys.readouterr().err.splitlines() == lines
        assert runner.asked == []

    def test_a_dry_run(self, runner: Runner, capsys: Capture) -> None:
        runner.run = replace(made(), plan=Plan((Task("1", "a.py", "Replace it.", rule="no-print"),)))
        assert main(["run", "--dry-run"]) == 0
        got = capsys.readouterr()
        assert got.out == "  a.py  no-print  Replace it.\n"
        assert got.err.splitlines()[-1] == "litecode: 1 task, 0 model calls; nothing was changed"

    def test_verbose(self, runner: Runner, capsys: Capture) -> None:
        runner.run = made(State.CONFORMS)
        assert main(["run"]) == main(["run", "-v"]) == 0
        assert capsys.readouterr().out == "  a.py:3  no-print  conforms  a reason\n"

    def test_interrupted(self, runner: Runner, capsys: Capture) -> None:
        runner.run = Interrupted("x")
        assert main(["run"]) == 130
        assert capsys.readouterr().err == "litecode: interrupted, nothing was changed\n"

    @pytest.mark.parametrize("form", ["json", "github", "sarif"])
    def test_other_formats(self, runner: Runner, capsys: Capture, form: str) -> None:
        runner.run = made(State.STAGED, State.REJECTED, patches=(patch(State.STAGED),))
        assert main(["run", "--format", form]) == 1
        got = capsys.readouterr()
        closing = "1 patch staged, 1 rejected: git litecode show 7f3a    undo: git litecode undo 7f3a\n"
        line = "::error file=b.py,line=3,endLine=3,col=5,title=no-print::Use the logger.\n"
        if form == "github":
            assert got.out == line
            assert got.err == "b.py:3:5: no-print Use the logger.\n" + closing
            return
        value = json.loads(got.out)
        assert got.err == closing
        if form == "json":
            assert (value["id"], value["exit_code"], len(value["verdicts"])) == ("7f3a", 1, 2)
        else:
            assert [result["ruleId"] for result in value["runs"][0]["results"]] == ["no-print"]
            assert [rule["id"] for rule in value["runs"][0]["tool"]["driver"]["rules"]] == ["no-print"]


@pytest.mark.usefixtures("scene")
class TestCheck:
    def test_text(self, runner: Runner, capsys: Capture) -> None:
        runner.run = made(State.FOUND, State.CONFORMS, patches=(patch(State.HELD),))
        assert main(["check", "--no-model"]) == 1
        got = capsys.readouterr()
        assert got.out == "a.py:3:5: no-print Use the logger.\n"
        assert got.err == "litecode: 1 finding in 1 file, `git litecode run` has a change for all of them\n"
        assert runner.asked == [Options(check=True, no_model=True)]

    def test_clean(self, runner: Runner, capsys: Capture) -> None:
        assert main(["check", "src"]) == 0
        assert capsys.readouterr() == ("", "litecode: no findings\n")
        assert runner.asked == [Options(paths=("src",), check=True)]

    def test_json(self, runner: Runner, capsys: Capture) -> None:
        runner.run = made(State.FOUND)
        assert main(["check", "--format", "json"]) == 1
        got = capsys.readouterr()
        assert json.loads(got.out)["verdicts"][0]["state"] == "found"
        assert got.err == ""

    def test_it_leaves_no_trace(self, runner: Runner, scene: Any) -> None:
        before = scene.snapshot()
        assert main(["check"]) == 0
        assert main(["check", "--diff"]) == 0
        assert scene.snapshot() == before
        assert len(runner.asked) == 2

    def test_the_diff_can_be_applied(
        self, runner: Runner, scene: Any, capfdbinary: pytest.CaptureFixture[bytes]
    ) -> None:
        before, after = b"caf\xe9\r\nprint(1)\r\n\x1b[2J", b"caf\xe9\r\nlog(1)\r\n\x1b[2J"
        scene.add({"c.py": before}, commit="c")
        scene.write("c.py", after)
        diff = scene.git("diff", "--no-ext-diff").decode("utf-8", "surrogateescape")
        scene.write("c.py", before)
        runner.run = made(State.FOUND, State.FOUND, patches=(replace(patch(State.HELD, "a.py"), diff=diff),))
        assert main(["check", "--diff"]) == 1
        got = capfdbinary.readouterr()
        assert got.err == b"no change for b.py:3:5: no-print Use the logger.\n"
        scene.git("apply", "--whitespace=nowarn", "-", stdin=got.out)
        assert scene.read("c.py") == after

    @pytest.mark.parametrize(
        ("states", "patches", "code"),
        [
            ((), (), 0),
            ((State.FOUND,), (), 1),
            ((State.CONFORMS,), (patch(State.HELD),), 1),
            ((State.FAILED,), (patch(State.HELD),), 2),
            ((), (patch(State.REJECTED),), 0),
        ],
    )
    def test_the_exit_code_of_a_diff(
        self, runner: Runner, states: tuple[State, ...], patches: tuple[Patch, ...], code: int
    ) -> None:
        runner.run = made(*states, patches=patches)
        assert main(["check", "--diff"]) == code


@pytest.mark.parametrize("argv", [["run"], ["check"], ["check", "--all-files"], ["explain", "x"]])
def test_without_a_rules_file(repo: Any, monkeypatch: pytest.MonkeyPatch, capsys: Capture, argv: list[str]) -> None:
    repo.add({"a.py": "print(1)\n"})
    monkeypatch.chdir(repo.path)
    before = repo.snapshot()
    assert main(argv) == 2
    assert capsys.readouterr().err.splitlines() == [
        f"litecode: there is no .litecode.yaml at the top of {repo.path}",
        "hint: `git litecode init` writes a first one",
    ]
    assert repo.snapshot() == before


@pytest.mark.parametrize("command", ["run", "check", "explain"])
def test_a_rules_file_that_cannot_be_used(scene: Any, capsys: Capture, command: str) -> None:
    scene.write(".litecode.yaml", RULES.replace("pattern", "patern"))
    before = scene.snapshot()
    assert main([command]) == 2
    assert capsys.readouterr().err.splitlines() == [
        "litecode: .litecode.yaml:5:3: unknown key `patern` in rule `no-print`",
        "hint: did you mean `pattern`?",
    ]
    assert scene.snapshot() == before


@pytest.mark.parametrize("argv", [["run"], ["run", "--dry-run"], ["check"], ["check", "--no-model"]])
def test_a_snippet_of_a_rule_that_does_not_parse(scene: Any, capsys: Capture, argv: list[str]) -> None:
    text = "rules:\n- {id: log, message: M., language: python, pattern: print($A), fix: 'log($A'}\n"
    scene.add({".litecode.yaml": text, "new.py": "print(1)\n"})
    before = scene.snapshot()
    assert main(argv) == 2
    assert capsys.readouterr().err.splitlines()[-2:] == [
        "litecode: .litecode.yaml:2:69: rule log: `fix` does not parse as python: log($A",
        "hint: check brackets and quotes",
    ]
    assert scene.snapshot() == before


class TestExplain:
    def test_one_rule(self, scene: Any, capsys: Capture) -> None:
        assert scene
        assert main(["explain", "no-print"]) == 0
        assert capsys.readouterr().out.splitlines()[0] == "no-print: Use the logger."

    def test_all_rules(self, scene: Any, capsys: Capture) -> None:
        assert scene
        assert main(["explain"]) == 0
        assert capsys.readouterr().out == (
            ".litecode.yaml\n  no-print  error    Use the logger.\n  other     off      Other.\n"
        )

    @pytest.mark.parametrize(
        ("name", "hint"),
        [
            ("no-prnt", "did you mean `git litecode explain no-print`?"),
            ("zz", "`git litecode explain` lists the rules"),
        ],
    )
    def test_none(self, scene: Any, capsys: Capture, name: str, hint: str) -> None:
        assert scene
        assert main(["explain", name]) == 2
        assert capsys.readouterr().err.splitlines() == [f"litecode: there is no rule {name}", f"hint: {hint}"]


class TestPast:
    @pytest.fixture
    def kept(self, scene: Any) -> Callable[[Run], None]:
        from litecode.core.store.runs import RunStore

        return RunStore(scene.path / ".git/litecode", clock=lambda: 1_700_000_000.0).save  # type: ignore[return-value]  # the path is of no interest

    def test_there_is_none_yet(self, scene: Any, capsys: Capture) -> None:
        before = scene.snapshot()
        assert main(["log"]) == 0
        assert capsys.readouterr() == ("", "litecode: there is no run yet\n")
        assert main(["show"]) == 2
        assert capsys.readouterr().err.splitlines() == [
            "litecode: there is no run yet",
            "hint: stage something and say `git litecode run`",
        ]
        assert scene.snapshot() == before

    def test_log(self, kept: Callable[[Run], None], capsys: Capture) -> None:
        kept(made(State.STAGED, State.HELD))
        kept(replace(made(), id="aaaa", started=1_700_000_100.0))
        assert main(["log"]) == 0
        assert capsys.readouterr().out == (
            "aaaa  2023-11-14 22:15  nothing to do  git litecode\n"
            "7f3a  2023-11-14 22:13  1 staged, 1 held in 2 files  git litecode\n"
        )
        assert main(["log", "-n", "1"]) == 0
        assert capsys.readouterr().out.count("\n") == 1

    def test_show(self, kept: Callable[[Run], None], capsys: Capture) -> None:
        kept(made(State.STAGED, patches=(patch(State.STAGED),)))
        assert main(["show"]) == main(["show", "7f3a"]) == main(["show", "7"]) == 0
        out = capsys.readouterr().out
        assert out.startswith("run 7f3a  2023-11-14 22:13  git litecode\n0.0 s\n  a.py:3  no-print  staged    1 site\n")
        assert out == out[: len(out) // 3] * 3
        assert "\x1b" not in out
        assert main(["show", "--format", "json"]) == 0
        assert json.loads(capsys.readouterr().out)["patches"][0]["diff"] == DIFF

    def test_show_what_is_not_there(self, kept: Callable[[Run], None], capsys: Capture) -> None:
        kept(made())
        assert main(["show", "../7f3a"]) == 2
        assert capsys.readouterr().err.splitlines() == [
            "litecode: there is no run ../7f3a",
            "hint: `git litecode log` lists the runs that are kept",
        ]

    def test_as_git_calls_it(self, kept: Callable[[Run], None], scene: Any) -> None:
        kept(made(State.STAGED))
        (scene / "src").mkdir(exist_ok=True)
        done = subprocess.run(
            ("git", "litecode", "log"), cwd=scene / "src", capture_output=True, text=True, check=False
        )
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout == "7f3a  2023-11-14 22:13  1 staged in 1 file  git litecode\n"
