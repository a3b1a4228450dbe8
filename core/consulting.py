"""Ask the planner for the plan of a request: which files it may choose from, and with how much of their map."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from litecode.core.budget.fit import Part
from litecode.core.calls import Caller, TaskCalls
from litecode.core.errors import RequestError
from litecode.core.filemap.render import FileMap, MapFile, file_map
from litecode.core.opened import Opened
from litecode.core.planning.check import Asked
from litecode.core.planning.kinds import Kind
from litecode.core.planning.mentions import Mentions
from litecode.core.planning.narrowing import likely, narrowed
from litecode.core.planning.plan import Planned
from litecode.core.planning.planner import Room, make_plan, map_budget
from litecode.core.planning.shortlist import Ranked
from litecode.core.scene import Scene

MAP_TOKENS = 2500  # of the map, however large the window: more is read slowly and helps a small model little
FEW_TOKENS = 1200  # of the map of a few likely files
LEAST_MAP = 600  # tokens that the map has before anything is remembered
PATH_TOKENS = 4  # of a file in a map that shows nothing else, at least
FEW = 12  # files among which a planner may choose whatever their words
STRANGER = 0.35  # share of the best score of a plan below which a file has no part in it


@dataclass(frozen=True, slots=True)
class Brief:
    """What is to be planned, and what code knows about it: its kind if that is clear, the names in it, the likely files
    with the best first.
    """

    request: str
    kind: Kind | None
    found: Mentions
    ranked: Sequence[Ranked]

    @property
    def named(self) -> tuple[str, ...]:
        return (*self.found.creates, *self.found.paths)

    def among(self, files: Sequence[str]) -> Asked:
        creates = self.found.creates
        return Asked(self.request, (*creates, *files) if files else (), creates, self.named, self.kind)


class _Shown(NamedTuple):
    """The map that the planner sees, and the files that it may name."""

    text: str
    files: tuple[str, ...]


def ask_planner(brief: Brief, scene: Scene, caller: Caller, memory: Sequence[Part]) -> Planned:
    """Files that have next to nothing to do with the request are taken out of the answer: small models like to name one
    file too many. Raises RequestError when there is no file, PlanError when no plan was found.
    """
    if not scene.files and not brief.named:
        raise RequestError("there is no file to change: nothing is staged", "`git add` files first, or say --all-files")
    room = _room(caller.first)
    budget = map_budget(brief.among(()), memory, room)
    if budget < LEAST_MAP:  # memory goes before the files
        memory = ()
        budget = map_budget(brief.among(()), memory, room)
    shown = _shown(brief, scene, caller, room, min(budget, MAP_TOKENS))
    asked = brief.among(shown.files)
    made = caller.first_usable(lambda model: make_plan(asked, shown.text, memory, _room(model)), TaskCalls("plan"))
    return _without_strangers(made, brief)


def _room(model: Opened) -> Room:
    return Room(lambda messages, reserve: model.door().fit(messages, reserve), model.count)


def _shown(brief: Brief, scene: Scene, caller: Caller, room: Room, budget: int) -> _Shown:
    """All files while they are few; of many those that are likely, else those of the folders that a model chooses."""
    few = likely(brief.ranked, brief.found.paths) if len(scene.files) > FEW else ()
    if few:
        found = _map(scene, few, min(budget, FEW_TOKENS), room, few)
        return _Shown(found.text, tuple(path for path in few if path not in found.left_out))
    if len(scene.files) * PATH_TOKENS <= budget:
        found = _map(scene, scene.files, budget, room, [r.path for r in brief.ranked])
        if not found.left_out:
            return _Shown(found.text, tuple(scene.files))
    steps = narrowed(brief.request, tuple(scene.files), brief.ranked, brief.found.paths, room, budget)
    chosen = caller.converse(steps, TaskCalls("folders"))
    found = _map(scene, chosen, budget, room, chosen)
    return _Shown(found.text, tuple(path for path in chosen if path not in found.left_out))


def _map(scene: Scene, paths: Iterable[str], budget: int, room: Room, first: Sequence[str]) -> FileMap:
    paths = list(paths)
    outlines = scene.outlines(paths)
    return file_map([MapFile(path, outlines[path]) for path in paths], budget, room.count, first)


def _without_strangers(made: Planned, brief: Brief) -> Planned:
    scores = {r.path: r.score for r in brief.ranked}
    best = max((scores.get(task.path, 0.0) for task in made.plan.tasks), default=0.0)
    kept = [
        task for task in made.plan.tasks if task.path in brief.named or scores.get(task.path, 0.0) >= STRANGER * best
    ]
    ids = {task.id for task in kept}
    tasks = tuple(replace(task, depends_on=tuple(n for n in task.depends_on if n in ids)) for task in kept)
    return replace(made, plan=replace(made.plan, tasks=tasks))
