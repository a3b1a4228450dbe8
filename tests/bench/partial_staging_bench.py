#!/usr/bin/env python3
"""What becomes of unstaged edits when a hook fixes staged files: LiteCode, lint-staged, pre-commit on the same scenes.

    python tests/bench/partial_staging_bench.py [--lint-staged PATH] [--pre-commit PATH] [--markdown]

Each scene is a repository with something staged, which has BAD in it, and something that is not. All tools run the same
fix, BAD becomes GOOD, as the hook of a real `git commit`: LiteCode by a rule, the others by a command on the files that
they name. Afterwards every line that the person wrote must stand in the worktree where it stood, and what was not
staged must not be committed. A tool whose path is not given is left out. Exit 1 when LiteCode loses anything.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

OLD_TIME = 1_000_000_000
TWENTY = "".join(f"{number}\n" for number in range(1, 21))
RULES = "rules:\n- id: bad\n  message: BAD is GOOD.\n  regex: {old}\n  fix: {new}\n"
FIXER = """\
import pathlib, sys, time
if {sleep}:
    time.sleep({sleep})
for name in sys.argv[1:]:
    path = pathlib.Path(name)
    data = path.read_bytes()
    if {old} in data:
        path.write_bytes(data.replace({old}, {new}))
"""


class Place:
    """One repository in an environment of its own."""

    def __init__(self, root: Path, path: str) -> None:
        self.top = root / "repo"
        self.top.mkdir()
        clean = {k: v for k, v in os.environ.items() if not k.startswith(("GIT_", "LITECODE_", "PRE_COMMIT", "npm_"))}
        self.env = clean | {
            "HOME": str(root),
            "PATH": path,
            "XDG_CACHE_HOME": str(root / "cache"),
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_NOSYSTEM": "1",
            **{f"GIT_{who}_{what}": "a@example.com" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")},
        }
        self.git("init", "-q")

    def git(self, *argv: str, rc: int | None = 0, stdin: bytes = b"") -> bytes:
        done = subprocess.run(("git", *argv), cwd=self.top, env=self.env, input=stdin, capture_output=True, check=False)
        if rc is not None and done.returncode != rc:
            raise RuntimeError(f"git {argv}: {done.stderr.decode()}")
        return done.stdout

    def write(self, name: str, text: str | bytes) -> None:
        file = self.top / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode() if isinstance(text, str) else text)

    def stage(self, name: str, text: str | bytes) -> None:
        self.write(name, text)
        self.git("add", "--", name)

    def file(self, name: str) -> bytes:
        file = self.top / name
        return file.read_bytes() if file.is_file() else b""


@dataclass(frozen=True)
class Scene:
    """`prepare` sets it, `mine` are lines (of a file) that must be found afterwards; `words` go to `git commit`."""

    name: str
    prepare: Callable[[Place], None]
    mine: tuple[tuple[str, bytes], ...]
    words: tuple[str, ...] = ()
    killed: bool = False
    fix: tuple[str, str] = ("BAD", "GOOD")


def bad(text: str = TWENTY) -> str:
    return text.replace("5\n", "5 BAD\n", 1)


def far(place: Place) -> None:
    place.stage("a", bad())
    place.write("a", bad().replace("15\n", "15 MINE\n"))


def same_line(place: Place) -> None:
    place.stage("a", bad())
    place.write("a", bad().replace("5 BAD", "5 BAD MINE"))
    place.write("b", "b MINE\n")


def touching(place: Place) -> None:
    place.stage("a", bad())
    place.write("a", bad().replace("\n6\n", "\n6 MINE\n"))


def equal_lines(place: Place) -> None:
    """Ten equal lines: an edit that is brought back by its line number alone lands in another place."""
    place.stage("a", "dup\n" * 10)
    place.git("commit", "-q", "--no-verify", "-m", "dup")
    lines = ["dup\n"] * 10
    lines[1] = "dup BAD\n"
    place.stage("a", "".join(lines))
    lines[7] = "dup MINE\n"
    place.write("a", "".join(lines))


def hunk_left_out(place: Place) -> None:
    place.write("a", bad().replace("15\n", "15 SECRET\n"))
    place.git("add", "-p", "a", stdin=b"y\nn\n")


def assume_unchanged(place: Place) -> None:
    place.git("update-index", "--assume-unchanged", "b")
    place.write("b", TWENTY + "b MINE\n")
    place.write("c", "c MINE\n")
    place.stage("a", bad())


def untracked_in_the_way(place: Place) -> None:
    (place.top / "b").unlink()
    place.write("b/inner", "b MINE\n")
    place.stage("a", bad())


def mixed_endings(place: Place) -> None:
    place.git("config", "core.autocrlf", "input")
    place.stage("w", b"l1\r\nl2\nl3\r\n")
    place.git("commit", "-q", "--no-verify", "-m", "w")
    place.write("w", b"l1\r\nl2\nl3\r\nMINE\r\n")
    place.stage("a", bad())


def lossy_filter(place: Place) -> None:
    place.git("config", "filter.st.clean", "sed 's/ SECRET=.*//'")
    place.stage(".gitattributes", "c filter=st\n")
    place.git("commit", "-q", "--no-verify", "-m", "filter")
    place.write("c", TWENTY + "x SECRET=MINE\n")
    place.stage("a", bad())


def intent_to_add(place: Place) -> None:
    place.write("n", "n MINE\n")
    place.git("add", "-N", "n")
    place.stage("a", bad())


def single_path(place: Place) -> None:
    place.write("a", bad())
    place.stage("b", TWENTY + "b MINE\n")


def unconcerned(place: Place) -> None:
    place.stage("a", bad())
    place.write("b", TWENTY + "b MINE\n")
    os.utime(place.top / "b", (OLD_TIME, OLD_TIME))


def killed(place: Place) -> None:
    far(place)
    place.write("b", TWENTY + "b MINE\n")


SCENES = (
    Scene("edit far from the fix", far, (("a", b"15 MINE"),)),
    Scene("edit on the line of the fix, and in another file", same_line, (("a", b"5 BAD MINE"), ("b", b"b MINE"))),
    Scene("edit on the next line", touching, (("a", b"6 MINE"),)),
    Scene("equal lines, the fix adds one above", equal_lines, (("a", b"dup MINE"),), fix=("dup BAD", "more\ndup GOOD")),
    Scene("a hunk left out of `git add -p`", hunk_left_out, (("a", b"15 SECRET"),)),
    Scene("edit in an assume-unchanged file", assume_unchanged, (("b", b"b MINE"), ("c", b"c MINE"))),
    Scene("untracked file where a file was", untracked_in_the_way, (("b/inner", b"b MINE"),)),
    Scene("mixed line endings (autocrlf=input)", mixed_endings, (("w", b"l1\r\nl2\nl3\r\nMINE\r\n"),)),
    Scene("lossy clean filter", lossy_filter, (("c", b"x SECRET=MINE"),)),
    Scene("`git add -N`", intent_to_add, (("n", b"n MINE"),)),
    Scene("`git commit -- a`", single_path, (("b", b"b MINE"),), ("--", "a")),
    Scene("edit in a file that nothing concerns", unconcerned, (("b", b"b MINE"),)),
    Scene("killed while the hook runs", killed, (("a", b"15 MINE"), ("b", b"b MINE")), killed=True),
)


class Tool:
    """How a tool is put into a repository. `command` is its program, empty for LiteCode itself."""

    def __init__(self, name: str, command: str) -> None:
        self.name, self.command = name, command

    def install(self, place: Place, fixer: Path, change: tuple[str, str]) -> None:
        hook = place.top / ".git/hooks/pre-commit"
        hook.parent.mkdir(exist_ok=True)
        fix = f"{sys.executable} {fixer}"
        if self.name == "LiteCode":
            old, new = map(json.dumps, change)
            place.stage(".litecode.yaml", RULES.format(old=old, new=new))
            place.git("litecode", "install")
        elif self.name == "lint-staged":
            place.stage("package.json", json.dumps({"lint-staged": {"*": fix}}))
            hook.write_text(f"#!/bin/sh\nexec {self.command}\n", encoding="utf-8")
            hook.chmod(0o755)
        else:
            config = f"{{id: fix, name: fix, language: system, entry: {fix}, require_serial: true}}"
            place.stage(".pre-commit-config.yaml", f"repos:\n- repo: local\n  hooks:\n  - {config}\n")
            subprocess.run((self.command, "install"), cwd=place.top, env=place.env, check=True, capture_output=True)


def judge(place: Place, scene: Scene, head: bytes) -> str:
    """One clause on what became of the person's lines and of the commit; `ok` in front when nothing was lost."""
    committed = place.git("rev-parse", "HEAD") != head
    lost = [name for name, text in scene.mine if text not in place.file(name)]
    if scene.prepare is equal_lines and b"dup MINE" in place.file("a"):
        lines = [line for line in place.file("a").splitlines() if line.startswith(b"dup")]
        if lines.index(b"dup MINE") != 7:
            lost.append("a (the edit is on another line)")
    if scene.prepare is hunk_left_out and b"SECRET" in place.git("show", "HEAD:a"):
        lost.append("a (what was left out is committed)")
    if scene.prepare is unconcerned and (place.top / "b").stat().st_mtime != OLD_TIME:
        lost.append("the time of b, which nothing concerns")
    state = "committed" if committed else "refused"
    fixed = b"GOOD" in place.git("show", "HEAD:a")
    if committed and fixed and b"BAD" in place.git("show", ":a"):
        lost.append("a (the index takes the fix back)")
    if lost:
        return f"LOST: {', '.join(lost)}; {state}"
    return f"ok, {state}{' with the fix' if committed and fixed else ''}"


