"""The answer to "has the hook anything to do?" in the time of two git calls.

Most commits touch nothing that a rule is about, and they must not wait for the imports of the real work. So this module
imports as good as nothing (`subprocess` alone would cost as much as the rest together), and the rules come from a cache
that the last full run left: `litecode/select.json` in the git directory. In any doubt the answer is "yes".
"""

from __future__ import annotations

import os

RULES_FILE = ".litecode.yaml"
CACHE_FILE = "select.json"

# Git is in the middle of joining histories: what is staged is not what the person wrote (MERGE_HEAD and so on).
_BUSY = ("MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "rebase-merge", "rebase-apply")


def run_git(*args: str) -> bytes | None:
    """Standard output of a git call in the current directory, None when it fails. Its error output is dropped."""
    if not hasattr(os, "posix_spawnp"):
        return _run_elsewhere(args)
    out, into = os.pipe()
    null = os.open(os.devnull, os.O_RDWR)
    actions = ((os.POSIX_SPAWN_DUP2, null, 0), (os.POSIX_SPAWN_DUP2, into, 1), (os.POSIX_SPAWN_DUP2, null, 2))
    try:
        pid = os.posix_spawnp("git", ("git", *args), os.environ, file_actions=actions)
    except OSError:
        os.close(out)
        return None
    finally:
        os.close(into)
        os.close(null)
    with open(out, "rb") as pipe:  # closes it, too
        text = pipe.read()
    return None if os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) else text


def _run_elsewhere(args: tuple[str, ...]) -> bytes | None:
    import subprocess

    done = subprocess.run(("git", *args), stdin=subprocess.DEVNULL, capture_output=True, check=False)
    return None if done.returncode else done.stdout
