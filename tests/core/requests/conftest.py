"""Requests on real repositories; what the model says is scripted, everything else is real."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from litecode.core.git.repository import Repository
from litecode.core.values import Message, Prompt, Reply, Run, Stop
from litecode.core.world import Options, World
from litecode.hooks.world import build_world, make_request

Says = Callable[[Prompt], str | Reply]


class Port:
    """A model port that answers plans by `plan`, codes by `code` and questions by `tell`; each may be a text or a
    function of the prompt.
    """

    name = "scripted"
    factor = 1.0
    digest = "1" * 64
    slots = 2

    def __init__(self) -> None:
        self.window = 8192
        self.prompts: list[Prompt] = []
        self.plan: Any = None
        self.code: Any = None
        self.tell: Any = "It is so."
        self._lock = threading.Lock()

    def complete(self, prompt: Prompt) -> Reply:
        with self._lock:
            self.prompts.append(prompt)
        if prompt.schema is not None:
            said = self.plan(prompt) if callable(self.plan) else self.plan
            text = said if isinstance(said, str) else json.dumps(said)
        elif "questions" in prompt.messages[0].content:
            text = self.tell(prompt) if callable(self.tell) else self.tell
        else:
            text = self.code(prompt) if callable(self.code) else self.code
        return Reply(text, Stop.END, 50, 20, 0.5)

    def count(self, messages: tuple[Message, ...]) -> int | None:
        del messages
        return None

    def close(self) -> None: ...

    @property
    def asked(self) -> str:
        """All that was sent."""
        return "\n".join(message.content for prompt in self.prompts for message in prompt.messages)


class Desk:
    """A repository without rules, and requests about it."""

    def __init__(self, repo: Any) -> None:
        self.repo = repo
        self.port = Port()
        self.fallbacks: tuple[Callable[[], Any], ...] = ()

    def world(self) -> World:
        repository = Repository.discover(self.repo.path, os.environ)
        world = build_world(repository, os.environ, with_rules=False)
        return replace(world, model=lambda: self.port, fallbacks=self.fallbacks, command=("git", "litecode", "run"))

    def request(self, text: str, **options: Any) -> Run:
        return make_request(self.world(), Options(**options), text)

    def states(self, run: Run) -> dict[str, str]:
        return {verdict.path: verdict.state.value for verdict in run.verdicts}

    def staged(self, path: str) -> str:
        content: bytes = self.repo.blob(path)
        assert self.repo.read(path) == content
        return content.decode()


@pytest.fixture
def desk(repo: Any) -> Desk:
    repo.add({"README.md": "# A program\n"}, commit="base")
    return Desk(repo)
