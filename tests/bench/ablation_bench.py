#!/usr/bin/env python3
"""What each part of rewriting a region is worth: the rule cases with all of them, with one left out at a time, and with
one more.

    python tests/bench/ablation_bench.py CASES [--model NAME] [--only GLOB] [--way NAME ...] [--replies FILE]

CASES is as for `compare_bench.py`. A prompt that was asked before gets the same answer again, so ways that differ only
in what they do with answers are compared on the same ones; tokens and seconds count as if each way had asked. FILE
keeps the answers for the next time. `staged` are the changes that are proven, `--yes` those that no gate refuses.
"""

from __future__ import annotations

import argparse
import fnmatch
import hashlib
import json
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any
from unittest import mock

from compare_bench import Files, Model, changed_lines, judged, rules_of

from litecode.config.rules import RegionKind
from litecode.core.executing import executor
from litecode.core.executing.executor import Job, Manner, Result, Steps
from litecode.core.executing.prompt import Form, edit_prompt
from litecode.core.executing.rules import CompiledRule, FileState, apply_rule
from litecode.core.filemap.outline import outline
from litecode.core.patching.document import Document
from litecode.core.patching.judge import Judgement
from litecode.core.values import Message, Prompt, Proof, Reply, Stop


class Known:
    """The model, with a memory."""

    def __init__(self, name: str, file: Path | None) -> None:
        self.name, self.file = name, file
        self.replies: dict[str, list[Any]] = json.loads(file.read_text()) if file and file.exists() else {}
        self.calls = self.output = 0
        self.seconds = 0.0
        self._model: Model | None = None

    @property
    def model(self) -> Model:
        if self._model is None:
            self._model = Model(self.name)
        return self._model

    def ask(self, prompt: Prompt) -> Reply:
        said = [[(m.role, m.content) for m in prompt.messages], prompt.reserve, prompt.sampling.temperature]
        key = hashlib.sha256(json.dumps([self.name, *said, prompt.sampling.seed]).encode()).hexdigest()
        if key not in self.replies:
            reply = Model.ask(self.model, prompt)
            self.replies[key] = [
                reply.text,
                reply.stop.value,
                reply.prompt_tokens,
                reply.output_tokens,
                reply.seconds,
            ]
            if self.file:
                self.file.write_text(json.dumps(self.replies))
        text, stop, read, written, seconds = self.replies[key]
        self.calls, self.output, self.seconds = self.calls + 1, self.output + written, self.seconds + seconds
        return Reply(text, Stop(stop), read, written, seconds)

    def drive(self, job: Any, steps: Callable[[Any], Any]) -> Result:
        driving = mock.Mock(ask=self.ask)
        return Model.drive(driving, job, steps)


def _trusting(job: Any, draft: Any, _note: str, tries: Any) -> Steps:
    """What no gate refuses is proven."""
    return Result(job.area, draft.new, Proof.PROVEN, "", tuple(tries))
    yield


def _without(**left_out: Any) -> Callable[..., Any]:
    return lambda *args, **named: edit_prompt(*args, **{**named, **left_out})


_prompt = executor._prompt


def _beside(context: Callable[[Job], str]) -> Callable[..., Prompt]:
    """Prompts that show something of the file beside the region."""

    def prompt(job: Job, manner: Manner, note: str) -> Prompt:
        made = _prompt(job, manner, note)
        system, *rest = made.messages
        return replace(made, messages=(Message("system", f"{system.content}\n\n{context(job)}"), *rest))

    return prompt


def _outline(job: Job) -> str:
    symbols = outline(job.document.text, NAMES.get(job.language or "", "a")).symbols
    return "\n".join(("The file has:", *(f"- {symbol.signature or symbol.name}" for symbol in symbols)))


def _around(job: Job) -> str:
    lines, own = job.document.text.split("\n"), job.document.lines_of(job.area.cut)
    above, below = lines[max(0, own[0] - 1 - AROUND) : own[0] - 1], lines[own[-1] : own[-1] + AROUND]
    return "\n".join(("Above and below it stand:", *above, "...", *below))


def _patch(name: str, value: Any) -> AbstractContextManager[Any]:
    return mock.patch.object(executor, name, value)


def _all(*patches: AbstractContextManager[Any]) -> AbstractContextManager[Any]:
    stack = ExitStack()
    for patch in patches:
        stack.enter_context(patch)
    return stack


