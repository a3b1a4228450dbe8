"""Requests that code carries out in all files at once."""

from __future__ import annotations

from typing import Any

import pytest

from litecode.core import scene as scenes
from litecode.core.errors import RequestError

SHAPES = '''"""Shapes."""


def box(width, height):
    return [width, height]


def line(length):
    return [length]
'''
PAGE = """from shapes import box


def frame(w, h):
    return box(w, h)


def thumb():
    return box(height=4, width=3)
"""
FILES = {"shapes.py": SHAPES, "page.py": PAGE}

DONE = [
    (
        "swap the parameters of box() and adapt its callers",
        {
            "shapes.py": SHAPES.replace("box(width, height)", "box(height, width)"),
            "page.py": PAGE.replace("box(w, h)", "box(h, w)"),
        },
    ),
    (
        "box(width, height) should be box(height, width)",
        {
            "shapes.py": SHAPES.replace("box(width, height)", "box(height, width)"),
            "page.py": PAGE.replace("box(w, h)", "box(h, w)"),
        },
    ),
    (
        "rename the parameter width to breadth in box()",
        {"shapes.py": SHAPES.replace("width", "breadth"), "page.py": PAGE.replace("width=3", "breadth=3")},
    ),
    (
        "rename box to frame_box and line to stroke",
        {
            "shapes.py": SHAPES.replace("def box", "def frame_box").replace("def line", "def stroke"),
            "page.py": PAGE.replace("box", "frame_box"),
        },
    ),
]


@pytest.mark.parametrize(("text", "expected"), DONE)
@pytest.mark.parametrize("large", [False, True])
def test_done_by_code(
    desk: Any, monkeypatch: pytest.MonkeyPatch, text: str, expected: dict[str, str], large: bool
) -> None:
    monkeypatch.setattr(scenes, "LARGE", 0 if large else 300)
    desk.repo.add(FILES)
    run = desk.request(text, yes=True)
    assert {path: desk.staged(path) for path in FILES} == expected
    assert set(desk.states(run).values()) == {"staged"}
    assert desk.port.prompts == []


@pytest.mark.parametrize("text", ["move line from shapes.py to page.py", "move the function line to page.py"])
def test_moves(desk: Any, text: str) -> None:
    desk.repo.add(FILES)
    desk.request(text, yes=True)
    assert "def line" not in desk.staged("shapes.py")
    assert "def line(length):\n    return [length]\n" in desk.staged("page.py")


@pytest.mark.parametrize(
    "text",
    ["create lines.py and move line from shapes.py to lines.py", "move line from shapes.py to a new file lines.py"],
)
def test_a_move_makes_its_target(desk: Any, text: str) -> None:
    desk.repo.add(FILES)
    run = desk.request(text, yes=True)
    assert desk.states(run) == {"lines.py": "staged", "shapes.py": "staged"}
    assert desk.staged("lines.py") == "def line(length):\n    return [length]\n"
    assert desk.repo.index()["lines.py"][0] == "100644"
    assert desk.port.prompts == []


REFUSED = [
    ("swap the parameters of line()", "this cannot be done"),
    ("move nothing_known to page.py", "no file of this run defines it"),
    ("rename box to line", "this cannot be done"),
    ("rename the parameter depth to breadth in box()", "this cannot be done"),
]


@pytest.mark.parametrize(("text", "why"), REFUSED)
def test_refused(desk: Any, text: str, why: str) -> None:
    desk.repo.add(FILES)
    with pytest.raises(RequestError, match=why) as found:
        desk.request(text, yes=True)
    assert found.value.hint
    assert {path: desk.staged(path) for path in FILES} == FILES
    assert desk.port.prompts == []


def test_two_homes_are_no_home(desk: Any) -> None:
    desk.repo.add({**FILES, "other.py": "def line():\n    pass\n"})
    with pytest.raises(RequestError, match=r"shapes\.py, other\.py define it|other\.py, shapes\.py define it"):
        desk.request("move line to page.py", yes=True)


def test_more_than_a_rename_goes_on_with_the_model(desk: Any) -> None:
    desk.repo.add(FILES)
    desk.port.code = "```python\ndef stroke(length):\n    return [abs(length)]\n```"
    run = desk.request("rename line to stroke and let it take the absolute length", yes=True)
    assert [(task.id, task.path) for task in run.plan.tasks] == [("c1", "shapes.py"), ("1", "shapes.py")]
    assert desk.states(run) == {"shapes.py": "staged"}
    assert "def stroke(length):\n    return [abs(length)]\n" in desk.staged("shapes.py")
