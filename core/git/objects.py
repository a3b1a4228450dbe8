"""Blobs, read by one long-lived git process.

Reading goes through `git cat-file --batch` at every size: for 10, 1,000 and 10,000 blobs of a packed repository it
takes 3 ms, 35 ms and 0.3 s with its start. libgit2 takes 0.4 ms, 40 ms and 0.4 s after an import of 100 ms, and it
cannot open split, sparse, SHA-256 and partial repositories at all. Where pygit2 pays is `litecode.core.git.buffers`.
"""

from __future__ import annotations

import contextlib
import io
import os
import subprocess
from collections.abc import Iterable
from types import TracebackType
from typing import IO

from litecode.core.errors import GitError
from litecode.core.git.process import GitEnv, to_bytes
from litecode.core.git.repository import Repository

# 200 questions of 65 bytes stay below 16 KiB, the smallest pipe there is.
_AT_ONCE = 200


class Objects:
    """Reads blobs. The processes start with the first question and end with `close`; use it as a context manager.

    Not thread-safe: one question at a time.
    """

    def __init__(self, git: GitEnv) -> None:
        self._git = git
        self._plain: subprocess.Popen[bytes] | None = None
        self._filtering: subprocess.Popen[bytes] | None = None
        self._mark = os.urandom(16).hex()

    @classmethod
    def of(cls, repo: Repository) -> Objects:
        return cls(repo.git)

    def __enter__(self) -> Objects:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        for process in (self._plain, self._filtering):
            if process is not None:
                _end(process)
        self._plain = self._filtering = None

    def read(self, oid: str) -> bytes:
        """The content of a blob, in canonical form. Raises GitError when it is missing or no blob."""
        return self.read_many([oid])[oid]

    def read_many(self, oids: Iterable[str]) -> dict[str, bytes]:
        """The contents by id. Many questions are asked at once, but never more than a pipe holds, so that neither
        side waits for the other to read.
        """
        wanted = list(dict.fromkeys(oids))
        found = {}
        for start in range(0, len(wanted), _AT_ONCE):
            some = wanted[start : start + _AT_ONCE]
            try:
                requests, answers = self._reader()
                requests.write(b"".join(oid.encode() + b"\n" for oid in some))
                requests.flush()
                for oid in some:
                    found[oid] = _answer(oid, answers)
            except (OSError, GitError) as error:
                self.close()  # answers to the other questions may still be on their way
                raise _unreadable(some[0]) if isinstance(error, OSError) else error from error
        return found

    def _reader(self) -> tuple[IO[bytes], io.BufferedReader]:
        if self._plain is None:
            self._plain = self._git.serve("cat-file", "--batch")
        return _pipes(self._plain)

    def smudged(self, oid: str, path: str) -> bytes:
        """The content as a checkout would write it to `path`: line endings, encoding and filters applied."""
        name = to_bytes(path)
        if b"\n" in name or name[:1].isspace():  # the batch form cuts its lines at white space
            return self._git.read("cat-file", "--filters", b"--path=" + name, oid).out
        if self._filtering is None:
            self._filtering = self._git.serve("cat-file", "--batch", "--filters")
        requests, answers = _pipes(self._filtering)
        end = f"\n{self._mark} missing\n".encode()
        try:
            # The header gives the size before filtering, so the end is found by the answer to a second question,
            # about an object with a random name.
            requests.write(b"%s %s\n%s x\n" % (oid.encode(), name, self._mark.encode()))
            requests.flush()
            header = answers.readline().split()
            if len(header) != 3 or header[1] != b"blob":
                raise _unreadable(oid)
            content = bytearray()
            while not content.endswith(end):
                piece = answers.read1()
                if not piece:
                    raise _unreadable(oid)
                content += piece
        except OSError as error:
            raise _unreadable(oid) from error
        return bytes(content[: -len(end)])


def _answer(oid: str, answers: io.BufferedReader) -> bytes:
    header = answers.readline().split()
    if len(header) != 3 or header[1] != b"blob":
        raise _unreadable(oid)
    size = int(header[2])
    content = answers.read(size + 1)
    if len(content) != size + 1:
        raise _unreadable(oid)
    return content[:-1]


def _pipes(process: subprocess.Popen[bytes]) -> tuple[IO[bytes], io.BufferedReader]:
    assert process.stdin is not None
    assert isinstance(process.stdout, io.BufferedReader)
    return process.stdin, process.stdout


def _end(process: subprocess.Popen[bytes]) -> None:
    requests, answers = _pipes(process)
    with contextlib.suppress(OSError):  # it ended before us
        requests.close()
    answers.close()
    process.wait()


def _unreadable(oid: str) -> GitError:
    return GitError(f"the blob {oid} cannot be read", "check the repository with `git fsck`")
