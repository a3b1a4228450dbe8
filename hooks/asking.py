"""What the command line and the environment ask for, checked and made into values. Hooks use it too: no click here."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path

from litecode.config.rules import RulesFile
from litecode.core.errors import UsageError
from litecode.core.git.process import to_text
from litecode.core.git.repository import Repository
from litecode.core.values import Severity
from litecode.hooks.show.terminal import Terminal

SKIP_VARIABLE = "LITECODE_SKIP"


def terminal() -> Terminal:
    return Terminal.of(sys.stdout, sys.stderr, os.environ)


def check_revisions(all_files: bool, from_ref: str | None, to_ref: str | None) -> None:
    if to_ref is not None and from_ref is None:
        raise UsageError("--to-ref says where to end, but not where to begin", "add --from-ref REV")
    if all_files and from_ref is not None:
        raise UsageError("--all-files and --from-ref ask for different files", "leave one of them out")


def repository_paths(repo: Repository, arguments: tuple[str, ...], cwd: Path) -> tuple[str, ...]:
    """Repository paths of what was named on the command line. Raises UsageError for what is nowhere."""
    paths = tuple(repo.relative(argument, cwd) for argument in arguments)
    for argument, path in zip(arguments, paths, strict=True):
        if path and not os.path.lexists(repo.file(path)) and not repo.git.read("ls-files", "-z", "--", path).out:
            names = [to_text(name) for name in repo.git.read("ls-files", "-z").out.split(b"\0")[:-1]]
            near = get_close_matches(path, names, 1)
            hint = f"did you mean {near[0]}?" if near else "name a file or folder of this repository"
            raise UsageError(f"there is no file or folder {argument}", hint)
    return paths


def check_only(rules: RulesFile, only: tuple[str, ...]) -> None:
    """Raises UsageError for a rule that is not there, or is switched off."""
    known = {rule.id: rule for rule in rules.rules}
    for name in only:
        if name not in known:
            near = get_close_matches(name, known, 1)
            hint = f"did you mean {near[0]}?" if near else "`git litecode explain` lists the rules"
            raise UsageError(f"there is no rule {name}", hint)
        if known[name].severity is Severity.OFF:
            raise UsageError(f"the rule {name} is switched off", f"give it a severity in {known[name].source}")


def skipped_rules(environ: Mapping[str, str]) -> tuple[str, ...]:
    """The rule ids in LITECODE_SKIP, separated by commas."""
    return tuple(name for part in environ.get(SKIP_VARIABLE, "").split(",") if (name := part.strip()))


def skip_notes(rules: RulesFile, skip: tuple[str, ...]) -> tuple[str, ...]:
    """One sentence about what LITECODE_SKIP does; a name that is no rule is most likely a slip."""
    known = {rule.id for rule in rules.rules}
    used = [name for name in skip if name in known]
    lost = [name for name in skip if name not in known]
    notes = [f"{SKIP_VARIABLE} skips {', '.join(used)}"] if used else []
    return (*notes, *(f"{SKIP_VARIABLE} names {name}, which is no rule" for name in lost))
