"""The `verify` commands of a run: which hold, whether the person trusts them, and what comes of them.

They judge the whole result, after all gates. A success stands for the yes that a request still needs; a failure holds
everything, because nobody knows which part of the change it is about.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from litecode.config.select import Filter, selects, tags_for
from litecode.core.errors import GitError
from litecode.core.events import Event, EventKind
from litecode.core.settle import Consent, FileEnd, settle, staged
from litecode.core.values import Apply, Change, Proof, State

if TYPE_CHECKING:
    from litecode.config.rules import RulesFile
    from litecode.core.git.verify import Verified
    from litecode.core.world import Options, World

Commands = tuple[tuple[str, ...], ...]
FILE = "{file}"


class RuleCommands(NamedTuple):
    """What one rule wants to succeed, and which files it looks at."""

    rule: str
    filter: Filter
    commands: Commands


class Judged(NamedTuple):
    """A changed file, and the rules that changed it; None for a request: all rules that look at the file judge it."""

    change: Change
    rules: frozenset[str] | None


@dataclass(frozen=True, slots=True)
class Verification:
    """`own` are the person's own commands, `by_rule` those of the rules file, which count only when they are
    `trusted`. `run` runs commands on the index with some changes, for so many seconds at most.
    """

    own: Commands
    by_rule: tuple[RuleCommands, ...]
    trusted: bool
    run: Callable[[Sequence[Change], Commands, float], Verified]

    def commands(self, files: Sequence[Judged]) -> Commands:
        """What has to succeed. A command with `{file}` is one for each file that it is about."""
        found = dict.fromkeys(_with_files(self.own, [file.change.path for file in files]))
        for entry in self.by_rule if self.trusted else ():
            paths = [file.change.path for file in files if _concerns(entry, file)]
            found |= dict.fromkeys(_with_files(entry.commands, paths))
        return tuple(found)

    def waiting(self, files: Sequence[Judged]) -> bool:
        """Whether there are commands that would hold if they were trusted."""
        return not self.trusted and any(_concerns(entry, file) for entry in self.by_rule for file in files)


def _concerns(entry: RuleCommands, file: Judged) -> bool:
    if file.rules is not None:
        return entry.rule in file.rules
    change = file.change
    return selects(entry.filter, change.path, lambda: tags_for(change.path, change.mode, lambda: change.after))


def _with_files(commands: Commands, paths: Sequence[str]) -> Commands:
    """No path can be taken for an option."""
    if not paths:
        return ()
    found: dict[tuple[str, ...], None] = {}
    for command in commands:
        for path in paths if any(FILE in word for word in command) else paths[:1]:
            name = f"./{path}" if path.startswith("-") else path
            found.setdefault(tuple(word.replace(FILE, name) for word in command))
    return tuple(found)


NOT_TRUSTED = "the verify commands of the rules file were not run: `git litecode trust` shows them, and asks"


def commands_of(rules: RulesFile) -> Commands:
    """All commands of a rules file, in its order: what an approval is about."""
    return tuple(dict.fromkeys(command for rule in rules.active for command in rule.verify))


def judged(
    world: World, options: Options, request: str, ends: Sequence[FileEnd], consent: Consent, spent: float
) -> tuple[Consent, tuple[str, ...]]:
    """The consent as the commands leave it, and sentences for the person. `spent` are the seconds of the run so far."""
    verification = world.verification
    if verification is None or consent.apply is Apply.HOLD:
        return consent, ()
    asking = replace(consent, yes=True) if request and _only_asked(ends) else consent
    settled = settle(ends, asking)
    changes = staged(settled)
    if not changes:
        return consent, ()
    files = [
        Judged(patch.change, None if request else frozenset(patch.rules))
        for patch in settled.patches
        if patch.state is State.STAGED
    ]
    notes = (NOT_TRUSTED,) if verification.waiting(files) else ()
    commands = verification.commands(files)
    if not commands:
        return consent, notes
    seconds = float(world.settings.verify_timeout)
    if options.deadline is not None:
        seconds = min(seconds, options.deadline - spent)
    if seconds <= 0:
        return replace(asking, kept_back="no time was left for the verify commands"), notes
    world.progress(
        Event(EventKind.NOTE, text=f"verify: {', '.join(dict.fromkeys(command[0] for command in commands))}")
    )
    try:
        found = verification.run(changes, commands, seconds)
    except GitError as error:
        return replace(asking, kept_back=f"verify could not be run: {error.message}"), notes
    if not found.ok:
        return replace(asking, kept_back=f"verify: {found.reason}"), notes
    return asking, notes


def _only_asked(ends: Sequence[FileEnd]) -> bool:
    """Whether nothing but a yes is missing."""
    states = [verdict for end in ends for verdict in end.verdicts]
    return all(v.state in (State.CONFORMS, State.STAGED, State.HELD) and v.proof is not Proof.DOUBTFUL for v in states)
