from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from litecode.core.errors import Interrupted, LitecodeError, ModelBadReply, ModelCancelled, PlanError
from litecode.core.events import Event, EventKind
from litecode.core.orchestrator import Done, Ending, Outcome, Seen, check_plan, order_within_files, run_plan
from litecode.core.values import Plan, Task


def task(name: str, path: str = "", *needs: str) -> Task:
    return Task(name, path or f"{name}.py", f"do {name}", depends_on=needs)


def append(work: Task, seen: Seen[str]) -> Done[str, str]:
    """Writes its name behind what the file has; keeps what it saw of other files."""
    before = seen.content or ""
    return Done(before + work.id, ",".join(f"{path}={text}" for path, text in sorted(seen.others.items())))


@pytest.fixture
def pool() -> Iterator[Executor]:
    with ThreadPoolExecutor(4) as executor:
        yield executor


def run(
    pool: Executor,
    *tasks: Task,
    execute: Callable[[Task, Seen[str]], Done[str, str]] = append,
    files: dict[str, str] | None = None,
    events: list[Event] | None = None,
) -> dict[str, Outcome[str, str]]:
    heard = [] if events is None else events
    return run_plan(Plan(tasks), execute, pool, per_file=files or {}, cancel=threading.Event(), on_event=heard.append)


def test_tasks_of_one_file_see_what_the_earlier_ones_made(pool: Executor) -> None:
    got = run(pool, task("1", "a"), task("2", "b"), task("3", "a"), files={"a": ">", "b": "<"})
    assert [(name, out.state, out.content) for name, out in got.items()] == [
        ("1", Ending.DONE, ">1"),
        ("2", Ending.DONE, "<2"),
        ("3", Ending.DONE, ">13"),
    ]


def test_a_task_sees_the_files_it_depends_on_and_no_others(pool: Executor) -> None:
    got = run(
        pool, task("1", "a"), task("2", "b", "1"), task("3", "c", "2"), task("4", "d"), files={"a": "A", "e": "E"}
    )
    assert {name: out.value for name, out in got.items()} == {"1": "", "2": "a=A1", "3": "a=A1,b=2", "4": ""}


def test_an_outcome_without_new_content_leaves_the_file_as_it_was(pool: Executor) -> None:
    got = run(pool, task("1", "a"), execute=lambda _task, _seen: Done(None, "kept"), files={"a": "A"})
    assert got["1"] == Outcome(Ending.DONE, "A", "kept")


def test_a_failed_task_skips_exactly_its_dependents(pool: Executor) -> None:
    def execute(work: Task, seen: Seen[str]) -> Done[str, str]:
        if work.id == "bad":
            raise ModelBadReply("no code in the reply", "hint")
        return append(work, seen)

    got = run(
        pool,
        task("good", "a"),
        task("bad", "a"),
        task("same file, independent", "a"),
        task("child", "b", "bad"),
        task("grandchild", "c", "child"),
        task("other", "b"),
        execute=execute,
        files={"a": ">"},
    )
    reason = "depends on bad (a), which failed: no code in the reply"
    assert {name: (out.state, out.content, out.reason) for name, out in got.items()} == {
        "good": (Ending.DONE, ">good", ""),
        "bad": (Ending.FAILED, ">good", "no code in the reply"),
        "same file, independent": (Ending.DONE, ">goodsame file, independent", ""),
        "child": (Ending.SKIPPED, None, reason),
        "grandchild": (Ending.SKIPPED, None, reason),
        "other": (Ending.DONE, "other", ""),
    }
    assert isinstance(got["bad"].error, ModelBadReply)


def test_a_task_may_fail_and_keep_its_value(pool: Executor) -> None:
    def execute(work: Task, seen: Seen[str]) -> Done[str, str]:
        return Done("dropped", "the attempts", "three gates refused") if work.id == "1" else append(work, seen)

    got = run(pool, task("1", "a"), task("2", "b", "1"), task("3", "a"), execute=execute, files={"a": ">"})
    assert got["1"] == Outcome(Ending.FAILED, ">", "the attempts", "three gates refused")
    assert got["2"].reason == "depends on 1 (a), which failed: three gates refused"
    assert got["3"].content == ">3"


def test_a_bug_propagates_and_the_rest_is_cancelled() -> None:
    cancel = threading.Event()
    with ThreadPoolExecutor(1) as pool:
        ran: list[str] = []

        def execute(work: Task, _seen: Seen[str]) -> Done[str, str]:
            ran.append(work.id)
            raise ZeroDivisionError("bug")

        with pytest.raises(ZeroDivisionError, match="bug"):
            run_plan(Plan((task("1"), task("2", "", "1"))), execute, pool, per_file={}, cancel=cancel)
    assert ran == ["1"]
    assert cancel.is_set()


