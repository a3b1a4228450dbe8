"""Milliseconds of each gate on a region of 30 lines in a file of 500, as a rewrite meets them: nothing known yet.

    python tests/bench/gates_bench.py [--repeat 5] [--goal 250]

Two languages, Python and JavaScript. A first column counts what all gates share (the trees and tokens of both texts)
to the gate that asks first; the second has each gate by itself when those are known. The best of the repetitions
counts, in processor time. Exit status 1 when all gates together need more than the goal.
"""

from __future__ import annotations

import argparse
import gc
import sys
import time
from collections.abc import Iterator

from litecode.core.patching import pytree, syntax
from litecode.core.patching.document import Document
from litecode.core.patching.gates import grammar, places, python
from litecode.core.patching.gates.base import Asked, Rewrite
from litecode.core.patching.judge import GATES, judge, rewrite_of
from litecode.core.patching.match import ast_matcher
from litecode.core.patching.regions import regions_of
from litecode.core.patching.vocabulary import vocabulary

INSTRUCTION = "Replace print() by logger.info() with %s placeholders (no f-string)."
CACHES = (syntax.parse, syntax.tokens, syntax.faults, pytree.tree, places.places, grammar.definitions)
HIDDEN = ((grammar, "_fault"), (python, "_rows"))  # caches of a single module


def python_file() -> tuple[str, str, str]:
    """A file, the function of 30 lines at its end, and that function rewritten."""
    rows = [f"    value_{n} = compute(items[{n}], 'text {n}', key={n})  # step {n}" for n in range(27)]
    body = "\n".join(["def last(items, compute):", *rows, "    print('done', value_1)", "    return value_2"])
    around = "\n\n\n".join(
        f"def function_{n}(first, second=None):\n    '''Doc {n}.'''\n    if first:\n        return [second, {n}]\n"
        f"    for item in first:\n        second = item.get('key {n}', second)\n    return second\n"
        for n in range(47)
    )
    head = "import logging\nimport os\n\nlogger = logging.getLogger(__name__)\n\n\n"
    text = f"{head}{around}\n\n\n{body}\n"
    return text, body, body.replace("print('done', value_1)", "logger.info('done %s', value_1)")


def javascript_file() -> tuple[str, str, str]:
    rows = [f"  const value{n} = compute(items[{n}], 'text {n}', {{ key: {n} }}); // step {n}" for n in range(27)]
    body = "\n".join(["function last(items, compute) {", *rows, "  print('done', value1);", "  return value2;\n}"])
    around = "\n\n".join(
        f"function function{n}(first, second) {{\n  if (first) {{\n    return [second, {n}];\n  }}\n"
        f"  for (const item of first) {{\n    second = item.get('key {n}', second);\n  }}\n  return second;\n}}\n"
        for n in range(42)
    )
    text = f"import {{ logger }} from './logger.js';\n\n{around}\n\n{body}\n"
    return text, body, body.replace("print('done', value1)", "logger.info('done %s', value1)")


def rewrites(language: str) -> Iterator[Rewrite]:
    text, _, new = python_file() if language == "python" else javascript_file()
    matcher = ast_matcher({"pattern": "print($$$A)"}, {}, language)
    document = Document(text)
    (area,) = regions_of(document, [m.cut for m in matcher.find(text)], "function", language)
    assert new.count("\n") in (29, 30)
    assert 480 <= text.count("\n") <= 520, text.count("\n")
    asked = Asked(vocabulary(INSTRUCTION), matcher, None, None, (), certain=True)
    while True:
        yield rewrite_of(document, area, new, language, asked)


def forget() -> None:
    for cache in (*CACHES, *(getattr(module, name) for module, name in HIDDEN)):
        cache.cache_clear()


def measure(language: str, repeat: int) -> tuple[list[tuple[str, float, float]], float]:
    """Of each gate: its name, milliseconds with nothing known, and with everything that it shares known."""
    made = rewrites(language)
    cold: dict[str, float] = {}
    warm: dict[str, float] = {}
    total = float("inf")
    gc.disable()
    for _ in range(repeat):
        forget()
        rewrite = next(made)
        started = time.process_time()
        for gate in GATES:
            before = time.process_time()
            found = gate(rewrite)
            assert found is None, found
            name = f"{gate.__module__.rpartition('.')[2]}.{gate.__name__}"
            cold[name] = min(cold.get(name, 1e9), 1000 * (time.process_time() - before))
        total = min(total, 1000 * (time.process_time() - started))
        for gate in GATES:
            before = time.process_time()
            gate(rewrite)
            name = f"{gate.__module__.rpartition('.')[2]}.{gate.__name__}"
            warm[name] = min(warm.get(name, 1e9), 1000 * (time.process_time() - before))
        assert judge(rewrite).settled
    return [(name, cold[name], warm[name]) for name in cold], total


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--goal", type=float, default=250, help="milliseconds for all gates of one rewrite")
    options = parser.parse_args()
    worst = 0.0
    for language in ("python", "javascript"):
        rows, total = measure(language, options.repeat)
        print(f"{language}: region of 30 lines, file of 500")
        for name, first, again in rows:
            print(f"  {name:24} {first:8.2f} ms {again:8.2f} ms")
        print(f"  {'all':24} {total:8.2f} ms {sum(again for _, _, again in rows):8.2f} ms\n")
        worst = max(worst, total)
    return int(worst > options.goal)


if __name__ == "__main__":
    sys.exit(main())
