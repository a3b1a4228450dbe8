"""Rules as people write them, and a model that answers from a table."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from litecode.config.load import load_rules
from litecode.core.executing.executor import Job, Result, Steps
from litecode.core.executing.request import Edited, Target, carry_out
from litecode.core.executing.rules import CompiledRule, FileState, compile_rule
from litecode.core.filemap.outline import language_of
from litecode.core.patching.document import Document
from litecode.core.values import Contract, Prompt, Reply, Stop, Task


@pytest.fixture
def compiled() -> Callable[..., CompiledRule]:
    """`compiled(yaml, grammar="python")`: the keys of one rule, without id and message."""

    def make(keys: str, grammar: str | None = "python") -> CompiledRule:
        head = "rules:\n- id: the-rule\n  message: Do it.\n"
        lines = "".join(f"  {line}\n" for line in keys.strip("\n").split("\n"))
        return compile_rule(load_rules((head + lines).encode(), ".litecode.yaml").rules[0], grammar)

    return make


@pytest.fixture
def state() -> Callable[..., FileState]:
    """`state(text, *changed)`: a file; without line numbers all of it is changed."""

    def make(text: str | bytes, *changed: int) -> FileState:
        data = text.encode() if isinstance(text, str) else text
        return FileState("a.py", Document.decode(data), frozenset(changed) if changed else None)

    return make


class Table:
    """Stands where the calls are made: answers each code with the replies that the table has for it, in turn, and with
    the code itself when it has none. `asked` is the code of every prompt.
    """

    def __init__(self, answers: dict[str, str | list[str]]) -> None:
        self.answers = {code: [a] if isinstance(a, str) else list(a) for code, a in answers.items()}
        self.asked: list[str] = []
        self.jobs: list[Job] = []
        self.prompts: list[Prompt] = []

    def __call__(self, job: Job, steps: Callable[[Job], Steps]) -> Result:
        self.jobs.append(job)
        running = steps(job)
        try:
            prompt = next(running)
            while True:
                prompt = running.send(self._reply(prompt))
        except StopIteration as end:
            result: Result = end.value
            return result

    def _reply(self, prompt: Prompt) -> Reply:
        found = re.search(r"^```\w*\n(.*?)\n```$", prompt.messages[-1].content, re.DOTALL | re.MULTILINE)
        assert found
        self.prompts.append(prompt)
        self.asked.append(found[1])
        left = self.answers.get(found[1], [found[1]])
        code = left.pop(0) if len(left) > 1 else left[0]
        return Reply(f"```\n{code}\n```", Stop.END, 10, 10, 0.1)


@pytest.fixture
def table() -> Any:
    """`table({code: answer, or answers in turn})`."""
    return Table


class Talk:
    """What was asked, and what came of it."""

    def __init__(
        self,
        text: str | None,
        request: str,
        replies: list[str],
        path: str = "cart.py",
        others: Mapping[str, str] | None = None,
    ) -> None:
        document = None if text is None else Document(text)
        grammar = language_of(path, text or "")[1]
        documents = {p: Document(t) for p, t in (others or {}).items()}
        steps = carry_out(
            Task("1", path, request), request, Contract(), Target(path, document, grammar), documents, lambda _: 200
        )
        self.prompts: list[Prompt] = []
        left = list(replies)
        try:
            prompt = next(steps)
            while True:
                self.prompts.append(prompt)
                reply = left.pop(0) if len(left) > 1 else left[0]
                text_ = reply if prompt.schema is not None else f"```\n{reply}\n```"
                prompt = steps.send(Reply(text_, Stop.END, 10, 10, 0.1))
        except StopIteration as end:
            self.end: Edited = end.value


@pytest.fixture
def talk() -> type[Talk]:
    return Talk
