"""The console script `litecode-hook`: what git's hooks and the pre-commit framework start.

Nothing is imported here but the quick answer; most commits need no more.
"""

from __future__ import annotations

import sys


def main(argv: list[str] | None = None) -> int:
    """`pre-commit` and `commit-msg` are the native hooks; `framework`, `check` and `message` take file names from the
    framework. `edit` is the editor of `git litecode commit`.
    """
    if argv is not None:
        return _start(*(argv or [""]))
    try:
        return _start(*(sys.argv[1:] or [""]), last=True)
    except (Exception, KeyboardInterrupt) as error:
        from litecode.hooks.starting import is_interrupt, leave

        if is_interrupt(error):
            leave()
        raise


def _start(name: str, *words: str, last: bool = False) -> int:
    """With `last` nothing comes afterwards but the end of the process."""
    from litecode.hooks import fast

    arguments = list(words)
    if name == "pre-commit" and fast.nothing_to_do():
        return 0
    if name in ("commit-msg", "message") and fast.no_request(arguments):
        return 0
    from litecode.hooks import starting

    if last:
        starting.prepare()
    try:
        from litecode.hooks import entries
    except ImportError as error:
        return _broken(error, name, arguments)
    code = entries.start(name, arguments)
    return starting.ended(code) if last else code


def _broken(error: ImportError, name: str, arguments: list[str]) -> int:
    """What would say it in better words cannot be loaded."""
    from pathlib import Path

    lines = [f"litecode: this installation cannot be used: {error}", "hint: install litecode again, with pip or pipx"]
    if name in ("commit-msg", "message") and arguments:
        lines.append(f"litecode: your message is in {Path(arguments[0]).resolve()}")
    sys.stderr.write("\n".join(lines) + "\n")
    return 2


if __name__ == "__main__":
    sys.exit(main())
