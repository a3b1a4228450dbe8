"""Plans: what is asked, which answers count, and what becomes of those that do not."""

from __future__ import annotations

import json
from collections.abc import Callable, Generator
from typing import Any, TypeVar

import pytest

from litecode.core.budget.fit import PLAN_RESERVE, Part, Spare, can_fit
from litecode.core.budget.tokens import Estimator
from litecode.core.errors import ModelTooLarge, PlanError
from litecode.core.planning.check import Asked, objections, planned
from litecode.core.planning.kinds import Kind
from litecode.core.planning.memory import ENTRIES, ENTRY_TOKENS, Past, memory_parts
from litecode.core.planning.plan import Answer, Draft, Malformed, plan_schema, read_answer, read_folders, read_kind
from litecode.core.planning.planner import Room, ask_kind, choose_folders, make_plan, map_budget, plan_messages
from litecode.core.values import ActionType, Prompt, Reply, State, Stop, Task

R = TypeVar("R")
FILES = ("a.py", "b.py", "c.py")
ASKED = Asked("rename load to read in a.py", FILES)
ESTIMATOR = Estimator(1.0)


def room(window: int = 8192) -> Room:
    return Room(lambda messages, reserve: can_fit(messages, window, reserve, ESTIMATOR), ESTIMATOR.text)


def drive(steps: Generator[Prompt, Reply, R], *answers: str | Reply) -> tuple[R, list[Prompt]]:
    prompts = [next(steps)]
    for answer in answers:
        reply = answer if isinstance(answer, Reply) else Reply(answer, Stop.END, 1, 1, 0.0)
        try:
            prompts.append(steps.send(reply))
        except StopIteration as end:
            return end.value, prompts
    raise AssertionError("it wants more answers")


def answer(*tasks: tuple[str, str, tuple[int, ...]], kind: Kind = Kind.CHANGE, **more: Any) -> Answer:
    return Answer(kind, tuple(Draft(*task) for task in tasks), **more)


OBJECTIONS = [
    (answer(("a.py", "x", ())), []),
    (answer(("a.py", "x", ()), ("b.py", "y", (1,))), []),
    (answer(kind=Kind.QUESTION), []),
    (answer(("nowhere.py", "x", ()), kind=Kind.QUESTION), []),
    (answer(), ["there is no task; a change needs at least one"]),
    (answer(("d.py", "x", ())), ["task 1 names d.py, which is not in the list of files"]),
    (answer(("a.py", "", ())), ["task 1 has no action"]),
    (answer(("a.py", "x", (1,))), ["task 1 depends on 1, which is no other task"]),
    (
        answer(("a.py", "x", (3,)), ("b.py", "x", (0,))),
        [
            "task 1 depends on 3, which is no other task",
            "task 2 depends on 0, which is no other task",
        ],
    ),
    (answer(("a.py", "x", (2,)), ("b.py", "x", (1,)), ("c.py", "x", ())), ["the tasks 1, 2 wait for each other"]),
    (answer(*[("a.py", "x", ())] * 11), ["there are 11 tasks; at most 10 are possible"]),
    (
        answer(*[("a.py", "x", (n,) if n else ()) for n in range(5)]),
        ["5 tasks wait for one another in a row; at most 4 are possible"],
    ),
    (answer(*[("a.py", "x", (n,) if n else ()) for n in range(4)]), []),
]


@pytest.mark.parametrize(("given", "expected"), OBJECTIONS)
def test_objections(given: Answer, expected: list[str]) -> None:
    assert objections(given, ASKED) == expected


def test_a_plan() -> None:
    asked = Asked("rename load to read, use read() of new.py", (*FILES, "new.py"), ("new.py",), ("c.py",))
    made = planned(
        answer(
            ("new.py", "make it", ()),
            ("a.py", "use it", (1,)),
            renames=(("load", "read"), ("load", "read"), ("made", "up"), ("read", "read")),
            signatures=("def read(path)", "def fancy(path)", "nothing"),
        ),
        asked,
    )
    assert made.plan.tasks == (
        Task("1", "new.py", "make it", ActionType.CREATE),
        Task("2", "a.py", "use it", ActionType.EDIT, depends_on=("1",)),
        Task("3", "c.py", asked.request),
    )
    assert made.plan.contract.renames == (("load", "read"),)
    assert made.plan.contract.signatures == ("def read(path)",)


