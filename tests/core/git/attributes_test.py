from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from litecode.core.git.attributes import attributes, unconverted
from litecode.core.git.repository import Repository

Opened = Callable[..., Repository]

ATTRIBUTES = [
    "",
    "text",
    "-text",
    "text=auto",
    "text=other",
    "eol=lf",
    "eol=crlf",
    "-text eol=crlf",
    "text eol=lf",
    "crlf",
    "-crlf",
    "crlf=input",
    "ident",
    "-ident",
    "filter=loud",
    "filter=unknown",
    "filter",
    "working-tree-encoding=UTF-16",
    "binary",
]
RAW = b"one\r\ntwo\n$Id: x $\r\n"


@pytest.mark.parametrize("autocrlf", ["", "false", "true", "input", "1", "NO"])
@pytest.mark.parametrize("eol", ["", "crlf"])
def test_bytes_said_to_stay_the_same_do(repo: Any, opened: Opened, autocrlf: str, eol: str) -> None:
    """Whatever the settings are: if a path counts as unconverted, git adds and checks out these very bytes."""
    repo.config("filter.loud.smudge", "tr a-z A-Z")
    repo.config("core.safecrlf", "false")
    if autocrlf:
        repo.config("core.autocrlf", autocrlf)
    if eol:
        repo.config("core.eol", eol)
    names = [f"f{number}" for number in range(len(ATTRIBUTES))]
    repo.write(".gitattributes", "".join(f"{name} {text}\n" for name, text in zip(names, ATTRIBUTES, strict=True)))
    same = unconverted(opened(repo), names)
    for name in names:
        cleaned = repo.git("hash-object", "-w", f"--path={name}", "--stdin", stdin=RAW, rc=None).decode().strip()
        plain = repo.git("hash-object", "-w", "--stdin", "--no-filters", stdin=RAW).decode().strip()
        smudged = repo.git("cat-file", "--filters", f"--path={name}", plain, rc=None)
        if name in same:
            assert (cleaned, smudged) == (plain, RAW)
    plain_settings = autocrlf in ("", "false", "NO")
    assert ("f0" in same) is plain_settings
    assert names[ATTRIBUTES.index("-text")] in same


def test_the_worktree_decides_about_conversion_and_the_index_when_asked(repo: Any, opened: Opened) -> None:
    repo.add({".gitattributes": "a -diff\n"})
    repo.write(".gitattributes", "a text\n")
    assert attributes(opened(repo), ["a"], cached=True)["a"].diff == "unset"
    assert attributes(opened(repo), ["a"], cached=False)["a"].diff == "unspecified"
    assert attributes(opened(repo), ["a"], cached=False)["a"].text == "set"


def test_every_path_gets_an_answer(repo: Any, opened: Opened) -> None:
    paths = ["a", "dir/b", "new\nline", "raw\udcff"]
    assert list(attributes(opened(repo), paths, cached=False)) == paths
    assert attributes(opened(repo), [], cached=False) == {}
    assert unconverted(opened(repo), []) == frozenset()
