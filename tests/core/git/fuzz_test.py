"""People edit, stage, rename, delete and commit in any order, and runs come in between: no line is ever lost.

Every line that a person writes has a number of its own. A run turns `BAD` into `GOOD`, drops `DROP` lines and splits
`TWICE` lines in two, so that for each file the only right result can be computed line by line.

`FUZZ_EXAMPLES` sets how many stories are told: 125 by default, over 5,000 steps.
"""

from __future__ import annotations

import os
import random
import re
import shutil
import signal
import stat
import struct
import subprocess
import tarfile
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pygit2
import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from litecode.core.errors import GitError, LitecodeError, StateError
from litecode.core.git.disk import Disk
from litecode.core.git.moves import Applied
from litecode.core.git.objects import Objects
from litecode.core.git.recovery import recover
from litecode.core.git.repository import Repository
from litecode.core.git.transaction import apply
from litecode.core.git.undo import undo, undoable
from litecode.core.git.worklist import work_list
from litecode.core.values import Apply, Change

DEFAULT = 125
EXAMPLES = int(os.environ.get("FUZZ_EXAMPLES", DEFAULT))
STEPS = 50  # of a story; some end a little earlier
PATHS = ["a", "b", "dir/c", "d e"]
WORDS = [b"", b"", b" BAD", b" BAD", b" DROP", b" TWICE"]
NUMBER = re.compile(rb"(?m)^(\d+)\b")

paths = st.sampled_from(PATHS)
places = st.integers(0, 30)
News = tuple[set[str], int, bytes]
news = st.tuples(st.sets(paths, max_size=3), places, st.sampled_from(WORDS[2:]))


def fixed_line(line: bytes) -> bytes:
    """What a run makes of one line, its ending included."""
    if b" DROP" in line:
        return b""
    if b" TWICE" in line:
        ending = line[len(line.rstrip(b"\r\n")) :]
        number = line.split()[0]
        return number + b" ONCE" + ending + number + b" ADDED" + ending
    return line.replace(b" BAD", b" GOOD")


def fixed(content: bytes) -> bytes:
    return b"".join(map(fixed_line, content.splitlines(keepends=True)))


def expected(worktree: bytes, staged: bytes) -> bytes:
    """The worktree file after a run on that staged content: staged lines are fixed where they stand, others stay."""
    known = {line.rstrip(b"\r\n") for line in staged.splitlines()}
    lines = worktree.splitlines(keepends=True)
    return b"".join(fixed_line(line) if line.rstrip(b"\r\n") in known else line for line in lines)


def numbers(content: bytes) -> set[bytes]:
    return set(NUMBER.findall(content))


def read_index(file: Path) -> Iterator[tuple[str, tuple[str, str, int], str]]:
    """Path, (mode, blob id, stage) and tag of each entry, as `ls-files -s -v` gives them; a process for each look would
    take most of the time of a story.
    """
    data = file.read_bytes()
    magic, version, count = struct.unpack_from(">4sII", data)
    assert (magic, version in (2, 3)) == (b"DIRC", True)
    at = 12
    for _ in range(count):
        mode, oid, flags = struct.unpack_from(">24xI12x20sH", data, at)
        more = struct.unpack_from(">H", data, at + 62)[0] if flags & 0x4000 else 0
        start = at + (64 if flags & 0x4000 else 62)
        end = data.index(b"\0", start)
        tag = "S" if more & 0x4000 else "M" if flags & 0x3000 else "H"
        yield (
            os.fsdecode(data[start:end]),
            (f"{mode:06o}", oid.hex(), flags >> 12 & 3),
            tag.lower() if flags & 0x8000 else tag,
        )
        at += (end - at + 8) // 8 * 8


@dataclass(frozen=True)
class View:
    """Everything that can be lost or changed."""

    files: dict[str, bytes]
    facts: dict[str, tuple[int, int, int]]
    index: dict[str, tuple[str, str, int]]
    tags: dict[str, str]
    head: bytes
    staged: dict[str, bytes]

    def lines(self, *, head: bool = True) -> set[bytes]:
        contents = [*self.files.values(), *self.staged.values(), *([self.head] if head else [])]
        every = {line.rstrip(b"\r\n") for content in contents for line in content.splitlines()}
        return {line for line in every if NUMBER.match(line)}  # not the targets of links


