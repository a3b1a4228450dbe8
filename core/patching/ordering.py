"""The new order of parameters, and of the arguments of one call."""

from __future__ import annotations

import re
from collections.abc import Sequence

from litecode.core.patching.impossible import Impossible


def name_of(parameter: str) -> str:
    """The name in the text of a parameter."""
    found = re.match(r"[*.&]*\s*([A-Za-z_$][\w$]*)", parameter)
    return found[1] if found else parameter


def new_order(old: Sequence[str], after: Sequence[str], swapped: tuple[str, ...]) -> list[str]:
    """The names of the parameters in their new order. `old` are names. Raises Impossible."""
    names = [name_of(part) for part in after]
    if after:
        lost = [n for n in old if n not in names]
        if lost:
            raise Impossible(f"the new parameters have no `{lost[0]}`")
        if len(set(names)) != len(names):
            raise Impossible("a parameter is there twice")
        return names
    pair = swapped or (tuple(old) if len(old) == 2 else ())
    if len(pair) != 2 or any(n not in old for n in pair):
        raise Impossible("it is not clear which parameters change places")
    return [pair[1] if n == pair[0] else pair[0] if n == pair[1] else n for n in old]


def arranged(given: Sequence[str], old: Sequence[str], new: Sequence[str]) -> tuple[list[str], list[tuple[str, str]]]:
    """The positional arguments of a call in their new order, and those that only a keyword can reach now. `given` are
    the texts of its positional arguments, `old` and `new` the names of the parameters.
    """
    by_name = dict(zip(old, given, strict=False))
    positional: list[str] = []
    for name in new:
        if name not in by_name:
            break
        positional.append(by_name.pop(name))
    keywords = [(name, by_name[name]) for name in new if name in by_name]
    return positional, keywords
