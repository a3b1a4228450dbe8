"""The commands from end to end, with rules that need no model."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from litecode.hooks.cli import main

Capture = pytest.CaptureFixture[str]

RULES = """\
rules:
- id: is-none
  message: Compare with None by identity.
  language: python
  pattern: $VALUE == None
  fix: $VALUE is None
- id: no-eval
  message: Do not evaluate text.
  severity: warning
  language: python
  pattern: eval($$$ARGS)
"""
BROKEN = 'def f(x):\n    if x == None:\n        return eval("1")\n    return 2\n'
MENDED = BROKEN.replace("== None", "is None")
DIFF = """\
--- a/{path}
+++ b/{path}
@@ -1,4 +1,4 @@
 def f(x):
-    if x == None:
+    if x is None:
         return eval("1")
     return 2
"""


@pytest.fixture
def scene(repo: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    repo.add({".litecode.yaml": RULES, "fine.py": "x = 1\n"}, commit="base")
    repo.add({"a.py": BROKEN, "src/b.py": BROKEN, "c.py": "y = None\n"})
    monkeypatch.chdir(repo.path)
    return repo


def without_headers(text: str) -> str:
    return re.sub(r"^(diff --git|index|new file mode) .*\n", "", text, flags=re.MULTILINE)


def test_check_then_run_then_undo(scene: Any, capsys: Capture) -> None:
    before = scene.snapshot()
    assert main(["check"]) == 1
    assert capsys.readouterr() == (
        "a.py:2:8: is-none Compare with None by identity.\n"
        "a.py:3:16: no-eval Do not evaluate text.\n"
        "src/b.py:2:8: is-none Compare with None by identity.\n"
        "src/b.py:3:16: no-eval Do not evaluate text.\n",
        "litecode: 4 findings in 2 files, `git litecode run` has a change for 2 of them\n",
    )
    assert scene.snapshot() == before

    assert main(["run"]) == 0
    out, err = capsys.readouterr()
    name = re.search(r"undo ([0-9a-f]{4})\n$", err)
    assert name
    assert without_headers(out) == (
        "  a.py:2      is-none  staged    1 site\n"
        "  src/b.py:2  is-none  staged    1 site\n"
        "a.py:3:16: no-eval Do not evaluate text.\n"
        "src/b.py:3:16: no-eval Do not evaluate text.\n" + DIFF.format(path="a.py") + DIFF.format(path="src/b.py")
    )
    assert err == (
        "litecode: 2 of 3 staged files match 2 rules, 4 sites\n"
        f"2 patches staged, 2 findings (warning)    undo: git litecode undo {name[1]}\n"
    )
    for path in ("a.py", "src/b.py"):
        assert scene.blob(path) == scene.read(path) == MENDED.encode()

    assert main(["run"]) == 0
    assert capsys.readouterr().err.startswith(
        "litecode: 2 of 3 staged files match 1 rule, 2 sites\n2 findings (warning)"
    )
    assert main(["show", name[1]]) == 0
    assert "  a.py:2      is-none  staged    1 site\n" in capsys.readouterr().out
    assert main(["undo", name[1]]) == 0
    assert capsys.readouterr().out == "a.py: taken back\nsrc/b.py: taken back\n"
    assert scene.blob("a.py") == scene.read("a.py") == BROKEN.encode()


def test_the_diff_of_check_makes_what_run_makes(scene: Any) -> None:
    done = subprocess.run(("git", "litecode", "check", "--diff"), cwd=scene.path, capture_output=True, check=False)
    assert done.returncode == 1
    assert done.stderr.decode().splitlines() == [
        "no change for a.py:3:16: no-eval Do not evaluate text.",
        "no change for src/b.py:3:16: no-eval Do not evaluate text.",
    ]
    scene.git("apply", "-", stdin=done.stdout)
    assert scene.read("a.py") == scene.read("src/b.py") == MENDED.encode()


@pytest.mark.parametrize(
    ("argv", "paths"),
    [
        (["a.py"], ["a.py"]),
        (["src"], ["src/b.py"]),
        (["fine.py"], []),
        (["--only", "no-eval"], []),
        (["--dry-run"], []),
        (["--apply", "hold"], []),
    ],
)
def test_what_is_chosen_is_what_changes(scene: Any, argv: list[str], paths: list[str]) -> None:
    main(["run", *argv])
    changed = [path for path in ("a.py", "src/b.py") if scene.blob(path) == MENDED.encode()]
    assert changed == paths


def test_a_rule_that_is_skipped(scene: Any, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LITECODE_SKIP", "is-none")
    assert main(["run"]) == 0
    assert capsys.readouterr().err.splitlines()[0] == "note: LITECODE_SKIP skips is-none"
    assert scene.blob("a.py") == BROKEN.encode()


@pytest.mark.usefixtures("scene")
def test_held_patches_are_shown_and_stop_the_commit(capsys: Capture) -> None:
    assert main(["run", "--apply", "hold", "a.py"]) == 1
    out, err = capsys.readouterr()
    assert re.search(r"^  a\.py:2  is-none  held      \S", out)
    assert DIFF.format(path="a.py") in without_headers(out)
    assert re.search(r"^1 patch held, 1 finding \(warning\): git litecode review [0-9a-f]{4}\n$", err, re.MULTILINE)


def test_changes_that_are_left_unstaged(scene: Any, capsys: Capture) -> None:
    assert main(["run", "--apply", "worktree", "a.py"]) == 1
    assert capsys.readouterr().out.startswith("  a.py:2  is-none  changed   1 site\n")
    assert (scene.blob("a.py"), scene.read("a.py")) == (BROKEN.encode(), MENDED.encode())


def test_nothing_to_do(scene: Any, capsys: Capture) -> None:
    scene.git("reset", "-q")
    assert main(["run"]) == main(["check"]) == 0
    note = "note: nothing is staged, so nothing was looked at (`git add` it, or --all-files)\n"
    assert capsys.readouterr() == ("", f"litecode: nothing is staged\n{note}litecode: no findings\n")
    scene.add({"c.py": "y = 3\n"})
    assert main(["run"]) == 0
    assert capsys.readouterr() == ("", "litecode: nothing to do, 1 staged file looked at\n")
    assert not (scene / ".git/litecode/runs").exists()


def test_names_that_nobody_expects(scene: Any, capsys: Capture) -> None:
    name = os.fsdecode(b"odd \x1b[2J\xff\n.py")
    scene.add({name: BROKEN})
    assert main(["check", "--only", "is-none"]) == 1
    assert "odd \\x1b[2J\\xff\\n.py:2:8: is-none Compare with None by identity.\n" in capsys.readouterr().out
    assert main(["check", "--format", "sarif"]) == 1
    results = json.loads(capsys.readouterr().out)["runs"][0]["results"]
    uris = {result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for result in results}
    assert "odd%20%1B%5B2J%FF%0A.py" in uris
    assert main(["run"]) == 0
    assert scene.blob(name) == scene.read(name) == MENDED.encode()
    capsys.readouterr()
    assert main(["show"]) == 0
    assert all(char in "\n\t" or char.isprintable() for char in capsys.readouterr().out)
    assert main(["undo"]) == 0
    assert scene.blob(name) == BROKEN.encode()


def test_a_range_of_commits(scene: Any, capsys: Capture) -> None:
    scene.commit("more")
    before = scene.index()
    assert main(["check", "--from-ref", "HEAD~1", "--format", "github", "a.py"]) == 1
    assert capsys.readouterr().out == (
        "::error file=a.py,line=2,endLine=2,col=8,title=is-none::Compare with None by identity.\n"
        "::warning file=a.py,line=3,endLine=3,col=16,title=no-eval::Do not evaluate text.\n"
    )
    assert main(["check", "--from-ref", "nowhere"]) == 2
    assert capsys.readouterr().err.splitlines() == [
        "litecode: there is no revision nowhere",
        "hint: name a commit, a branch or a tag",
    ]
    assert scene.index() == before


def test_a_file_of_another_person_is_not_read(scene: Any, capsys: Capture, tmp_path: Path) -> None:
    (tmp_path / "outside.py").write_text(BROKEN)
    assert main(["check", str(tmp_path / "outside.py")]) == 2
    assert "is outside of the repository" in capsys.readouterr().err
    assert scene.blob("a.py") == BROKEN.encode()
