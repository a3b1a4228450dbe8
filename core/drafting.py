"""From the words of a request to a plan: what code can tell it tells, the planner is asked for the rest."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from litecode.core.budget.fit import Part
from litecode.core.calls import Caller, TaskCalls
from litecode.core.filemap.outline import Outline
from litecode.core.planning.kinds import Kind, kind_of
from litecode.core.planning.mentions import Mentions, mentions
from litecode.core.planning.planner import Asked, Planned, Room, make_plan
from litecode.core.scene import Scene
from litecode.core.values import ActionType, Plan, Task

# Words that send a change beyond the file that is named.
_BEYOND = re.compile(
    r"\b(?:callers?|call\s+sites?|call(?:s|ed|ing)?\s+it|usages?|uses|users|everywhere|wherever|references?|importers?|"
    r"all\s+(?:the\s+)?(?:files|modules|other)|(?:and|with|its|the|add|update|adapt)\s+(?:an?\s+|the\s+)?(?:unit\s+)?tests?|"
    r"tests?\s+(?:too|included|as\s+well)|documentation|readme|changelog)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Draft:
    """What is to be done about a request. `ready` and `by_code` are as in `carrying.Job`."""

    kind: Kind
    plan: Plan
    mentioned: Mentions
    ready: Mapping[str, str] = field(default_factory=dict)
    by_code: frozenset[str] = frozenset()
    doubts: Mapping[str, str] = field(default_factory=dict)


def draft(scene: Scene, request: str, caller: Caller, memory: Sequence[Part], known_kind: Kind | None = None) -> Draft:
    """Raises RequestError for files that are not there, PlanError when no plan was found."""
    kind = known_kind or kind_of(request)
    found = mentions(request, scene.known())
    if kind is Kind.QUESTION:
        return Draft(kind, Plan(()), found)
    scene.widen(found.paths)
    direct = _direct(scene, request, found)
    if direct is not None and kind is Kind.CHANGE:
        return Draft(Kind.CHANGE, direct, found)
    planned = _planned(scene, request, found, kind, caller, memory)
    return Draft(planned.kind, planned.plan, found)


def _direct(scene: Scene, request: str, found: Mentions) -> Plan | None:
    """The plan for a request about one file, which code can tell; None when a planner has to say."""
    if _BEYOND.search(request):
        return None
    paths = [*found.creates, *found.paths]
    if not paths:
        paths = list(homes(scene, found.symbols))
    if len(paths) != 1:
        return None
    return Plan((Task("1", paths[0], request, _type(paths[0], found)),))


def homes(scene: Scene, symbols: Sequence[str]) -> tuple[str, ...]:
    """The files that define the names of a request, if each of them has one home."""
    found: dict[str, None] = {}
    for symbol in symbols:
        places = scene.defines(symbol)
        if len(places) == 1:
            found.setdefault(places[0])
        elif not set(places) & set(found):
            return ()
    return tuple(found)


def _type(path: str, found: Mentions) -> ActionType:
    return ActionType.CREATE if path in found.creates else ActionType.EDIT


def _planned(
    scene: Scene, request: str, found: Mentions, kind: Kind | None, caller: Caller, memory: Sequence[Part]
) -> Planned:
    files = tuple(scene.files)
    asked = Asked(request, (*found.creates, *files), found.creates, (*found.creates, *found.paths), kind)
    record = TaskCalls("plan")
    room = Room(lambda messages, reserve: caller.door().fit(messages, reserve), caller.count)
    text = "\n".join(_line(path, outline) for path, outline in scene.outlines().items())
    return caller.converse(make_plan(asked, text, memory, room), record)


def _line(path: str, outline: Outline) -> str:
    names = ", ".join(symbol.name for symbol in outline.symbols)
    summary = f": {outline.summary}" if outline.summary else ""
    return f"- {path} ({outline.lines} lines){summary}{' | ' + names if names else ''}"
