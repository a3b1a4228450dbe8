"""What code decides before a planner is asked, and what becomes of tasks that do not come out."""

from __future__ import annotations

from typing import Any

import pytest

from litecode.core.errors import ModelNotRunning, RequestError
from litecode.core.values import Prompt

OVEN = '"""The oven."""\n\n\ndef bake(loaf, minutes):\n    return (loaf, minutes)\n'
ROSTER = '"""Who works when."""\n\n\ndef shifts(names, days):\n    return dict(zip(days, names))\n'
FILES = {"bakery/oven.py": OVEN, "bakery/roster.py": ROSTER, "notes.txt": "nothing\n"}
BAKED = "```python\ndef bake(loaf, minutes):\n    return (loaf, minutes + 1)\n```"


def test_a_kind_that_the_words_leave_open_is_asked_alone(desk: Any) -> None:
    desk.repo.add(FILES)
    desk.port.code = BAKED
    desk.port.plan = {"kind": "change"}
    run = desk.request("bake() takes a minute too little", yes=True)
    assert desk.states(run) == {"bakery/oven.py": "staged"}
    assert list(desk.port.prompts[0].schema["properties"]) == ["kind"]
    desk.port.plan = {"kind": "question"}
    run = desk.request("bake() takes a minute too little", yes=True)
    assert run.extra["kind"] == "question"
    assert run.verdicts == ()


def test_words_that_fit_one_file_need_no_planner(desk: Any) -> None:
    desk.repo.add(FILES)
    run = desk.request("the oven must refuse negative minutes when it bakes", dry_run=True)
    assert [(task.path, task.action) for task in run.plan.tasks] == [("bakery/oven.py", run.request)]
    assert desk.port.prompts == []


def test_a_planner_names_a_stranger(desk: Any) -> None:
    desk.repo.add(FILES)
    desk.port.plan = {
        "kind": "change",
        "tasks": [
            {"file": "bakery/oven.py", "action": "more", "depends_on": [2]},
            {"file": "notes.txt", "action": "say so"},
            {"file": "bakery/roster.py", "action": "more"},
        ],
    }
    run = desk.request("every call of bake, and of shifts, everywhere, must take names", dry_run=True)
    assert [(task.path, task.depends_on) for task in run.plan.tasks] == [
        ("bakery/oven.py", ()),
        ("bakery/roster.py", ()),
    ]


def test_a_model_that_is_not_there_is_a_failure_with_its_remedy(desk: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.repo.add(FILES)

    def refuse(_prompt: Prompt) -> Any:
        raise ModelNotRunning("no model answers", "start one")

    monkeypatch.setattr(desk.port, "complete", refuse)
    run = desk.request("bake() must take a minute more, and shifts() must sort the names", yes=True)
    assert set(desk.states(run).values()) == {"failed"}
    assert run.extra["hints"] == ("start one",)
    assert desk.staged("bakery/oven.py") == OVEN


def test_a_reply_that_changes_nothing_changes_nothing(desk: Any) -> None:
    desk.repo.add(FILES)
    desk.port.code = "```python\ndef bake(loaf, minutes):\n    return (loaf, minutes)\n```"
    run = desk.request("bake() must take a minute more", yes=True)
    assert "staged" not in desk.states(run).values()
    assert desk.staged("bakery/oven.py") == OVEN


def test_dependents_of_what_failed_are_skipped(desk: Any) -> None:
    desk.repo.add(FILES)
    desk.port.code = "I would rather not."
    text = "create bakery/clock.py with a function minute(), and use it in bake of bakery/oven.py"
    run = desk.request(text, yes=True)
    states = desk.states(run)
    assert (states["bakery/clock.py"], states["bakery/oven.py"]) == ("rejected", "skipped")
    assert "bakery/clock.py" not in desk.repo.index()
    assert not (desk.repo / "bakery/clock.py").exists()


def test_files_that_are_left_alone_cannot_be_named(desk: Any) -> None:
    desk.repo.add({**FILES, "logo.png": b"\0\1\2", ".gitattributes": "secret.txt filter=crypt\n"})
    desk.repo.git("config", "filter.crypt.required", "true")
    desk.repo.stage_blob("link.py", "bakery/oven.py", "120000")
    with pytest.raises(RequestError, match=r"link\.py"):
        desk.request("link.py: bake longer", yes=True)


@pytest.mark.parametrize(
    "text", ["delete bakery/oven.py", "move bakery/oven.py to oven.py", "remove the file notes.txt."]
)
def test_files_are_not_moved_or_deleted(desk: Any, text: str) -> None:
    desk.repo.add(FILES)
    with pytest.raises(RequestError, match="by git, not by a request") as found:
        desk.request(text, yes=True)
    assert found.value.hint.startswith("`git ")
    assert sorted(desk.repo.index()) == ["README.md", "bakery/oven.py", "bakery/roster.py", "notes.txt"]


def test_what_was_made_must_be_used(desk: Any) -> None:
    desk.repo.add(FILES)

    def answer(prompt: Prompt) -> str:
        if "def bake" in prompt.messages[-1].content:
            return BAKED
        return "```python\ndef minute():\n    return 1\n```"

    desk.port.code = answer
    text = "create bakery/clock.py with a function minute() that returns 1, and use it in bake of bakery/oven.py"
    run = desk.request(text, yes=True)
    assert "staged" not in desk.states(run).values()
    assert desk.staged("bakery/oven.py") == OVEN


@pytest.mark.parametrize("text", ["log every failed delivery", "add a docstring to retry"])
def test_without_files_there_is_nothing_to_plan(desk: Any, text: str) -> None:
    with pytest.raises(RequestError, match="nothing is staged") as caught:
        desk.request(text)
    assert "--all-files" in caught.value.hint
