"""What a first index of a repository costs, with one process and with one for each processor.

    python tests/bench/index_bench.py REPOSITORY [--files 1000] [--rounds 3]

Reads that many files of HEAD, always the same ones, into an index in a temporary folder. The two ways take turns, and
the fastest round of each counts, so the ratio holds on a busy machine, too.
"""

from __future__ import annotations

import argparse
import os
import random
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from litecode.core.git.process import GitEnv, to_text
from litecode.core.store import reading
from litecode.core.store.index import FileIndex


class Cost(NamedTuple):
    """In seconds; `used` is processor time of all processes."""

    wall: float
    used: float


def contents_of(repository: Path, number: int) -> tuple[dict[str, str], dict[str, bytes]]:
    """Blob ids by path, and contents by id; what a partial clone does not have is left out."""
    git = GitEnv.of(repository, os.environ)
    rows = [row.split("\t", 1) for row in to_text(git.read("ls-tree", "-r", "-z", "HEAD").out).split("\0") if row]
    every = [(path, facts.split()[2]) for facts, path in rows if facts.startswith("100")]
    files = dict(random.Random(1).sample(every, min(number, len(every))))
    asked = "".join(f"{oid}\n" for oid in files.values()).encode()
    found, out, at = {}, git.read("cat-file", "--batch", stdin=asked).out, 0
    for oid in files.values():
        head, _, _ = out[at : at + 200].partition(b"\n")
        at += len(head) + 1
        if not head.endswith(b" missing"):
            size = int(head.split()[2])
            found[oid] = out[at : at + size]
            at += size + 1
    return {path: oid for path, oid in files.items() if oid in found}, found


def cost(files: Mapping[str, str], contents: Mapping[str, bytes], many: int) -> Cost:
    def read(oids: Sequence[str]) -> dict[str, bytes]:
        return {oid: contents[oid] for oid in oids if len(contents[oid]) <= reading.LARGEST}

    reading.MANY = many
    with tempfile.TemporaryDirectory(prefix="litecode-") as place, FileIndex(Path(place) / "index.db") as index:
        started, used = time.perf_counter(), sum(os.times()[:4])
        index.update(files, read)
        return Cost(time.perf_counter() - started, sum(os.times()[:4]) - used)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("repository", type=Path)
    parser.add_argument("--files", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=3)
    wanted = parser.parse_args()
    many = reading.MANY
    files, contents = contents_of(wanted.repository, wanted.files)
    cost(dict(list(files.items())[:50]), contents, 10**9)  # what is loaded once
    size = sum(map(len, contents.values())) / max(len(contents), 1) / 1000
    rounds = [(cost(files, contents, 10**9), cost(files, contents, many)) for _ in range(wanted.rounds)]
    one, all_ = (Cost(min(c.wall for c in costs), min(c.used for c in costs)) for costs in zip(*rounds, strict=True))
    print(f"{len(files)} files of {size:.0f} kB on average, {os.cpu_count()} processors")
    for name, found in (("one process", one), ("all processors", all_)):
        share = 1000 / len(files)
        print(f"{name:15}{found.wall * share:6.2f} s for 1,000 files, {found.used * share:6.2f} s of processor time")
    print(f"ratio {all_.wall / one.wall:.2f}")


if __name__ == "__main__":
    main()
