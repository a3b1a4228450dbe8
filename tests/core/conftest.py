"""A run on a real repository, with everything real but the weights of the model."""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import pytest

from litecode.core.errors import ModelError
from litecode.core.events import Event
from litecode.core.git.repository import Repository
from litecode.core.ports import ModelPort
from litecode.core.values import Message, Prompt, Reply, Run, Stop
from litecode.core.world import Options, World
from litecode.hooks.world import build_world, make_run

PRINT = """\
- id: no-print
  message: Use the logger.
  language: python
  pattern: print($$$A)
  instruction: Replace print by logger.info.
  ensure: [import logging, logger = logging.getLogger(__name__)]
"""
IS_NONE = """\
- id: is-none
  message: Compare with None by identity.
  language: python
  pattern: $A == None
  fix: $A is None
"""
DEBUGGER = """\
- id: no-debugger
  message: Left over from debugging.
  language: python
  pattern: breakpoint()
"""
HEAD = "import logging\n\nlogger = logging.getLogger(__name__)\n\n"

Answer = str | Reply | ModelError | Callable[[Prompt], Reply]


def code_in(text: str) -> str:
    """What stands in the last fence of a prompt."""
    found = re.findall(r"^(`{3,})\w*\n(.*?)\n\1$", text, re.DOTALL | re.MULTILINE)
    assert found, text
    return str(found[-1][1])


class Model:
    """A model port that answers each code as it was told to: with code, a whole reply, an error, or what a function
    gives. A list is used up one by one, the last entry stays. Code that it was told nothing about comes back as it is.
    """

    name = "scripted"
    factor = 1.0

    def __init__(self) -> None:
        self.digest = "1" * 64
        self.window = 8192
        self.slots = 2
        self.answers: dict[str, Answer | list[Answer]] = {}
        self.always: Answer | None = None
        self.prompts: list[Prompt] = []
        self.closed = 0
        self._lock = threading.Lock()

    @property
    def asked(self) -> list[str]:
        return [code_in(prompt.messages[-1].content) for prompt in self.prompts]

    def complete(self, prompt: Prompt) -> Reply:
        code = code_in(prompt.messages[-1].content)
        with self._lock:
            self.prompts.append(prompt)
            answer = self._answer(code)
        if isinstance(answer, ModelError):
            raise answer
        if isinstance(answer, Reply):
            return answer
        return said(answer) if isinstance(answer, str) else answer(prompt)

    def _answer(self, code: str) -> Answer:
        if self.always is not None:
            return self.always
        found = self.answers.get(code, code)
        if isinstance(found, list):
            return found.pop(0) if len(found) > 1 else found[0]
        return found

    def count(self, messages: tuple[Message, ...]) -> int | None:
        del messages
        return None

    def close(self) -> None:
        self.closed += 1


def said(code: str, stop: Stop = Stop.END) -> Reply:
    return Reply(f"```\n{code}\n```", stop, 50, 20, 0.5)


class Scene:
    """A repository with rules, and runs of them. `head` is what PRINT ensures at the top of a file."""

    head = HEAD

    def __init__(self, repo: Any) -> None:
        self.repo = repo
        self.model = Model()
        self.opened = 0
        self.events: list[Event] = []
        self.cancel = threading.Event()
        self.clock: Callable[[], float] | None = None

    def base(self, *rules: str, **files: str | bytes) -> None:
        """Commit the rules and some files; `a_py` is `a.py`."""
        named = {name.replace("_", "."): content for name, content in files.items()}
        self.repo.add({".litecode.yaml": "rules:\n" + "".join(rules), **named}, commit="base")

    def use(self, *rules: str) -> None:
        """Stage other rules."""
        self.stage({".litecode.yaml": "rules:\n" + "".join(rules)})

    def stage(self, files: Mapping[str, str | bytes | None]) -> None:
        self.repo.add(files)

    def world(self, *, hook: bool = False) -> World:
        def model() -> ModelPort:
            self.opened += 1
            return self.model

        repository = Repository.discover(self.repo.path, os.environ)
        world = build_world(repository, os.environ, self.events.append, hook=hook)
        world = replace(world, model=model, cancel=self.cancel, command=("git", "litecode", "run"))
        return world if self.clock is None else replace(world, clock=self.clock)

    def run(self, **options: Any) -> Run:
        """One run; the options are those of `Options`."""
        self.cancel.clear()
        try:
            return make_run(self.world(hook=options.get("hook", False)), Options(**options))
        finally:
            self.cancel.clear()

    def staged(self, path: str) -> str:
        """Content of a path in the index; that of the worktree is the same."""
        content: bytes = self.repo.blob(path)
        assert self.repo.read(path) == content
        return content.decode()


@pytest.fixture
def scene(repo: Any) -> Scene:
    return Scene(repo)


@pytest.fixture
def rules() -> Any:
    """Texts of rules: `rules.PRINT` (by the model), `rules.IS_NONE` (a fix), `rules.DEBUGGER` (a report)."""

    class Rules:
        PRINT = PRINT
        IS_NONE = IS_NONE
        DEBUGGER = DEBUGGER

    return Rules


@pytest.fixture
def reply() -> Callable[..., Reply]:
    """`reply(code, stop=Stop.END)`."""
    return said
