#!/usr/bin/env python3
"""Rule cases by LiteCode, and by one call for each file that sees and gives back the whole file, as
razvanneculai/litecode 1.1.0 works: same model, same machine, one after the other. And by aider, where it is
installed.

    python tests/bench/compare_bench.py CASES [--only GLOB] [--model NAME] [--aider PROGRAM]

CASES is a folder of cases: `case.json`, `rules.yaml`, `repo/` and `check.py TREE`, which exits with 0 for a right
answer. Whole files are asked for as that tool does it: the file and the task in one message, the answer stripped of
its fences and written as it is. Aider gets the task and the file as it likes them for a model that it does not know,
with llama.cpp's own server; its seconds are those of the whole program. LiteCode's results count as with `--yes`: what
no gate refuses.
"""

from __future__ import annotations

import argparse
import fnmatch
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from aider_way import Aider

from litecode.config import languages
from litecode.config.load import load_rules
from litecode.config.rules import Rule
from litecode.config.select import Selection, tags_for
from litecode.config.settings import Settings
from litecode.core.budget.door import Door
from litecode.core.budget.fit import reserve_for
from litecode.core.errors import ModelError
from litecode.core.executing.executor import Job, Result, Steps
from litecode.core.executing.rules import CompiledRule, FileState, apply_rule, compile_rule, sites_of
from litecode.core.llm.files import locate
from litecode.core.patching.document import Document
from litecode.core.values import Message, Prompt, Proof, Reply

SYSTEM = "You are a code editor. You get one file and one task. Reply with the complete new content of the file."
NAMED = "qwen2.5-coder-1.5b"  # whose weights aider's server loads when no model is named
Files = dict[str, bytes]
Work = Callable[[Path, list[str]], Files]


class Meter(Protocol):
    """Counts what a case took."""

    output: int
    seconds: float


@dataclass
class Way:
    """What one way of working came to; tokens and seconds by case."""

    name: str
    outcome: dict[str, str] = field(default_factory=dict)
    output: dict[str, int] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)

    def count(self, outcome: str) -> int:
        return sum(found == outcome for found in self.outcome.values())


class Model:
    """One embedded model for both; what a case needs of it is counted."""

    def __init__(self, name: str) -> None:
        from litecode.core.llm.choice import choose

        environ = dict(os.environ) | ({"LITECODE_MODEL": name} if name else {})
        self.door = Door(choose(Settings(), environ), clock=time.monotonic)
        self.output = 0
        self.seconds = 0.0

    def ask(self, prompt: Prompt) -> Reply:
        reply, _ = self.door.complete(prompt, "bench")
        self.output += reply.output_tokens
        self.seconds += reply.seconds
        return reply

    def reserve(self, text: str) -> int:
        return reserve_for(self.door.estimator.content([text]))

    def drive(self, job: Job, steps: Callable[[Job], Steps]) -> Result:
        generator = steps(job)
        try:
            prompt = next(generator)
            while True:
                try:
                    prompt = generator.send(self.ask(prompt))
                except ModelError as err:
                    prompt = generator.throw(err)
        except StopIteration as end:
            result: Result = end.value
            return result


def rules_of(case: Path, path: str, data: bytes) -> Iterator[CompiledRule]:
    rules = load_rules((case / "rules.yaml").read_bytes(), ".litecode.yaml")
    tags = tags_for(path, "100644", lambda: data[:8192])
    for rule_id in Selection.of(rules).ids(path, lambda: tags):
        rule = next(r for r in rules.active if r.id == rule_id)
        language = rule.language or languages.language_of(path, tags)
        known = languages.find(language) if language else None
        yield compile_rule(rule, known.parser if known else None)


def whole_files(case: Path, staged: list[str], model: Model) -> Files:
    """One call for each rule on each file in which it has a site."""
    changed: Files = {}
    for path in staged:
        data = (case / "repo" / path).read_bytes()
        text = data.decode()
        for compiled in rules_of(case, path, data):
            rule = compiled.rule
            if not sites_of(compiled, FileState(path, Document.decode(text.encode()), None)):
                continue
            user = f"File: {path}\n\n{text}\n\nTask: {task_of(rule)}"
            messages = (Message("system", SYSTEM), Message("user", user))
            try:
                reply = model.ask(Prompt(messages, 2 * model.reserve(text))).text
            except ModelError:
                continue
            text = re.sub(r"\A\s*```\w*\n|\n?```\s*\Z", "", reply)
        if text.encode() != data:
            changed[path] = text.encode()
    return changed


def task_of(rule: Rule) -> str:
    """What a person would ask for."""
    task = rule.instruction or f"Replace {rule.fix!r} where {rule.message}"
    ensure = f" The file needs these lines: {'; '.join(rule.ensure)}." if rule.ensure else ""
    return f"{' '.join(task.split())}{ensure}"