def _region(kind: RegionKind, compiled: CompiledRule) -> CompiledRule:
    """Where the rule has a pattern, and a model carries it out."""
    fit = compiled.asked.matcher is not None and compiled.rule.instruction is not None
    return replace(compiled, kind=kind.value) if fit and compiled.grammar else compiled


AROUND = 3  # lines
NAMES = {"python": "a.py", "javascript": "a.js", "bash": "a.sh", "yaml": "a.yaml"}
Way = tuple[Callable[[], AbstractContextManager[Any]], Callable[[CompiledRule], CompiledRule]]
WAYS: Mapping[str, Way] = {
    "all parts": (nullcontext, lambda it: it),
    "no gates": (lambda: _patch("judge", lambda _rewrite: Judgement(None)), lambda it: it),
    "no second answers": (lambda: _patch("_settle", _trusting), lambda it: it),
    "no repair of answers": (
        lambda: _all(_patch("repair", lambda code, *_: code), _patch("variants", lambda *_, **__: ())),
        lambda it: it,
    ),
    "no other tries": (lambda: _patch("TRIES", executor.TRIES[:1]), lambda it: it),
    "tries are not told why": (lambda: _patch("edit_prompt", _without(note="")), lambda it: it),
    "no example": (lambda: _patch("edit_prompt", _without(examples=())), lambda it: it),
    "rule after the code": (
        lambda: _patch("TRIES", (Manner(Form.RULE_LAST), Manner(joined=True), Manner(Form.RULE_LAST, joined=True))),
        lambda it: it,
    ),
    "outline of the file beside it": (lambda: _patch("_prompt", _beside(_outline)), lambda it: it),
    "three lines above and below beside it": (lambda: _patch("_prompt", _beside(_around)), lambda it: it),
    "whole functions": (nullcontext, partial(_region, RegionKind.FUNCTION)),
    "whole files": (nullcontext, partial(_region, RegionKind.FILE)),
}


def work(case: Path, staged: list[str], known: Known, adapted: Callable[[CompiledRule], CompiledRule]) -> list[Files]:
    """The files that would be staged, and those with `--yes`."""
    changed: Files = {}
    doubtful = False
    for path in staged:
        data = (case / "repo" / path).read_bytes()
        document = Document.decode(data)
        state = FileState(path, document, changed_lines(case / "base" / path, document.text))
        for compiled in rules_of(case, path, data):
            applied = apply_rule(adapted(compiled), state, known.drive, known.model.reserve)
            if applied.proof is Proof.REFUSED:
                return [{}, {}]
            doubtful |= applied.proof is Proof.DOUBTFUL
            state = applied.state
        if state.document.text != document.text:
            changed[path] = state.document.encode(state.document.text)
    return [{} if doubtful else changed, changed]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", type=Path)
    parser.add_argument("--only", default="*")
    parser.add_argument("--model", default="", help="a name of `git litecode model list`, or the path of a GGUF file")
    parser.add_argument("--way", action="append", choices=WAYS, help="this one only; several times")
    parser.add_argument("--replies", type=Path, metavar="FILE")
    args = parser.parse_args()
    known = Known(args.model, args.replies)
    print("| way | staged: right, wrong | --yes: right, wrong | no change kept | calls | output tokens | seconds |")
    print("| --- | --- | --- | --: | --: | --: | --: |", flush=True)
    for name in args.way or WAYS:
        patched, adapted = WAYS[name]
        known.calls, known.output, known.seconds = 0, 0, 0.0
        found: tuple[Counter[str], ...] = (Counter(), Counter())
        kept = [0, 0]
        with patched():
            for case in sorted(args.cases.iterdir()):
                spec = json.loads((case / "case.json").read_text()) if (case / "case.json").exists() else {}
                if spec.get("kind") != "rule" or not fnmatch.fnmatch(case.name, args.only):
                    continue
                both = work(case, spec["stage"], known, adapted)
                if spec["expect"] == "change":
                    for counted, files in zip(found, both, strict=True):
                        counted[judged(case, files)] += 1
                else:
                    kept = [kept[0] + (not both[1]), kept[1] + 1]
        cells = [f"{counted['right']}, {counted['wrong']}" for counted in found]
        print(
            f"| {name} | {cells[0]} | {cells[1]} | {kept[0]}/{kept[1]} "
            f"| {known.calls} | {known.output:,} | {known.seconds:.0f} |",
            flush=True,
        )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
