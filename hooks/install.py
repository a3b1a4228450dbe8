"""The native hooks: put into the hooks folder and taken out again, with nothing else of it changed.

A hook that is there already is kept beside ours under the name `<hook>.litecode-chained`, by a hard link or a rename,
so that content, mode and inode come back with `uninstall`. It runs first: its refusal costs no model call, what it
stages is seen by ours, and nothing that ours has staged is rolled back by a check that fails afterwards.

Our file carries the hash of its own text, which tells it from one that a person has edited; an edited one is never
overwritten.
"""

from __future__ import annotations

import hashlib
import os
import re
import shlex
import stat
import subprocess
import sys
from enum import StrEnum
from pathlib import Path

from litecode.core.errors import GitError
from litecode.hooks import fast
from litecode.hooks.place import CHAINED_SUFFIX, Place

HOOKS = ("pre-commit", "commit-msg")
_MARK = re.compile(rb"\A#!/bin/sh\n# litecode-hook 1 sha256:([0-9a-f]{64})\n")
_MADE_FOLDER = b"# The folder was made by it, too.\n"

_SCRIPT = """\
# Written by `git litecode install`; `git litecode uninstall` takes it away. An edited file is left alone by both.
{made}case $0 in */*) here=${{0%/*}} ;; *) here=. ;; esac
if [ -x "$here/{name}{suffix}" ]; then
    "$here/{name}{suffix}" "$@" || exit
fi
{quick}python={python}
if [ -x "$python" ] && [ -r {module} ]; then
    exec "$python" {flags} -c 'import sys; from litecode.hooks.pre_commit import main; sys.exit(main())' {name} "$@"
elif command -v litecode-hook >/dev/null 2>&1; then
    exec litecode-hook {name} "$@"
fi
echo "litecode: {missed}, since litecode is no longer installed where {name} expects it;" \\
    "install it again and run 'git litecode install', or delete $0" >&2
if [ -n "${{CI:-}}" ]; then default=fail; else default=skip; fi
[ "$(git config --get litecode.onUnavailable || echo $default)" != fail ]
"""

# What a hook can tell without Python: a message in which no line begins like a trailer of ours asks for nothing.
_QUICK = {"commit-msg": 'LC_ALL=C grep -qi "^litecode" "$1" 2>/dev/null\n[ $? != 1 ] || exit 0\n'}
_MESSAGES = " (and, for requests in messages, the same with commit-msg)"
_MISSED = {
    "pre-commit": "this commit is not checked",
    "commit-msg": "the request in the message is not carried out",
}


class Shape(StrEnum):
    """What stands at the path of a hook."""

    ABSENT = "absent"
    OURS = "ours"
    EDITED = "edited"  # ours, changed by somebody since
    FOREIGN = "foreign"
    UNKNOWN = "unknown"  # neither a file nor a link to one


def shape_of(path: Path) -> Shape:
    """What is there now, told from the file alone."""
    if not os.path.lexists(path):
        return Shape.ABSENT
    if path.is_symlink():
        return Shape.UNKNOWN if path.is_dir() else Shape.FOREIGN
    if not stat.S_ISREG(path.lstat().st_mode):
        return Shape.UNKNOWN
    content = path.read_bytes()
    mark = _MARK.match(content)
    if mark is None:
        return Shape.EDITED if b"\n# litecode-hook 1 sha256:" in content else Shape.FOREIGN
    return Shape.OURS if mark[1].decode() == _digest(content[mark.end() :]) else Shape.EDITED


def _digest(body: bytes) -> str:
    return hashlib.sha256(body).hexdigest()


def script(name: str, python: str, flags: str, module: str, made_folder: bool = False) -> bytes:
    """The hook file. `flags` keep the repository's own modules out of the interpreter's path."""
    body = _SCRIPT.format(
        name=name,
        suffix=CHAINED_SUFFIX,
        made=_MADE_FOLDER.decode() if made_folder else "",
        quick=_QUICK.get(name, ""),
        missed=_MISSED[name],
        python=shlex.quote(python),
        flags=flags,
        module=shlex.quote(module),
    ).encode(errors="surrogateescape")
    return b"#!/bin/sh\n# litecode-hook 1 sha256:" + _digest(body).encode() + b"\n" + body


def interpreter_flags() -> str:
    """`-I` where this installation can be imported so, else `-P`: a user installation is out of sight of `-I`."""
    probe = (sys.executable, "-I", "-c", "import litecode.hooks.fast")
    done = subprocess.run(probe, cwd=Path(sys.executable).parent, capture_output=True, check=False)
    return "-I" if done.returncode == 0 else "-P"


def install(place: Place, *, shared: bool = False) -> list[str]:
    """Install every hook, or none: everything is looked at before the first write. Returns what was done, a line each.

    Raises GitError when a hook cannot be installed without risk; `shared` allows a folder outside the repository, or
    one whose files are committed.
    """
    for name in HOOKS:
        _refuse(place, name, shared)
    flags = interpreter_flags()
    try:
        made = not place.folder.is_dir() or any(_MADE_FOLDER in _ours(place.hook(name)) for name in HOOKS)
        return [_install(place, name, flags, made) for name in HOOKS]
    except OSError as error:
        raise _unwritable(place, error) from error


def _ours(path: Path) -> bytes:
    """The text of a hook that is ours, else nothing."""
    return path.read_bytes() if shape_of(path) is Shape.OURS else b""


