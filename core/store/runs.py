"""The runs of one worktree, kept in its state directory: `runs/<id>/`, made whole in one rename.

A folder holds `run.json` (everything but the big parts), `NNN-<name>.patch` as `git apply` takes it, `blobs/NNN` with
the new content, and `calls.jsonl` with every prompt and reply. Only the owner can read them: prompts are code.
"""

from __future__ import annotations

import os
import re
import secrets
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from litecode.core.errors import StateError, clause_of
from litecode.core.store import records
from litecode.core.store.records import RunRecord
from litecode.core.values import Run

KEEP_RUNS = 50
KEEP_DAYS = 30
_DAY = 86_400.0
_ID = re.compile(r"[0-9a-f]{4,32}\Z")
_LEFTOVER = ".tmp-"


@dataclass(frozen=True, slots=True)
class RunStore:
    """`root` is the state directory of the worktree; nothing is made before the first `save`."""

    root: Path
    clock: Callable[[], float] = time.time

    @property
    def folder(self) -> Path:
        return self.root / "runs"

    def new_id(self) -> str:
        """A short name that no kept run has: 4 hex digits, more when it has to be."""
        for tries in range(64):
            name = secrets.token_hex(2 + tries // 16)
            if not (self.folder / name).exists():
                return name
        raise StateError(f"no free name for a run in {self.folder}", f"delete what you do not need in {self.folder}")

    def save(self, run: Run) -> Path:
        """Write the run's folder, or replace the one of the same run; then forget runs that are too old.

        Raises StateError when it cannot be written, or when another run got the name first.
        """
        if not _ID.match(run.id):
            raise StateError(f"{run.id!r} is no name for a run", "report this defect of LiteCode")
        target = self.folder / run.id
        with self._refused(f"the run {run.id} cannot be kept in {self.folder}"):
            self.root.mkdir(mode=0o700, parents=True, exist_ok=True)
            self.folder.mkdir(mode=0o700, exist_ok=True)
            temporary = self.folder / f"{_LEFTOVER}{run.id}-{os.getpid()}-{secrets.token_hex(4)}"
            try:
                _write_folder(temporary, records.to_files(run))
                self._swap(temporary, target, run)
            finally:
                shutil.rmtree(temporary, ignore_errors=True)
            self.prune()
        return target

    def _swap(self, temporary: Path, target: Path, run: Run) -> None:
        """Put the new folder in place of the old one; a reader sees one of them, or for a moment none."""
        if not target.exists():
            temporary.rename(target)
            return
        there = self._record(target)
        if there.started != run.started and not there.damage:
            raise StateError(f"another run took the name {run.id} at the same moment", "run it again")
        old = temporary.with_name(temporary.name + "-old")
        target.rename(old)
        temporary.rename(target)
        shutil.rmtree(old, ignore_errors=True)

    def load(self, name: str | None = None) -> Run:
        """The run of that id, or of the only id that begins so, or the last one. Raises StateError."""
        folder = self._find(name)
        remedy = f"delete the folder {folder}; nothing else needs it"
        try:
            return records.from_files(folder)
        except OSError as error:
            raise StateError(f"the run {folder.name} cannot be read: {clause_of(error)}", remedy) from None
        except records.Damaged as error:
            raise StateError(f"the run {folder.name} is damaged: {error}", remedy) from None

    def list(self) -> tuple[RunRecord, ...]:
        """What `git litecode log` shows, newest first; a folder that cannot be read says so in `damage`."""
        found = [self._record(folder) for folder in self._folders()]
        return tuple(sorted(found, key=lambda record: (record.started, record.id), reverse=True))

    def prune(self, keep: int = KEEP_RUNS, days: float = KEEP_DAYS) -> None:
        """Forget all but the newest `keep` runs, and runs older than `days`; never the newest of all.

        What a killed process left behind goes after a day.
        """
        oldest = self.clock() - days * _DAY
        for place, record in enumerate(self.list()):
            if place and (place >= keep or record.started < oldest):
                doomed = self.folder / f"{_LEFTOVER}{record.id}-{secrets.token_hex(4)}"
                with suppress(OSError):  # another process forgets it at the same time
                    (self.folder / record.id).rename(doomed)
                shutil.rmtree(doomed, ignore_errors=True)
        for leftover in self.folder.glob(f"{_LEFTOVER}*"):
            with suppress(OSError):
                if leftover.lstat().st_mtime < self.clock() - _DAY:
                    shutil.rmtree(leftover, ignore_errors=True)

    def _folders(self) -> Iterator[Path]:
        with self._refused(f"the runs in {self.folder} cannot be listed"):
            if self.folder.is_dir():
                yield from sorted(path for path in self.folder.iterdir() if _ID.match(path.name))

    def _find(self, name: str | None) -> Path:
        names = [record.id for record in self.list()]
        if not names:
            raise StateError("there is no run yet", "stage something and say `git litecode run`")
        if name is None:
            return self.folder / names[0]
        fitting = [other for other in names if other.startswith(name)] if name else []
        if name in names:
            fitting = [name]
        if len(fitting) == 1:
            return self.folder / fitting[0]
        if fitting:
            raise StateError(f"{len(fitting)} runs begin with {name}: {', '.join(sorted(fitting))}", "type more of it")
        raise StateError(f"there is no run {name}", "`git litecode log` lists the runs that are kept")

    @staticmethod
    def _record(folder: Path) -> RunRecord:
        try:
            return records.light(folder)
        except (OSError, records.Damaged) as error:
            try:
                started = folder.stat().st_mtime
            except OSError:
                started = 0.0
            why = clause_of(error) if isinstance(error, OSError) else str(error)
            return RunRecord(folder.name, started, damage=why)

    @contextmanager
    def _refused(self, what: str) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise StateError(
                f"{what}: {clause_of(error)}", f"make room, or make {self.root} writable for you, and try again"
            ) from None


def _write_folder(folder: Path, files: dict[str, bytes]) -> None:
    folder.mkdir(mode=0o700)
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(mode=0o700, exist_ok=True)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(descriptor)
