"""The editor of `git litecode commit`: the person's own, and then a look at what was written.

When git opens the editor, it has written the tree of the commit already. So a commit whose message asks for something
ends here, before it is made, and `git litecode commit` makes it anew with the result. Git is ended by a signal on which
it tidies up, because for an editor that fails it has words that would only confuse.
"""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from litecode.core.errors import EXIT_CLEAN, EXIT_FINDINGS, UsageError
from litecode.core.fulfilled import known_result
from litecode.core.git.repository import Repository
from litecode.core.git.scratch import tree_of
from litecode.core.store.commits import CommitStore
from litecode.hooks.written import (
    commit_process,
    content_of,
    running_commit,
    waiting_for,
    why_not,
    written,
)

EDITOR_VARIABLE = "LITECODE_EDITOR"
MARK_VARIABLE = "LITECODE_COMMIT"


def edit(arguments: list[str], environ: Mapping[str, str]) -> int:
    """Open the person's editor on the file, and end the commit when its message asks for something."""
    if len(arguments) != 1 or MARK_VARIABLE not in environ:
        raise UsageError("this is the editor of `git litecode commit`", "start that")
    editor = environ[EDITOR_VARIABLE]
    if editor != ":":
        code = subprocess.run(("sh", "-c", f'{editor} "$@"', editor, arguments[0]), check=False).returncode
        if code:
            return code
    repo = Repository.discover(Path.cwd(), environ)
    message = written(repo, Path(arguments[0]).read_bytes(), running_commit(), environ)
    if not message.todo or why_not(repo, message.text):
        return EXIT_CLEAN
    before = tree_of(repo, repo.index)
    if known_result(repo, message.todo, before) is not None:
        return EXIT_CLEAN
    store = CommitStore(repo.state_dir)
    store.keep_message(message.text)
    store.keep(waiting_for(repo, message, environ, content_of(repo), before))
    Path(environ[MARK_VARIABLE]).touch(mode=0o600)
    found = commit_process()
    with suppress(OSError):
        if found is not None:
            os.kill(found[0], signal.SIGTERM)
    return EXIT_FINDINGS