@pytest.mark.parametrize("error", [Interrupted("x"), ModelCancelled("x"), KeyboardInterrupt()], ids=repr)
def test_an_interruption_inside_a_task_interrupts_the_run(error: BaseException) -> None:
    pool = Inline()

    def execute(_work: Task, _seen: Seen[str]) -> Done[str, str]:
        raise error

    cancel = threading.Event()
    with pytest.raises(Interrupted, match="nothing was changed"):
        run_plan(Plan((task("1"), task("2"))), execute, pool, per_file={}, cancel=cancel)
    assert cancel.is_set()


class Inline(Executor):
    """Runs a call when it is submitted; only `submit` is there."""

    def submit(self, fn, /, *args, **kwargs):  # type: ignore[no-untyped-def]  # the signature is that of Executor
        future: Future[object] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except BaseException as error:
            future.set_exception(error)
        return future


def test_cancel_stops_within_a_moment_and_starts_nothing_more() -> None:
    cancel, started, release = threading.Event(), threading.Event(), threading.Event()
    ran: list[str] = []

    def execute(work: Task, _seen: Seen[str]) -> Done[str, str]:
        ran.append(work.id)
        started.set()
        release.wait(10)
        return Done(None, "")

    with ThreadPoolExecutor(1) as pool:
        threading.Thread(target=lambda: (started.wait(10), cancel.set())).start()
        begun = time.monotonic()
        with pytest.raises(Interrupted):
            run_plan(Plan((task("1"), task("2"), task("3"))), execute, pool, per_file={}, cancel=cancel)
        assert time.monotonic() - begun < 2
        release.set()
    assert ran == ["1"]


def test_a_cancelled_run_does_not_begin() -> None:
    cancel = threading.Event()
    cancel.set()
    ran: list[str] = []
    with pytest.raises(Interrupted):
        run_plan(
            Plan((task("1"),)),
            lambda work, _: ran.append(work.id) or Done(None, ""),
            Inline(),
            per_file={},
            cancel=cancel,
        )
    assert ran == []


def test_events_come_in_this_thread_and_in_order(pool: Executor) -> None:
    def execute(work: Task, seen: Seen[str]) -> Done[str, str]:
        if work.id == "1":
            raise LitecodeError("no")
        return append(work, seen)

    events: list[Event] = []
    threads: list[int] = []
    run_plan(
        Plan((task("1", "a"), task("2", "b", "1"))),
        execute,
        pool,
        per_file={},
        cancel=threading.Event(),
        on_event=lambda event: (events.append(event), threads.append(threading.get_ident())),
    )
    assert events == [
        Event(EventKind.PLANNED, total=2),
        Event(EventKind.READY, "1", "a"),
        Event(EventKind.ENDED, "1", "a", text="failed"),
        Event(EventKind.ENDED, "2", "b", text="skipped"),
    ]
    assert set(threads) == {threading.get_ident()}


def test_an_empty_plan_ends_at_once() -> None:
    assert run(Inline()) == {}


@pytest.mark.parametrize(
    ("tasks", "message"),
    [
        ([task("1"), task("1", "b")], "the plan has two tasks named 1"),
        ([task("1", "a", "7")], "task 1 (a) depends on 7, which is no task of the plan"),
        ([task("1", "a", "1")], "the tasks of the plan wait for each other: 1 -> 1"),
        ([task("1", "", "2"), task("2", "", "1")], "the tasks of the plan wait for each other: 1 -> 2 -> 1"),
        (
            [task("0"), task("1", "", "0", "2"), task("2", "", "3"), task("3", "", "1")],
            "the tasks of the plan wait for each other: 1 -> 2 -> 3 -> 1",
        ),
    ],
)
def test_a_plan_that_cannot_be_run_is_refused_before_anything_runs(tasks: list[Task], message: str) -> None:
    ran: list[str] = []
    with pytest.raises(PlanError) as caught:
        run(Inline(), *tasks, execute=lambda work, _: ran.append(work.id) or Done(None, ""))
    error = caught.value
    assert ran == []
    assert error.hint
    assert error.exit_code == 2
    if "wait for each other" in message:
        ring = str(error).rsplit(": ", 1)[1].split(" -> ")
        needs = {work.id: work.depends_on for work in tasks}
        assert ring[0] == ring[-1]
        assert all(second in needs[first] for first, second in pairwise(ring))
        assert set(ring) == set(message.rsplit(": ", 1)[1].split(" -> "))
    else:
        assert str(error) == message


