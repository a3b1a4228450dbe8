"""Which files a planner is shown when there are more than a map has room for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator, Iterable, Sequence

from litecode.core.planning.planner import Room, choose_folders
from litecode.core.planning.shortlist import Ranked
from litecode.core.values import Prompt, Reply

WEAK = 0.3  # a best score below this says little
FOLDERS = 120  # that a choice is given at most
CANDIDATES = 60  # files of the map then
LIKELY = 8  # files that are left where the words of a request fit some far better than others
NEAR = 0.4  # share of the best score that such a file has at least


def likely(ranked: Sequence[Ranked], named: Sequence[str]) -> tuple[str, ...]:
    """The few files that the words of a request speak for, and those that it names; none when they say too little.
    Small models choose badly among many files, and code has looked into all of them.
    """
    others = [r for r in ranked if r.path not in named]
    if not others or others[0].score < WEAK:
        return ()
    near = [r.path for r in others if r.score >= NEAR * others[0].score]
    return tuple(dict.fromkeys((*named, *near[:LIKELY])))


def narrowed(
    request: str, paths: Sequence[str], ranked: Sequence[Ranked], first: Sequence[str], room: Room, budget: int
) -> Generator[Prompt, Reply, tuple[str, ...]]:
    """The files to plan with, the most likely first: those that fit the request best, and where none does well, those
    of the folders that the model chooses. One call at most.
    """
    order = [r.path for r in ranked]
    if ranked and ranked[0].score >= WEAK:
        return tuple(dict.fromkeys((*first, *order)))[:CANDIDATES]
    folders = _folders(paths, order)
    text, shown = _within(folders, paths, room.count, budget)
    chosen = yield from choose_folders(request, shown, text, room)
    places = {path: number for number, path in enumerate(order)}
    inside = [path for path in paths if _folder(path) in chosen]
    inside.sort(key=lambda path: (places.get(path, len(places)), chosen.index(_folder(path)), path))
    return tuple(dict.fromkeys((*first, *order[: CANDIDATES // 3], *inside, *order)))[:CANDIDATES]


def _folder(path: str) -> str:
    return path.rpartition("/")[0] + "/" if "/" in path else "./"


def _folders(paths: Iterable[str], likely: Sequence[str]) -> list[str]:
    """The folders that hold files, those of likely files first, then those with most."""
    held = Counter(map(_folder, paths))
    best = dict.fromkeys(map(_folder, likely))
    rest = sorted((folder for folder in held if folder not in best), key=lambda folder: (-held[folder], folder))
    return [*best, *rest][:FOLDERS]


def _within(
    folders: Sequence[str], paths: Iterable[str], count: Callable[[str], int], budget: int
) -> tuple[str, list[str]]:
    """As many lines as the budget has room for, in the order of the names; and the folders that they show."""
    names: dict[str, list[str]] = {folder: [] for folder in folders}
    for path in paths:
        if _folder(path) in names:
            names[_folder(path)].append(path.rpartition("/")[2])
    left, lines = budget, {}
    for folder in folders:
        line = f"- {folder}: {', '.join(sorted(names[folder])[:4])}{', …' if len(names[folder]) > 4 else ''}"
        left -= count(line) + 1
        if left < 0:
            break
        lines[folder] = line
    return "\n".join(lines[folder] for folder in sorted(lines)), sorted(lines)