def by_aider(case: Path, staged: list[str], aider: Aider) -> Files:
    """One task for each rule on each file in which it has a site; whatever it changes counts."""
    with tempfile.TemporaryDirectory() as place:
        tree = Path(place) / "tree"
        shutil.copytree(case / "repo", tree)
        before = _contents(tree)
        for path in staged:
            for compiled in rules_of(case, path, before[path]):
                state = FileState(path, Document.decode((tree / path).read_bytes()), None)
                if sites_of(compiled, state):
                    aider.edit(tree, path, task_of(compiled.rule))
        return {path: data for path, data in _contents(tree).items() if before.get(path) != data}


def _contents(tree: Path) -> Files:
    return {str(file.relative_to(tree)): file.read_bytes() for file in tree.rglob("*") if file.is_file()}


def litecode(case: Path, staged: list[str], model: Model) -> Files:
    changed: Files = {}
    for path in staged:
        data = (case / "repo" / path).read_bytes()
        document = Document.decode(data)
        state = FileState(path, document, changed_lines(case / "base" / path, document.text))
        for compiled in rules_of(case, path, data):
            applied = apply_rule(compiled, state, model.drive, model.reserve)
            if applied.proof is Proof.REFUSED:
                return {}  # one file that is not settled holds the run
            state = applied.state
        if state.document.text != document.text:
            changed[path] = state.document.encode(state.document.text)
    return changed


def changed_lines(base: Path, text: str) -> frozenset[int] | None:
    if not base.exists():
        return None
    from difflib import SequenceMatcher

    ops = SequenceMatcher(None, base.read_text().split("\n"), text.split("\n"), autojunk=False).get_opcodes()
    return frozenset(n for tag, _, _, j1, j2 in ops if tag != "equal" for n in range(j1 + 1, j2 + 1))


def judged(case: Path, files: Files) -> str:
    if not files:
        return "none"
    with tempfile.TemporaryDirectory() as place:
        tree = Path(place) / "tree"
        shutil.copytree(case / "repo", tree)
        for path, data in files.items():
            (tree / path).parent.mkdir(parents=True, exist_ok=True)
            (tree / path).write_bytes(data)
        done = subprocess.run((sys.executable, "-B", case / "check.py", tree), capture_output=True, check=False)
    return "wrong" if done.returncode else "right"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", type=Path)
    parser.add_argument("--only", default="*")
    parser.add_argument("--model", default="", help="a name of `git litecode model list`, or the path of a GGUF file")
    parser.add_argument("--aider", default="", metavar="PROGRAM", help="an aider to compare with")
    args = parser.parse_args()
    with ExitStack() as stack:
        model = Model(args.model)
        ways: list[tuple[Way, Meter, Work]] = [
            (Way("whole file"), model, lambda case, staged: whole_files(case, staged, model)),
            (Way("LiteCode"), model, lambda case, staged: litecode(case, staged, model)),
        ]
        if args.aider:
            aider = stack.enter_context(Aider(args.aider, locate(args.model or NAMED, os.environ).path))
            ways.append((Way("aider"), aider, lambda case, staged: by_aider(case, staged, aider)))
        compare(args.cases, args.only, ways)
    return table(*(way for way, _, _ in ways))


def compare(cases: Path, only: str, ways: list[tuple[Way, Meter, Work]]) -> None:
    """Every case each way, in turns, so that other work on the machine slows all of them."""
    for case in sorted(cases.iterdir()):
        spec = json.loads((case / "case.json").read_text()) if (case / "case.json").exists() else {}
        if spec.get("kind") != "rule" or spec["expect"] != "change" or not fnmatch.fnmatch(case.name, only):
            continue
        for way, meter, work in ways:
            meter.output, meter.seconds = 0, 0.0
            way.outcome[case.name] = judged(case, work(case, spec["stage"]))
            way.output[case.name], way.seconds[case.name] = meter.output, meter.seconds
            took = f"{meter.output:5} tokens {meter.seconds:5.0f} s"
            print(f"{case.name:32} {way.name:12} {way.outcome[case.name]:6} {took}", flush=True)


def table(whole: Way, ours: Way, *others: Way) -> int:
    print("\n| way | right | wrong | none | output tokens | model seconds |\n| --- | --: | --: | --: | --: | --: |")
    for way in (whole, ours, *others):
        cells = (way.name, *(way.count(name) for name in ("right", "wrong", "none")), sum(way.output.values()))
        print("| " + " | ".join(map(str, cells)) + f" | {sum(way.seconds.values()):.1f} |")
    both = [name for name, outcome in ours.outcome.items() if outcome == whole.outcome[name] == "right"]
    if both:
        tokens = sum(ours.output[n] for n in both) / max(1, sum(whole.output[n] for n in both))
        seconds = sum(ours.seconds[n] for n in both) / max(0.001, sum(whole.seconds[n] for n in both))
        print(
            f"\n{len(both)} cases are right both ways; of the whole file's: tokens {tokens:.2f}, seconds {seconds:.2f}"
        )
    right = [way.count("right") for way in (whole, ours)]
    per = [sum(way.output.values()) / max(1, n) for way, n in zip((whole, ours), right, strict=True)]
    print(f"output tokens for each right case: {per[0]:.0f} and {per[1]:.0f}, ratio {per[1] / max(1.0, per[0]):.2f}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
