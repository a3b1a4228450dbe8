from __future__ import annotations

from collections.abc import Callable
from typing import Any

from litecode.core.values import Call, Plan, Prompt, Run, State, Task, Verdict
from litecode.core.world import Options
from litecode.hooks.show.plan import show_plan


def test_a_dry_run(screen: Callable[..., Any]) -> None:
    tasks = (
        Task("1", "shop/cart.py", "Replace the print() call.", rule="no-print"),
        Task("2", "a\x1b.py", "Keep the cause.", rule="raise-from"),
    )
    calls = (
        Call("no-print shop/cart.py:14", Prompt((), 128), None, 412, 8192, 0.0, 0.0),
        Call("raise-from a.py:1", Prompt((), 128), None, 8000, 8192, 0.0, 0.0),
    )
    verdicts = (
        Verdict("shop/cart.py", "no-print", State.FOUND, "1 call", line=14, sites=2),
        Verdict("b.py", "slow", State.SKIPPED, "does not fit: 9000 of 8192 tokens", line=3),
    )
    run = Run("7f3a", 0.0, (), Plan(tasks), verdicts, calls=calls, notes=("n",), extra={"files": 3})
    terminal = screen()
    show_plan(run, Options(dry_run=True), terminal)
    assert terminal.stdout == (
        "  shop/cart.py:14  no-print  found     1 call\n"
        "  b.py:3           slow      skipped   does not fit: 9000 of 8192 tokens\n"
        "  shop/cart.py  no-print    Replace the print() call.\n"
        "  a\\x1b.py      raise-from  Keep the cause.\n"
        "tokens of the calls, prompt + reply, and the room for both:\n"
        "  no-print shop/cart.py:14  412 + 128   8192\n"
        "  raise-from a.py:1         8000 + 128  8192  does not fit\n"
    )
    assert terminal.stderr == (
        "note: n\n"
        "litecode: dry run, 1 of 3 staged files matches 1 rule, 2 sites\n"
        "litecode: 2 tasks, 2 model calls; nothing was changed\n"
    )


def test_what_is_not_judged_yet(screen: Callable[..., Any]) -> None:
    tasks = tuple(Task(str(n), path, "Do it.", rule=rule) for n, (path, rule) in enumerate([("a", "r"), ("a", "s")]))
    terminal = screen()
    show_plan(Run("", 0.0, (), Plan(tasks), extra={"files": 3}), Options(dry_run=True), terminal)
    assert terminal.stderr.splitlines()[0] == "litecode: dry run, 2 rules to apply in 1 file"


def test_nothing_to_do(screen: Callable[..., Any], make_run: Callable[..., Run]) -> None:
    terminal = screen()
    show_plan(make_run(), Options(dry_run=True), terminal)
    assert terminal.stdout == ""
    assert terminal.stderr == (
        "litecode: dry run, nothing is staged\nlitecode: 0 tasks, 0 model calls; nothing was changed\n"
    )
