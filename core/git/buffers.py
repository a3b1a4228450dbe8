"""Differences of two texts in memory, by libgit2 when it proves itself, by git otherwise.

A git process takes 4 ms for each pair; libgit2 takes 0.5 ms after an import of 100 ms. So pygit2 is loaded when there
are enough pairs, or when something else has loaded it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from litecode.core.git.process import GitEnv, run, scrubbed

# From here on the import has paid for itself.
_MANY = 25

_SAMPLE_OLD = b"one\r\ntwo \xff\nthree"
_SAMPLE_NEW = b"one\r\ntwo \xfe\nthree\n"
# What git prints for it, byte for byte.
_SAMPLE_HUNKS = b"@@ -1,3 +1,3 @@\n one\r\n-two \xff\n-three\n\\ No newline at end of file\n+two \xfe\n+three\n"


class Pair(NamedTuple):
    """Two contents of one file, None for none."""

    old: bytes | None
    new: bytes | None


@cache
def libgit2_works() -> bool:
    """The probe: whether pygit2 can be loaded and gives git's answer for a difficult sample. Slow the first time."""
    try:
        return _by_libgit2(Pair(_SAMPLE_OLD, _SAMPLE_NEW), 3) == _SAMPLE_HUNKS
    except Exception:  # a broken wheel raises what it likes, and git is always there
        return False


def hunks(git: GitEnv, pairs: Iterable[Pair], context: int = 3) -> Iterator[bytes]:
    """For each pair the hunks of a unified diff, `@@` lines first, without file headers; empty when equal.

    Binary content (a NUL among the first 8,000 bytes) gives an empty answer too: there are no lines to compare.
    """
    every = list(pairs)
    fast = ("pygit2" in sys.modules or len(every) >= _MANY) and libgit2_works()
    for pair in every:
        yield _by_libgit2(pair, context) if fast else _by_git(git, pair, context)


def _by_libgit2(pair: Pair, context: int) -> bytes:
    import pygit2

    # The flags keep the answer the same as git's: no interhunk merging, and the indent heuristic that git has on.
    patch = pygit2.Patch.create_from(
        pair.old or b"",
        pair.new or b"",
        flag=pygit2.enums.DiffOption.INDENT_HEURISTIC,
        context_lines=context,
        interhunk_lines=0,
    )
    return _without_header(patch.data)


def _by_git(git: GitEnv, pair: Pair, context: int) -> bytes:
    import tempfile  # with all that it loads, for the rare case

    with tempfile.TemporaryDirectory(prefix="litecode-") as name:
        folder = Path(name).resolve()
        (folder / "a").write_bytes(pair.old or b"")
        (folder / "b").write_bytes(pair.new or b"")
        # Outside of every repository and without settings: attributes and core.autocrlf would convert the files.
        env = scrubbed(git.variables) | {
            "GIT_ATTR_NOSYSTEM": "1",
            "GIT_CEILING_DIRECTORIES": str(folder.parent),
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_NOSYSTEM": "1",
            "XDG_CONFIG_HOME": name,
        }
        argv = ("diff", "--no-index", *PLAIN_PATCH, f"--unified={context}", "--", "a", "b")
        return _without_header(run(argv, cwd=folder, env=env, ok=(0, 1)).out)


# Every setting that changes how `git diff` prints, said explicitly.
PLAIN_PATCH = (
    "--patch",
    "--full-index",
    "--no-color",
    "--no-ext-diff",
    "--no-textconv",
    "--no-relative",
    "--src-prefix=a/",
    "--dst-prefix=b/",
    "--diff-algorithm=myers",
    "--indent-heuristic",
    "--inter-hunk-context=0",
    "--ws-error-highlight=none",
    "--submodule=short",
)


def _without_header(patch: bytes) -> bytes:
    start = patch.find(b"\n@@ ")
    return patch[start + 1 :] if start >= 0 else b""
