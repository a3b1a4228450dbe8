"""Blobs written into the object database, as they are: their content is in canonical form already."""

from __future__ import annotations

import hashlib
import struct
import zlib
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from litecode.core.errors import GitError
from litecode.core.git.process import GitEnv

# From here on one pack file is written faster than as many loose objects.
_MANY = 100
_BLOB = 3  # the type in a pack


def write_blob(git: GitEnv, content: bytes) -> str:
    """Store one blob, flushed to disk, and give its id."""
    done = git.write("-c", "core.fsync=loose-object", "hash-object", "-w", "--no-filters", "--stdin", stdin=content)
    return done.out.decode().strip()


def write_blobs(git: GitEnv, object_format: str, blobs: Mapping[str, bytes], folder: Path) -> None:
    """Store blobs (id -> content), whose ids are those of `blob_id`; `folder`, which must be ours alone, is for
    temporary files.

    A few become loose objects that are not flushed one by one, because the journal keeps their content. Many become
    one pack, as in a fetch: a file for each of a thousand takes longer than all the rest of a transaction.
    """
    writing_blobs(git, object_format, blobs, folder)()


def writing_blobs(
    git: GitEnv,
    object_format: str,
    blobs: Mapping[str, bytes],
    folder: Path,
    after: Callable[[str], None] = lambda _step: None,
) -> Callable[[], None]:
    """The same, begun: a pack is made beside other work. The answer waits for it, or does it when there are only a few,
    and raises what went wrong. `after` is told of every file that is written.
    """
    if not blobs:
        return lambda: None
    work = partial(_write, git, object_format, blobs, folder, after)
    if len(blobs) < _MANY:
        return work
    thread = ThreadPoolExecutor(1)
    begun = thread.submit(work)
    thread.shutdown(wait=False)
    return begun.result


def restore_blobs(git: GitEnv, object_format: str, blobs: Mapping[str, bytes], folder: Path) -> None:
    """Store those that are missing: `git gc --prune=now` takes away what no index names yet."""
    if blobs:
        stdin = "".join(f"{oid}\n" for oid in blobs).encode()
        answers = git.read("cat-file", "--batch-check=%(objecttype)", stdin=stdin).out.splitlines()
        gone = {oid: blobs[oid] for oid, answer in zip(blobs, answers, strict=True) if answer != b"blob"}
        if gone:
            _write(git, object_format, gone, folder)


def _write(
    git: GitEnv,
    object_format: str,
    wanted: Mapping[str, bytes],
    folder: Path,
    after: Callable[[str], None] = lambda _step: None,
) -> None:
    oids = "".join(f"{oid}\n" for oid in wanted).encode()
    if len(wanted) < _MANY:
        names = []
        for number, content in enumerate(wanted.values()):
            names.append(folder / f"blob-{number}")
            names[-1].write_bytes(content)
            after("write")
        stdin = b"".join(bytes(name) + b"\n" for name in names)
        found = git.write("hash-object", "-w", "--no-filters", "--stdin-paths", stdin=stdin).out
    else:
        git.write("index-pack", "--stdin", stdin=_pack(wanted, object_format))
        found = git.read("cat-file", "--batch-check=%(objectname)", stdin=oids).out
    if found != oids:
        raise GitError("git gives other ids to these contents than expected", "report this with the version of git")


def _pack(blobs: Mapping[str, bytes], object_format: str) -> bytes:
    """A pack of whole blobs: for each of them its type and size, 7 bits at a time, and the deflated content."""
    pieces = [b"PACK" + struct.pack(">II", 2, len(blobs))]
    for content in blobs.values():
        size = len(content)
        head = bytearray([_BLOB << 4 | size & 15])
        size >>= 4
        while size:
            head[-1] |= 128
            head.append(size & 127)
            size >>= 7
        pieces += (bytes(head), zlib.compress(content, 1))  # 1 is the level of git's own loose objects
    pack = b"".join(pieces)
    return pack + hashlib.new(object_format, pack, usedforsecurity=False).digest()
