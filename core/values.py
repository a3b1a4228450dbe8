"""The frozen values that the parts of LiteCode hand to each other; the words are those of docs/architecture.md.

Paths are repository-relative with `/`, decoded as UTF-8 with `surrogateescape`, so that any bytes survive. Offsets
are in bytes of one blob. Lines and columns are 1-based, columns count characters. Times are in seconds.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, NamedTuple


class Span(NamedTuple):
    """Half-open range of byte offsets into one blob."""

    start: int
    end: int

    def covers(self, other: Span) -> bool:
        return self.start <= other.start and other.end <= self.end

    def touches(self, other: Span) -> bool:
        """Whether they overlap; an empty span touches what it stands in."""
        return (self.start < other.end and other.start < self.end) or self.start == other.start


class Severity(StrEnum):
    ERROR = "error"
    WARNING = "warning"
    INFO = "info"
    HINT = "hint"
    OFF = "off"


class State(StrEnum):
    """What became of one rule (or request) on one file."""

    CONFORMS = "conforms"
    STAGED = "staged"
    HELD = "held"
    REJECTED = "rejected"
    SKIPPED = "skipped"
    FAILED = "failed"
    FOUND = "found"  # a finding of a report-only rule, or of `check`
    DROPPED = "dropped"  # a person did not want it


class Proof(StrEnum):
    """How much the code knows about a patch; only PROVEN is staged without a person's yes."""

    PROVEN = "proven"
    ASKED = "asked"  # a request: gates see damage, not a wrong idea
    DOUBTFUL = "doubtful"
    REFUSED = "refused"


class Apply(StrEnum):
    """What is done with proven patches: STAGE puts them into index and worktree, WORKTREE leaves them unstaged, HOLD
    only keeps them in the run.
    """

    STAGE = "stage"
    WORKTREE = "worktree"
    HOLD = "hold"


@dataclass(frozen=True, slots=True)
class StagedFile:
    """One entry of the index at the start of the run (or of a tree, with --from-ref/--to-ref).

    `changed` has the line numbers that the commit adds or changes in this blob; None means all of them (a new file,
    or `--all-files`).
    `unstaged` tells that the worktree file differs from the blob. `head` is the blob id in HEAD, None for a new file.
    """

    path: str
    mode: str
    oid: str
    head: str | None = None
    changed: frozenset[int] | None = None
    unstaged: bool = False


@dataclass(frozen=True, slots=True)
class SkippedFile:
    """A staged path that is left alone, and why in one clause."""

    path: str
    reason: str


@dataclass(frozen=True, slots=True)
class Site:
    """Where a rule or a task applies: a byte span of one blob, with the 1-based position of its start."""

    span: Span
    line: int
    column: int
    text: str


@dataclass(frozen=True, slots=True)
class Region:
    """The syntactic unit around one or more sites that is rewritten; `kind` is e.g. `statement`."""

    span: Span
    kind: str
    sites: tuple[Site, ...]


class Message(NamedTuple):
    """One chat message; `role` is system, user or assistant."""

    role: str
    content: str


class Stop(StrEnum):
    """Why the model stopped; only END is a clean stop."""

    END = "stop"
    LENGTH = "length"
    ERROR = "error"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model call gave back. Token counts are the server's own; `cached_tokens` were not read again."""

    text: str
    stop: Stop
    prompt_tokens: int
    output_tokens: int
    seconds: float
    cached_tokens: int = 0


@dataclass(frozen=True, slots=True)
class Sampling:
    """How to sample: temperature 0 is greedy."""

    temperature: float = 0.0
    seed: int = 1


@dataclass(frozen=True, slots=True)
class Prompt:
    """Everything one call needs. `schema` is a JSON schema for plans only; `reserve` the tokens kept free for the
    reply; `about` the paths of the files whose content is in the messages.
    """

    messages: tuple[Message, ...]
    reserve: int
    sampling: Sampling = Sampling()
    schema: Mapping[str, Any] | None = None
    about: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Call:
    """One model call: what for, how it was counted, what came back, when (seconds since the run began), whose."""

    purpose: str
    prompt: Prompt
    reply: Reply | None
    estimate: int
    window: int
    started: float
    ended: float
    slot: int = 0
    error: str = ""
    cached: bool = False
    model: str = ""


class ActionType(StrEnum):
    EDIT = "edit"
    CREATE = "create"
    QUERY = "query"


@dataclass(frozen=True, slots=True)
class Contract:
    """What the tasks of a plan share: renames (old, new) and new signatures, word for word."""

    renames: tuple[tuple[str, str], ...] = ()
    signatures: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Task:
    """One file, one action. `rule` is a rule id, empty for requests; `depends_on` has ids of tasks of the plan."""

    id: str
    path: str
    action: str
    action_type: ActionType = ActionType.EDIT
    rule: str = ""
    depends_on: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Plan:
    tasks: tuple[Task, ...]
    contract: Contract = Contract()


@dataclass(frozen=True, slots=True)
class Attempt:
    """One try at one region: the refusal is empty when every gate passed."""

    region: Region
    kind: str
    reply: str
    refusal: str = ""


@dataclass(frozen=True, slots=True)
class Finding:
    """One place where a rule applies. `mark` stands for the code that matched, wherever it moves to."""

    path: str
    line: int
    column: int
    end_line: int
    rule: str
    message: str
    severity: Severity
    mark: str = ""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of one rule (or request, `rule` empty) on one file. `line` is that of the first site, `left` those of
    the sites that the model left as they were; lines are those of the input.
    """

    path: str
    rule: str
    state: State
    reason: str = ""
    proof: Proof = Proof.PROVEN
    severity: Severity = Severity.ERROR
    line: int = 0
    findings: tuple[Finding, ...] = ()
    sites: int = 0
    left: tuple[int, ...] = ()
    calls: int = 0
    output_tokens: int = 0
    seconds: float = 0.0
    cached: bool = False
    attempts: tuple[Attempt, ...] = ()


@dataclass(frozen=True, slots=True)
class Change:
    """New content for one path. `before` is the blob A (None for a new file), `after` the bytes of B."""

    path: str
    mode: str
    before: str | None
    after: bytes


@dataclass(frozen=True, slots=True)
class Patch:
    """A unified diff A -> B of one file, made from the blobs. `state` is staged, held or rejected; `rules` wrote
    it.
    """

    path: str
    diff: str
    state: State
    rules: tuple[str, ...]
    change: Change
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Run:
    """One invocation. `id` is the short name that `show`, `apply` and `undo` take; `started` is a UNIX time."""

    id: str
    started: float
    command: tuple[str, ...]
    plan: Plan
    verdicts: tuple[Verdict, ...] = ()
    patches: tuple[Patch, ...] = ()
    calls: tuple[Call, ...] = ()
    skipped: tuple[SkippedFile, ...] = ()
    model: str = ""
    request: str = ""
    seconds: float = 0.0
    notes: tuple[str, ...] = ()
    extra: Mapping[str, Any] = field(default_factory=dict)
