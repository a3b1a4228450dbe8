"""How the values of settings are read, and what makes one stricter than another."""

from __future__ import annotations

import re
from collections.abc import Callable
from enum import StrEnum
from typing import NamedTuple

Value = str | int | StrEnum | tuple[str, ...] | tuple[tuple[str, ...], ...] | None


class Allowed(NamedTuple):
    """How a value is read (None when it is not allowed), and what is allowed, in words."""

    read: Callable[[str], Value]
    words: str


def whole(least: int, most: int) -> Allowed:
    """A whole number in git's notation: 8k is 8192."""

    def read(text: str) -> Value:
        found = re.fullmatch(r"([0-9]{1,12})([kKmM]?)", text.strip())
        if not found:
            return None
        number = int(found[1]) * {"": 1, "k": 1024, "m": 1024**2}[found[2].lower()]
        return number if least <= number <= most else None

    return Allowed(read, f"a whole number from {least:,} to {most:,}")


def choice(options: type[StrEnum]) -> Allowed:
    names = [option.value for option in options]
    return Allowed(lambda text: options(text) if text in names else None, ", ".join(names))


def shape(shape: str, words: str) -> Allowed:
    return Allowed(lambda text: text if re.fullmatch(shape, text) else None, words)


def arguments(text: str) -> Value:
    from shlex import split

    try:
        words = split(text)
    except ValueError:
        return None
    return tuple(words) or None


def lower(new: Value, current: Value) -> bool:
    return isinstance(new, int) and (current is None or (isinstance(current, int) and new <= current))


def stricter(options: type[StrEnum]) -> Callable[[Value, Value], bool]:
    """Whether an option stands no later in its class than the current one."""
    order = [option.value for option in options]
    return lambda new, current: current is None or order.index(str(new)) <= order.index(str(current))


def longer(new: Value, current: Value) -> bool:
    """Whether a list of what is forbidden has only become longer."""
    return isinstance(new, tuple) and isinstance(current, tuple) and new[: len(current)] == current
