"""What `.gitattributes` says about paths: which ones to leave alone, and where contents are converted."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

from litecode.core.git.process import to_bytes, to_text
from litecode.core.git.repository import Repository

_NAMES = ("filter", "working-tree-encoding", "diff", "text", "eol", "crlf", "ident")
_NONE = frozenset({"unspecified", "unset", ""})


class Attributes(NamedTuple):
    """The values as `git check-attr` prints them: `set`, `unset`, `unspecified` or text."""

    filter: str = "unspecified"
    encoding: str = "unspecified"
    diff: str = "unspecified"
    text: str = "unspecified"
    eol: str = "unspecified"
    crlf: str = "unspecified"
    ident: str = "unspecified"

    @property
    def conversion(self) -> str:
        """Why the worktree file and the blob are different things, or an empty string."""
        if self.filter == "lfs":
            return "stored by Git LFS"
        if self.filter not in _NONE:
            return f"converted by the filter {self.filter}"
        if self.encoding not in _NONE:
            return f"has working-tree-encoding={self.encoding}"
        return ""

    @property
    def binary(self) -> str:
        """Why it counts as binary. `-diff` alone (the `binary` macro sets it) says so; `-text` only turns off the
        conversion of line endings and is common for whole trees of source code.
        """
        return "marked as binary by an attribute" if self.diff == "unset" else ""

    def same_bytes(self, crlf_by_config: bool) -> bool:
        """Whether git surely writes and reads the content unchanged, in both directions. False when in doubt."""
        return (
            not self.conversion
            and self.ident in _NONE
            and self.crlf == "unspecified"
            and self.eol == "unspecified"
            and (self.text == "unset" or (self.text == "unspecified" and not crlf_by_config))
        )


def attributes(repo: Repository, paths: Iterable[str], *, cached: bool) -> dict[str, Attributes]:
    """Attributes of each path. With `cached` those in the index count; without, those in the worktree come first, as
    in a checkout.
    """
    names = b"".join(to_bytes(path) + b"\0" for path in paths)
    if not names:
        return {}
    where = ("--cached",) if cached else ()
    fields = repo.git.read("check-attr", *where, "-z", "--stdin", *_NAMES, stdin=names).out.split(b"\0")[:-1]
    step = 3 * len(_NAMES)
    known: dict[tuple[bytes, ...], Attributes] = {}  # most paths have the same ones
    found = {}
    for at in range(0, len(fields), step):
        values = tuple(fields[at + 2 : at + step : 3])
        if values not in known:
            known[values] = Attributes(*map(to_text, values))
        found[to_text(fields[at])] = known[values]
    return found


def skip_reasons(repo: Repository, paths: Iterable[str]) -> dict[str, str]:
    """The paths that must be left alone, and why. What the index says decides; a filter that only the worktree knows
    counts too, because git would run it.
    """
    every = tuple(paths)
    return reasons_of(repo, every, attributes(repo, every, cached=False))


def reasons_of(repo: Repository, every: Collection[str], found: Mapping[str, Attributes]) -> dict[str, str]:
    """The same when the attributes in the worktree, `found`, are known already."""
    staged = attributes(repo, every, cached=True)
    reasons = {path: staged[path].conversion or found[path].conversion or staged[path].binary for path in every}
    return {path: reason for path, reason in reasons.items() if reason}


def crlf_by_config(repo: Repository) -> bool:
    """Whether core.autocrlf converts files without attributes."""
    values = [entry.value for entry in repo.config_entries() if entry.key == "core.autocrlf"]
    return bool(values) and (values[-1] or "true").lower() not in {"false", "no", "off", "0"}


def unconverted(repo: Repository, paths: Iterable[str]) -> frozenset[str]:
    """The paths whose blobs and worktree files surely have the same bytes."""
    return unconverted_of(repo, attributes(repo, paths, cached=False))


def unconverted_of(repo: Repository, found: Mapping[str, Attributes]) -> frozenset[str]:
    """The same when the attributes in the worktree, `found`, are known already."""
    by_config = crlf_by_config(repo) if found else False
    return frozenset(path for path, values in found.items() if values.same_bytes(by_config))
