"""A text in the person's editor, the one that git would start."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path

from litecode.core.errors import GitError
from litecode.core.git.process import scrubbed
from litecode.core.git.repository import Repository


def edit(repo: Repository, text: str, environ: Mapping[str, str]) -> str:
    """The text as it was saved; bytes that are no UTF-8 survive as surrogates. Raises GitError when there is no editor
    or it fails.
    """
    editor = os.fsdecode(repo.git.read("var", "GIT_EDITOR").out).removesuffix("\n")
    with tempfile.TemporaryDirectory(prefix="litecode-") as folder:  # mode 0700
        file = Path(folder, "hunk.diff")
        file.write_bytes(text.encode("utf-8", "surrogateescape"))
        # As git does it: the setting is a piece of shell, the file its argument.
        done = subprocess.run(("sh", "-c", f'{editor} "$@"', editor, file), env=scrubbed(environ), check=False)
        if done.returncode != 0:
            raise GitError(f"the editor {editor} ended with {done.returncode}", "set GIT_EDITOR or core.editor")
        return file.read_bytes().decode("utf-8", "surrogateescape")