class Story(RuleBasedStateMachine):
    """One repository with one person. `steps` counts those of all stories."""

    steps = 0

    def __init__(self, template: Path, place: Path, wrap: Callable[[Path], Any]) -> None:
        super().__init__()
        self.repo = wrap(place / f"{random.getrandbits(64):x}")
        shutil.copytree(template, self.repo.path, symlinks=True)
        self.count = 0
        self.runs = 0
        self.objects = pygit2.Repository(str(self.repo.path))
        self.blobs: dict[str, bytes] = {}

    def teardown(self) -> None:
        """Once more with the eyes of git, and away with it."""
        seen = {path: (mode, oid, stage) for path, (mode, oid, stage), _ in self.entries()}
        assert seen == self.repo.index()
        self.repo.git("fsck", "--no-dangling", "--connectivity-only")
        self.objects.free()
        shutil.rmtree(self.repo.path)

    def entries(self, index: str = "") -> Iterator[tuple[str, tuple[str, str, int], str]]:
        return read_index(self.repo / (index or ".git/index"))

    def line(self, word: bytes) -> bytes:
        self.count += 1
        return b"%d line%s\n" % (self.count, word)

    @initialize(
        autocrlf=st.sampled_from(["", "", "true", "input"]),
        words=st.lists(st.sampled_from(WORDS), min_size=8, max_size=20),
    )
    def begin(self, autocrlf: str, words: list[bytes]) -> None:
        if autocrlf:
            self.repo.config("core.autocrlf", autocrlf)
        for path in PATHS[:3]:
            self.repo.write(path, b"".join(map(self.line, words)))
        self.repo.git("add", "-A")
        self.repo.commit("begin")

    # What a person does to files.

    def lines_of(self, path: str) -> list[bytes] | None:
        """The lines of a file, or None when there is no place for one."""
        file = self.repo / path
        if file.is_symlink() or (file.exists() and not file.is_file()) or not file.parent.is_dir():
            return None
        return file.read_bytes().splitlines(keepends=True) if file.exists() else []

    @rule(path=paths, place=places, words=st.lists(st.sampled_from(WORDS), min_size=1, max_size=3), crlf=st.booleans())
    def insert(self, path: str, place: int, words: list[bytes], crlf: bool) -> None:
        if self.lines_of(path) is None and place % 2:
            self.delete(path)
        lines = self.lines_of(path)
        if lines is not None:
            new = b"".join(map(self.line, words))
            lines.insert(place % (len(lines) + 1), new.replace(b"\n", b"\r\n") if crlf and place % 3 == 0 else new)
            if lines[-1] and not lines[-1].endswith(b"\n"):
                lines[-1] += b"\n"
            self.repo.write(path, b"".join(line if line.endswith(b"\n") else line + b"\n" for line in lines))

    @rule(path=paths, place=places, word=st.sampled_from(WORDS))
    def change(self, path: str, place: int, word: bytes) -> None:
        lines = self.lines_of(path)
        if lines:
            lines[place % len(lines)] = self.line(word)
            self.repo.write(path, b"".join(lines))

    @rule(path=paths, place=places)
    def remove_line(self, path: str, place: int) -> None:
        lines = self.lines_of(path)
        if lines:
            del lines[place % len(lines)]
            self.repo.write(path, b"".join(lines))

    @rule(path=paths, place=places, length=st.integers(1, 4))
    def move_lines(self, path: str, place: int, length: int) -> None:
        lines = self.lines_of(path)
        if lines and lines[-1].endswith(b"\n"):
            at = place % len(lines)
            moved = lines[at : at + length]
            del lines[at : at + length]
            self.repo.write(path, b"".join(moved + lines if place % 2 else lines + moved))

    @rule(path=paths)
    def touch(self, path: str) -> None:
        if self.lines_of(path):
            os.utime(self.repo / path, (1e9, 1e9 + self.count))

    @rule(path=paths, rename=st.booleans())
    def save_as_editors_do(self, path: str, rename: bool) -> None:
        """The same content again, in place or as another file."""
        if self.lines_of(path):
            content = self.repo.read(path)
            if rename:
                self.repo.write(f"{path}~", content).rename(self.repo / path)
            else:
                self.repo.write(path, content)

    @rule(path=paths)
    def give_up_unstaged_edits(self, path: str) -> None:
        staged = {name: entry for name, entry, _ in self.entries()}
        if path in staged and staged[path][2] == 0 and staged[path][0] != "120000" and self.lines_of(path):
            self.repo.write(path, self.blob(staged[path][1]))

    @rule(path=paths)
    def end_without_newline(self, path: str) -> None:
        lines = self.lines_of(path)
        if lines:
            self.repo.write(path, b"".join(lines) + self.line(b"").rstrip(b"\n"))

    @rule(path=paths)
    def delete(self, path: str) -> None:
        file = self.repo / path
        if file.is_dir() and not file.is_symlink():
            shutil.rmtree(file)
        else:
            file.unlink(missing_ok=True)

    @rule(old=paths, new=paths)
    def rename(self, old: str, new: str) -> None:
        if self.lines_of(old) and self.lines_of(new) is not None:
            (self.repo / old).rename(self.repo / new)

    @rule(path=paths, bits=st.sampled_from([0o644, 0o755, 0o444, 0o600]))
    def chmod(self, path: str, bits: int) -> None:
        if self.lines_of(path):
            (self.repo / path).chmod(bits)

    @rule(path=paths, directory=st.booleans())
    def replace_by_something_else(self, path: str, directory: bool) -> None:
        if self.lines_of(path):
            (self.repo / path).unlink()
            if directory:
                self.repo.write(f"{path}/inner", self.line(b" BAD"))
            else:
                (self.repo / path).symlink_to("elsewhere")

    # What a person does with git.

    @rule(path=paths)
    def stage(self, path: str) -> None:
        self.repo.git("add", "-A", "--", path, rc=None)

    @rule()
    def stage_all(self) -> None:
        self.repo.git("add", "-A")

    @rule(path=paths, mask=st.integers(1, 2**12))
    def stage_part(self, path: str, mask: int) -> None:
        lines = self.lines_of(path)
        if lines:
            some = b"".join(line for number, line in enumerate(lines) if mask >> number % 12 & 1)
            oid = self.repo.git("hash-object", "-w", f"--path={path}", "--stdin", stdin=some).decode().strip()
            self.repo.git("update-index", "--add", "--cacheinfo", f"100644,{oid},{path}", rc=None)

    @rule(new=news)
    def stage_a_new_line(self, new: News) -> None:
        """One line goes into file and index, like a hunk of `git add -p`; what was unstaged stays so."""
        index, (some, place, word) = {path: entry for path, entry, _ in self.entries()}, new
        info = b""
        for path in sorted(some):
            if path in index and index[path][0] in ("100644", "100755") and index[path][2] == 0:
                line = self.line(word)
                staged = self.blob(index[path][1]).splitlines(keepends=True)
                at = min(place, len(staged))
                before = staged[at - 1].rstrip(b"\r\n") if at else None
                staged.insert(at, line)
                oid = self.objects.create_blob(b"".join(staged))
                info += f"{index[path][0]} {oid}\t{path}\0".encode()
                lines = self.lines_of(path)
                if lines is not None and (self.repo / path).exists():
                    known = [None, *(other.rstrip(b"\r\n") for other in lines)]
                    if before in known:  # behind the same line, so that nothing looks as if it had been moved
                        lines.insert(known.index(before), line)
                        self.repo.write(path, b"".join(lines))
        if info:
            self.repo.git("update-index", "-z", "--index-info", stdin=info)

    @rule(path=paths)
    def unstage(self, path: str) -> None:
        self.repo.git("reset", "-q", "--", path, rc=None)

    @rule(path=paths, flag=st.sampled_from(["assume-unchanged", "skip-worktree"]), on=st.booleans())
    def flag(self, path: str, flag: str, on: bool) -> None:
        self.repo.git("update-index", f"--{'' if on else 'no-'}{flag}", path, rc=None)

    @rule(path=paths)
    def intend_to_add(self, path: str) -> None:
        self.repo.git("add", "-N", "--", path, rc=None)

    # What a run does.

    def open(self, index: str = "") -> Repository:
        return Repository.discover(self.repo.path, {**os.environ, **({"GIT_INDEX_FILE": index} if index else {})})

    def blob(self, oid: str) -> bytes:
        if oid not in self.blobs:
            found = self.objects[oid]
            assert isinstance(found, pygit2.Blob)
            self.blobs[oid] = found.data
        return self.blobs[oid]

    def view(self, index: str = "") -> View:
        files, facts = {}, {}
        for place, folders, names in os.walk(self.repo.path):
            if ".git" in folders:
                folders.remove(".git")
            for file in (os.path.join(place, name) for name in names):  # noqa: PTH118 - pathlib takes ten times as long
                found = os.lstat(file)
                if stat.S_ISREG(found.st_mode):
                    name = os.path.relpath(file, self.repo.path)
                    files[name] = Path(file).read_bytes()
                    facts[name] = (found.st_ino, found.st_mtime_ns, found.st_mode)
        entries, tags = {}, {}
        for name, entry, tag in self.entries(index):
            entries[name], tags[name] = entry, tag
        head = b"\n".join(self.blob(oid) for oid in self.head().values())
        staged = {name: self.blob(oid) for name, (_, oid, _) in entries.items()}
        return View(files, facts, entries, tags, head, staged)

    def head(self) -> dict[str, str]:
        """The paths of HEAD with their blob ids."""
        found, waiting = {}, [("", self.objects.revparse_single("HEAD^{tree}"))]
        while waiting:
            place, tree = waiting.pop()
            assert isinstance(tree, pygit2.Tree)
            for entry in tree:
                path = f"{place}{entry.name}"
                if isinstance(entry, pygit2.Tree):
                    waiting.append((f"{path}/", entry))
                else:
                    found[path] = str(entry.id)
        return found

    def journal_lines(self) -> set[bytes]:
        found = set()
        for place in (self.repo / ".git/litecode").glob("txn-*"):
            contents = [file.read_bytes() for folder in ("old", "kept") for file in (place / folder).glob("*")]
            with tarfile.open(place / "contents.tar") as archive:
                contents += [archive.extractfile(member).read() for member in archive]
            found |= {line.rstrip(b"\r\n") for content in contents for line in content.splitlines()}
        return found

    def changes(self, repo: Repository) -> list[Change]:
        found = []
        with Objects.of(repo) as objects:
            for file in work_list(repo).files:
                before = objects.read(file.oid)
                if fixed(before) != before:
                    found.append(Change(file.path, file.mode, file.oid, fixed(before)))
        return found

    def work(self, mode: Apply, index: str = "", disk: Disk | None = None) -> Applied:
        self.runs += 1
        repo = self.open(index)
        recover(repo)
        return apply(repo, self.changes(repo), mode, f"{self.runs:04x}", disk=disk)

    def check_lines(self, lines: set[bytes], after: View) -> None:
        lost = lines - after.lines() - self.journal_lines()
        assert not lost, lost

    def check_run(self, before: View, after: View, applied: Applied, mode: Apply) -> None:
        """Every path has the one right result."""
        done = {result.path for result in applied.results if result.outcome == "applied"}
        for path in before.files.keys() | after.files.keys():
            old, new = before.files.get(path), after.files.get(path)
            if path in done and old is not None:
                assert new == expected(old, before.staged[path]), path
                assert after.facts[path][2] == before.facts[path][2]
            else:
                assert new == old, path
            if new == old and old is not None:
                assert after.facts[path] == before.facts[path], path
        for path in before.index.keys() | after.index.keys():
            if path in done and mode is Apply.STAGE:
                assert after.staged[path] == fixed(before.staged[path])
                assert after.index[path][0] == before.index[path][0]
            else:
                assert after.index.get(path) == before.index.get(path), path
        assert after.tags == before.tags
        self.check_lines(before.lines(), after)

    @rule(mode=st.sampled_from([Apply.STAGE, Apply.STAGE, Apply.WORKTREE, Apply.HOLD]), bad=news)
    def run(self, mode: Apply, bad: News) -> None:
        self.stage_a_new_line(bad)
        before = self.view()
        applied = self.work(mode)
        self.check_run(before, self.view(), applied, mode)

    @rule(step=st.integers(1, 60), bad=news)
    def run_that_is_killed(self, step: int, bad: News) -> None:
        self.stage_a_new_line(bad)
        left = [step]

        def after(_step: str) -> None:
            left[0] -= 1
            if left[0] == 0:
                os.kill(os.getpid(), signal.SIGKILL)

        before = self.view()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # of forks in a process that has threads
            child = os.fork()
        if child == 0:
            try:
                self.work(Apply.STAGE, disk=Disk(after))
            finally:
                os._exit(0)
        os.waitpid(child, 0)
        self.runs += 1
        assert recover(self.open()).edited == ()
        now = self.view()
        changed = {path for path in now.index if now.index[path] != before.index.get(path)}
        assert now.index.keys() == before.index.keys()
        for path in changed:
            assert now.staged[path] == fixed(before.staged[path])
        for path, old in before.files.items():
            if now.files[path] != old:
                assert path in changed
                assert now.files[path] == expected(old, before.staged[path])
        assert now.files.keys() == before.files.keys()
        self.check_lines(before.lines(), now)

    @rule()
    def undo(self) -> None:
        before, repo = self.view(), self.open()
        names = undoable(repo)
        if not names:
            return
        try:
            undo(repo, names[0])
        except (GitError, StateError):
            after = self.view()
            assert (after.files, after.facts, after.index) == (before.files, before.facts, before.index)
            return
        after = self.view()
        for path, old in before.files.items():
            if path in after.files:
                assert numbers(old) <= numbers(after.files[path]), path
        self.check_lines(before.lines(), after)

    @rule(form=st.sampled_from([(), ("-a",), ("--only", "a"), ("-i", "b")]), code=st.sampled_from([0, 0, 1]), bad=news)
    def commit(self, form: tuple[str, ...], code: int, bad: News) -> None:
        """A commit whose hook is this very process: the script tells us its index and waits for our answer."""
        self.stage_a_new_line(bad)
        for name in ("ask", "answer"):
            os.mkfifo(self.repo / ".git" / name)
        self.repo.hook("pre-commit", 'echo "$GIT_INDEX_FILE" > .git/ask; read code < .git/answer; exit $code')
        before = self.view()
        argv = ("git", "commit", "-q", "--allow-empty-message", "-m", "", *form)
        git = subprocess.Popen(
            argv, cwd=self.repo.path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL
        )
        asked = os.open(self.repo / ".git/ask", os.O_RDWR)
        index = self.answer(git, asked)
        lines = before.lines(head=False)  # what was in HEAD only is in the history now
        if index:
            try:
                at_hook = self.view(index)
                lines = at_hook.lines(
                    head=False
                )  # what git has taken out of the index before is the person's own doing
                applied = self.work(Apply.STAGE, index)
                self.check_run(at_hook, self.view(index), applied, Apply.STAGE)
                code = code or int(bool(applied.rejected))
            except LitecodeError:
                code = 2
            (self.repo / ".git/answer").write_text(f"{code}\n")
        committed = git.wait() == 0
        os.close(asked)
        for name in ("ask", "answer", "hooks/pre-commit"):
            (self.repo / ".git" / name).unlink()
        after = self.view()
        if index and committed:
            committed_now = self.head()
            for result in applied.results:  # no staged revert, whatever the form of the commit
                assert self.blob(committed_now[result.path]) == after.staged[result.path]
        recover(self.open())
        self.check_lines(lines, after)

    def answer(self, git: subprocess.Popen[bytes], asked: int) -> str:
        """The index that the hook works with, or nothing when git has ended without calling it."""
        os.set_blocking(asked, False)
        while True:
            try:
                return os.read(asked, 4096).decode().strip()
            except BlockingIOError:
                try:
                    git.wait(0.002)
                except subprocess.TimeoutExpired:
                    continue
                try:
                    return os.read(asked, 4096).decode().strip()
                except BlockingIOError:
                    return ""

    @invariant()
    def nothing_is_left_over(self) -> None:
        Story.steps += 1
        git = self.repo / ".git"
        assert not [file for file in git.iterdir() if file.name.endswith(".lock") or ".litecode-" in file.name]
        for journal in (git / "litecode").glob("txn-*"):
            assert not {"prepared.json", "new"} & {file.name for file in journal.iterdir()}


@pytest.fixture
def fast_place(tmp_path: Path) -> Any:
    """In memory where there is such a place: the test makes thousands of files."""
    memory = Path("/dev/shm")
    place = (
        memory / f"litecode-{os.getpid()}" if memory.is_dir() and os.access(memory, os.W_OK) else tmp_path / "stories"
    )
    place.mkdir()
    yield place
    shutil.rmtree(place)


def test_no_line_is_ever_lost(make_repo: Any, open_repo: Any, fast_place: Path) -> None:
    template = make_repo("template")
    template.add({".keep": ""}, commit="base")
    (template / "dir").mkdir()
    run_state_machine_as_test(
        lambda: Story(template.path, fast_place, open_repo),
        settings=settings(
            max_examples=EXAMPLES,
            stateful_step_count=STEPS,
            deadline=None,
            database=None,
            derandomize=EXAMPLES == DEFAULT,
            suppress_health_check=list(HealthCheck),
            phases=[Phase.generate, Phase.shrink] if EXAMPLES == DEFAULT else [Phase.generate],
        ),
    )
    print(f"\n{Story.steps} steps in {EXAMPLES} stories")
    assert Story.steps >= EXAMPLES * STEPS * 0.8
