"""Hooks that git takes from its configuration (2.54 and later): they need no file, so they stand beside husky, lefthook
or a shared hooks folder without touching any of them. Git runs them before the hook in the folder.
"""

from __future__ import annotations

import os
import shlex
import sys

from litecode.core.errors import GitError
from litecode.core.git.repository import Repository
from litecode.hooks import fast
from litecode.hooks.install import HOOKS, Shape, interpreter_flags, shape_of
from litecode.hooks.place import Place

_PREFIX = "litecode-"
_PROBE = "litecode-probe"

# Git adds the arguments of the hook behind it.
_SCRIPT = """\
[ -x {python} ] && [ -r {module} ] && exec {python} {flags} -c {program} {name} "$@"
command -v litecode-hook >/dev/null 2>&1 && exec litecode-hook {name} "$@"
echo "litecode: not checked, since litecode is no longer installed where it was; git litecode install --config" >&2
[ "$(git config --get litecode.onUnavailable || echo ${{CI:+fail}})" != fail ]
"""
_PROGRAM = "import sys; from litecode.hooks.pre_commit import main; sys.exit(main())"


def supported(repo: Repository) -> bool:
    """Whether this git runs such hooks. It is asked for one that only this call configures."""
    settings = (f"hook.{_PROBE}.event=pre-commit", f"hook.{_PROBE}.command=true")
    options = [word for setting in settings for word in ("-c", setting)]
    return _PROBE.encode() in repo.git.read(*options, "hook", "list", "pre-commit", ok=()).out


def install(repo: Repository, place: Place) -> list[str]:
    """Write one section for each hook into the repository's own configuration. Returns what was done, a line each.

    Raises GitError when git would not run them, or would run LiteCode twice.
    """
    if not supported(repo):
        raise GitError(
            "this git takes no hooks from its configuration",
            "`git litecode install` without --config writes hook files; this way needs git 2.54",
        )
    for name in HOOKS:
        if shape_of(place.hook(name)) in (Shape.OURS, Shape.EDITED):
            raise GitError(f"{place.hook(name)} is installed already", "`git litecode uninstall` first takes it out")
    flags = interpreter_flags()
    lines = []
    for name in HOOKS:
        command = _command(name, flags)
        if _get(repo, name, "command") == command and _get(repo, name, "event") == name:
            lines.append(f"hook.{_PREFIX}{name} is configured already")
            continue
        repo.git.write("config", "--local", f"hook.{_PREFIX}{name}.event", name)
        repo.git.write("config", "--local", f"hook.{_PREFIX}{name}.command", command)
        lines.append(f"configured hook.{_PREFIX}{name}")
    return lines


def uninstall(repo: Repository) -> list[str]:
    """Take the sections out again. Returns what was done, a line each."""
    lines = []
    for name in configured(repo):
        repo.git.write("config", "--local", "--remove-section", f"hook.{_PREFIX}{name}")
        lines.append(f"removed hook.{_PREFIX}{name} from the configuration")
    return lines


def configured(repo: Repository) -> tuple[str, ...]:
    """The hooks that are in the repository's own configuration."""
    return tuple(name for name in HOOKS if _get(repo, name, "command") is not None)


def _get(repo: Repository, name: str, key: str) -> str | None:
    done = repo.git.read("config", "--local", "--get", f"hook.{_PREFIX}{name}.{key}", ok=(0, 1))
    return os.fsdecode(done.out).removesuffix("\n") if done.rc == 0 else None


def _command(name: str, flags: str) -> str:
    script = _SCRIPT.format(
        python=shlex.quote(sys.executable),
        module=shlex.quote(os.path.abspath(fast.__file__)),  # noqa: PTH100  # links stay: a venv is one
        flags=flags,
        program=shlex.quote(_PROGRAM),
        name=name,
    )
    return f"sh -c {shlex.quote(script)} litecode"
