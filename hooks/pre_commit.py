"""The console script `litecode-hook`: what git's hooks and the pre-commit framework start.

Nothing is imported here but the quick answer; most commits need no more.
"""

from __future__ import annotations

import sys

from litecode.hooks import fast


def main(argv: list[str] | None = None) -> int:
    """`pre-commit` and `commit-msg` are the native hooks; `framework`, `check` and `message` take file names from the
    framework. `edit` is the editor of `git litecode commit`.
    """
    name, *arguments = (sys.argv[1:] if argv is None else argv) or [""]
    if name == "pre-commit" and fast.nothing_to_do():
        return 0
    if name in ("commit-msg", "message") and fast.no_request(arguments):
        return 0
    from litecode.hooks import entries

    return entries.start(name, arguments)


if __name__ == "__main__":
    sys.exit(main())
