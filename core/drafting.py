"""From the words of a request to a plan: what code can tell it tells, the planner is asked for the rest."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches

from litecode.core.budget.fit import Part
from litecode.core.calls import Caller, TaskCalls
from litecode.core.codework import CodeWork, by_code
from litecode.core.consulting import Brief, ask_planner
from litecode.core.errors import RequestError
from litecode.core.filemap.outline import language_of, outline
from litecode.core.planning.clauses import shares
from litecode.core.planning.kinds import Kind, kind_of
from litecode.core.planning.mentions import Mentions, mentions
from litecode.core.planning.plan import TASKS
from litecode.core.planning.planner import ask_kind
from litecode.core.planning.readings import Reading, read_request, work_of_git
from litecode.core.planning.shortlist import Ranked
from litecode.core.scene import Scene
from litecode.core.values import ActionType, Contract, Plan, Task

DATA = frozenset({"json", "yaml", "toml", "ini"})  # languages
SHOWN = 40  # files that get detail in the map first
SURE = ((0.45, 1.5), (0.25, 3.0))  # the score from which on a file is the one, and how far ahead of the next it is
# Words that send a change beyond the files that are named.
_BEYOND = re.compile(
    r"\b(?:callers?|call\s+sites?|call(?:s|ed|ing)?\s+it|usages|uses\s+of|users\s+of|everywhere|wherever|references?|"
    r"importers?|all\s+(?:the\s+)?(?:files|modules|other)|(?:and|with|its|the|add|update|adapt)\s+(?:an?\s+|the\s+)?"
    r"(?:unit\s+)?tests?|tests?\s+(?:too|included|as\s+well))\b",
    re.IGNORECASE,
)

Memory = Callable[[], Sequence[Part]]  # told only when it is needed, because counting its tokens may load a model
_NEW = re.compile(
    r"\b(?:add|create|new|introduce|implement|write|define|extract|called|named?|renam\w+|split|helper|move|import)\b",
    re.IGNORECASE,
)
_SUBJECT = (
    r"(?:^|[.,;:]\s+|\b(?:and|then|also|let|make)\s+)(?:the\s+(?:class|function|method)\s+)?[`'\"]?(?:\w+\.)*{}(?:\.\w+)*"
    r"(?:\(\))?[`'\"]?\s+(?:gets?|needs?|should|must|has\s+to|takes?)\b"
)
_CODE_NAME = re.compile(
    r"\b[A-Za-z_]\w*(?:(?:\.|::)[A-Za-z_]\w*)*(?=\()|\b[A-Z]\w*(?:\.|::)[A-Za-z_]\w*|\b[a-z]+_\w+\b"
)


@dataclass(frozen=True, slots=True)
class Draft:
    """What is to be done about a request. `ready`, `by_code`, `own_words` and `doubts` are as in `carrying.Job`."""

    kind: Kind
    plan: Plan
    mentioned: Mentions
    ready: Mapping[str, str] = field(default_factory=dict)
    by_code: frozenset[str] = frozenset()
    own_words: bool = True
    doubts: Mapping[str, str] = field(default_factory=dict)


def draft(scene: Scene, request: str, caller: Caller, memory: Memory, prefix: str = "") -> Draft:
    """Raises RequestError for files that are not there, PlanError when no plan was found."""
    kind = kind_of(request)
    _check_git(scene, request)
    found = mentions(request, scene.known(prefix))
    scene.widen(found.paths)
    if kind is not Kind.QUESTION:
        _check_names(scene, request, found)
    reading = read_request(request)
    if not reading.pure:
        caller.warm()
    if kind is Kind.QUESTION:
        return Draft(kind, Plan(()), found)
    direct = _direct(scene, request, found)
    named = (*found.creates, *found.paths)
    if kind is None and (direct is not None or reading.found):
        kind = caller.converse(ask_kind(request), TaskCalls("kind"))
        if kind is Kind.QUESTION:
            return Draft(kind, Plan(()), found)
    work = by_code(scene, reading, found, request) if reading.found else None
    if work is not None and reading.pure:
        return _with_work(Draft(Kind.CHANGE, Plan(()), found), work)
    if direct is None and work is not None and not named:
        direct = _at_home(scene, request, reading)
    if direct is not None:
        return _with_work(Draft(Kind.CHANGE, direct, found), work)
    ranked = scene.ranked(request, SHOWN, (*found.paths, *homes(scene, found.symbols)))
    if kind is Kind.CHANGE and not named and (sure := _sure(request, ranked)):
        return _with_work(Draft(kind, Plan((Task("1", sure, request),)), found), work)
    planned = ask_planner(Brief(request, kind, found, ranked), scene, caller, memory())
    return _with_work(Draft(planned.kind, planned.plan, found, own_words=False), work)


def _sure(request: str, ranked: Sequence[Ranked]) -> str:
    """The only file that a request can be about, where the words leave no doubt."""
    if not ranked or _BEYOND.search(request):
        return ""
    best, second = ranked[0].score, ranked[1].score if len(ranked) > 1 else 0.0
    return ranked[0].path if any(best >= score and best >= lead * second for score, lead in SURE) else ""


def _check_names(scene: Scene, request: str, found: Mentions) -> None:
    """A request that names code which is not in scope is about that, and never about the nearest that is. Raises
    RequestError.
    """
    if scene.large or _NEW.search(request):
        return
    for match in _CODE_NAME.finditer(request):
        name = match.group().replace("::", ".")
        word = name.rpartition(".")[2]
        if scene.defines(word):
            continue
        for path, document in scene.elsewhere(word).items() if not found.paths else ():
            if any(f".{s.name}".endswith(f".{name}") for s in outline(document.text, path).symbols):
                raise RequestError(
                    f"{name} is defined in {path}, which is not staged",
                    "name the file in the request, stage it, or look at all files with --all-files",
                )
        if any(word in document.text for document in scene.documents(scene.files).values()):
            continue
        known = {s.name.rpartition(".")[2] for o in scene.outlines().values() for s in o.symbols}
        if near := get_close_matches(word, known, 1, 0.8):
            raise RequestError(f"there is no {name} in these files", f"did you mean {near[0]}?")
        if owner := name.rpartition(".")[0]:
            _check_owner(scene, owner, word)


def _check_owner(scene: Scene, owner: str, word: str) -> None:
    """Raises RequestError when a class without bases does not have what a request says of it."""
    places = scene.defines(owner)
    symbols = scene.outlines(places)[places[0]].symbols if len(places) == 1 else ()
    cls = next((s for s in symbols if s.name == owner and s.signature.rstrip(": {") in (f"class {owner}", owner)), None)
    if cls is not None:
        has = [s.name.rpartition(".")[2] for s in symbols if s.name.startswith(f"{owner}.")]
        known = ", ".join(name for name in has[:8] if not name.startswith("__"))
        hint = f"name one of {known}, or say `add` to make it" if known else "say `add` to make it"
        raise RequestError(f"{owner} in {places[0]} has no {word}", hint)


def _check_git(scene: Scene, request: str) -> None:
    """No plan moves or deletes files. Raises RequestError."""
    wanted = work_of_git(request)
    if wanted is not None and any(f"/{path}".endswith(f"/{wanted[0]}") for path in scene.tracked):
        raise RequestError(
            "files are renamed and deleted by git, not by a request", f"`{wanted[1]}`, then ask for the rest"
        )


def _with_work(draft: Draft, work: CodeWork | None) -> Draft:
    """The plan with what code has done before it; every other task of a file that it changed comes after."""
    if work is None or draft.kind is Kind.QUESTION:
        return draft
    done = [Task(f"c{number}", path, work.actions[path]) for number, path in enumerate(sorted(work.texts), 1)]
    renames = tuple(dict.fromkeys((*work.contract.renames, *draft.plan.contract.renames)))
    signatures = tuple(dict.fromkeys((*work.contract.signatures, *draft.plan.contract.signatures)))
    return replace(
        draft,
        plan=Plan((*done, *draft.plan.tasks), Contract(renames, signatures)),
        ready=work.texts,
        by_code=frozenset(task.id for task in done),
        doubts={task.path: work.doubts[0] for task in done} if work.doubts else {},
    )


def _direct(scene: Scene, request: str, found: Mentions) -> Plan | None:
    """The plan that the request itself gives: each file that it is about, with the words about it."""
    if _BEYOND.search(request):
        return None
    named = dict.fromkeys([*found.creates, *found.paths])
    paths = (
        named | dict.fromkeys(subjects(scene, request, found)) if named else dict.fromkeys(homes(scene, found.symbols))
    )
    if len(paths) == 1:
        path = next(iter(paths))
        return Plan((Task("1", path, request, _type(path, found)),))
    names = {path: _ways(scene, path, found) for path in paths}
    parts = shares(request, names, found.creates)
    if not parts or len(parts) > TASKS or not set(found.creates) <= {part.path for part in parts}:
        return None
    ids = {part.path: str(number) for number, part in enumerate(parts, 1)}
    return Plan(
        tuple(
            Task(ids[p.path], p.path, p.words, _type(p.path, found), depends_on=tuple(ids[n] for n in p.needs))
            for p in parts
        )
    )


def _at_home(scene: Scene, request: str, reading: Reading) -> Plan | None:
    """What is asked beyond the work of code is about the file of what that was about."""
    about = (*(r.old for r in reading.renames), *(r.name for r in reading.reorders))
    places = homes(scene, [re.sub(r"::|#", ".", name) for name in about])
    return Plan((Task("1", places[0], request),)) if len(places) == 1 and not _BEYOND.search(reading.rest) else None


def _ways(scene: Scene, path: str, found: Mentions) -> tuple[str, ...]:
    """How a request can mean a file: the path, the end of it, and what only this file defines."""
    parts = path.split("/")
    ends = ["/".join(parts[start:]) for start in range(len(parts))]
    own = [symbol for symbol in found.symbols if scene.defines(symbol) == (path,)]
    return (*ends, *own)


def homes(scene: Scene, symbols: Sequence[str]) -> tuple[str, ...]:
    """The files that define the names of a request, if each of them has one home. A key of a data file counts only when
    no name is one of code: `root` may be in any of them.
    """
    found: dict[str, None] = {}
    for symbol in symbols:
        places = scene.defines(symbol)
        if len(places) == 1:
            found.setdefault(places[0])
        elif not set(places) & set(found):
            return ()
    code = [path for path in found if language_of(path, "")[0] not in DATA]
    return tuple(code or found)


def subjects(scene: Scene, request: str, found: Mentions) -> tuple[str, ...]:
    """The files of what the request orders a change of beside the files that it names: `Item gets a method label(), and
    report in report.py uses it`.
    """
    paths = []
    for symbol in found.symbols:
        places = scene.defines(symbol)
        if len(places) == 1 and re.search(_SUBJECT.format(re.escape(symbol)), request):
            paths.append(places[0])
    return tuple(paths)


def _type(path: str, found: Mentions) -> ActionType:
    return ActionType.CREATE if path in found.creates else ActionType.EDIT
