"""The console script `git-litecode`, and what both scripts do with Ctrl-C: also while modules are being imported it
ends the program with a sentence, and never with words of Python.

Git passes the signal on to the program that it has started, which the terminal has told already. The second one must
not end what the first one has begun: to stop the threads and to take back what was half written.
"""

from __future__ import annotations

import os
import sys

INTERRUPTED = 130
SAID = "litecode: interrupted, nothing was changed"
AGAIN = 0.01  # seconds
ECHO = 1.0  # seconds in which a second signal is the first one, passed on


def main() -> int:
    """Run `git litecode` with the words of the command line."""
    try:
        prepare()
        from litecode.hooks.cli import main as cli

        return cli()
    except (Exception, KeyboardInterrupt) as error:
        if is_interrupt(error):
            leave()
        raise


_written: list[str] = []


def wrote(run: str) -> None:
    """Remember that something of a run was written: what is interrupted from now on is only the telling."""
    if run not in _written:
        _written.append(run)


def forget() -> None:
    """A new piece of work begins."""
    _written.clear()


def farewell() -> str:
    """What is said about Ctrl-C."""
    if not _written:
        return SAID
    return f"litecode: interrupted, but the run {' '.join(_written)} had written already: git status, git litecode log"


def prepare() -> None:
    """Let Ctrl-C raise KeyboardInterrupt, as it does, but not again for what git passes on; and again where Python has
    nobody to raise it to, as in the callback of a weak reference. Whoever has switched it off for this process, as a
    shell does for one in the background, is obeyed.
    """
    import signal
    import threading
    import time

    if signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        return
    last = -ECHO
    report = sys.unraisablehook

    def interrupt(_signal: int, _frame: object) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last >= ECHO:
            last = now
            raise KeyboardInterrupt

    def lost(what: sys.UnraisableHookArgs) -> None:
        nonlocal last
        if not is_interrupt(what.exc_value):
            report(what)
            return
        last = -ECHO
        threading.Timer(AGAIN, os.kill, (os.getpid(), signal.SIGINT)).start()

    sys.unraisablehook = lost
    signal.signal(signal.SIGINT, interrupt)


def ended(code: int) -> int:
    """The exit code, when everything has been said: from here on Ctrl-C may only end the process the sooner."""
    import signal

    if code == INTERRUPTED:  # threads that are inside of a model call cannot be stopped, and would keep the process
        sys.stdout.flush()
        os._exit(code)
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    return code


def is_interrupt(error: BaseException | None) -> bool:
    """Whether Ctrl-C is the cause: up to Python 3.11 a class that is interrupted while it is made says RuntimeError."""
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__cause__ or error.__context__
    return error is not None


def leave() -> None:
    """End at once."""
    try:
        sys.stderr.write(f"{farewell()}\n")
        sys.stderr.flush()
    finally:
        os._exit(INTERRUPTED)
