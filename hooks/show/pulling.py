"""How far a download is: a bar on a terminal, a line for each tenth elsewhere."""

from __future__ import annotations

from types import TracebackType
from typing import TYPE_CHECKING

from litecode.hooks.show.terminal import Terminal

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

MIB = 1 << 20


class Pulling:
    """Called with the bytes that are there and the bytes in all; a context that takes the bar away at its end."""

    def __init__(self, what: str, terminal: Terminal) -> None:
        self._what = what
        self._terminal = terminal
        self._tenth = -1
        self._bar: Progress | None = None
        self._task: TaskID | None = None

    def __enter__(self) -> Pulling:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._bar is not None:
            self._bar.stop()

    def __call__(self, done: int, total: int) -> None:
        if self._terminal.live:
            self._draw(done, total)
        elif (tenth := done * 10 // max(total, 1)) > self._tenth:
            self._tenth = tenth
            self._terminal.tell(f"litecode: {self._what}: {_mib(done)} of {_mib(total)} MiB")

    def _draw(self, done: int, total: int) -> None:
        if self._bar is None:
            from rich.console import Console
            from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

            console = Console(file=self._terminal.err, no_color=not self._terminal.colour_err, highlight=False)
            columns = TextColumn("{task.description}"), BarColumn(), DownloadColumn(True), TimeRemainingColumn()
            self._bar = Progress(*columns, console=console, transient=True)
            self._bar.start()
            self._task = self._bar.add_task(self._what, total=total, completed=done)
        elif self._task is not None:
            self._bar.update(self._task, completed=done)


def _mib(count: int) -> str:
    return f"{-(-count // MIB):,}"
