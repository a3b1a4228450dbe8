"""Plans in trees of 50 to 10,000 files: how many planner calls, how many tokens each, how long everything else takes.

Run it by hand: `python tests/bench/planning_bench.py [FILES ...]`. The trees are synthetic: packages of modules with
classes and functions about made-up things. The model is a stand-in that answers at once, so that the seconds are
LiteCode's own; prompts are counted as for Qwen2.5. `sure` is a request whose words leave one file, `open` one that fits
many, `vague` one whose words are nowhere.
"""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from litecode.core.budget.tokens import Estimator
from litecode.core.git.repository import Repository
from litecode.core.requests import run_request
from litecode.core.values import Message, Prompt, Reply, Run, Stop
from litecode.core.world import Options
from litecode.hooks.world import build_world

THINGS = (
    "order invoice customer parcel voucher refund ticket stock supplier warehouse payment contract reminder campaign"
    " account ledger journal budget forecast route driver vehicle garage meter reading sensor alarm shift roster badge"
).split()
WORK = (
    "list filter merge export import archive restore validate index compare split schedule report audit render".split()
)
COUNT = Estimator(1.0)  # Qwen2.5's factor
REQUESTS = {
    "sure": "archive_invoice() must raise ValueError for a negative limit",
    "open": "the exports of customers need a column for the date",
    "vague": "be friendlier to whoever comes back after a long time",
}


class Stand:
    """Answers plans with the first file, folders with the first two."""

    name, digest, slots, window, factor = "stand-in", "2" * 64, 1, 8192, 1.0

    def complete(self, prompt: Prompt) -> Reply:
        assert prompt.schema is not None
        fields = prompt.schema["properties"]
        if "folders" in fields:
            said: object = {"folders": fields["folders"]["items"]["enum"][:2]}
        elif "tasks" in fields:
            file = fields["tasks"]["items"]["properties"]["file"]["enum"][0]
            said = {"kind": "change", "tasks": [{"file": file, "action": "do it"}]}
        else:
            said = {"kind": "change"}
        return Reply(json.dumps(said), Stop.END, 0, 0, 0.0)

    def count(self, messages: tuple[Message, ...]) -> None:
        del messages

    def close(self) -> None: ...


def modules() -> Iterator[tuple[str, str]]:
    """Path and text of one module after the other, all different."""
    for number in itertools.count():
        for thing, work in itertools.product(THINGS, WORK):
            layer = ("", "api/", "jobs/", "store/", "views/")[number % 5]
            area = "" if number < 5 else f"area{number // 5}/"
            mark = "" if number == 0 else f"_{layer.strip('/') or 'core'}{number // 5 or ''}"
            name = f"{work}_{thing}{mark}"
            yield (
                f"shop/{area}{layer}{thing}/{name}.py",
                f'"""How to {work} each {thing}."""\n\n\ndef {name}({thing}s, limit=10):\n'
                f'    """Return what is left of the {thing}s."""\n    return {thing}s[:limit]\n\n\n'
                f"class {thing.title()}{work.title()}:\n    def run(self, {thing}):\n"
                f"        return {name}([{thing}])\n",
            )


def tree(place: Path, files: int) -> Repository:
    place.mkdir()
    for path, text in itertools.islice(modules(), files):
        file = place / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    for argv in (
        ["init", "-q"],
        ["add", "."],
        ["-c", "user.name=x", "-c", "user.email=x@x", "commit", "-q", "-m", "x"],
    ):
        subprocess.run(["git", *argv], cwd=place, check=True)
    return Repository.discover(place, os.environ)


def plan(repo: Repository, request: str) -> tuple[Run, float]:
    world = replace(build_world(repo, os.environ, with_rules=False), model=Stand)
    started = time.perf_counter()
    run = run_request(world, Options(all_files=True, dry_run=True), request)
    return run, time.perf_counter() - started


def main(argv: list[str]) -> int:
    sizes = [int(word) for word in argv] or [50, 500, 5000, 10000]
    print("| files | request | planner calls | prompt tokens of each | window kept | cold s | warm s |")
    print("| --: | --- | --: | --- | --- | --: | --: |")
    within = True
    with tempfile.TemporaryDirectory() as folder:
        for size in sizes:
            repo = tree(Path(folder) / str(size), size)
            for name, request in REQUESTS.items():
                run, cold = plan(repo, request)
                run, warm = plan(repo, request)
                fits = all(c.estimate + c.prompt.reserve <= c.window for c in run.calls) and len(run.calls) <= 3
                within = within and fits
                tokens = ", ".join(str(COUNT.messages(call.prompt.messages)) for call in run.calls) or "-"
                kept = "yes" if fits else "NO"
                row = (f"{size:,}", name, str(len(run.calls)), tokens, kept, f"{cold:.1f}", f"{warm:.1f}")
                print(f"| {' | '.join(row)} |", flush=True)
    return 0 if within else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
