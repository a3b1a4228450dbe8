"""Answers: what they are read from, and that nothing on their way can write."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import pytest

from litecode.core import asking
from litecode.core import scene as scenes
from litecode.core.errors import ModelTooLarge, RequestError
from litecode.core.requests import answer_question
from litecode.core.values import Prompt, Reply, Stop
from litecode.core.world import Options

POOL = "class Pool:\n    def start(self):\n        return spawn(8)\n\n    def stop(self):\n        return None\n"
LONG = POOL + "".join(f"\n\ndef helper_{n}(value):\n    return value + {n}\n" for n in range(60))
FILES = {"pool.py": POOL, "mail.py": "def send(text):\n    return text\n", "logo.bin": b"\0\1"}


def ask(desk: Any, text: str, **options: Any) -> str:
    return str(answer_question(desk.world(), Options(**options), text).extra["answer"])


def test_the_way_of_an_answer_cannot_write() -> None:
    """Neither git's doors that write nor the stores are within reach of the module."""
    tree = ast.parse(Path(asking.__file__).read_text(encoding="utf-8"))
    modules = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert not [m for m in modules if m and m.startswith(("litecode.core.git", "litecode.core.store", "os", "pathlib"))]
    calls = {node.func.id for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}
    assert "open" not in calls


def test_small_files_are_shown_whole_and_the_place_is_told(desk: Any) -> None:
    desk.repo.add(FILES)
    assert ask(desk, "How many workers does Pool start?").startswith("It is so.\n\npool.py:2")
    sent = desk.port.asked
    assert "pool.py, lines 1 to 6:\n```\nclass Pool:\n    def start(self):" in sent
    assert "Question: How many workers does Pool start?" in sent
    assert "logo.bin" not in sent


@pytest.mark.parametrize(
    ("question", "rules", "notes"),
    [("how many workers are there?", False, True), ("what does .litecode.yaml say of workers?", True, True)],
)
def test_the_rules_file_and_files_without_functions(desk: Any, question: str, rules: bool, notes: bool) -> None:
    """A rule has the words of the code that it is about; of notes there is no line to look at."""
    desk.repo.add({".litecode.yaml": "rules: []  # workers\n", "notes.txt": "Eight workers.\n"})
    places = ask(desk, question, all_files=True).splitlines()
    assert ("notes.txt" in places) is notes
    assert any(place.startswith(".litecode.yaml") for place in places) is rules


def test_long_files_are_shown_by_their_symbols(desk: Any) -> None:
    desk.repo.add({"pool.py": LONG})
    answer = ask(desk, "what does Pool.start do?")
    assert "pool.py:2" in answer
    assert "return spawn(8)" in desk.port.asked
    assert "helper_7" not in desk.port.asked


def test_all_files_while_nothing_is_staged(desk: Any) -> None:
    desk.repo.add({"pool.py": POOL}, commit="pool")
    assert "pool.py:2" in ask(desk, "how many workers does the pool start?")
    desk.repo.add({"mail.py": FILES["mail.py"]})
    assert "pool.py" not in ask(desk, "what does send return?")
    assert "pool.py:5" in ask(desk, "what does send in the pool return?", all_files=True)
    assert "pool.py:2" in ask(desk, "what does pool.py start?")


@pytest.mark.parametrize("text", ["what is in nowhere.py?", "what is in ../other/x.py?", "  "])
def test_questions_about_what_is_not_there(desk: Any, text: str) -> None:
    desk.repo.add(FILES)
    with pytest.raises(RequestError):
        ask(desk, text)
    assert desk.port.prompts == []


REPLIES = [
    (Reply("<think>hm</think> Eight.", Stop.END, 1, 1, 0.0), "Eight."),
    (Reply("Eight<|im_end|>", Stop.END, 1, 1, 0.0), "Eight"),
    (Reply("Eight, because", Stop.LENGTH, 1, 1, 0.0), "Eight, because …"),
    (Reply("<think>and never an end", Stop.END, 1, 1, 0.0), "The model has no answer."),
    (Reply(" ", Stop.END, 1, 1, 0.0), "The model has no answer."),
]


@pytest.mark.parametrize(("reply", "expected"), REPLIES)
def test_replies(desk: Any, monkeypatch: pytest.MonkeyPatch, reply: Reply, expected: str) -> None:
    desk.repo.add(FILES)
    monkeypatch.setattr(desk.port, "complete", lambda _prompt: reply)
    assert ask(desk, "what does Pool start?").split("\n")[0] == expected


def test_what_does_not_fit_is_left_out_whole(desk: Any) -> None:
    """The fifth fault of the seed: code that was too much was cut in the middle."""
    desk.repo.add({f"pool{n}.py": LONG.replace("Pool", f"Pool{n}") for n in range(9)})
    desk.port.window = 1400
    ask(desk, "what does Pool3 start, and where do the others stop?")
    sent = desk.port.prompts[-1].messages[-1].content
    for block in sent.split("\n```\n")[1:-1:2]:
        assert block in LONG.replace("Pool", "Pool3") or any(
            block in LONG.replace("Pool", f"Pool{n}") for n in range(9)
        )
    desk.port.window = 300
    with pytest.raises(ModelTooLarge):
        ask(desk, "what does Pool3 start?")


def test_large_trees_go_through_the_index(desk: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scenes, "LARGE", 1)
    desk.repo.add(FILES)
    assert "pool.py:2" in ask(desk, "how many workers does Pool start?")
    desk.port.plan = {"kind": "change", "tasks": [{"file": "mail.py", "action": "greet"}]}
    run = desk.request("a customer should be greeted", dry_run=True)
    assert [task.path for task in run.plan.tasks] == ["mail.py"]
    with pytest.raises(RequestError, match=r"there is no file pools\.py"):
        desk.request("pools.py: start 9 workers")
    desk.port.code = lambda prompt: (
        "```\n" + prompt.messages[-1].content.split("```")[1].split("\n", 1)[1].replace("8", "9") + "```"
    )
    assert desk.states(desk.request("Pool.start must start 9 workers", yes=True)) == {"pool.py": "staged"}


def test_a_tree_beyond_the_map_is_narrowed(desk: Any) -> None:
    desk.repo.add(
        {f"part{n}/module{n}_{k}.py": f"def work_{n}_{k}():\n    pass\n" for n in range(20) for k in range(40)}
    )
    answers: list[Any] = []

    def plan(prompt: Prompt) -> Any:
        assert prompt.schema is not None
        fields = prompt.schema["properties"]
        answers.append(sorted(fields))
        if "folders" in fields:
            return {"folders": ["part7/"]}
        files = fields["tasks"]["items"]["properties"]["file"]["enum"]
        assert "part7/module7_3.py" in files
        assert len(files) <= 60
        return {"kind": "change", "tasks": [{"file": "part7/module7_3.py", "action": "greet"}]}

    desk.port.plan = plan
    run = desk.request("be friendlier please, a customer should be greeted", dry_run=True)
    assert [task.path for task in run.plan.tasks] == ["part7/module7_3.py"]
    assert answers == [["folders"], ["kind", "tasks"]]
    assert all(call.estimate + call.prompt.reserve <= call.window for call in run.calls)
