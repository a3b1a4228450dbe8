"""Which files a planner is shown in a tree that no map has room for."""

from __future__ import annotations

import json
from collections.abc import Generator, Sequence
from typing import Any

import pytest

from litecode.core.budget.fit import can_fit
from litecode.core.budget.tokens import Estimator
from litecode.core.planning.narrowing import CANDIDATES, LIKELY, likely, narrowed
from litecode.core.planning.planner import Room
from litecode.core.planning.shortlist import Ranked
from litecode.core.values import Prompt, Reply, Stop

PATHS = (*(f"area{n // 10:02}/part{n % 10}/file{k}.py" for n in range(200) for k in range(10)), "top.py")
ESTIMATOR = Estimator(1.0)
ROOM = Room(lambda messages, reserve: can_fit(messages, 8192, reserve, ESTIMATOR), ESTIMATOR.text)


def drive(steps: Generator[Prompt, Reply, tuple[str, ...]], answer: Any) -> tuple[tuple[str, ...], list[Prompt]]:
    prompts: list[Prompt] = []
    try:
        prompts.append(next(steps))
        steps.send(Reply(json.dumps(answer), Stop.END, 1, 1, 0.0))
    except StopIteration as end:
        return end.value, prompts
    raise AssertionError("more than one call")


def test_files_that_fit_need_no_call() -> None:
    ranked = [Ranked(path, 0.9 - n / 1000) for n, path in enumerate(PATHS[:100])]
    found, prompts = drive(narrowed("x", PATHS, ranked, ["top.py"], ROOM, 2500), {})
    assert prompts == []
    assert found == ("top.py", *PATHS[: CANDIDATES - 1])


WEAK: list[tuple[Sequence[Ranked], str]] = [
    ((), "area07/part3/"),
    ((Ranked("area01/part1/file1.py", 0.1),), "area01/part1/"),
]


@pytest.mark.parametrize(("ranked", "folder"), WEAK)
def test_folders_come_first_where_nothing_fits(ranked: Sequence[Ranked], folder: str) -> None:
    found, prompts = drive(narrowed("x", PATHS, ranked, (), ROOM, 2500), {"folders": [folder]})
    assert len(prompts) == 1
    inside = {f"{folder}file{k}.py" for k in range(10)}
    assert set(found[:10]) == inside
    assert len(found) <= CANDIDATES
    text = prompts[0].messages[-1].content
    assert f"- {folder}: file0.py, file1.py, file2.py, file3.py, …\n" in text
    assert ESTIMATOR.text(text) < 2700
    assert can_fit(prompts[0].messages, 8192, prompts[0].reserve, ESTIMATOR).fits


def test_no_folder_chosen_leaves_the_likely_files() -> None:
    ranked = (Ranked("area01/part1/file1.py", 0.1),)
    found, _ = drive(narrowed("x", PATHS, ranked, (), ROOM, 2500), {"folders": ["elsewhere/"]})
    assert found == ("area01/part1/file1.py",)


def test_files_at_the_top_are_a_folder() -> None:
    found, prompts = drive(narrowed("x", ("a.py", "b/c.py"), (), (), ROOM, 2500), {"folders": ["./"]})
    assert found == ("a.py",)
    assert "- ./: a.py\n- b/: c.py" in prompts[0].messages[-1].content


@pytest.mark.parametrize(
    ("scores", "named", "found"),
    [
        ([0.9, 0.5, 0.3, 0.2], (), "ab"),
        ([0.9, 0.88, 0.87], (), "abc"),
        ([0.9] * 20, (), "abcdefghijklmnopqrst"[:LIKELY]),
        ([2.9, 0.9, 0.5, 0.1], ("a",), "abc"),  # what is named has more points, and is no measure for the others
        ([2.9, 0.9, 0.5, 0.1], ("a", "z"), "azbc"),
        ([0.29, 0.1], (), ""),
        ([2.9, 0.1], ("a",), ""),
        ([], (), ""),
        ([], ("z",), ""),
    ],
)
def test_few_are_likely_only_where_the_words_say_so(scores: list[float], named: tuple[str, ...], found: str) -> None:
    ranked = [Ranked(chr(ord("a") + number), score) for number, score in enumerate(scores)]
    assert "".join(likely(ranked, named)) == found
