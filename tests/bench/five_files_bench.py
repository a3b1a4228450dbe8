#!/usr/bin/env python3
"""The five files of the demo, print() to become a logger call: the whole file by model against the matched statement.

    python tests/bench/five_files_bench.py [--model NAME]

Same embedded model, same machine, one after the other. `right` means what the demo means by it: the code runs as
before and logs what it printed. The `fix` rule of the demo is applied to both results by code, so that only the
model's part differs.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import demo

from litecode.config.load import load_rules
from litecode.config.settings import Settings
from litecode.core.budget.door import Door
from litecode.core.budget.fit import reserve_for
from litecode.core.executing.executor import Job, Result, Steps
from litecode.core.executing.reply import Unusable, code_of
from litecode.core.executing.rules import FileState, apply_rule, compile_rule
from litecode.core.patching.document import Document
from litecode.core.values import Message, Prompt, Proof, Reply

SYSTEM = "You are a careful programmer. You change code exactly as you are told and nothing else."


@dataclass
class Tally:
    """What one way of working took."""

    way: str
    right: int = 0
    damaged: int = 0
    refused: int = 0
    output: int = 0
    prompt: int = 0
    seconds: float = 0.0
    good: dict[str, tuple[int, float]] = field(default_factory=dict)  # output tokens and seconds of each right file
    begun: tuple[int, float] = (0, 0.0)


class Model:
    def __init__(self, name: str) -> None:
        from litecode.core.llm.choice import choose

        environ = dict(os.environ) | ({"LITECODE_MODEL": name} if name else {})
        self.door = Door(choose(Settings(), environ), clock=time.monotonic)

    def ask(self, prompt: Prompt, tally: Tally) -> Reply:
        reply, _ = self.door.complete(prompt, tally.way)
        tally.output += reply.output_tokens
        tally.prompt += reply.prompt_tokens
        tally.seconds += reply.seconds
        return reply

    def reserve(self, text: str) -> int:
        return reserve_for(self.door.estimator.content([text]))


def whole_file(model: Model, text: str, instruction: str, ensure: str, tally: Tally) -> str:
    """Code first, instruction last, the header asked for in words: the best whole-file prompt that we know."""
    ask = f"{instruction}\nThe file must have these lines once below its imports:\n{ensure}\n"
    ask += "Reply with the complete changed file in one code block."
    messages = (Message("system", SYSTEM), Message("user", f"```python\n{text}\n```\n\n{ask}"))
    reply = model.ask(Prompt(messages, 2 * model.reserve(text)), tally)
    try:
        return code_of(reply, text) + "\n"
    except Unusable:
        return text


def statements(model: Model, state: FileState, tally: Tally) -> FileState:
    rule = next(r for r in RULES.rules if r.instruction is not None)

    def run(job: Job, steps: type[Steps]) -> Result:
        generator = steps(job)
        try:
            prompt = next(generator)
            while True:
                prompt = generator.send(model.ask(prompt, tally))
        except StopIteration as end:
            result: Result = end.value
            return result

    applied = apply_rule(compile_rule(rule, "python"), state, run, model.reserve)
    if applied.proof is not Proof.PROVEN:
        tally.refused += 1
    return applied.state


def fixed(text: str) -> bytes:
    """The deterministic rule, by code, for both."""
    rule = next(r for r in RULES.rules if r.fix is not None)
    document = Document.decode(text.encode())
    state = FileState("x.py", document, None)
    return document.encode(apply_rule(compile_rule(rule, "python"), state, None, len).state.document.text)


def judge(tally: Tally, path: str, before: bytes, text: str) -> None:
    try:
        demo.check(path, before, fixed(text))
    except Exception as error:
        tally.damaged += text.encode() != before
        print(f"  {tally.way}: {path}: {str(error) or type(error).__name__}", file=sys.stderr)
    else:
        tally.right += 1
        tally.good[path] = (tally.output - tally.begun[0], tally.seconds - tally.begun[1])
    tally.begun = (tally.output, tally.seconds)


RULES = load_rules((demo.FILES / "litecode.yaml").read_bytes(), "litecode.yaml")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", default="", help="a name of `git litecode model list`, or the path of a GGUF file")
    model = Model(parser.parse_args().model)
    rule = next(r for r in RULES.rules if r.instruction is not None)
    whole, site = Tally("whole file"), Tally("matched statement")
    for path in demo.CHECKS:
        before = (demo.FILES / path).read_bytes()
        text = before.decode()
        judge(whole, path, before, whole_file(model, text, rule.instruction or "", "\n".join(rule.ensure), whole))
        state = statements(model, FileState(path, Document.decode(before), None), site)
        judge(site, path, before, state.document.text)
    print("| way | right | damaged | refused | output tokens | prompt tokens | model seconds |")
    print("| --- | --: | --: | --: | --: | --: | --: |")
    for t in (whole, site):
        cells = (t.way, f"{t.right}/{len(demo.CHECKS)}", t.damaged, t.refused, t.output, t.prompt, f"{t.seconds:.1f}")
        print("| " + " | ".join(map(str, cells)) + " |")
    tokens, seconds = site.output / whole.output, site.seconds / whole.seconds
    print(f"\nof the whole file's: output tokens {tokens:.2f}, seconds {seconds:.2f}")
    both = whole.good.keys() & site.good.keys()
    if both:
        output, took = (sum(site.good[p][i] for p in both) / sum(whole.good[p][i] for p in both) for i in (0, 1))
        print(f"of the {len(both)} that are right both ways: output tokens {output:.2f}, seconds {took:.2f}")
    return 0 if site.right == len(demo.CHECKS) else 1


if __name__ == "__main__":
    raise SystemExit(main())
