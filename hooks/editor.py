"""Help for editors: the JSON Schema of the rules file, in the git directory, where the rules file can point at it.

The comment that `git litecode init` writes is the same in every clone; `git litecode install` puts the schema there.
"""

from __future__ import annotations

import contextlib
import os

from litecode.core.errors import GitError
from litecode.core.git.repository import Repository

SCHEMA_PATH = "litecode/litecode.schema.json"  # in the git directory


def write_schema(repository: Repository) -> None:
    from importlib.resources import files

    data = files("litecode.config.schema").joinpath("litecode.schema.json").read_bytes()
    path = repository.common_dir / SCHEMA_PATH
    try:
        path.parent.mkdir(mode=0o700, exist_ok=True)
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
            file.write(data)
    except OSError as error:
        raise GitError(f"cannot write {path}: {error.strerror}", "look at the owner and mode of that folder") from error


def remove_schema(repository: Repository) -> None:
    path = repository.common_dir / SCHEMA_PATH
    path.unlink(missing_ok=True)
    with contextlib.suppress(OSError):  # runs and journals are kept there, too
        path.parent.rmdir()
