"""Which rules no file of a repository comes under, by names and modes alone."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from litecode.config.rules import Rule, RulesFile
from litecode.config.select import Filter, Selection, tags_for

EXECUTABLE = "100755"


def unreached(rules: RulesFile, files: Mapping[str, str]) -> tuple[Rule, ...]:
    """The rules that are switched on and look at none of `files`, path -> mode of git.

    No content is read: what its name does not tell is taken for text, and a program without an ending, whose first line
    would tell, for whatever a rule wants.
    """
    chosen = Selection.of(rules)
    by_path = chosen._replace(rules=tuple((name, _any_type(one)) for name, one in chosen.rules))
    reached: set[str] = set()
    for path, mode in files.items():
        tags, is_told = _tags(path, mode)
        selection = chosen if is_told or mode != EXECUTABLE else by_path
        reached.update(selection.ids(path, partial(frozenset, tags)))
        if len(reached) == len(chosen.rules):
            break
    return tuple(rule for rule in rules.active if rule.id not in reached)


def _any_type(one: Filter) -> Filter:
    return one._replace(types=(), types_or=(), exclude_types=())


def _tags(path: str, mode: str) -> tuple[frozenset[str], bool]:
    """The tags of a name, and whether it told them all."""
    asked = []

    def head() -> bytes:
        asked.append(path)
        return b""

    return tags_for(path, mode, head), not asked
