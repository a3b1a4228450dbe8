"""The `verify` commands of a run: which hold, whether the person trusts them, and what comes of them.

They judge the whole result, after all gates. A success stands for the yes that a request still needs; a failure holds
everything, because nobody knows which part of the change it is about.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from litecode.core.errors import GitError
from litecode.core.events import Event, EventKind
from litecode.core.settle import Consent, FileEnd, Settled, settle, staged
from litecode.core.values import Apply, Change, Proof, State

if TYPE_CHECKING:
    from litecode.config.rules import RulesFile
    from litecode.core.git.verify import Verified
    from litecode.core.world import Options, World

Commands = tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Verification:
    """`own` are the person's own commands, `by_rule` those of the rules file, which count only when they are
    `trusted`. `run` runs commands on the index with some changes, for so many seconds at most.
    """

    own: Commands
    by_rule: tuple[tuple[str, Commands], ...]
    trusted: bool
    run: Callable[[Sequence[Change], Commands, float], Verified]

    def commands(self, rules: frozenset[str] | None) -> Commands:
        """What holds for a change that these rules made; None is a request, which every rule's command judges."""
        found = dict.fromkeys(self.own)
        if self.trusted:
            found |= dict.fromkeys(c for rule, cs in self.by_rule if rules is None or rule in rules for c in cs)
        return tuple(found)

    def waiting(self, rules: frozenset[str] | None) -> bool:
        """Whether there are commands that would hold if they were trusted."""
        return not self.trusted and any(cs and (rules is None or rule in rules) for rule, cs in self.by_rule)


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
    rules = None if request else _rules_of(settled)
    if not changes:
        return consent, ()
    notes = (NOT_TRUSTED,) if verification.waiting(rules) else ()
    commands = verification.commands(rules)
    if not commands:
        return consent, notes
    seconds = float(world.settings.verify_timeout)
    if options.deadline is not None:
        seconds = min(seconds, options.deadline - spent)
    if seconds <= 0:
        return replace(asking, kept_back="no time was left for the verify commands"), notes
    world.progress(Event(EventKind.NOTE, text=f"verify: {', '.join(command[0] for command in commands)}"))
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


def _rules_of(settled: Settled) -> frozenset[str]:
    return frozenset(rule for patch in settled.patches if patch.state is State.STAGED for rule in patch.rules)
