"""The staged file map: what a planner sees of the files, in Markdown, never more than a budget.

A file is shown with its members, with its symbols, by its path, or only counted with its folder. All files get as much
as fits, and the first ones more; what comes later loses detail first.
"""

from __future__ import annotations

import posixpath
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from litecode.core.filemap.grammars import HOLDERS, MEMBERS
from litecode.core.filemap.outline import Outline
from litecode.core.filemap.symbols import Symbol, one_line

FOLDERS, GROUPED, PATHS, SYMBOLS, METHODS = range(5)
_DETAIL = ("folders", "paths", "paths", "symbols", "methods")
_OTHERS = "Other files by folder:"
_UNNAMED = "{} files are not shown by name:"
_FOLDER_SHARE = 0.4  # of the budget, when there are files to show first
_NAMES = 14  # symbols of one file at the level of symbols
_NAMES_WIDTH = 300  # characters of them
_MEMBERS = 40  # lines of one file, and members of one class, at the level of methods
_WIDTH = 90  # characters of a signature
# Labels of symbols whose first line says no more than their name.
_PLAIN = frozenset("variable constant key binding heading section rule target stage element block".split())
_CONSTANT = re.compile(r"[A-Z][A-Z0-9_]+")
_KEYWORD = re.compile(r"^(?:(?:export|default|pub(?:\(\w+\))?|public|async)\s+)*(?:def|func|function\*?|fn|fun)\s+")


class MapFile(NamedTuple):
    path: str
    outline: Outline


class FileMap(NamedTuple):
    """`left_out` are the paths that the text does not show. `detail` is the least that any file is shown with:
    `methods`, `symbols`, `paths` or `folders`.
    """

    text: str
    tokens: int
    left_out: tuple[str, ...]
    detail: str


def file_map(files: Sequence[MapFile], budget: int, count: Callable[[str], int], first: Sequence[str] = ()) -> FileMap:
    """The map of some files, at most `budget` tokens by `count`; empty when not even the number of files fits.

    The files of `first` get most detail, then the others in their order; the text is in the order of the paths, so that
    the same files give the same text.
    """
    by_path = {file.path: file for file in files}
    order = [path for path in dict.fromkeys([*first, *by_path]) if path in by_path]
    filling = _Filling(by_path, order, budget, count)
    levels = filling.levels(sum(path in by_path for path in dict.fromkeys(first)))
    while True:
        text = _text(by_path, levels, filling.folders)
        tokens = count(text)
        if tokens <= budget or not text:
            break
        if not filling.shrink(levels):
            text, tokens = "", 0
            break
    shown = {path for path, level in levels.items() if level > FOLDERS} if text else set()
    least = min(levels.values(), default=METHODS)
    return FileMap(text, tokens, tuple(sorted(by_path.keys() - shown)), _DETAIL[least])


def line_index(outline: Outline) -> str:
    """The symbols of a long file with their lines, one a line, members indented."""
    rows = []
    open_until: list[int] = []
    for symbol in outline.symbols:
        while open_until and symbol.line > open_until[-1]:
            open_until.pop()
        rows.append(f"{'  ' * len(open_until)}{symbol.line}-{symbol.end_line} {_shown(symbol)}")
        if symbol.kind in HOLDERS or symbol.kind == "heading":
            open_until.append(symbol.end_line)
    return "\n".join(rows)


class _Filling:
    """Decides how much of each file is shown, by the sum of the tokens of its lines."""

    def __init__(
        self, files: Mapping[str, MapFile], order: Sequence[str], budget: int, count: Callable[[str], int]
    ) -> None:
        self.files, self.order, self.budget, self.count = files, order, budget, count
        self.folders = _Folders(files)
        self._costs: dict[tuple[str, int], int] = {}

    def levels(self, first: int) -> dict[str, int]:
        """The level of each file. `first` is how many files of the order come before all others."""
        grouped = Counter(posixpath.dirname(path) for path in self.order)
        heads = {folder: self.count(f"- {folder}/: \n") for folder in grouped}
        used = self._title(GROUPED) + sum(heads.values()) + sum(self._cost(path, GROUPED) for path in self.order)
        base = GROUPED
        if used > self.budget:
            base, grouped = FOLDERS, Counter()
            room = self.budget - self._title(FOLDERS)
            if first:
                room = int(room * _FOLDER_SHARE)
            used = self._title(FOLDERS) + self.folders.fit(room, self.count)
        levels = dict.fromkeys(self.order, base)
        for level, files in (
            (PATHS, self.order[:first]),
            (SYMBOLS, self.order[:first]),
            (METHODS, self.order[:first]),
            (PATHS, self.order),
            (METHODS, self.order[:first]),  # again: there is more room when no file is in a group
            (SYMBOLS, self.order),
            (METHODS, self.order),
        ):
            for path in files:
                if levels[path] >= level:
                    continue
                more = self._cost(path, level) - (self._cost(path, levels[path]) if levels[path] > FOLDERS else 0)
                folder = posixpath.dirname(path)
                last_of_folder = levels[path] == GROUPED and grouped[folder] == 1
                if last_of_folder:
                    more -= heads[folder] + (self._title(GROUPED) if grouped.total() == 1 else 0)
                if used + more > self.budget:
                    break
                grouped[folder] -= levels[path] == GROUPED
                used += more
                levels[path] = level
        return levels

    def _title(self, level: int) -> int:
        return self.count(f"{_OTHERS if level == GROUPED else _UNNAMED.format(len(self.order))}\n")

    def _cost(self, path: str, level: int) -> int:
        if (path, level) not in self._costs:
            name = posixpath.basename(path)
            line = f"{_printable(name)}, " if level == GROUPED else "\n".join(_lines(self.files[path], level)) + "\n"
            self._costs[path, level] = self.count(line)
        return self._costs[path, level]

    def shrink(self, levels: dict[str, int]) -> bool:
        """One step less; False when nothing is left to take away. The sums of the lines are close, so this is rare."""
        for path in reversed(self.order):
            if levels[path] > GROUPED:
                levels[path] = min(levels.values())
                return True
        if any(level == GROUPED for level in levels.values()):
            levels.update(dict.fromkeys(levels, FOLDERS))
            self.folders.fit(self.budget - self._title(FOLDERS), self.count)
            return True
        return self.folders.coarser()