def test_forgotten_files_count_against_the_cap() -> None:
    asked = Asked("x", FILES, named=("b.py",))
    with pytest.raises(PlanError, match="needs 11 tasks; one plan has at most 10"):
        planned(answer(*[("a.py", "x", ())] * 10), asked)


MALFORMED = [
    "",
    "no JSON",
    "[]",
    "{}",
    '{"kind": "delete", "tasks": []}',
    '{"kind": "change", "tasks": [{"file": "a.py"}]}',
    '{"kind": "change", "tasks": [{"file": 1, "action": "x"}]}',
    '{"kind": "change", "tasks": "a.py"}',
    '{"kind": "change", "tasks": [',
]


@pytest.mark.parametrize("text", MALFORMED)
def test_malformed_answers(text: str) -> None:
    with pytest.raises(Malformed, match="the answer is not what was asked for"):
        read_answer(text, Stop.END)


@pytest.mark.parametrize(("stop", "why"), [(Stop.LENGTH, "cut off"), (Stop.ERROR, "did not end cleanly")])
def test_an_unclean_stop_counts_for_nothing(stop: Stop, why: str) -> None:
    whole = '{"kind": "change", "tasks": []}'
    with pytest.raises(Malformed, match=why):
        read_answer(whole, stop)
    assert read_answer(whole, Stop.END) == Answer(Kind.CHANGE, ())


def test_answers_are_tidied() -> None:
    text = json.dumps({"kind": "change", "tasks": [{"file": "a.py", "action": " do\n it " + "x" * 999}]})
    found = read_answer(f"```json\n{text}\n```", Stop.END).tasks[0]
    assert (found.action[:6], len(found.action)) == ("do it ", 400)


def test_the_schema_knows_only_these_files() -> None:
    schema = plan_schema(("a.py", "b c.py"), linked=False)
    task = schema["properties"]["tasks"]["items"]
    assert task["properties"]["file"] == {"enum": ["a.py", "b c.py"]}
    assert list(schema["properties"]) == ["kind", "tasks"]
    assert "depends_on" not in task["properties"]
    assert schema["properties"]["kind"] == {"enum": ["change", "question"]}
    assert plan_schema((), Kind.CHANGE)["properties"]["kind"] == {"enum": ["change"]}
    assert list(plan_schema(())["properties"]) == ["kind", "tasks", "renames", "signatures"]


GOOD = '{"kind": "change", "tasks": [{"file": "a.py", "action": "x"}]}'


def test_one_repair_tells_what_was_wrong() -> None:
    made, prompts = drive(make_plan(ASKED, "- a.py", (), room()), '{"kind": "change", "tasks": []}', GOOD)
    assert [task.path for task in made.plan.tasks] == ["a.py"]
    assert len(prompts) == 2
    assert prompts[1].messages[:2] == prompts[0].messages
    assert prompts[1].messages[-1].content == (
        "That plan cannot be used: there is no task; a change needs at least one. Answer again, with the whole plan."
    )
    assert prompts[0].reserve == PLAN_RESERVE


def test_two_bad_answers_end_it() -> None:
    with pytest.raises(PlanError, match="no plan was found for the request: the answer was cut off"):
        drive(make_plan(ASKED, "", (), room()), "{}", Reply(GOOD, Stop.LENGTH, 1, 1, 0.0))


def test_an_order_that_makes_no_sense_is_dropped_in_the_end() -> None:
    bad = '{"kind": "change", "tasks": [{"file": "a.py", "action": "x", "depends_on": [1]}]}'
    made, prompts = drive(make_plan(ASKED, "", (), room()), bad, bad)
    assert made.plan.tasks == (Task("1", "a.py", "x"),)
    assert "task 1 depends on 1, which is no other task" in prompts[1].messages[-1].content


def test_no_repair_that_does_not_fit() -> None:
    with pytest.raises(PlanError, match="no plan was found"):
        drive(make_plan(ASKED, "", (), room(1700)), "x" * 6000)


