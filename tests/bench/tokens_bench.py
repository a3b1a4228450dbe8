"""Is the token estimate never too low, hardly too high, and quick?

`python tests/bench/tokens_bench.py [MODEL.gguf …]`: 1,000 random prompts against the tokenizers in the files (nothing
is generated), and the time to count a megabyte of each kind. Without files: those that `git litecode model pull`
fetched.
"""

from __future__ import annotations

import os
import sys
import time
from collections import defaultdict
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from token_prompts import samples

from litecode.core.budget.fit import can_fit
from litecode.core.budget.tokens import Estimator, cl100k_counter
from litecode.core.llm.engine import Engine, Load
from litecode.core.llm.files import installed
from litecode.core.values import Message

NUMBER = int(os.environ.get("LITECODE_BENCH_PROMPTS", "1000"))
SYSTEM = "You are a careful programmer. Rewrite the code as asked and reply with one code block."
FACTOR = 1.02  # of the family in config/models.yaml
MEGABYTE = 1 << 20


def compare(path: Path) -> None:
    engine = Engine(Load(path, 512, 1, 1))
    excess: dict[str, list[float]] = defaultdict(list)
    low: list[tuple[str, int, int]] = []
    for sample in samples(NUMBER):
        messages = (Message("system", SYSTEM), Message("user", sample.text))
        real = engine.count([{"role": message.role, "content": message.content} for message in messages])
        assert real is not None
        estimate = Estimator(FACTOR).messages(messages)
        excess[sample.kind].append(estimate / real - 1)
        if estimate < real:
            low.append((sample.kind, estimate, real))
    engine.close()
    everything = [each for kind in excess.values() for each in kind]
    print(f"{path.name}: {NUMBER} prompts")
    print(f"  estimate >= real: {100 * (1 - len(low) / NUMBER):.2f} %  (goal: 99.9)")
    print(f"  mean excess: {100 * sum(everything) / len(everything):.1f} %  (goal: at most 10)")
    for kind, values in excess.items():
        print(f"    {kind:15} {100 * sum(values) / len(values):6.1f} %  least {100 * min(values):5.1f} %")
    for kind, estimate, real in low:
        print(f"  too low: {kind}, {estimate} of {real}")


def speed() -> None:
    assert cl100k_counter() is not None
    texts = {"code": "".join(sample.text for sample in samples(4000))}
    texts |= {
        f"{name} without end": text * MEGABYTE
        for name, text in (("a", "a"), ("blank", " "), ("digit", "7"), ("=", "="))
    }
    texts |= {"CJK": "的一是不了" * MEGABYTE, "emoji": "😀🎉" * MEGABYTE, "random letters": "qzxjkvw" * MEGABYTE}
    for name, text in texts.items():
        piece = text.encode()[:MEGABYTE].decode(errors="ignore")
        started = time.process_time()
        tokens = Estimator(FACTOR).text(piece)
        print(f"  1 MiB of {name:16} {time.process_time() - started:6.3f} s  {tokens:>9,} tokens")
    started = time.process_time()
    can_fit((Message("user", texts["code"][:6000]),), 8192, 1000, Estimator(FACTOR))
    print(f"  accepted by its length in bytes: {(time.process_time() - started) * 1e6:.0f} microseconds")


def main() -> None:
    paths = [Path(name) for name in sys.argv[1:]] or [file.path for file in installed(os.environ)]
    for path in paths:
        compare(path)
    print("counting (goal: 1 MiB in less than 1 s)")
    speed()


if __name__ == "__main__":
    main()
