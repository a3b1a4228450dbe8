"""The one place where errors end: a message with its remedy and an exit code, never a traceback.

An error that nobody raised on purpose is a bug. The person gets one line, and a file to report it with.
"""

from __future__ import annotations

import errno
import os
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from litecode.core.errors import EXIT_CLEAN, EXIT_FAILED, EXIT_INTERRUPTED, Interrupted, LitecodeError, ModelCancelled
from litecode.hooks.show.terminal import Terminal
from litecode.hooks.show.text import show_error
from litecode.hooks.starting import farewell, forget, is_interrupt

EXIT_BROKEN_PIPE = 141  # what a shell reports for a program that SIGPIPE ended
KEEP_REPORTS = 10
_DISTRIBUTIONS = ("ast-grep-py", "click", "identify", "msgspec", "ollama", "pygit2", "rich", "tiktoken", "xllamacpp")


def guarded(action: Callable[[], int | None], terminal: Terminal, environ: Mapping[str, str]) -> int:
    """Run the program and give its exit code, whatever happens in it."""
    forget()
    try:
        code = action()
        terminal.out.flush()
    except (Interrupted, ModelCancelled, KeyboardInterrupt):
        return _interrupted(terminal)
    except LitecodeError as error:
        show_error(error, terminal)
        return error.exit_code
    except BrokenPipeError:
        _drop_output(terminal)
        return EXIT_BROKEN_PIPE
    except OSError as error:
        full = error.errno == errno.ENOSPC and error.filename is None  # what we write to has no name here
        show_error(_no_room() if full else internal_error(error, sys.argv, environ), terminal)
        if full:
            _drop_output(terminal)
        return EXIT_FAILED
    except Exception as error:
        if is_interrupt(error):
            return _interrupted(terminal)
        show_error(internal_error(error, sys.argv, environ), terminal)
        return EXIT_FAILED
    return EXIT_CLEAN if code is None else code


def _interrupted(terminal: Terminal) -> int:
    terminal.tell(farewell())
    return EXIT_INTERRUPTED


def _no_room() -> LitecodeError:
    return LitecodeError(
        "the output cannot be written: no space left", "`git litecode log` and `git litecode show` say what was done"
    )


def internal_error(error: Exception, argv: Sequence[str], environ: Mapping[str, str]) -> LitecodeError:
    """One line about a bug. The report is written on the way; where it cannot be, the hint says so."""
    what = f"{type(error).__name__}: {str(error).strip() or 'no message'}".splitlines()[0]
    try:
        path = _write_report(_report(error, argv), environ)
    except OSError as failed:
        where = f"the details could not be written: {failed.strerror}"
    else:
        where = f"the details are in {path}"
    return LitecodeError(f"internal error, {what}", f"report this defect of LiteCode; {where}")


def _report(error: Exception, argv: Sequence[str]) -> str:
    import platform
    import traceback
    from importlib import metadata

    def version(name: str) -> str:
        try:
            return metadata.version(name)
        except metadata.PackageNotFoundError:
            return "not installed"

    lines = [
        "LiteCode ended by an error that it did not expect. Look through this file before you share it:",
        "it has names of files and your command line, but no content of files.",
        "",
        f"litecode {version('litecode')}, Python {platform.python_version()}, {platform.platform()}",
        ", ".join(f"{name} {version(name)}" for name in _DISTRIBUTIONS),
        f"command: {list(argv)!a}",
        "",
        *traceback.format_exception(error),
    ]
    return "\n".join(lines)


def _write_report(text: str, environ: Mapping[str, str]) -> Path:
    home = environ.get("XDG_CACHE_HOME") or str(Path(environ.get("HOME") or "~").expanduser() / ".cache")
    folder = Path(home) / "litecode" / "crashes"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    path = folder / f"{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}.log"
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
        file.write(text.encode("utf-8", "backslashreplace"))
    for old in sorted(folder.glob("*.log"))[:-KEEP_REPORTS]:
        old.unlink(missing_ok=True)
    return path


def _drop_output(terminal: Terminal) -> None:
    """Nobody reads on; without this the interpreter complains about it when it ends."""
    try:
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, terminal.out.fileno())
        os.close(null)
    except (OSError, ValueError):
        pass  # no file behind the stream: nothing will be flushed at the end