MEMORY = tuple(Part(Spare.MEMORY, f"- request {n} " + "word " * 60) for n in range(4))


@pytest.mark.parametrize(("window", "kept"), [(8192, 4), (1750, 4), (1600, 2), (1480, 0)])
def test_memory_goes_before_the_map(window: int, kept: int) -> None:
    """The fourth fault of the seed: what was remembered could push out what the call is about."""
    text = "\n".join(f"- file{n}.py" for n in range(10))
    steps = make_plan(ASKED, text, MEMORY, room(window))
    sent = next(steps).messages[-1].content
    assert [n for n in range(4) if f"request {n} " in sent] == list(range(kept))
    assert text in sent
    assert ASKED.request in sent


def test_a_request_that_does_not_fit_is_refused_with_the_numbers() -> None:
    with pytest.raises(ModelTooLarge, match="does not fit"):
        next(make_plan(ASKED, "- a.py\n" * 900, MEMORY, room(2048)))
    assert map_budget(ASKED, MEMORY, room(1000)) == 0
    assert 6000 < map_budget(ASKED, (), room()) < 8192 - PLAN_RESERVE


def test_every_prompt_of_a_budget_fits() -> None:
    for window in (1600, 2048, 4096, 8192):
        budget = map_budget(ASKED, (), room(window))
        text = "word " * (budget - 10)
        assert room(window).fits(plan_messages(ASKED, text, ()), PLAN_RESERVE).fits


def count(text: str) -> int:
    return len(text.split())


def test_memory() -> None:
    past = [
        Past("round the total", (("a.py", State.STAGED), ("b.py", State.CONFORMS))),
        Past("greet", (("a.py", State.HELD),)),
        Past("x " * 300, (("a.py", State.STAGED),)),
        Past("drop it", (("a.py", State.STAGED),), undone=True),
        Past("too old", ()),
    ]
    parts = memory_parts(past, count)
    assert len(parts) == ENTRIES
    assert parts[0] == Part(Spare.MEMORY, "- round the total (changed a.py)")
    assert parts[1].text == "- greet (proposed for a.py)"
    assert parts[2].text.endswith("x … (changed a.py)")
    assert count(parts[2].text) <= ENTRY_TOKENS
    assert parts[3].text == "- drop it (taken back)"
    many = tuple((f"f{n}.py", State.STAGED) for n in range(9))
    assert memory_parts([Past("x", many)], count)[0].text == "- x (changed f0.py, f1.py, f2.py, f3.py and 5 more)"
    assert memory_parts([Past("x", (("a.py", State.REJECTED),))], count)[0].text == "- x (nothing was changed)"
    assert memory_parts([], count) == ()


KINDS: list[tuple[str, Callable[[str], object]]] = [
    ('{"kind": "change"}', lambda kind: kind == Kind.CHANGE),
    ('{"kind": "question"}', lambda kind: kind == Kind.QUESTION),
    ("who knows", lambda kind: kind == Kind.QUESTION),
]


@pytest.mark.parametrize(("text", "right"), KINDS)
def test_in_doubt_it_is_a_question(text: str, right: Callable[[str], object]) -> None:
    kind, prompts = drive(ask_kind("the\ncart"), text)
    assert right(kind)
    assert "Request: the cart" in prompts[0].messages[-1].content
    assert read_kind('{"kind": "change"}', Stop.END) is Kind.CHANGE


def test_folders() -> None:
    said = '{"folders": ["a/", "elsewhere/", "a/", "b/"]}'
    found, prompts = drive(choose_folders("x", ("a/", "b/"), "- a/: 3 files", room()), said)
    assert found == ("a/", "b/")
    assert prompts[0].schema is not None
    assert prompts[0].schema["properties"]["folders"]["items"] == {"enum": ["a/", "b/"]}
    assert drive(choose_folders("x", ("a/",), "", room()), "nothing")[0] == ()
    assert list(choose_folders("x", ("a/",), "word " * 9000, room())) == []
    with pytest.raises(Malformed):
        read_folders("{}", Stop.END)
