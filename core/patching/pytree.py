"""Python's own parser, without its warnings: those are about the person's code, and end up on the person's terminal."""

from __future__ import annotations

import ast
import warnings
from functools import lru_cache
from threading import Lock

_one_at_a_time = Lock()  # the list of warning filters belongs to the whole process


def parse(text: str) -> ast.Module:
    """The tree of a text. Raises SyntaxError, also for what is too deep for the parser."""
    with _one_at_a_time, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return ast.parse(text)
        except (ValueError, RecursionError, MemoryError) as err:
            raise SyntaxError(str(err).split("\n")[0] or "too deeply nested") from None


def check(text: str) -> None:
    """Raises SyntaxError for what does not parse, or does not compile, such as `return` outside a function."""
    module = parse(text)
    with _one_at_a_time, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            compile(module, "code", "exec", dont_inherit=True)
        except (ValueError, RecursionError, MemoryError) as err:
            raise SyntaxError(str(err).split("\n")[0] or "too deeply nested") from None


@lru_cache(maxsize=64)
def tree(text: str) -> ast.Module | None:
    """The tree of a text, None when it does not parse. It is shared, so nobody may change it."""
    try:
        return parse(text)
    except SyntaxError:
        return None
