"""Which files a plan of the real model changes, against those that real commits changed.

    python tests/bench/plans_bench.py COMMITS REPOSITORIES [--count 30] [--model NAME]

COMMITS and REPOSITORIES are as for `localise_bench.py`. The subject of a commit is the request, the tree before it
is checked out, and all of its program text is in scope (`--all-files`), as in the lists. COUNT commits are taken,
evenly over the list. For each: the planner calls, their prompt tokens, and which files the plan has; then the share of
exact file sets, the mean share of the changed files that a plan has (recall), and of its files that were changed
(precision).
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from localise_bench import PROGRAMS, git_dir

from litecode.core.errors import LitecodeError
from litecode.core.git.process import to_text
from litecode.core.git.repository import Repository
from litecode.core.requests import run_request
from litecode.core.values import Run
from litecode.core.world import Options
from litecode.hooks.world import build_world


@dataclass(frozen=True, slots=True)
class Result:
    """What became of one commit; `planned` is empty when there was no plan."""

    planned: frozenset[str]
    changed: frozenset[str]
    calls: int
    within: bool
    said: str = ""

    @property
    def recall(self) -> float:
        return len(self.planned & self.changed) / len(self.changed)

    @property
    def precision(self) -> float:
        return len(self.planned & self.changed) / len(self.planned) if self.planned else 0.0


def checked_out(repositories: Path, task: dict[str, Any], place: Path) -> Repository:
    source = git_dir(repositories, task["repo"])
    git("clone", "-q", "--shared", "--no-checkout", str(source), str(place))
    git("-C", str(place), "checkout", "-q", "--detach", task["parent"])
    return Repository.discover(place, os.environ)


def git(*words: str) -> None:
    subprocess.run(["git", *words], check=True, capture_output=True)


def planned(repo: Repository, task: dict[str, Any]) -> Result:
    changed = frozenset(task["files"])
    tracked = repo.git.read("ls-files", "-z").out.split(b"\0")[:-1]
    programs = tuple(path for path in map(to_text, tracked) if path.rpartition(".")[2] in PROGRAMS)
    try:
        run: Run = run_request(
            build_world(repo, os.environ, with_rules=False),
            Options(programs, all_files=True, dry_run=True),
            task["subject"],
        )
    except LitecodeError as err:
        return Result(frozenset(), changed, 0, True, err.message)
    within = all(c.reply is None or c.reply.prompt_tokens + c.prompt.reserve <= c.window for c in run.calls)
    paths = frozenset(task.path for task in run.plan.tasks)
    said = "" if paths else "taken for a question" if run.extra.get("kind") == "question" else "no plan"
    return Result(paths, changed, len(run.calls), within, said)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("commits", type=Path)
    parser.add_argument("repositories", type=Path)
    parser.add_argument("--count", type=int, default=30)
    parser.add_argument("--model", default="", help="a name of `git litecode model list`, or the path of a GGUF file")
    arguments = parser.parse_args()
    if arguments.model:
        os.environ["LITECODE_MODEL"] = arguments.model
    tasks = json.loads(arguments.commits.read_text(encoding="utf-8"))
    results = []
    for number in range(arguments.count):
        task = tasks[number * len(tasks) // arguments.count]
        with tempfile.TemporaryDirectory() as scratch:
            started = time.perf_counter()
            repo = checked_out(arguments.repositories, task, Path(scratch) / "repo")
            ready = time.perf_counter()
            result = planned(repo, task)
        results.append(result)
        print(
            f"{task['repo']:22} {100 * result.recall:4.0f} {100 * result.precision:4.0f} {result.calls} calls ", end=""
        )
        print(f"{time.perf_counter() - ready:6.1f} s (+ {ready - started:.1f})  {task['subject'][:60]}  {result.said}")
        print(
            f"    changed {', '.join(sorted(result.changed))}\n    planned {', '.join(sorted(result.planned))}",
            flush=True,
        )
    exact = sum(r.planned == r.changed for r in results)
    within = all(r.within for r in results)
    print(
        f"{len(results)} commits: exact {exact}, recall {100 * sum(r.recall for r in results) / len(results):.1f} %, "
        f"precision {100 * sum(r.precision for r in results) / len(results):.1f} %, "
        f"at most {max(r.calls for r in results)} calls, {'all' if within else 'NOT all'} within the window"
    )
    return 0 if within and max(r.calls for r in results) <= 3 else 1


if __name__ == "__main__":
    sys.exit(main())
