"""The command line of a `git commit`, read as git reads it: short options in bundles, abbreviated long ones, paths
between them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from litecode.core.errors import UsageError

# Each option by its long name: the letter, and whether it takes a value: yes, no, or only when it is written onto it.
_OPTIONS: dict[str, tuple[str, str]] = {
    "ahead-behind": ("", "no"),
    "all": ("a", "no"),
    "allow-empty": ("", "no"),
    "allow-empty-message": ("", "no"),
    "amend": ("", "no"),
    "author": ("", "yes"),
    "branch": ("", "no"),
    "cleanup": ("", "yes"),
    "date": ("", "yes"),
    "dry-run": ("", "no"),
    "edit": ("e", "no"),
    "file": ("F", "yes"),
    "fixup": ("", "yes"),
    "gpg-sign": ("S", "attached"),
    "include": ("i", "no"),
    "inter-hunk-context": ("", "yes"),
    "interactive": ("", "no"),
    "long": ("", "no"),
    "message": ("m", "yes"),
    "null": ("z", "no"),
    "only": ("o", "no"),
    "patch": ("p", "no"),
    "pathspec-file-nul": ("", "no"),
    "pathspec-from-file": ("", "yes"),
    "porcelain": ("", "no"),
    "post-rewrite": ("", "no"),
    "quiet": ("q", "no"),
    "reedit-message": ("c", "yes"),
    "reset-author": ("", "no"),
    "reuse-message": ("C", "yes"),
    "short": ("", "no"),
    "signoff": ("s", "no"),
    "squash": ("", "yes"),
    "status": ("", "no"),
    "template": ("t", "yes"),
    "trailer": ("", "yes"),
    "unified": ("U", "yes"),
    "untracked-files": ("u", "attached"),
    "verbose": ("v", "no"),
    "verify": ("", "no"),
}
_LETTERS = {letter: name for name, (letter, _) in _OPTIONS.items() if letter} | {"n": "no-verify"}

# What says how the commit is made, and not where its message or its content comes from.
_LASTING = (
    "allow-empty",
    "allow-empty-message",
    "amend",
    "author",
    "date",
    "gpg-sign",
    "post-rewrite",
    "quiet",
    "reset-author",
    "verify",
)
_MESSAGE = ("message", "file", "reuse-message", "reedit-message", "fixup", "squash", "template", "trailer", "edit")


class Option(NamedTuple):
    """`name` is the long name without `no-`. `value` None: the option has none here."""

    name: str
    value: str | None = None
    negated: bool = False

    @property
    def word(self) -> str:
        """As one word of a command line."""
        return f"--{'no-' if self.negated else ''}{self.name}" + ("" if self.value is None else f"={self.value}")


@dataclass(frozen=True, slots=True)
class CommitLine:
    """Options in their order, and the paths."""

    options: tuple[Option, ...]
    paths: tuple[str, ...] = ()

    def last(self, name: str) -> Option | None:
        """The last one of a name wins."""
        return next((option for option in reversed(self.options) if option.name == name), None)

    def has(self, name: str) -> bool:
        """Whether the option holds at the end."""
        last = self.last(name)
        return last is not None and not last.negated

    def value(self, name: str) -> str | None:
        last = self.last(name)
        return last.value if last is not None and not last.negated else None

    def values(self, name: str) -> tuple[str, ...]:
        """All values of an option that adds up; its `no-` form forgets those before it."""
        found: list[str] = []
        for option in self.options:
            if option.name == name:
                found = [] if option.negated else [*found, option.value or ""]
        return tuple(found)

    @property
    def editor(self) -> bool:
        """Whether git opens an editor for the message."""
        if self.last("edit"):
            return self.has("edit")
        if any(map(self.has, ("message", "file", "reuse-message"))):
            return False
        return (self.value("fixup") or "amend:").startswith(("amend:", "reword:"))

    @property
    def verbose(self) -> bool | None:
        """None: what commit.verbose says."""
        return self.has("verbose") if self.last("verbose") else None

    @property
    def interactive(self) -> bool:
        """Whether a person picks at the terminal what is committed."""
        return self.has("patch") or self.has("interactive")

    @property
    def lasting(self) -> tuple[str, ...]:
        """The options for another commit of the same kind whose message and content come from elsewhere."""
        return tuple(last.word for name in _LASTING if (last := self.last(name)))

    @property
    def author_elsewhere(self) -> bool:
        """Whether name and date of the author come from a commit that is named beside the message."""
        return any(map(self.has, ("reuse-message", "reedit-message"))) and not self.has("reset-author")

    @property
    def shows_only(self) -> bool:
        """Whether it makes no commit at all."""
        return any(map(self.has, ("dry-run", "short", "porcelain", "long", "null")))

    def message_sources(self) -> frozenset[str]:
        return frozenset(filter(self.has, _MESSAGE))


def parse(words: Sequence[str]) -> CommitLine:
    """Raises UsageError for what git commit would refuse: an unknown option, a value that is missing."""
    options: list[Option] = []
    paths: list[str] = []
    rest = iter(words)
    for word in rest:
        if word == "--":
            paths += rest
        elif word.startswith("--"):
            options.append(_long(word[2:], rest))
        elif word.startswith("-") and word != "-":
            options += _bundle(word[1:], rest)
        else:
            paths.append(word)
    return CommitLine(tuple(options), tuple(paths))


def _long(word: str, rest: Iterator[str]) -> Option:
    written, equals, value = word.partition("=")
    name, negated = _full_name(written)
    kind = _OPTIONS[name][1]
    if negated or kind == "no":
        if equals:
            raise UsageError(f"git commit --{written} takes no value", "`git commit -h` lists the options")
        return Option(name, None, negated)
    if equals:
        return Option(name, value)
    return Option(name, None if kind == "attached" else _next(f"--{written}", rest))


def _full_name(written: str) -> tuple[str, bool]:
    """The name of a long option, which may be abbreviated as long as it is the only one, and whether it is negated."""
    known = {name: (name, False) for name in _OPTIONS} | {f"no-{name}": (name, True) for name in _OPTIONS}
    fitting = [name for name in known if name.startswith(written)] if written else []
    if written in known:
        fitting = [written]
    if len(fitting) != 1:
        what = "ambiguous" if fitting else "unknown"
        raise UsageError(f"{what} option --{written} of git commit", "`git commit -h` lists the options")
    return known[fitting[0]]


def _bundle(letters: str, rest: Iterator[str]) -> Iterator[Option]:
    while letters:
        letter, letters = letters[0], letters[1:]
        if letter not in _LETTERS:
            raise UsageError(f"unknown option -{letter} of git commit", "`git commit -h` lists the options")
        name = _LETTERS[letter]
        if name == "no-verify":
            yield Option("verify", None, True)
        elif _OPTIONS[name][1] == "no":
            yield Option(name)
        elif letters or _OPTIONS[name][1] == "attached":
            yield Option(name, letters or None)
            return
        else:
            yield Option(name, _next(f"-{letter}", rest))


def _next(option: str, rest: Iterator[str]) -> str:
    value = next(rest, None)
    if value is None:
        raise UsageError(f"git commit {option} needs a value", "`git commit -h` lists the options")
    return value


# Options that git itself takes before the command, with a value in the next word.
_GIT_VALUES = ("-C", "-c", "--git-dir", "--work-tree", "--namespace", "--config-env", "--super-prefix", "--attr-source")


def commit_words(argv: Sequence[str]) -> tuple[str, ...] | None:
    """The words behind `commit` of a process that is git; None when it is another command or program."""
    if not argv:
        return None
    program = argv[0].rsplit("/", 1)[-1]
    if program == "git-commit":
        return tuple(argv[1:])
    if program != "git":
        return None
    words = iter(argv[1:])
    for word in words:
        if word in _GIT_VALUES:
            next(words, None)
        elif not word.startswith("-"):
            return tuple(words) if word == "commit" else None
    return None