class _Folders:
    """The folders of a tree, as deep as fits; a folder counts what is below it and not shown deeper."""

    def __init__(self, paths: Iterable[str]) -> None:
        self._paths = list(paths)
        self.depth = max((path.count("/") for path in self._paths), default=0)

    def of(self, path: str) -> str:
        return "/".join(path.split("/")[:-1][: self.depth])

    def fit(self, budget: int, count: Callable[[str], int]) -> int:
        """Choose the depth; the tokens it needs."""
        while True:
            used = count("\n".join(self.rows(self._paths)))
            if used <= budget or not self.coarser():
                return used

    def coarser(self) -> bool:
        if self.depth <= 0:
            return False
        self.depth -= 1
        return True

    def rows(self, paths: Iterable[str]) -> list[str]:
        numbers = Counter(self.of(path) for path in paths)
        return [
            f"- {_printable(folder) + '/' if folder else './'} {number} file{'s' if number > 1 else ''}"
            for folder, number in sorted(numbers.items())
        ]


def _text(files: Mapping[str, MapFile], levels: Mapping[str, int], folders: _Folders) -> str:
    if not files:
        return ""
    rows: list[str] = []
    grouped: dict[str, list[str]] = defaultdict(list)
    for path in sorted(files):
        if levels[path] >= PATHS:
            rows += _lines(files[path], levels[path])
        elif levels[path] == GROUPED:
            grouped[posixpath.dirname(path)].append(_printable(posixpath.basename(path)))
    if grouped and rows:
        rows.append(_OTHERS)
    for folder, names in sorted(grouped.items()):
        rows.append(f"- {_printable(folder) + '/: ' if folder else ''}{', '.join(names)}")
    counted = [path for path in files if levels[path] == FOLDERS]
    if counted:
        rows.append(_UNNAMED.format(len(counted)))
        rows += folders.rows(counted)
    return "\n".join(rows) + "\n"


def _lines(file: MapFile, level: int) -> list[str]:
    """The lines of one file."""
    outline = file.outline
    head = f"- {_printable(file.path)}"
    if level == PATHS:
        return [head]
    head += f" ({outline.lines} line{'s' if outline.lines != 1 else ''})"
    head += f": {outline.summary}" if outline.summary else ""
    if level == SYMBOLS:
        names = _names(outline)
        return [head, f"  {names}"] if names else [head]
    return [head, *(f"  {row}" for row in _members(outline))]


def _names(outline: Outline) -> str:
    """The names at the top of a file; variables that are no constants only when there is nothing else."""
    tops = [symbol for symbol in outline.symbols if symbol.kind not in MEMBERS and symbol.kind != "impl"]
    some = [s for s in tops if s.kind not in ("variable", "binding") or _CONSTANT.fullmatch(s.name)] or tops
    return _joined(some)


def _joined(symbols: Iterable[Symbol]) -> str:
    names = list(dict.fromkeys(one_line(symbol.name, 60) for symbol in symbols))
    kept: list[str] = []
    size = 0
    for name in names[:_NAMES]:
        size += len(name) + 2
        if size > _NAMES_WIDTH:
            break
        kept.append(name)
    return ", ".join([*kept, f"… {len(names) - len(kept)} more"] if len(names) > len(kept) else kept)


def _members(outline: Outline) -> list[str]:
    """One row for each function and class, the members of a class behind it; what has no signature is named in one."""
    rows: list[tuple[str, list[str]]] = []
    for symbol in outline.symbols:
        if symbol.kind in MEMBERS and rows:
            rows[-1][1].append(_KEYWORD.sub("", _shown(symbol)))
        elif symbol.kind not in _PLAIN:
            rows.append((_shown(symbol), []))
    plain = _joined(symbol for symbol in outline.symbols if symbol.kind in _PLAIN)
    shown = [head + (": " + "; ".join(_capped(below)) if below else "") for head, below in rows]
    return _capped([plain, *shown] if plain else shown)


def _capped(rows: list[str]) -> list[str]:
    return rows if len(rows) <= _MEMBERS else [*rows[: _MEMBERS - 1], f"… {len(rows) - _MEMBERS + 1} more"]


def _shown(symbol: Symbol) -> str:
    return one_line(symbol.signature or symbol.name, _WIDTH)


def _printable(path: str) -> str:
    """A path on one line, whatever bytes are in it."""
    shown = "".join(sign if sign.isprintable() else sign.encode("unicode_escape").decode() for sign in path)
    return shown.encode("utf-8", "backslashreplace").decode()