@pytest.mark.parametrize(
    ("tasks", "waits"),
    [
        ([task("1", "a"), task("2", "a"), task("3", "a")], {"1": set(), "2": {"1"}, "3": {"2"}}),
        ([task("1", "a"), task("2", "b")], {"1": set(), "2": set()}),
        ([task("1", "a", "2"), task("2", "a")], {"1": {"2"}, "2": set()}),
        (  # a dependency later in the plan does not turn the order of another file round
            [task("t", "t", "2"), task("1", "a"), task("2", "a")],
            {"t": {"2"}, "1": set(), "2": {"1"}},
        ),
        (  # the plan order of both files at once would be a cycle: the file that comes first keeps it
            [task("x1", "x", "y2"), task("x2", "x"), task("y1", "y", "x2"), task("y2", "y")],
            {"x1": {"y2"}, "x2": {"x1"}, "y1": {"x2"}, "y2": set()},
        ),
    ],
)
def test_order_within_files(tasks: list[Task], waits: dict[str, set[str]]) -> None:
    assert order_within_files(Plan(tuple(tasks))) == waits


@st.composite
def plans(draw: st.DrawFn) -> Plan:
    count = draw(st.integers(0, 14))
    names = draw(st.permutations([f"t{number}" for number in range(count)]))
    files = draw(st.lists(st.sampled_from("abcd"), min_size=count, max_size=count))
    tasks = []
    for place, name in enumerate(names):
        needs = draw(st.sets(st.sampled_from(names[:place]), max_size=3)) if place else set()
        tasks.append(task(name, files[place], *sorted(needs)))
    return Plan(tuple(draw(st.permutations(tasks))))


def test_thousands_of_tasks_on_one_file_wait_for_one_each() -> None:
    """In about no time: pairs of them would be millions."""
    tasks = tuple(task(str(number), "a") for number in range(6000))
    assert order_within_files(Plan(tasks)) == {
        str(number): {str(number - 1)} if number else set() for number in range(6000)
    }


@settings(max_examples=150, deadline=None)
@given(plans(), st.sets(st.integers(0, 13), max_size=3), st.integers(1, 5))
def test_any_plan_runs_each_task_once_behind_its_dependencies_and_one_file_at_a_time(
    plan: Plan, failing: set[int], workers: int
) -> None:
    lock = threading.Lock()
    busy: set[str] = set()
    ended: list[str] = []
    bad = {f"t{number}" for number in failing}

    def execute(work: Task, seen: Seen[str]) -> Done[str, str]:
        with lock:
            assert work.path not in busy
            assert set(work.depends_on) <= set(ended)
            busy.add(work.path)
        time.sleep(0)
        with lock:
            busy.discard(work.path)
            ended.append(work.id)
        if work.id in bad:
            raise LitecodeError("no")
        return append(work, seen)

    with ThreadPoolExecutor(workers) as pool:
        got = run(pool, *plan.tasks, execute=execute)

    skipped: set[str] = set()
    for work in plan.tasks * len(plan.tasks):
        if any(other in bad - skipped or other in skipped for other in work.depends_on):
            skipped.add(work.id)
    assert sorted(ended) == sorted({work.id for work in plan.tasks} - skipped)
    assert {name for name, out in got.items() if out.state is Ending.SKIPPED} == skipped
    assert {name for name, out in got.items() if out.state is Ending.FAILED} == bad & set(got) - skipped
    for path in "abcd":
        last = [name for name in ended if name not in bad and any(w.id == name and w.path == path for w in plan.tasks)]
        mine = [out.content for name, out in got.items() if any(w.id == name and w.path == path for w in plan.tasks)]
        longest = max((text or "" for text in mine), key=len, default="")
        assert longest == "".join(last)


@pytest.mark.parametrize("count", [5, 50])
def test_the_wall_is_that_of_the_longest_path(count: int) -> None:
    """With as many slots as tasks; the exact figure is measured by tests/bench/orchestrator_bench.py."""
    work = 0.2

    def execute(_task: Task, _seen: Seen[str]) -> Done[str, str]:
        time.sleep(work)
        return Done(None, "")

    chain = [task("c1"), task("c2", "", "c1")]
    rest = [task(f"t{number}") for number in range(count - 2)]
    with ThreadPoolExecutor(count) as pool:
        begun = time.perf_counter()
        run(pool, *rest, *chain, execute=execute)
        wall = time.perf_counter() - begun
    assert 2 * work <= wall < 2 * work * 1.75


def test_check_plan_accepts_a_diamond() -> None:
    check_plan(Plan((task("1"), task("2", "", "1"), task("3", "", "1"), task("4", "", "2", "3"))))
