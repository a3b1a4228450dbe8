"""What is said before something is sent to another machine."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from litecode.config.settings import Settings
from litecode.core.announcing import counted, tell_of_documents, tell_of_map, tell_of_prompts
from litecode.core.events import EventKind
from litecode.core.patching.document import Document
from litecode.core.values import Message, Prompt

PROMPT = Prompt((Message("user", "print(1)"),), 10)


@pytest.fixture
def world() -> Any:
    events: list[Any] = []
    return SimpleNamespace(
        remote=("a.example", "b.example"),
        settings=Settings(remote=("a.example",)),
        progress=events.append,
        events=events,
    )


def said(world: Any) -> list[str]:
    assert all(event.kind is EventKind.NOTE for event in world.events)
    return [event.text for event in world.events]


def test_the_numbers(world: Any) -> None:
    tell_of_prompts(world, [("a.py", PROMPT), ("a.py", PROMPT), ("b.py", PROMPT)])
    tell_of_map(world, 1)
    tell_of_documents(world, [Document("x = 1\n"), None])
    first, second, third = said(world)
    assert first.startswith("regions of 2 files, about ")
    assert first.endswith(" tokens: sent to a.example, unless the answer is known already")
    assert second.startswith("the names and outlines of 1 file: sent to a.example")
    assert third.startswith("code of 1 file, about ")


@pytest.mark.parametrize("remote", [(), ("b.example",)])
def test_nothing_is_said_where_nothing_is_sent(world: Any, remote: tuple[str, ...]) -> None:
    world.remote = remote
    tell_of_prompts(world, [("a.py", PROMPT)])
    tell_of_map(world, 3)
    tell_of_documents(world, [Document("x = 1\n")])
    assert said(world) == []


def test_nothing_is_said_of_nothing(world: Any) -> None:
    tell_of_prompts(world, [])
    tell_of_map(world, 0)
    tell_of_documents(world, [None])
    assert said(world) == []


def test_one_and_many() -> None:
    assert (counted(1, 5), counted(1200, 34567)) == ("1 file, about 5 tokens", "1,200 files, about 34,567 tokens")
