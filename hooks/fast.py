"""The answer to "has the hook anything to do?" in the time of a few git calls.

Most commits touch nothing that a rule is about, and they must not wait for the imports of the real work. So this
module imports as good as nothing at first, runs git without `subprocess`, and takes the rules from a cache that the
last full run left: `litecode/select.json` in the git directory. In any doubt there is something to do.
"""

from __future__ import annotations

import os

RULES_FILE = ".litecode.yaml"
_CACHE_FILE = "select.json"

# Git is joining or replaying histories: what to do then is decided, and said, where there is time for it.
_BUSY = ("MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "rebase-merge", "rebase-apply")


class _Doubt(Exception):
    """Something cannot be told here."""


def nothing_to_do() -> bool:
    """Whether no rule looks at any file of the commit that is being made in the current directory, the top of a
    worktree. Writes nothing.
    """
    try:
        git_dir = _git_dir()
        if any(os.path.exists(os.path.join(git_dir, name)) for name in _BUSY):
            return False
        rules = rules_state()
        if rules is None:
            return True
        # An unborn branch has no HEAD to compare with, and is so rare that it may wait.
        staged = _git("diff-index", "--cached", "-z", "--no-renames", "--diff-filter=d", "HEAD", "--")
        return not staged or not _selected(_cached(os.path.join(git_dir, "litecode"), rules), staged)
    except Exception:  # whatever it is, the full run meets it too, and has the words for it
        return False


def no_request(arguments: list[str]) -> bool:
    """Whether the message file that git names has no line that could be a `Litecode:` trailer."""
    try:
        with open(arguments[0], "rb") as file:
            return b"\nlitecode" not in b"\n" + file.read().lower()
    except (IndexError, OSError):
        return False


def rules_state() -> list[str] | None:
    """What decides which rules hold: the staged rules file, the one in the worktree, and the presets of this
    installation. None when there is no rules file at all.
    """
    oid = run_git("rev-parse", "--quiet", "--verify", f":{RULES_FILE}")
    try:
        with open(RULES_FILE, encoding="utf-8", errors="surrogateescape", newline="") as file:
            text = file.read()
    except FileNotFoundError:
        if oid is None:
            return None
        text = ""
    presets = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "config", "presets")
    facts = sorted((entry.name, entry.stat().st_mtime_ns, entry.stat().st_size) for entry in os.scandir(presets))
    return [presets, str(facts), (oid or b"").decode(), text]


def knows(state_dir: str, rules: list[str]) -> bool:
    """Whether the cache is about the rules in this state."""
    try:
        return bool(_cached(state_dir, rules))
    except (OSError, ValueError, _Doubt):
        return False


def remember(state_dir: str, rules: list[str], selection: object) -> None:
    """Leave what `litecode.config.select.to_cache` gave for the rules in this state to later commits."""
    import json

    os.makedirs(state_dir, mode=0o700, exist_ok=True)
    path = os.path.join(state_dir, _CACHE_FILE)
    temporary = f"{path}.{os.getpid()}"
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with open(descriptor, "w", encoding="ascii") as file:
        json.dump({"rules": rules, "selection": selection}, file)
    os.replace(temporary, path)


def run_git(*args: str, limit: int = -1) -> bytes | None:
    """Standard output of a git call in the current directory, the first `limit` bytes of it; None when it fails."""
    out, into = os.pipe()
    null = os.open(os.devnull, os.O_RDWR)
    actions = [(os.POSIX_SPAWN_DUP2, fd, to) for fd, to in ((null, 0), (into, 1), (null, 2))]
    try:
        pid = os.posix_spawnp("git", ("git", *args), os.environ, file_actions=actions)
    except OSError:
        os.close(out)
        return None
    finally:
        os.close(into)
        os.close(null)
    with open(out, "rb") as pipe:
        text = pipe.read(limit)
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    return text if code == 0 or len(text) == limit else None


def _git(*args: str, limit: int = -1) -> bytes:
    text = run_git(*args, limit=limit)
    if text is None:
        raise _Doubt
    return text


def _git_dir() -> str:
    """The git directory of this worktree; git tells a hook where it is, except in the most common case."""
    if "GIT_DIR" in os.environ:
        return os.environ["GIT_DIR"]
    return ".git" if os.path.isdir(".git") else os.fsdecode(_git("rev-parse", "--git-dir")).removesuffix("\n")


def _cached(state_dir: str, rules: list[str]) -> dict[str, object]:
    """The selection that was remembered for the rules in this state."""
    import json

    with open(os.path.join(state_dir, _CACHE_FILE), encoding="ascii") as file:
        data = json.load(file)
    if not isinstance(data, dict) or data.get("rules") != rules or not isinstance(data.get("selection"), dict):
        raise _Doubt
    found: dict[str, object] = data["selection"]
    return found


def _selected(cached: dict[str, object], staged: bytes) -> bool:
    """Whether a rule looks at one of the staged files, `staged` being what diff-index said."""
    from litecode.config.select import HEAD_BYTES, from_cache, tags_for

    selection = from_cache(cached)
    if selection is None:
        return True
    fields = staged.split(b"\0")
    for facts, name in zip(fields[::2], fields[1::2]):  # noqa: B905  # an empty field follows the last record
        _, mode, _, oid, _ = facts.decode().split()
        path = name.decode("utf-8", "surrogateescape")

        def tags(path: str = path, mode: str = mode, oid: str = oid) -> frozenset[str]:
            return tags_for(path, mode, lambda: _git("cat-file", "blob", oid, limit=HEAD_BYTES))

        if selection.ids(path, tags):
            return True
    return False
