"""A repository with two files and the hooks, where a rename needs no model."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

CART, USE = "def total(items):\n    return sum(items)\n", "import cart\n\ncart.total([])\n"
MORE = "# more\n"

_built: list[Path] = []


class Shop:
    """The repository, the commands that are given there, and what is looked at afterwards."""

    def __init__(self, repo: Any) -> None:
        self.repo = repo
        self.path: Path = repo.path

    def run(
        self, *argv: str, rc: int = 0, env: Mapping[str, str] = {}, stdin: str = "", cwd: str = "", editor: str = ""
    ) -> str:
        """A git command; what it said. `editor` is a shell script that finds the message in $1."""
        environ = {**os.environ, **env}
        if editor:
            place = self.path / ".git/editor"
            place.write_text(f"#!/bin/sh\n{editor}\n", encoding="utf-8")
            place.chmod(0o755)
            environ["GIT_EDITOR"] = str(place)
        done = subprocess.run(
            ("git", *argv), cwd=self.path / cwd, env=environ, input=stdin.encode(), capture_output=True, check=False
        )
        said = (done.stdout + done.stderr).decode()
        assert done.returncode == rc, said
        assert "Traceback" not in said
        return said

    def message(self, rev: str = "HEAD") -> str:
        text: str = self.repo.git("cat-file", "commit", rev).decode().partition("\n\n")[2]
        return text

    @property
    def run_id(self) -> str:
        """Of the last request."""
        found = json.loads((self.path / ".git/litecode/commit/results.json").read_text(encoding="utf-8"))
        return str(found["value"][0]["runs"][-1])

    @property
    def kept(self) -> str:
        """The message of the commit that waits."""
        return (self.path / ".git/litecode/commit/message").read_text(encoding="utf-8")

    @property
    def is_renamed(self) -> bool:
        """Whether HEAD has all of the change."""
        texts = [(self.repo.blob(path, "HEAD"), text) for path, text in (("cart.py", CART), ("use.py", USE))]
        assert len({found == (text.replace("total", "grand_total") + MORE).encode() for found, text in texts}) == 1
        return texts[0][0] != (CART + MORE).encode() and b"grand_total" in texts[0][0]


@pytest.fixture
def shop(make_repo: Callable[..., Any], tmp_path_factory: pytest.TempPathFactory) -> Shop:
    """Two committed files, the hooks, and something staged in both."""
    repo = make_repo("shop")
    if not _built:
        repo.add({"cart.py": CART, "use.py": USE, "notes.md": "1\n"}, commit="base")
        repo.git("litecode", "install")
        repo.add({"cart.py": CART + MORE, "use.py": USE + MORE})
        _built.append(tmp_path_factory.mktemp("template") / "repo")
        shutil.copytree(repo.path, _built[0], symlinks=True)
    else:
        shutil.rmtree(repo.path)
        shutil.copytree(_built[0], repo.path, symlinks=True)
        repo.git("update-index", "-q", "--refresh")
    return Shop(repo)
