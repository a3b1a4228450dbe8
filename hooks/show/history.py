"""Pages about runs that were kept: the log, and one run in full."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator

from litecode.core.store.records import RunRecord
from litecode.core.values import Call, Run, State, Verdict
from litecode.core.world import Options
from litecode.hooks.show.diff import diff_lines
from litecode.hooks.show.terminal import Style, Terminal, cut, visible
from litecode.hooks.show.text import LONGEST_REASON, STATE_STYLES, count, hints, in_order, patches, verdict_lines

_ORDER = (State.STAGED, State.HELD, State.REJECTED, State.FAILED, State.FOUND, State.DROPPED,
          State.SKIPPED, State.CONFORMS)  # fmt: skip
LONGEST_COMMAND = 60


def log_line(record: RunRecord, terminal: Terminal) -> str:
    """`7f3a  2023-11-14 22:13  3 staged, 1 held  in 4 files  git litecode run`"""
    name = terminal.out_style(record.id, Style.YELLOW)
    began = when(record.started)
    if record.damage:
        return f"{name}  {began}  damaged: {visible(record.damage)}"
    states = ", ".join(_number(record, state) for state in _ORDER if record.states.get(state))
    what = f"{states} in {count(record.files, 'file')}" if states else "nothing to do"
    what += ", undone" if record.undone else ""
    asked = visible(record.request) or command_words(record.command)
    return f"{name}  {began}  {what}  {cut(asked, LONGEST_COMMAND)}"


def _number(record: RunRecord, state: State) -> str:
    """What is staged or held are patches, as in the last line of the run; the rest are rules on files."""
    rules = record.states[state]
    if state not in (State.STAGED, State.HELD):
        return f"{rules} {state.value}"
    return patches(len({path for path, other in record.outcomes if other is state}) or rules, rules, state.value)


def show_page(run: Run, terminal: Terminal, calls: bool = False) -> None:
    """Everything about one run on stdout; `calls` adds every prompt and reply."""
    for line in page_lines(run, terminal):
        terminal.print(line)
    if calls:
        for number, call in enumerate(run.calls, 1):
            for line in call_lines(number, call, terminal):
                terminal.print(line)


def page_lines(run: Run, terminal: Terminal) -> Iterator[str]:
    yield f"run {terminal.out_style(run.id, Style.YELLOW)}  {when(run.started)}  {command_words(run.command)}"
    if run.request:
        yield f"request: {visible(run.request)}"
    yield _effort(run)
    if run.extra.get("undone") is True:
        yield "it was taken back by `git litecode undo`"
    yield from (f"note: {visible(note)}" for note in run.notes)
    verdicts = in_order(run.verdicts)
    lines = verdict_lines(verdicts, Options(), terminal)
    for verdict, line in zip(verdicts, lines, strict=True):
        yield line
        yield from _refusals(verdict)
    yield from (f"hint: {visible(hint)}" for hint in hints(run))
    yield from (f"  {visible(file.path)}: left alone, {visible(file.reason)}" for file in run.skipped)
    for patch in run.patches:
        yield ""
        why = f": {cut(visible(patch.reason), LONGEST_REASON)}" if patch.reason else ""
        yield terminal.out_style(f"{patch.state.value} by {visible(', '.join(patch.rules)) or 'request'}{why}",
                                 STATE_STYLES[patch.state])  # fmt: skip
        yield from diff_lines(patch.diff, terminal.colour_out)


def _effort(run: Run) -> str:
    """`17.3 s; 9 calls of qwen2.5-coder-1.5b: 612 + 134 tokens, 2 more replies from the cache`"""
    made = [call for call in run.calls if not call.cached]
    cached = len(run.calls) - len(made)
    text = f"{run.seconds:.1f} s"
    if made:
        replies = [call.reply for call in made if call.reply]
        read, written = (sum(r.prompt_tokens for r in replies), sum(r.output_tokens for r in replies))
        models = " and ".join(filter(None, dict.fromkeys(call.model for call in made))) or run.model or "the model"
        text += f"; {count(len(made), 'call')} of {visible(models)}: {read} + {written} tokens"
    if cached:
        replies_word = count(cached, "reply", "replies")
        text += f", {replies_word} from the cache" if made else f"; {replies_word} from the cache"
    return text


def _refusals(verdict: Verdict) -> Iterator[str]:
    """Why earlier tries of a verdict were not taken, each once."""
    reasons = Counter(attempt.refusal for attempt in verdict.attempts if attempt.refusal)
    for reason, times in reasons.items():
        again = f" ({times} times)" if times > 1 else ""
        yield f"      refused: {cut(visible(reason), LONGEST_REASON)}{again}"


def call_lines(number: int, call: Call, terminal: Terminal) -> Iterator[str]:
    """One call: what it was for, its token counts, then the messages and the reply as they were."""
    yield ""
    facts = f"estimate {call.estimate} + {call.prompt.reserve} of {call.window} tokens"
    if call.cached:
        facts += ", from the cache"
    elif call.reply:
        facts += f"; read {call.reply.prompt_tokens} ({call.reply.cached_tokens} cached), "
        facts += f"wrote {call.reply.output_tokens} in {call.reply.seconds:.1f} s, stop: {call.reply.stop.value}"
    if call.error:
        facts += f"; failed: {visible(call.error)}"
    yield terminal.out_style(f"call {number}: {visible(call.purpose)}", Style.BOLD)
    yield facts
    for message in call.prompt.messages:
        yield terminal.out_style(f"{visible(message.role)}:", Style.CYAN)
        yield from _quoted(message.content)
    if call.reply:
        yield terminal.out_style("reply:", Style.CYAN)
        yield from _quoted(call.reply.text)


def _quoted(text: str) -> Iterator[str]:
    for line in text.split("\n"):
        yield f"  | {visible(line, chr(9))}".rstrip()


def when(started: float) -> str:
    """Local time to the minute."""
    try:
        return time.strftime("%Y-%m-%d %H:%M", time.localtime(started))
    except (OverflowError, ValueError, OSError):
        return "at an unknown time"


def command_words(words: tuple[str, ...]) -> str:
    """A command as it would be typed."""
    from shlex import join

    return visible(join(words))
