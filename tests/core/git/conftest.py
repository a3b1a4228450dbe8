"""What the tests of the git door share."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from litecode.core.git.repository import Repository

# Settings that change what porcelain prints or does. None may change what LiteCode sees or writes.
HOSTILE = {
    "apply.whitespace": "fix",
    "color.diff": "always",
    "color.ui": "always",
    "core.quotePath": "false",
    "diff.algorithm": "patience",
    "diff.context": "7",
    "diff.external": "false",
    "diff.ignoreSubmodules": "all",
    "diff.interHunkContext": "9",
    "diff.mnemonicPrefix": "true",
    "diff.noprefix": "true",
    "diff.relative": "true",
    "diff.renameLimit": "1",
    "diff.renames": "false",
    "diff.submodule": "log",
    "diff.suppressBlankEmpty": "true",
    "diff.wsErrorHighlight": "all",
    "merge.conflictStyle": "diff3",
    "status.showUntrackedFiles": "no",
    "submodule.recurse": "true",
}


@pytest.fixture
def opened() -> Callable[..., Repository]:
    """`opened(repo, **variables)`: the repository of a scene as the program sees it, from its top."""

    def discover(repo: Any, **variables: str) -> Repository:
        place = repo if isinstance(repo, Path) else repo.path
        return Repository.discover(place, {**os.environ, **variables})

    return discover


@pytest.fixture(params=["plain", "hostile"])
def settings(request: pytest.FixtureRequest, hermetic: Path) -> str:
    """Runs a test twice: with git's defaults and with every setting of the user that could disturb."""
    if request.param == "hostile":
        lines = []
        for name, value in HOSTILE.items():
            section, key = name.split(".")
            lines.append(f"[{section}]\n\t{key} = {value}\n")
        with (hermetic / ".gitconfig").open("a", encoding="utf-8") as file:
            file.writelines(lines)
    return str(request.param)


@pytest.fixture(autouse=True)
def no_flush(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Flushing to disk takes most of the time of these tests, and only a loss of power could tell the difference.
    Gives the names of the files that would have been flushed.
    """
    flushed: list[str] = []

    def note(descriptor: int) -> None:
        place = Path(f"/proc/self/fd/{descriptor}")
        flushed.append(str(place.readlink()) if place.is_symlink() else "")

    monkeypatch.setattr(os, "fsync", note)
    return flushed


FIXER = """\
#!{python}
import os, sys, time
from pathlib import Path
from litecode.core.errors import LitecodeError
from litecode.core.git.objects import Objects
from litecode.core.git.rawdiff import staged_tree_equals_head
from litecode.core.git.recovery import recover
from litecode.core.git.repository import Repository
from litecode.core.git.transaction import apply
from litecode.core.git.worklist import work_list
from litecode.core.values import Apply, Change

def main():
    repo = Repository.discover(Path.cwd(), os.environ)
    recover(repo)
    work = work_list(repo)
    with Objects.of(repo) as objects:
        contents = {{file.path: objects.read(file.oid) for file in work.files}}
    changes = [
        Change(file.path, file.mode, file.oid, contents[file.path].replace(b"BAD", b"GOOD"))
        for file in work.files
        if b"BAD" in contents[file.path]
    ]
    {before}
    applied = apply(repo, changes, Apply.STAGE, "7f3a")
    for result in applied.results:
        print(result.path, result.outcome, result.reason, file=sys.stderr)
    {after}

try:
    main()
except LitecodeError as error:
    print(error, file=sys.stderr)
    sys.exit(2)
"""


@pytest.fixture
def fixer() -> Callable[..., None]:
    """`fixer(repo, name="pre-commit", before="", after="")` installs a hook that turns BAD into GOOD in all staged
    files, with a line of Python before and after the write.
    """

    def install(repo: Any, name: str = "pre-commit", before: str = "pass", after: str = "pass") -> None:
        repo.hook(name, FIXER.format(python=sys.executable, before=before, after=after))

    return install