def _install(place: Place, name: str, flags: str, made: bool) -> str:
    path, chained = place.hook(name), place.chained(name)
    old = _ours(path)
    new = script(name, sys.executable, flags, os.path.abspath(fast.__file__), made)  # noqa: PTH100  # links stay: a venv is one
    if old == new:
        return f"{path} is installed already"
    place.folder.mkdir(parents=True, exist_ok=True)
    kept = not old and os.path.lexists(path)
    if kept:
        _keep(path, chained)
    temporary = path.with_name(f"{name}.litecode-new")
    temporary.write_bytes(new)
    temporary.chmod(0o755)
    temporary.replace(path)
    if kept:
        return f"installed {path}; the hook that was there runs first, as {chained.name}"
    return f"{'renewed' if old else 'installed'} {path}"


def _keep(path: Path, chained: Path) -> None:
    """Give the hook its second name; it keeps the first one until ours replaces it, so there is always a hook."""
    try:
        os.link(path, chained, follow_symlinks=False)
    except OSError:  # a file system without hard links
        path.rename(chained)


def _same(path: Path, chained: Path) -> bool:
    """Whether they are two names of one file: an installation was interrupted between its two steps."""
    one, two = path.lstat(), chained.lstat()
    return (one.st_dev, one.st_ino) == (two.st_dev, two.st_ino)


def uninstall(place: Place) -> list[str]:
    """Take out what `install` put in. Returns what was done, a line each; raises GitError when a file was edited."""
    for name in HOOKS:
        _refuse_uninstall(place, name)
    try:
        return [line for name in HOOKS for line in _uninstall(place, name)]
    except OSError as error:
        raise _unwritable(place, error) from error


def _unwritable(place: Place, error: OSError) -> GitError:
    return GitError(f"cannot change the hooks folder {place.folder}: {error.strerror}", "look at its owner and mode")


def _uninstall(place: Place, name: str) -> list[str]:
    path, chained = place.hook(name), place.chained(name)
    old = _ours(path)
    if os.path.lexists(chained):
        if shape_of(path) is Shape.FOREIGN:  # the second name of an interrupted installation
            chained.unlink()
        else:
            chained.replace(path)
        return [f"put back the {name} hook that was there before"]
    if not old:
        return []
    path.unlink()
    if _MADE_FOLDER in old and not any(place.folder.iterdir()):
        place.folder.rmdir()
    return [f"removed {path}"]


def _refuse(place: Place, name: str, shared: bool) -> None:
    path, chained = place.hook(name), place.chained(name)
    call = f'litecode-hook {name} "$@"'
    if ".husky" in {place.folder.name, place.folder.parent.name}:
        raise GitError(
            f"husky owns the hooks folder {place.folder}",
            f"add the line `{call}` to {place.top / '.husky' / name}{_MESSAGES}",
        )
    if not shared and (place.outside or place.tracked):
        why = "lies outside of this repository" if place.outside else "has committed files"
        raise GitError(
            f"the hooks folder {place.folder} (core.hooksPath) {why}",
            f"add the line `{call}` to its {name} hook{_MESSAGES}, or say `git litecode install --shared` to let it be "
            "changed",
        )
    shape = shape_of(path)
    if shape is Shape.EDITED:
        raise _edited(path, chained, "install")
    if shape is Shape.UNKNOWN:
        raise GitError(f"{path} is neither a file nor a link to a file", "look at it, move it away, and install again")
    if shape is not Shape.FOREIGN:
        return
    if os.path.lexists(chained) and not _same(path, chained):
        raise GitError(
            f"{path} has been replaced since LiteCode was installed, and {chained.name} keeps an earlier hook",
            f"join the two by hand, delete {chained}, and install again",
        )
    if advice := _advice(path, call):
        raise GitError(*advice)


def _advice(path: Path, call: str) -> tuple[str, str] | None:
    """Why a hook cannot be chained, and what to do instead; None when it can."""
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None  # a dangling link: git does not run it, and neither do we
    if re.search(r"litecode-hook|litecode\.hooks", text):
        return f"{path} calls litecode-hook already", "nothing has to be installed; remove that line to chain the hook"
    if "lefthook" in text:
        return (
            f"lefthook owns {path} and writes it anew",
            f"add the command `{call}` to lefthook.yml{_MESSAGES}",
        )
    if re.search(r"""basename\s+(--\s+)?["']?\$\{?0|\$\{0##\*/\}""", text):
        return (
            f"{path} looks at its own name, so that it cannot be renamed and chained",
            f"add the line `{call}` to what it runs",
        )
    return None


def _refuse_uninstall(place: Place, name: str) -> None:
    path, chained = place.hook(name), place.chained(name)
    shape = shape_of(path)
    if shape is Shape.EDITED:
        raise _edited(path, chained, "uninstall")
    if shape in {Shape.FOREIGN, Shape.UNKNOWN} and os.path.lexists(chained) and not _same(path, chained):
        raise GitError(
            f"{path} has been replaced since LiteCode was installed",
            f"decide between it and {chained.name}, the hook that was there before, and delete the other one",
        )
    legacy = path.with_name(f"{name}.legacy")
    if shape is Shape.FOREIGN and shape_of(legacy) in {Shape.OURS, Shape.EDITED}:
        raise GitError(
            f"the pre-commit framework was installed over LiteCode's hook and runs it as {legacy.name}",
            "run `pre-commit uninstall`, then `git litecode uninstall`, then `pre-commit install`",
        )


def _edited(path: Path, chained: Path, command: str) -> GitError:
    kept = f"; {chained.name} has the hook that was there before" if os.path.lexists(chained) else ""
    return GitError(
        f"{path} was edited since LiteCode wrote it{kept}",
        f"copy your lines out of it, delete it, and say `git litecode {command}` again",
    )
