"""What a run would do, before it does it: `run --dry-run`."""

from __future__ import annotations

from litecode.core.budget.fit import slack_of
from litecode.core.values import Call, Run
from litecode.core.world import Options
from litecode.hooks.show.terminal import Terminal, cells, cut, pad, visible
from litecode.hooks.show.text import LONGEST_REASON, count, header, show_skipped, verdict_lines


def show_plan(run: Run, options: Options, terminal: Terminal) -> None:
    """The tasks, then the model calls with their tokens, as far as they can be known without making one."""
    for note in run.notes:
        terminal.tell(f"note: {visible(note)}")
    terminal.tell(f"litecode: dry run, {_header(run, options)}")
    show_skipped(run, terminal, verbose=False)
    for line in verdict_lines(run.verdicts, options, terminal):
        terminal.print(line)
    _table(
        [(visible(t.path), visible(t.rule), cut(visible(t.action), LONGEST_REASON)) for t in run.plan.tasks], terminal
    )
    _calls(run, terminal)
    tasks = count(len(run.plan.tasks), "task")
    terminal.tell(f"litecode: {tasks}, {count(len(run.calls), 'model call')}; nothing was changed")


def _calls(run: Run, terminal: Terminal) -> None:
    if not run.calls:
        return
    terminal.print("tokens of the calls, prompt + reply, and the room for both:")
    _table(
        [(visible(call.purpose), f"{call.estimate} + {call.prompt.reserve}", _room(call)) for call in run.calls],
        terminal,
    )


def _room(call: Call) -> str:
    needed = call.estimate + call.prompt.reserve + slack_of(call.window)
    return f"{call.window}{'  does not fit' if needed > call.window else ''}"


def _header(run: Run, options: Options) -> str:
    """As of a run, where nothing is judged yet."""
    tasks = run.plan.tasks
    if run.verdicts or not tasks:
        return header(run, options)
    files = count(len({task.path for task in tasks}), "file")
    return f"{count(len({task.rule for task in tasks}), 'rule')} to apply in {files}"


def _table(rows: list[tuple[str, str, str]], terminal: Terminal) -> None:
    widths = [min(max((cells(row[place]) for row in rows), default=0), 60) for place in (0, 1)]
    for first, second, third in rows:
        terminal.print(f"  {pad(first, widths[0])}  {pad(second, widths[1])}  {third}".rstrip())


def show_request_plan(run: Run, terminal: Terminal) -> None:
    """The plan of a request: kind, tasks with what they wait for, what they share, and the calls it took."""
    for note in run.notes:
        terminal.tell(f"note: {visible(note)}")
    show_skipped(run, terminal, verbose=False)
    if run.extra.get("kind") == "question":
        terminal.print("a question: answered on the terminal, no file is changed")
    rows = []
    for task in run.plan.tasks:
        after = f"  after {', '.join(task.depends_on)}" if task.depends_on else ""
        action = f"{cut(visible(task.action), LONGEST_REASON)}{after}"
        rows.append((f"{task.id}  {visible(task.path)}", task.action_type.value, action))
    _table(rows, terminal)
    for old, new in run.plan.contract.renames:
        terminal.print(f"  every task: {visible(old)} becomes {visible(new)}")
    for signature in run.plan.contract.signatures:
        terminal.print(f"  every task: {visible(signature)}")
    _calls(run, terminal)
    tasks = count(len(run.plan.tasks), "task")
    terminal.tell(f"litecode: {tasks}, {count(len(run.calls), 'model call')} for the plan; nothing was changed")
