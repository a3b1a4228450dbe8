#!/usr/bin/env python3
"""How long it takes to stage changed files safely, against `git add` of the same files.

    python tests/bench/staging_bench.py [--files N] [--rounds N] [--limit RATIO]

Each round makes a repository, lets `git add` stage an edit of every file, and then one transaction replaces all of
those blobs and worktree files: journal, compare-and-swap, flush to disk. Both take turns, so that other work on the
machine slows both; the ratio is that of the medians. Nothing is removed before the end: for some minutes ext4 looks
at each inode that has become free before it takes another, and that takes longer than all the rest. Exit 1 when it is
above the limit.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from litecode.core.git.objects import Objects
from litecode.core.git.repository import Repository
from litecode.core.git.transaction import apply
from litecode.core.git.worklist import work_list
from litecode.core.values import Apply, Change

LINES = "".join(f"def function_{number}(argument):\n    return argument + {number}\n" for number in range(50))


def environment(home: Path) -> dict[str, str]:
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("GIT_", "LITECODE_"))}
    return clean | {"HOME": str(home), "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}


def one_round(home: Path, files: int) -> tuple[float, float]:
    """Seconds of `git add` and of the transaction."""
    top, env = Path(tempfile.mkdtemp(dir=home)), environment(home)
    names = [f"dir{number % 40}/file{number}.py" for number in range(files)]

    def git(*argv: str) -> float:
        started = time.perf_counter()
        subprocess.run(("git", *argv), cwd=top, env=env, check=True, stdin=subprocess.DEVNULL, capture_output=True)
        return time.perf_counter() - started

    git("init", "-q")
    for number, name in enumerate(names):
        (top / name).parent.mkdir(exist_ok=True)
        (top / name).write_text(f"# {number}\n{LINES}", encoding="utf-8")
    git("add", "-A")
    for name in names:
        (top / name).write_text((top / name).read_text(encoding="utf-8") + "print(1)\n", encoding="utf-8")
    add = git("add", "-A")
    repo = Repository.discover(top, env)
    staged = work_list(repo).files
    with Objects.of(repo) as objects:
        contents = objects.read_many(file.oid for file in staged)
    changes = [
        Change(file.path, file.mode, file.oid, contents[file.oid].replace(b"print(", b"logger.info("))
        for file in staged
    ]
    started = time.perf_counter()
    applied = apply(repo, changes, Apply.STAGE, "be7c")
    seconds = time.perf_counter() - started
    if applied.rejected or len(applied.results) != files:
        raise SystemExit(f"not everything was staged: {applied.rejected[:3]}")
    return add, seconds


def main() -> int:
    parser = argparse.ArgumentParser(description="Time a transaction against git add.")
    parser.add_argument("--files", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--limit", type=float, default=3.0)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as home:
        rounds = [one_round(Path(home), options.files) for _ in range(options.rounds)]
    add, seconds = (statistics.median(column) for column in zip(*rounds, strict=True))
    print(f"{options.files} files: git add {add * 1000:.0f} ms, transaction {seconds * 1000:.0f} ms", end=", ")
    print(f"ratio {seconds / add:.2f} (limit {options.limit})")
    return 0 if seconds / add <= options.limit else 1


if __name__ == "__main__":
    sys.exit(main())
