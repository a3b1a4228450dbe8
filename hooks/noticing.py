"""Knows whether something was written when Ctrl-C comes, so that nobody is told the opposite."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from litecode.core.git.repository import Repository
from litecode.hooks.starting import wrote


@contextmanager
def noticing(repo: Repository) -> Iterator[None]:
    """Around what may write. The journals tell, because an interrupt can come between the write and its answer."""
    from litecode.core.git.journal import made

    before = made(repo)
    try:
        yield
    finally:
        for name in sorted(made(repo) - before):
            wrote(name.rpartition(".")[0])
