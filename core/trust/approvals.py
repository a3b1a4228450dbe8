"""Which commands of a rules file a person has said yes to, kept where no repository can write.

An approval is for one repository, by the path of its worktree, and for these commands word by word: whatever changes
in them, or a copy elsewhere, has to be approved again.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from litecode.core.errors import StateError

Commands = tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Approvals:
    """`folder` is made by the first approval."""

    folder: Path

    @classmethod
    def of(cls, environ: Mapping[str, str]) -> Approvals:
        """In the state directory of the person."""
        state = environ.get("XDG_STATE_HOME", "")
        home = Path(state) if state.startswith("/") else Path(environ.get("HOME") or "~").expanduser() / ".local/state"
        return cls(home / "litecode" / "trusted")

    def are_approved(self, top: Path, commands: Commands) -> bool:
        """False for whatever is not certain: another owner, a file that others can write, a damaged one."""
        if not commands or self._is_inside(top):
            return False
        try:
            descriptor = os.open(self._file(top), os.O_RDONLY | os.O_NOFOLLOW)
            with os.fdopen(descriptor, "rb") as file:
                facts = os.fstat(descriptor)
                if facts.st_uid != os.getuid() or stat.S_IMODE(facts.st_mode) & 0o022:
                    return False
                found = json.loads(file.read(1 << 16))
        except (OSError, ValueError):
            return False
        return bool(found == _record(top, commands))

    def approve(self, top: Path, commands: Commands) -> Path:
        """Raises StateError when it cannot be kept, or the place belongs to the repository itself."""
        path = self._file(top)
        if self._is_inside(top):
            raise StateError(
                f"{self.folder} is in the repository {top}, which could then approve itself",
                "set XDG_STATE_HOME to a folder outside of it",
            )
        temporary = path.with_name(f"{path.name}.{os.getpid()}")
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            self.folder.chmod(0o700)
            temporary.unlink(missing_ok=True)
            descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(descriptor, "w", encoding="ascii") as file:
                json.dump(_record(top, commands), file)
            temporary.replace(path)
        except OSError as error:
            why = (error.strerror or "it cannot be written").lower()
            raise StateError(f"the approval cannot be kept in {self.folder}: {why}", "make it writable") from error
        return path

    def revoke(self, top: Path) -> bool:
        """Whether there was one."""
        try:
            self._file(top).unlink()
        except FileNotFoundError:
            return False
        except OSError as error:
            raise StateError(f"{self._file(top)} cannot be removed", "remove it by hand") from error
        return True

    def _file(self, top: Path) -> Path:
        return self.folder / f"{hashlib.sha256(os.fsencode(top.resolve())).hexdigest()[:32]}.json"

    def _is_inside(self, top: Path) -> bool:
        return self.folder.resolve().is_relative_to(top.resolve())


def digest_of(commands: Commands) -> str:
    text = json.dumps(commands, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _record(top: Path, commands: Commands) -> dict[str, str]:
    path = os.fsencode(top.resolve()).decode("utf-8", "backslashreplace")
    return {"path": path, "sha256": digest_of(commands)}
