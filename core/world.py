"""What a run works with, and what it was asked to do. `litecode.hooks.world` builds it from the process."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from litecode.core.events import Event
from litecode.core.values import Apply

if TYPE_CHECKING:
    from litecode.config.rules import RulesFile
    from litecode.config.settings import Settings
    from litecode.core.git.repository import Repository
    from litecode.core.ports import ModelPort
    from litecode.core.store.cache import ReplyCache
    from litecode.core.store.facts import FactStore
    from litecode.core.store.runs import RunStore
    from litecode.core.verifying import Verification


@dataclass(frozen=True, slots=True)
class Options:
    """What was asked for on the command line. `paths` are repository paths of files or folders, none means all.

    `against` is the commit that the index is compared with in the place of HEAD, for a commit that is amended.
    `skip` and `only` have rule ids. `deadline` is in seconds from the start of the run. `check` changes nothing and
    finds out what `run` would do; `dry_run` makes no model call either. `fresh` asks the model again, whatever is
    known. `why_held` says why proven patches are held where it was not the person who asked for that. `content` is
    a path and what an editor has of that file; then nothing else is looked at. `folder` is where the person stands,
    for the names in a request: empty at the top, else with a slash at its end.
    """

    paths: tuple[str, ...] = ()
    all_files: bool = False
    from_ref: str | None = None
    to_ref: str | None = None
    against: str | None = None
    apply: Apply = Apply.STAGE
    yes: bool = False
    dry_run: bool = False
    check: bool = False
    no_model: bool = False
    only: tuple[str, ...] = ()
    skip: tuple[str, ...] = ()
    deadline: float | None = None
    hook: bool = False
    content: tuple[str, bytes] | None = None
    folder: str = ""
    fresh: bool = False
    why_held: str = ""


@dataclass(frozen=True, slots=True)
class World:
    """The doors and the facts. `model` opens the endpoint, so it is called only when a call is needed, once; so are
    `fallbacks`, in their order, for what it could not do, and `judge` for what nobody can prove.

    `clock` gives UNIX time. `progress` may be called from any thread. `notes` are sentences for the person that came
    up before the run began, e.g. that the rules file has unstaged edits. `command` is what the person typed. `hidden`
    is a patch with the unstaged edits that the pre-commit framework has put away, and must be able to bring back.
    """

    repo: Repository
    rules: RulesFile
    model: Callable[[], ModelPort]
    store: RunStore
    cache: ReplyCache
    clock: Callable[[], float]
    progress: Callable[[Event], None]
    cancel: threading.Event
    settings: Settings
    facts: FactStore | None = None
    notes: tuple[str, ...] = ()
    command: tuple[str, ...] = ()
    verification: Verification | None = None
    remote: tuple[str, ...] = ()  # the hosts beside this machine that code may go to
    hidden: Path | None = None
    fallbacks: tuple[Callable[[], ModelPort], ...] = ()
    judge: Callable[[], ModelPort] | None = None
