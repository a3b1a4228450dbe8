"""Wall of a plan against its longest path, on a simulated endpoint with a fixed time per token and n slots.

    python tests/bench/orchestrator_bench.py [--goal 1.05] [--repeat 2]

Two shapes for each n: n independent tasks, and n tasks in layers with random dependencies. Beside each stands what
waves (every task of a layer waits for the whole layer before it) would need. A task takes 20 to 100 tokens at 28 per
second. The best of the repetitions counts, because other load on the machine only ever adds. Exit status 1 when a
ratio is over the goal.
"""

from __future__ import annotations

import argparse
import random
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from functools import cache

from litecode.core.orchestrator import Done, Seen, run_plan
from litecode.core.values import Plan, Task

SECONDS_PER_TOKEN = 1 / 28


def independent(count: int, rng: random.Random) -> tuple[Plan, dict[str, float]]:
    tasks = tuple(Task(f"t{number}", f"f{number}.py", "x") for number in range(count))
    return Plan(tasks), {task.id: rng.randint(20, 100) * SECONDS_PER_TOKEN for task in tasks}


def layered(count: int, rng: random.Random) -> tuple[Plan, dict[str, float]]:
    tasks: list[Task] = []
    for number in range(count):
        layer = number * 4 // count
        above = [task.id for place, task in enumerate(tasks) if place * 4 // count == layer - 1]
        needs = tuple(rng.sample(above, min(len(above), rng.randint(1, 2)))) if above else ()
        tasks.append(Task(f"t{number}", f"f{number}.py", "x", depends_on=needs))
    return Plan(tuple(tasks)), {task.id: rng.randint(20, 100) * SECONDS_PER_TOKEN for task in tasks}


def longest_path(plan: Plan, seconds: dict[str, float]) -> float:
    needs = {task.id: task.depends_on for task in plan.tasks}

    @cache
    def until_end(name: str) -> float:
        return seconds[name] + max((until_end(other) for other in needs[name]), default=0.0)

    return max(until_end(name) for name in needs)


def waves(plan: Plan, seconds: dict[str, float]) -> float:
    needs = {task.id: task.depends_on for task in plan.tasks}

    @cache
    def depth(name: str) -> int:
        return 1 + max((depth(other) for other in needs[name]), default=-1)

    slowest: dict[int, float] = {}
    for name in needs:
        slowest[depth(name)] = max(slowest.get(depth(name), 0.0), seconds[name])
    return sum(slowest.values())


def wall(plan: Plan, seconds: dict[str, float], slots: int) -> float:
    def execute(task: Task, _seen: Seen[str]) -> Done[str, None]:
        time.sleep(seconds[task.id])
        return Done(None, None)

    with ThreadPoolExecutor(slots) as pool:
        begun = time.perf_counter()
        run_plan(plan, execute, pool, per_file={}, cancel=threading.Event())
        return time.perf_counter() - begun


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--goal", type=float, default=1.05)
    parser.add_argument("--repeat", type=int, default=2)
    options = parser.parse_args()
    goal: float = options.goal
    worst = 0.0
    print(f"{'shape':12} {'n':>4} {'longest path':>13} {'wall':>8} {'ratio':>6} {'waves':>8}")
    for shape in (independent, layered):
        for count in (5, 50, 500):
            plan, seconds = shape(count, random.Random(count))
            floor = longest_path(plan, seconds)
            took = min(wall(plan, seconds, count) for _ in range(options.repeat))
            worst = max(worst, took / floor)
            print(f"{shape.__name__:12} {count:4} {floor:11.3f} s {took:6.3f} s {took / floor:6.3f} "
                  f"{waves(plan, seconds):6.3f} s")  # fmt: skip
    print(f"worst ratio {worst:.3f}, goal {goal:.2f}")
    return 0 if worst <= goal else 1


if __name__ == "__main__":
    raise SystemExit(main())
