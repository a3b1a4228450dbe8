"""The map of the staged files, as `git litecode map` makes and shows it."""

from __future__ import annotations

import json
from dataclasses import dataclass

from litecode.core.budget.tokens import Estimator
from litecode.core.consulting import MAP_TOKENS
from litecode.core.filemap.render import FileMap, MapFile, file_map
from litecode.core.git.repository import Repository
from litecode.core.git.worklist import work_list
from litecode.core.planning.shortlist import Ranked, shortlist
from litecode.core.survey import Survey
from litecode.core.values import SkippedFile
from litecode.hooks.show.terminal import Terminal, visible

_RANKED = 20


@dataclass(frozen=True, slots=True)
class MapOptions:
    """`paths` are repository paths, none means all; `tokens` None means as many as a planner gets."""

    paths: tuple[str, ...] = ()
    all_files: bool = False
    request: str | None = None
    tokens: int | None = None


@dataclass(frozen=True, slots=True)
class Mapped:
    """A map, how many files it is of, and the budget it was made for; `tokens` of `map` are of an unknown model."""

    map: FileMap
    files: int
    budget: int
    ranked: tuple[Ranked, ...] = ()
    skipped: tuple[SkippedFile, ...] = ()


def make_map(repo: Repository, options: MapOptions) -> Mapped:
    work = work_list(repo, paths=options.paths, all_files=options.all_files)
    budget = options.tokens or MAP_TOKENS
    if not work.files:
        return Mapped(file_map([], budget, len), 0, budget, (), work.skipped)
    with Survey(repo, {file.path: file.oid for file in work.files}) as survey:
        ranked = shortlist(options.request, survey.corpus(), _RANKED) if options.request else ()
        files = [MapFile(path, outline) for path, outline in survey.outlines().items()]
    made = file_map(files, budget, Estimator().text, [found.path for found in ranked])
    return Mapped(made, len(files), budget, ranked, work.skipped)


def show_map(made: Mapped, terminal: Terminal, form: str, verbose: bool) -> None:
    """The map goes to stdout, what there is to say about it to stderr; as JSON all goes to stdout."""
    if form == "json":
        terminal.print(json.dumps(_document(made), indent=2, ensure_ascii=True))
        return
    for line in made.map.text.splitlines():
        terminal.print(visible(line))
    if not made.files:
        terminal.tell("litecode: no files are staged; --all-files shows every tracked one")
        return
    left = len(made.map.left_out)
    terminal.tell(
        f"litecode: {made.files} file{'s' if made.files != 1 else ''}, at least with {_DETAIL[made.map.detail]}; "
        f"about {made.map.tokens} of {made.budget} tokens; "
        + (f"{left} left out{'' if verbose else ' (-v lists them)'}" if left else "nothing left out")
    )
    if made.ranked:
        terminal.tell("litecode: the files that fit best:")
        for found in made.ranked:
            terminal.tell(f"  {found.score:.2f}  {visible(found.path)}")
    if verbose:
        for path in made.map.left_out:
            terminal.tell(f"  left out: {visible(path)}")
        for skipped in made.skipped:
            terminal.tell(f"  left alone: {visible(skipped.path)}: {skipped.reason}")


_DETAIL = {
    "methods": "their methods",
    "symbols": "the names of their symbols",
    "paths": "their paths",
    "folders": "the number of files in their folder",
}


def _document(made: Mapped) -> dict[str, object]:
    return {
        "files": made.files,
        "budget": made.budget,
        "tokens": made.map.tokens,
        "detail": made.map.detail,
        "text": made.map.text,
        "left_out": [visible(path) for path in made.map.left_out],
        "ranked": [{"path": visible(found.path), "score": round(found.score, 4)} for found in made.ranked],
        "skipped": [{"path": visible(skipped.path), "reason": skipped.reason} for skipped in made.skipped],
    }
