"""How many of the files that a commit changes are ranked first, given its subject and the tree before it.

    python tests/bench/localise_bench.py COMMITS REPOSITORIES [--work DIR] [--goal 0.62 0.82 0.80]

COMMITS is a JSON list of objects with `repo` (owner/name), `parent`, `commit`, `subject` and `files`, those that the
commit modifies. REPOSITORIES is a folder with a clone of each, `owner+name` or `owner+name/repo`, bare or not. Only
program text is ranked, as in the lists. Each tree is indexed on top of those before it, in DIR or in a temporary
folder; what a first index costs is measured on the first tree of each repository.

For each repository and all together: recall among the first 5, 10 and 20 files, the share of commits with all files
among the first 20, and the share of files that a map of 5,500 tokens shows by name and with symbols; with the history
before the commit and without. The times of a ranking are processor time. Exit status 1 when the recall at 5 and 20
with history, or at 20 without, is below the goal.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from litecode.core.budget.tokens import Estimator
from litecode.core.filemap.render import MapFile, file_map
from litecode.core.git.history import past, small_blobs
from litecode.core.git.objects import Objects
from litecode.core.git.process import GitEnv, to_text
from litecode.core.planning.shortlist import Corpus, shortlist
from litecode.core.store.index import FileIndex
from litecode.core.store.reading import LARGEST

PROGRAMS = frozenset(
    """
    bash c cc cjs cpp css cts go h hpp html java js jsx kt kts lua mjs mts php py pyi rb rs scala scss sh svelte swift
    ts tsx vue
    """.split()
)
MAP_TOKENS = 5500
CUTS = (5, 10, 20)


@dataclass
class Tally:
    """Sums over commits; `parts` has, for each cut, the share of the files of a commit that is found."""

    commits: int = 0
    parts: dict[int, float] = field(default_factory=lambda: dict.fromkeys(CUTS, 0.0))
    whole: int = 0
    by_name: float = 0.0
    with_symbols: float = 0.0
    seconds: float = 0.0
    slowest: float = 0.0

    def add(self, ranked: Sequence[str], true: Sequence[str], seconds: float) -> None:
        self.commits += 1
        for cut in CUTS:
            self.parts[cut] += sum(path in ranked[:cut] for path in true) / len(true)
        self.whole += all(path in ranked[:20] for path in true)
        self.seconds += seconds
        self.slowest = max(self.slowest, seconds)

    def recall(self, cut: int) -> float:
        return self.parts[cut] / self.commits

    def row(self) -> str:
        shares = [*(self.recall(cut) for cut in CUTS), self.whole / self.commits]
        shares += [self.by_name / self.commits, self.with_symbols / self.commits]
        times = f"{self.seconds / self.commits:7.3f} {self.slowest:7.3f}"
        return " ".join(f"{100 * share:6.1f}" for share in shares) + times


class Place:
    """One repository and its index."""

    def __init__(self, git_dir: Path, work: Path) -> None:
        self.git = GitEnv.of(git_dir, {**os.environ, "GIT_DIR": str(git_dir)})
        self.index = FileIndex(work)
        self.cold: tuple[int, float, float] | None = None

    def tree(self, commit: str) -> dict[str, str]:
        """Blob ids of the program text of a commit by path."""
        rows = [
            row.split("\t", 1) for row in to_text(self.git.read("ls-tree", "-r", "-z", commit).out).split("\0") if row
        ]
        files = {path: facts.split()[2] for facts, path in rows if facts.startswith("100")}
        return {path: oid for path, oid in files.items() if path.rpartition(".")[2] in PROGRAMS}

    def read(self, oids: Sequence[str]) -> dict[str, bytes]:
        with Objects(self.git) as objects:
            return objects.read_many(small_blobs(self.git, oids, LARGEST))

    def corpus(self, commit: str) -> Corpus:
        files = self.tree(commit)
        started, used = time.perf_counter(), processor_time()
        read = self.index.update(files, self.read)
        if self.cold is None:
            self.cold = read, time.perf_counter() - started, processor_time() - used
        commits = tuple((found.subject, found.paths) for found in past(self.git, head=commit))
        index = self.index
        return Corpus(tuple(files), index.content, index.symbols, index.alike, index.sizes, commits)


def processor_time() -> float:
    """Of this process and of those that have ended."""
    return sum(os.times()[:4])


def measure(place: Place, task: dict[str, Any], tallies: dict[bool, list[Tally]]) -> None:
    corpus = place.corpus(task["parent"])
    blind = Corpus(corpus.paths, corpus.content, corpus.symbols, corpus.alike, corpus.sizes)
    outlines = place.index.outlines(corpus.paths)
    true = [path for path in task["files"] if path in outlines]
    for known, some in ((True, corpus), (False, blind)):
        started = time.process_time()
        ranked = [found.path for found in shortlist(task["subject"], some)]
        seconds = time.process_time() - started
        files = [MapFile(path, outline) for path, outline in outlines.items()]
        shown = file_map(files, MAP_TOKENS, Estimator(1.0).text, ranked)
        for tally in tallies[known]:
            tally.add(ranked, true, seconds)
            lines = set(shown.text.splitlines())
            tally.by_name += sum(path not in shown.left_out for path in true) / len(true)
            tally.with_symbols += sum(any(line.startswith(f"- {path} (") for line in lines) for path in true) / len(
                true
            )


def git_dir(folder: Path, repository: str) -> Path:
    base = folder / repository.replace("/", "+")
    for place in (base / "repo", base / ".git", base):
        if (place / "objects").is_dir():
            return place
    raise SystemExit(f"there is no clone of {repository} at {base}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("commits", type=Path)
    parser.add_argument("repositories", type=Path)
    parser.add_argument("--work", type=Path, help="where indexes stay for the next time")
    parser.add_argument("--goal", type=float, nargs=3, default=[0.62, 0.82, 0.80])
    arguments = parser.parse_args()
    tasks: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
    for task in json.loads(arguments.commits.read_text(encoding="utf-8")):
        tasks[task["repo"]].append(task)
    total = {True: Tally(), False: Tally()}
    print("repository               history     @5    @10    @20  all20   name symbol  s/rank slowest")
    with tempfile.TemporaryDirectory() as scratch:
        work = arguments.work or Path(scratch)
        for repository, some in tasks.items():
            place = Place(git_dir(arguments.repositories, repository), work / f"{repository.replace('/', '+')}.db")
            own = {True: Tally(), False: Tally()}
            for task in some:
                measure(place, task, {known: [own[known], total[known]] for known in own})
            for known, tally in own.items():
                print(f"{repository:25}{'with' if known else 'without':8}{tally.row()}", flush=True)
            if place.cold:
                read, seconds, used = place.cold
                print(f"{'':25}index of the first tree: {read} new blobs, {seconds:.2f} s, processor {used:.2f} s")
            place.index.close()
    for known, tally in total.items():
        print(f"{'all':25}{'with' if known else 'without':8}{tally.row()}")
    reached = (total[True].recall(5), total[True].recall(20), total[False].recall(20))
    return int(any(got < goal for got, goal in zip(reached, arguments.goal, strict=True)))


if __name__ == "__main__":
    sys.exit(main())
