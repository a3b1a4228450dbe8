"""A model that another process of this user has loaded (`git litecode model serve`): where it is, and calls to it.

The server listens on a socket in a folder that only this user can enter, never on a network, and wants a key. Both
stand in a file that only this user can read; one that others could have written is not believed.
"""

from __future__ import annotations

import contextlib
import os
import stat
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from litecode.core.errors import ModelBadReply, ModelTruncated
from litecode.core.llm.line import FIRST_EVENT, Line, LineBroken
from litecode.core.llm.streaming import IDLE, Stream, Waiting

CHAT, COMPLETION = "/v1/chat/completions", "/v1/completions"
GONE = "wait: it is loaded in this process instead"


class Place(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A served model. `digest` is that of its weights; `window` tokens for each of `slots` calls."""

    address: str
    key: str
    digest: str
    window: int
    slots: int
    pid: int


def places_dir(environ: Mapping[str, str]) -> Path:
    """Where served models are announced: in the runtime directory of the user, else in the cache."""
    runtime = environ.get("XDG_RUNTIME_DIR", "")
    if Path(runtime).is_absolute() and _is_ours(Path(runtime), 0o700):
        return Path(runtime, "litecode")
    from litecode.core.llm.files import models_dir

    return models_dir(environ).parent / "serve"


def place_file(folder: Path, digest: str) -> Path:
    return folder / f"{digest[:32]}.json"


def announce(folder: Path, place: Place) -> Path:
    """Write the file; only its owner can read it."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    folder.chmod(0o700)
    file = place_file(folder, place.digest)
    fresh = file.with_name(f".{file.name}.{place.pid}")
    fresh.unlink(missing_ok=True)
    with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as stream:
        stream.write(msgspec.json.encode(place))
    fresh.replace(file)
    return file


def withdraw(file: Path, pid: int) -> None:
    """Remove the file, unless another process has taken the place over."""
    found = _read(file)
    if found is not None and found.pid == pid:
        file.unlink(missing_ok=True)


def find_place(folder: Path, digest: str) -> Place | None:
    """The place of a server with these weights that answers now."""
    if not _is_ours(folder, 0o700):
        return None
    place = _read(place_file(folder, digest))
    if place is None or place.digest != digest or not _is_ours(Path(place.address).parent, 0o700):
        return None
    return place if Line(Path(place.address), place.key).ask("GET", "/health").get("status") == "ok" else None


def _read(file: Path) -> Place | None:
    if not _is_ours(file, 0o600):
        return None
    try:
        return msgspec.json.decode(file.read_bytes(), type=Place)
    except (OSError, msgspec.MsgspecError):
        return None


def _is_ours(path: Path, mode: int) -> bool:
    """Whether it belongs to this user and others have no part in it; a link does not count."""
    try:
        facts = path.lstat()
    except OSError:
        return False
    return facts.st_uid == os.getuid() and stat.S_IMODE(facts.st_mode) & ~mode == 0 and not stat.S_ISLNK(facts.st_mode)


@dataclass(slots=True)
class SharedEngine:
    """Calls to a served model, in the form of those to `Engine`."""

    place: Place
    line: Line
    check: Callable[[], None]

    def stream(self, body: dict[str, Any], on_chunk: Callable[[dict[str, Any]], None]) -> None:
        """Raises ModelTruncated when the server is gone; what `on_chunk` or `check` raises ends the call."""
        path = COMPLETION if "prompt" in body else CHAT
        stop = threading.Event()

        def events() -> Iterator[dict[str, Any]]:
            with contextlib.closing(self.line.events(path, body)) as found:
                for event in found:
                    if stop.is_set():
                        return
                    yield event

        try:
            with Stream(events, Waiting(self.check, "the served model", GONE, FIRST_EVENT, IDLE)) as stream:
                for event in stream:
                    on_chunk(event)
        except LineBroken as error:
            raise ModelTruncated(f"the served model is gone: {error}", GONE) from error
        finally:
            stop.set()

    def count(self, messages: list[dict[str, str]]) -> int | None:
        with contextlib.suppress(LineBroken):
            return self.line.count(messages)
        return None

    def literal(self, messages: list[dict[str, str]]) -> list[int] | None:
        try:
            return self.line.literal(messages)
        except LineBroken as error:
            raise ModelBadReply(f"the served model failed: {error}", GONE) from error


def shared_engine(folder: Path, digest: str, window: int, check: Callable[[], None]) -> SharedEngine | None:
    """The served model with these weights, if there is one with a window that is large enough. `check` raises when the
    run is over.
    """
    place = find_place(folder, digest)
    if place is None or place.window < window:
        return None
    return SharedEngine(place, Line(Path(place.address), place.key), check)
