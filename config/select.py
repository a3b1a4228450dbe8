"""Which rules look at which files, with the meaning that `files`, `exclude`, `types`, `types_or` and `exclude_types`
have in pre-commit, but decided from the index: path, mode and blob, never the worktree.

The hook imports this module on every commit, so at the top it imports nothing that is not loaded already.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from litecode.config.rules import RulesFile

CACHE_VERSION = 1
HEAD_BYTES = 8192
"""How much of a blob `tags_for` needs: the first kilobyte tells text from binary, the first lines are the shebang."""

ALL_FILES = ""
NO_FILES = "^$"
RULES_FILE = ".litecode.yaml"
REPLIES = ".litecode-replies.jsonl"
"""Recorded replies for the tests of the rules."""

OWN = frozenset((RULES_FILE, REPLIES))
"""No rule looks at these. The rules file has what the rules look for, as patterns and examples, and a byte more or less
spoils the replies.
"""

_SYMLINK = "120000"
_FOLDERS = frozenset(("160000", "040000"))
_EXECUTABLE = "100755"


class Filter(NamedTuple):
    """`files` and `exclude` are regexes for `re.search` on the path. A file needs all of `types`, one of `types_or`
    (when there are any) and none of `exclude_types`; these are tags of the identify library.
    """

    files: str = ALL_FILES
    exclude: str = NO_FILES
    types: tuple[str, ...] = ("text",)
    types_or: tuple[str, ...] = ()
    exclude_types: tuple[str, ...] = ()


class Selection(NamedTuple):
    """What decides whether any rule looks at a path: the regexes of the whole file, then the id and the filter of
    each rule that is not switched off.
    """

    files: str
    exclude: str
    rules: tuple[tuple[str, Filter], ...]

    @classmethod
    def of(cls, rules: RulesFile) -> Selection:
        return cls(rules.files, rules.exclude, tuple((rule.id, rule.filter) for rule in rules.active))

    def ids(self, path: str, tags: Callable[[], frozenset[str]]) -> tuple[str, ...]:
        """The rules that look at `path`, in their order. `tags` is called at most once."""
        if path in OWN or not _path_passes(self.files, self.exclude, path):
            return ()
        known: list[frozenset[str]] = []

        def tags_once() -> frozenset[str]:
            if not known:
                known.append(tags())
            return known[0]

        return tuple(rule for rule, chosen in self.rules if selects(chosen, path, tags_once))


def selects(chosen: Filter, path: str, tags: Callable[[], frozenset[str]]) -> bool:
    """Whether the filter lets the file through. `tags` is called only when the path alone does not decide."""
    if not _path_passes(chosen.files, chosen.exclude, path):
        return False
    found = tags()
    return (
        found.issuperset(chosen.types)
        and (not chosen.types_or or not found.isdisjoint(chosen.types_or))
        and found.isdisjoint(chosen.exclude_types)
    )


def tags_for(path: str, mode: str, read_head: Callable[[], bytes]) -> frozenset[str]:
    """The tags that `identify.identify.tags_from_path` would give a checked-out file of this index entry.

    `mode` is git's, six octal digits. `read_head` gives the first `HEAD_BYTES` bytes of the blob or more; it is called
    only when the name does not say whether the content is text, as in identify. A symlink (120000) is `symlink` and
    nothing else; a submodule (160000) is a `directory`, as its checked-out folder is for pre-commit.
    """
    if mode == _SYMLINK:
        return frozenset(("symlink",))
    if mode in _FOLDERS:
        return frozenset(("directory",))
    from io import BytesIO

    from identify import identify

    executable = mode == _EXECUTABLE
    tags = {"file", "executable" if executable else "non-executable"}
    by_name = identify.tags_from_filename(path.rpartition("/")[2])
    tags |= by_name
    if not tags.isdisjoint(identify.ENCODING_TAGS):
        return frozenset(tags)
    head = read_head()
    if executable and not by_name:
        interpreter = identify.parse_shebang(BytesIO(head))
        if interpreter:
            tags |= identify.tags_from_interpreter(interpreter[0])
    tags.add("text" if identify.is_text(BytesIO(head)) else "binary")
    return frozenset(tags)


def to_cache(rules: RulesFile) -> dict[str, Any]:
    """`Selection.of(rules)` as plain JSON data, for a cache that the hook reads instead of the rules file."""
    selection = Selection.of(rules)
    return {
        "version": CACHE_VERSION,
        "files": selection.files,
        "exclude": selection.exclude,
        "rules": [[rule, *chosen] for rule, chosen in selection.rules],
    }


def from_cache(data: Mapping[str, Any]) -> Selection | None:
    """What `to_cache` wrote; None when another version or something else wrote it, so that the caller loads afresh."""
    try:
        if data["version"] != CACHE_VERSION:
            return None
        return Selection(
            str(data["files"]), str(data["exclude"]), tuple((str(row[0]), _filter(row[1:])) for row in data["rules"])
        )
    except (KeyError, IndexError, TypeError, ValueError):
        return None


def _filter(row: list[Any]) -> Filter:
    files, exclude, *types = row
    all_of, any_of, none_of = (tuple(map(str, tags)) for tags in types)
    return Filter(str(files), str(exclude), all_of, any_of, none_of)


def _path_passes(files: str, exclude: str, path: str) -> bool:
    if files != ALL_FILES and not _compiled(files).search(path):
        return False
    return exclude == NO_FILES or not _compiled(exclude).search(path)


@cache
def _compiled(regex: str) -> re.Pattern[str]:
    return re.compile(regex)
