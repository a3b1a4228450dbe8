"""What a person reads about a run, an error, a finding: the only place that words and aligns it.

The functions give lines; `show_run` prints them. Results (findings, verdicts, diffs) go to stdout, the header, the
summary, notes and errors to stderr.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from litecode.core.errors import LitecodeError
from litecode.core.values import Apply, Finding, Patch, Run, Severity, State, Verdict
from litecode.core.world import Options
from litecode.hooks.show.diff import diff_lines
from litecode.hooks.show.terminal import Style, Terminal, cells, cut, encodable, pad, visible

LONGEST_REASON = 300  # characters
LONGEST_LINE = 1000  # of an error or a hint
WIDEST_PLACE = 48  # columns up to which places and rules are aligned
WIDEST_RULE = 28
MOST_LEFT = 5  # lines that are named
MOST_ALIKE = 10  # verdicts of one reason that get a line each
SHOWN = (State.STAGED, State.HELD)  # patches, in this order

STATE_STYLES = {
    State.STAGED: Style.GREEN,
    State.HELD: Style.YELLOW,
    State.REJECTED: Style.RED,
    State.FAILED: Style.RED,
    State.FOUND: Style.YELLOW,
    State.DROPPED: Style.DIM,
    State.SKIPPED: Style.DIM,
    State.CONFORMS: Style.DIM,
}


def error_lines(error: LitecodeError) -> list[str]:
    """What happened, and under it what to do, each line with its own mark as git does it."""
    lines = [f"litecode: {line}" for line in _lines(error.message)]
    return lines + [f"hint: {line}" for line in _lines(error.hint)]


def show_error(error: LitecodeError, terminal: Terminal) -> None:
    for line in error_lines(error):
        mark, rest = line.split(": ", 1)
        style = Style.RED if mark == "litecode" else Style.YELLOW
        terminal.tell(terminal.err_style(f"{mark}:", style) + " " + rest)


def finding_line(finding: Finding) -> str:
    """`path:line:col: rule-id message`."""
    where = f"{visible(finding.path)}:{finding.line}:{finding.column}"
    return f"{where}: {visible(finding.rule)} {cut(visible(finding.message), LONGEST_REASON)}"


def show_run(run: Run, options: Options, terminal: Terminal, verbose: bool = False, *, closing: bool = True) -> None:
    """Everything about a run that was just made; nothing at all when a hook has nothing to say. Without `closing` the
    commands to type are left out, because the person is going to be asked.
    """
    shown = [verdict for verdict in in_order(run.verdicts) if verbose or verdict.state is not State.CONFORMS]
    told = bool(shown or run.notes or (run.skipped and verbose))
    if not told and options.hook:
        return
    for note in run.notes:
        terminal.tell(f"note: {visible(note)}")
    terminal.tell(f"litecode: {header(run, options)}")
    show_skipped(run, terminal, verbose)
    table, more = folded([verdict for verdict in shown if verdict.state is not State.FOUND], verbose)
    for line in (*verdict_lines(table, options, terminal), *more):
        terminal.print(line)
    for line in finding_lines(verdict for verdict in shown if verdict.state is State.FOUND):
        terminal.print(line)
    show_patches(run.patches, terminal)
    show_hints(run, terminal)
    said = summary(run, options)
    if said and (closing or not any(patch.state is State.HELD for patch in run.patches)):
        terminal.tell(said)


def show_check(run: Run, terminal: Terminal, verbose: bool = False) -> None:
    """The findings of `check`, and how many of them `run` has a change for."""
    for note in run.notes:
        terminal.tell(f"note: {visible(note)}")
    show_skipped(run, terminal, verbose)
    for line in finding_lines(run.verdicts):
        terminal.print(line)
    undone = [verdict for verdict in in_order(run.verdicts) if verdict.state in {State.FAILED, State.SKIPPED}]
    rest, more = folded(undone, verbose)
    for line in (*verdict_lines(rest, Options(check=True), terminal), *more):
        terminal.tell(line)
    show_hints(run, terminal)
    terminal.tell(check_summary(run))


def hints(run: Run) -> tuple[str, ...]:
    """The remedies of what failed or was skipped, each once; the run has them in `extra["hints"]`."""
    kept = run.extra.get("hints", ())
    return tuple(dict.fromkeys(str(hint) for hint in kept)) if isinstance(kept, list | tuple) else ()


def show_hints(run: Run, terminal: Terminal) -> None:
    for hint in hints(run):
        for line in _lines(hint):
            terminal.tell(f"{terminal.err_style('hint:', Style.YELLOW)} {line}")


def show_skipped(run: Run, terminal: Terminal, verbose: bool) -> None:
    """The files that nobody looked at: all with their reasons, or the first three in one line."""
    if verbose:
        for file in run.skipped:
            terminal.tell(f"  {visible(file.path)}: left alone, {visible(file.reason)}")
    elif run.skipped:
        named = ", ".join(f"{visible(file.path)} ({visible(file.reason)})" for file in run.skipped[:3])
        more = f" and {len(run.skipped) - 3} more" if len(run.skipped) > 3 else ""
        terminal.tell(f"  left alone: {named}{more}")


def show_patches(patches: Iterable[Patch], terminal: Terminal) -> None:
    """The diffs by state, staged ones first; rejected ones only in `git litecode show`. A reason that all the held ones
    have in common is in the table, and said once more here.
    """
    last = ""
    for patch in sorted((p for p in patches if p.state in SHOWN), key=lambda p: SHOWN.index(p.state)):
        if patch.state is State.HELD:
            why = f": {cut(visible(patch.reason), LONGEST_REASON)}" if patch.reason else ""
            said = f"held, not staged{why}"
            if said != last:
                terminal.print(terminal.out_style(said, Style.YELLOW))
            last = said
        for line in diff_lines(patch.diff, terminal.colour_out):
            terminal.print(line)


def header(run: Run, options: Options) -> str:
    """`4 of 6 staged files match 3 rules, 9 sites`; `run.extra["files"]` says how many files there were."""
    matched = [verdict for verdict in run.verdicts if _matched(verdict)]
    files, rules = len({verdict.path for verdict in matched}), len({verdict.rule for verdict in matched})
    noun = "file" if options.all_files or options.from_ref else "staged file"
    total = run.extra.get("files")
    if run.request:
        tasks, paths = len(run.plan.tasks), {task.path for task in run.plan.tasks}
        return f"{count(tasks, 'task')} in {count(len(paths), 'file')}, {count(len(run.calls), 'model call')}"
    if not matched:
        if not total:
            return "no files to look at" if options.all_files or options.from_ref else "nothing is staged"
        return f"nothing to do, {count(total, noun)} looked at"
    of = f"{files} of {count(total, noun)}" if isinstance(total, int) else count(files, noun)
    sites = sum(verdict.sites or len(verdict.findings) for verdict in matched)
    return f"{of} {'matches' if files == 1 else 'match'} {count(rules, 'rule')}, {count(sites, 'site')}"


def _matched(verdict: Verdict) -> bool:
    return bool(verdict.sites or verdict.findings) or verdict.state not in {State.CONFORMS, State.SKIPPED}


def folded(verdicts: Iterable[Verdict], verbose: bool) -> tuple[list[Verdict], list[str]]:
    """The verdicts that get a line each, and a line for the many others that failed or were skipped for the same
    reason: a server that is down is one reason for ten thousand files.
    """
    kept, seen = [], Counter[tuple[State, str, str]]()
    for verdict in verdicts:
        alike = (verdict.state, verdict.rule, verdict.reason)
        foldable = not verbose and verdict.state in {State.FAILED, State.SKIPPED}
        seen[alike] += foldable
        if seen[alike] <= MOST_ALIKE:
            kept.append(verdict)
    return kept, [
        f"  and {count(number - MOST_ALIKE, 'more file')}  {visible(rule) or 'request'}  {state.value}  "
        f"{cut(visible(reason), LONGEST_REASON)}".rstrip()
        for (state, rule, reason), number in seen.items()
        if number > MOST_ALIKE
    ]


def verdict_lines(verdicts: Sequence[Verdict], options: Options, terminal: Terminal) -> Iterator[str]:
    """One aligned line each: place, rule, state, and what it took or why it is so."""
    paths = [encodable(visible(verdict.path), terminal.out) for verdict in verdicts]
    places = [f"{path}:{v.line}" if v.line else path for path, v in zip(paths, verdicts, strict=True)]
    rules = [visible(verdict.rule) or "request" for verdict in verdicts]
    place_width = min(max(map(cells, places), default=0), WIDEST_PLACE, max(terminal.width - 40, 16))
    rule_width = min(max(map(cells, rules), default=0), WIDEST_RULE)
    for place, rule, verdict in zip(places, rules, verdicts, strict=True):
        state = terminal.out_style(pad(state_word(verdict.state, options), 8), STATE_STYLES[verdict.state])
        yield f"  {pad(place, place_width)}  {pad(rule, rule_width)}  {state}  {detail(verdict)}".rstrip()


def detail(verdict: Verdict) -> str:
    """What a change took, or why there is none; of a finding without a reason what its rule says."""
    if verdict.state is State.STAGED:
        return cost(verdict) + (f"  {_left(verdict)}" if verdict.left else "")
    said = verdict.findings[0].message if verdict.state is State.FOUND and verdict.findings else ""
    left = f"; {_left(verdict)}" if verdict.left else ""
    return cut(visible(verdict.reason or said), LONGEST_REASON) + left


def _left(verdict: Verdict) -> str:
    """`line 29: the model left it as it is`"""
    lines = ", ".join(map(str, verdict.left[:MOST_LEFT])) + (" and more" if len(verdict.left) > MOST_LEFT else "")
    one = len(verdict.left) == 1
    return f"line{'' if one else 's'} {lines}: the model left {'it as it is' if one else 'them as they are'}"


def state_word(state: State, options: Options) -> str:
    return "changed" if state is State.STAGED and options.apply is Apply.WORKTREE else state.value


def cost(verdict: Verdict) -> str:
    """`2 sites   41 tokens  1.8 s`, `1 site    cached`, `3 sites` when no model was asked."""
    some = f"{verdict.sites - len(verdict.left)} of " if verdict.left else ""
    sites = pad(some + count(verdict.sites, "site" if verdict.rule else "task"), 8)
    if verdict.cached:
        return f"{sites}  cached"
    if not verdict.calls:
        return sites.rstrip()
    return f"{sites}  {count(verdict.output_tokens, 'token')}  {verdict.seconds:.1f} s"


def finding_lines(verdicts: Iterable[Verdict]) -> list[str]:
    """The findings that remain, in the order of the files."""
    found = [f for v in verdicts if v.state not in {State.CONFORMS, State.SKIPPED} for f in v.findings]
    return [finding_line(f) for f in sorted(found, key=lambda f: (f.path, f.line, f.column, f.rule))]


def summary(run: Run, options: Options) -> str:
    """`3 patches staged, 1 held (warning): git litecode review 7f3a    undo: git litecode undo 7f3a`."""
    by_state = {state: [v for v in run.verdicts if v.state is state] for state in State}
    staged, held = (sum(patch.state is state for patch in run.patches) for state in (State.STAGED, State.HELD))
    parts = [patches(staged, len(by_state[State.STAGED]), state_word(State.STAGED, options))] if staged else []
    if by_state[State.HELD]:
        rules = len(by_state[State.HELD])
        parts.append(patches(held or rules, rules, State.HELD.value, _ranks(by_state[State.HELD])))
    parts += [
        f"{len(by_state[state])} {state.value}{_rank(by_state[state])}"
        for state in (State.REJECTED, State.FAILED, State.SKIPPED)
        if by_state[state]
    ]
    if parts and (staged or by_state[State.HELD] or by_state[State.REJECTED]):
        number, rest = parts[0].split(" ", 1)
        parts[0] = f"{count(int(number), 'patch', 'patches')} {rest}"
    findings = sum(len(verdict.findings) for verdict in by_state[State.FOUND])
    if findings:
        parts.append(count(findings, "finding") + _rank(by_state[State.FOUND]))
    text = ", ".join(parts)
    if not run.id:  # nothing was kept
        return text
    if any(patch.state in (State.HELD, State.REJECTED) for patch in run.patches):
        whole = f"git litecode apply {run.id}, or hunk by hunk " if run.request and by_state[State.HELD] else ""
        text += f": {whole}git litecode review {run.id}"
    elif by_state[State.HELD] or by_state[State.REJECTED] or by_state[State.FAILED]:
        text += f": git litecode show {run.id}"
    if staged and options.apply is Apply.STAGE:
        text += f"{'    ' if text else ''}undo: git litecode undo {run.id}"
    return text


def patches(number: int, rules: int, word: str, ranks: str = "") -> str:
    """`3 staged (4 rules)`: a patch is a file, and more than one rule can have a part in it."""
    remarks = [*([count(rules, "rule")] if rules > number else []), *([ranks] if ranks else [])]
    return f"{number} {word}" + (f" ({', '.join(remarks)})" if remarks else "")


def _rank(verdicts: Sequence[Verdict]) -> str:
    ranks = _ranks(verdicts)
    return f" ({ranks})" if ranks else ""


def _ranks(verdicts: Sequence[Verdict]) -> str:
    """How severe they are, when not all of them are errors."""
    ranks = Counter(verdict.severity for verdict in verdicts if verdict.severity is not Severity.ERROR)
    if len(ranks) == 1 and sum(ranks.values()) == len(verdicts):
        return next(iter(ranks)).value
    return ", ".join(f"{number} {rank.value}" for rank, number in ranks.items())


def check_summary(run: Run) -> str:
    """`3 findings in 2 files, git litecode run has a change for 2 of them`."""
    remaining = [v for v in run.verdicts if v.findings and v.state not in {State.CONFORMS, State.SKIPPED}]
    total = sum(len(verdict.findings) for verdict in remaining)
    if not total:
        return "litecode: no findings"
    text = f"litecode: {count(total, 'finding')} in {count(len({v.path for v in remaining}), 'file')}"
    changed = {(patch.path, rule) for patch in run.patches if patch.state is not State.REJECTED for rule in patch.rules}
    fixed = sum(len(v.findings) - len(v.left) for v in remaining if (v.path, v.rule) in changed)
    if not fixed:
        return text
    return f"{text}, `git litecode run` has a change for {'all' if fixed == total else fixed} of them"


def in_order(verdicts: Iterable[Verdict]) -> list[Verdict]:
    return sorted(verdicts, key=lambda verdict: (verdict.path, verdict.line, verdict.rule))


def count(number: int, one: str, many: str = "") -> str:
    return f"{number} {one if number == 1 else many or one + 's'}"


def _lines(text: str) -> list[str]:
    return [cut(visible(line), LONGEST_LINE) for line in text.splitlines()]
