#!/usr/bin/env python3
"""Whether the probabilities of a small model tell code that breaks a rule from code that does not.

    python tests/bench/probability_bench.py [--model NAME] [--every N]

Of the rules of all presets each N-th valid and invalid example is shown to the model in two ways. *Asked*: does this
code break the rule, yes or no; the figure is the probability of `yes` against that of `no` as the first token.
*Rewritten*: the prompt of the executor; the figure is the mean log-probability of the tokens of a reply that changes
the code, for rules with an `instruction`. The area under the ROC curve says how often an invalid example has more than
a valid one: 0.5 is chance. Pairs within one rule count beside all pairs, because rules differ.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import urllib.request
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

from aider_way import LlamaServer
from compare_bench import NAMED

from litecode.config import languages
from litecode.config.load import load_rules
from litecode.config.rules import Rule
from litecode.core.executing.prompt import block, edit_prompt
from litecode.core.executing.reply import Unusable, code_of
from litecode.core.llm.files import locate
from litecode.core.values import Message, Reply, Stop

PRESETS = Path(__file__).resolve().parents[2] / "config/presets"
SYSTEM = "You check source code against a rule."
QUESTION = "Does this code break the rule? Answer yes or no."


@dataclass(frozen=True, slots=True)
class Scored:
    """One example: the rule, whether it is invalid, and the figure of the model."""

    rule: str
    invalid: bool
    score: float


def examples(every: int) -> Iterator[tuple[Rule, str, bool]]:
    """Rule, code, and whether it is invalid."""
    rules = [rule for path in sorted(PRESETS.glob("*.yaml")) for rule in load_rules(path.read_bytes(), path.name).rules]
    found: list[tuple[Rule, str, bool]] = []
    for rule in rules:
        found += [(rule, code, False) for code in rule.tests.valid]
        found += [(rule, test.code, True) for test in rule.tests.invalid]
    return iter(found[::every])


class Asker:
    def __init__(self, url: str) -> None:
        self.url = url

    def __call__(self, messages: Sequence[Message], tokens: int) -> tuple[str, list[dict[str, Any]]]:
        """The text, and its tokens with their log-probabilities and those of the likeliest others."""
        body = {
            "messages": [{"role": m.role, "content": m.content} for m in messages],
            "max_tokens": tokens,
            "temperature": 0,
            "logprobs": True,
            "top_logprobs": 20,
        }
        request = urllib.request.Request(
            f"{self.url}/v1/chat/completions", json.dumps(body).encode(), {"Content-Type": "application/json"}
        )
        with urllib.request.urlopen(request, timeout=300) as answer:
            choice: dict[str, Any] = json.load(answer)["choices"][0]
        return str(choice["message"]["content"]), list(choice["logprobs"]["content"])


def asked(ask: Asker, rule: Rule, code: str) -> float:
    shown = f"Rule: {rule.message}\n\n{block(code, rule.language)}\n\n{QUESTION}"
    _, tokens = ask((Message("system", SYSTEM), Message("user", shown)), 1)
    likely = {"yes": 0.0, "no": 0.0}
    for other in tokens[0]["top_logprobs"]:
        word = other["token"].strip().lower()
        if word in likely:
            likely[word] += math.exp(other["logprob"])
    return likely["yes"] / max(1e-9, sum(likely.values()))


def rewritten(ask: Asker, rule: Rule, code: str) -> float | None:
    """None when the code comes back as it is, or nothing usable does."""
    grammar = known.parser if (known := languages.find(rule.language)) else None
    text, tokens = ask(edit_prompt(code, grammar, rule.instruction or ""), 400)
    try:
        new = code_of(Reply(text, Stop.END, 0, 0, 0.0), code)
    except Unusable:
        return None
    if new.strip() == code.strip():
        return None
    return sum(float(token["logprob"]) for token in tokens) / max(1, len(tokens))


def area(pairs: Iterable[tuple[float, float]]) -> str:
    """Of pairs of an invalid and a valid example."""
    wins = [1.0 if bad > good else 0.5 if bad == good else 0.0 for bad, good in pairs]
    return f"{sum(wins) / len(wins):.2f} ({len(wins):,} pairs)" if wins else "no pairs"


def row(name: str, found: Sequence[Scored]) -> str:
    bad, good = ([s for s in found if s.invalid is invalid] for invalid in (True, False))
    every = area((b.score, g.score) for b, g in product(bad, good))
    within = area((b.score, g.score) for b, g in product(bad, good) if b.rule == g.rule)
    return f"| {name} | {len(bad)} | {len(good)} | {every} | {within} |"


def scores(every: int, score: Callable[[Rule, str], float | None], *, of_models: bool) -> list[Scored]:
    found = []
    for rule, code, invalid in examples(every):
        if of_models and rule.instruction is None:
            continue
        figure = score(rule, code)
        if figure is not None:
            found.append(Scored(rule.id, invalid, figure))
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--model", default=NAMED, help="a name of `git litecode model list`, or the path of a GGUF file"
    )
    parser.add_argument("--every", type=int, default=3)
    args = parser.parse_args()
    with LlamaServer(locate(args.model, os.environ).path) as server:
        ask = Asker(server.url)
        print("| figure | invalid | valid | area, all pairs | area, within a rule |\n| --- | --: | --: | --: | --: |")
        said = scores(args.every, lambda rule, code: asked(ask, rule, code), of_models=False)
        print(row("asked: probability of yes", said), flush=True)
        right = sum((s.score > 0.5) is s.invalid for s in said)
        print(row("rewritten: mean log-probability", scores(1, lambda r, c: rewritten(ask, r, c), of_models=True)))
    print(f"\nyes or no is right for {right} of {len(said)} examples")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