def one(tool: Tool, scene: Scene, path: str) -> str:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder).resolve()
        place = Place(root, path)
        fixer = root / "fixer.py"
        old, new = (repr(text.encode()) for text in scene.fix)
        fixer.write_text(FIXER.format(sleep=5 if scene.killed else 0, old=old, new=new), encoding="utf-8")
        for name in "abc":
            place.stage(name, TWENTY)
        tool.install(place, fixer, scene.fix)
        place.git("commit", "-q", "--no-verify", "-m", "base")
        scene.prepare(place)
        head = place.git("rev-parse", "HEAD")
        argv = ("git", "commit", "-q", "-m", "change", *scene.words)
        git = subprocess.Popen(
            argv,
            cwd=place.top,
            env=place.env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        if scene.killed:
            time.sleep(0.4 if tool.name == "LiteCode" else 3.0)
            os.killpg(git.pid, signal.SIGKILL)
        git.wait(120)
        return judge(place, scene, head)


def main() -> int:
    parser = argparse.ArgumentParser(description="Compare what tools do to partially staged files.")
    parser.add_argument("--lint-staged", help="the program of lint-staged, e.g. node_modules/.bin/lint-staged")
    parser.add_argument("--pre-commit", help="the program of the pre-commit framework")
    parser.add_argument("--markdown", action="store_true", help="print a table for docs/safety.md")
    options = parser.parse_args()
    given = (("LiteCode", ""), ("lint-staged", options.lint_staged), ("pre-commit", options.pre_commit))
    tools = [Tool(name, command and str(Path(command).absolute())) for name, command in given if command is not None]
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)))
    failed = False
    if options.markdown:
        print("| scene | " + " | ".join(tool.name for tool in tools) + " |\n" + "| --- " * (len(tools) + 1) + "|")
    for scene in SCENES:
        results = [one(tool, scene, path) for tool in tools]
        failed |= results[0].startswith("LOST")
        if options.markdown:
            print(f"| {scene.name} | {' | '.join(results)} |", flush=True)
        else:
            print(
                scene.name, *(f"  {tool.name:12} {said}" for tool, said in zip(tools, results, strict=True)), sep="\n"
            )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
