"""The files that a request names, found by code and checked against what is there; a model never gets to guess one."""

from __future__ import annotations

import posixpath
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from litecode.core.errors import RequestError
from litecode.core.planning import naming
from litecode.core.planning.candidates import Candidate, candidates
from litecode.core.planning.globs import compiled, is_glob
from litecode.core.planning.named import symbols_of
from litecode.core.planning.nearest import missing

_CHOICES = 6
_ROOTS = re.compile(r"~|[A-Za-z]:|/(?:etc|usr|home|Users|tmp|var|root|opt|bin|sbin|dev|proc|sys|mnt|srv|lib)/")


@dataclass(frozen=True, slots=True)
class Known:
    """What a request can name. `tracked` are the paths of the index, `staged` those of them that the run works on.
    `renamed` has old paths and what git knows them as today. `defines` gives the files that define a name, dotted or
    not.

    `links` are symbolic links and `submodules` the folders of other repositories, both paths of the index. `prefix`
    is the folder of the repository in which the person stands, empty or with a slash at its end.
    """

    staged: tuple[str, ...]
    tracked: tuple[str, ...]
    renamed: Mapping[str, str] = field(default_factory=dict)
    defines: Callable[[str], tuple[str, ...]] = lambda _name: ()
    links: frozenset[str] = frozenset()
    submodules: frozenset[str] = frozenset()
    prefix: str = ""


@dataclass(frozen=True, slots=True)
class Mentions:
    """`paths` exist, `creates` do not yet; `symbols` are names that some file defines. All in the order of the request.

    `folders` are named, too, but as a place; their files are not in `paths`.
    """

    paths: tuple[str, ...] = ()
    creates: tuple[str, ...] = ()
    symbols: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()


def mentions(request: str, known: Known) -> Mentions:
    """Raises RequestError for a file that is missing, not unique, outside of the repository, or not to be written."""
    reader = _Reader(request, known)
    for found in candidates(request):
        reader.read(found)
    symbols = symbols_of(request, known.defines)
    return Mentions(tuple(reader.paths), tuple(reader.placed()), symbols, tuple(reader.folders))


class _Reader:
    """Goes through a request from left to right; dictionaries stand for ordered sets."""

    def __init__(self, request: str, known: Known) -> None:
        self.request, self.known = request, known
        self.staged, self.tracked = set(known.staged), {*known.tracked, *known.staged}
        self.by_name: dict[str, list[str]] = defaultdict(list)
        for path in self.tracked:
            self.by_name[path.rpartition("/")[2].lower()].append(path)
        self.known_folders = {folder for path in self.tracked for folder in _parents(path)}
        self.paths: dict[str, None] = {}
        self.creates: dict[str, None] = {}
        self.folders: dict[str, None] = {}
        self._created_until: int | None = None  # where the last name ends, when it was one to be created

    def read(self, found: Candidate) -> None:
        text = found.text
        if re.search(r"\w\\\w", text) and not self.tracked.intersection((text, self.known.prefix + text)):
            text = text.replace("\\", "/")
        if is_glob(text):
            self._glob(text, found)
            return
        if not re.search(r"[\w*]", text):
            return
        until = self._created_until
        between = None if until is None else self.request[until : found.start]
        created = naming.creates(found, between)
        path = self._inside(text, found, created)
        if path is None:
            return
        existing = self._existing(text, path, found)
        if existing is not None:
            self.paths.setdefault(existing)
            return
        if self._is_folder(text, path):
            return
        self._absent(found, path, created)

    def _inside(self, text: str, found: Candidate, created: bool) -> str | None:
        """The name as a path of the repository; None when it is no path at all."""
        if re.match(r"/|~|[A-Za-z]:/", text):
            return self._absolute(text, found, created)
        path = posixpath.normpath(self.known.prefix + text)
        if not path.startswith("../") and path != "..":
            parts = path.split("/")
            if path == ".git":
                return None
            if ".git" in parts[:-1]:
                raise RequestError(f"{text} belongs to git itself", "name a file of the repository")
            return None if path == "." else path
        if path == ".." or not (naming.ending(text) or re.search(r"\w/?$", text)):
            return None
        if found.quoted and not created:  # `import x from '../x.js'`
            return None
        if not naming.ending(text) and not created and not naming.names_a_file(found, text):
            return None
        raise _outside(text)

    def _absolute(self, text: str, found: Candidate, created: bool) -> str | None:
        inner = text.lstrip("/")
        if text.startswith("/") and not text.startswith("//") and inner in self.tracked:
            return inner  # `/src/app.py`, as in .gitignore
        if not re.search(r"[\w~:]/\w", text) or not naming.ending(text):
            return None
        # The code may well be told to read or write there; the request must not be about that file itself.
        if naming.is_edited(found) or (created and (_ROOTS.match(text) or naming.creates_surely(found))):
            raise _outside(text)
        return None

    def _existing(self, text: str, path: str, found: Candidate) -> str | None:
        plain = posixpath.normpath(text)
        for exact in (path, plain):
            if exact in self.tracked and (naming.ending(exact) or "/" in exact or found.quoted or _plainly(exact)):
                self._writable(exact)
                return exact
        named = naming.ending(plain) or naming.is_special(plain.rpartition("/")[2]) or "/" in plain
        if not named or (naming.creates_surely(found) and "/" not in plain):
            return None
        same = [p for p in self.by_name.get(plain.rpartition("/")[2].lower(), ()) if _ends_with(p, plain)]
        if not same and "/" in plain and not naming.ending(plain):
            same = [p for p in self.tracked if _ends_with(posixpath.splitext(p)[0], plain)]  # `models/cart`
            same = same if len(same) == 1 else []
        return self._one_of(text, same) if same else None

    def _one_of(self, text: str, same: list[str]) -> str:
        """The one that is meant, by what the request has named before, or is staged."""
        exact = [p for p in same if p.endswith(text)]
        for some in (exact or same, [p for p in same if p in self.paths], [p for p in same if p in self.staged]):
            if len(some) == 1:
                self._writable(some[0])
                return some[0]
        staged = sorted(p for p in same if p in self.staged)
        choices = staged or sorted(same)
        more = f" and {len(choices) - _CHOICES} more" if len(choices) > _CHOICES else ""
        raise RequestError(
            f"{text} can be {len(choices)} files: {', '.join(choices[:_CHOICES])}{more}",
            "name the one that you mean by its path",
        )

    def _writable(self, path: str) -> None:
        if path in self.known.links:
            raise RequestError(f"{path} is a symbolic link", "name the file that it leads to")
        for folder in _parents(path):
            if folder in self.known.links:
                raise RequestError(
                    f"{path} goes through the symbolic link {folder}", "name the file by its path in the repository"
                )
            if folder in self.known.submodules:
                raise RequestError(f"{path} is in the submodule {folder}", f"run the request in {folder}")

    def _is_folder(self, text: str, path: str) -> bool:
        bare = path.rstrip("/")
        if bare in self.known_folders and ("/" in text):
            self._writable(f"{bare}/.")
            self.folders.setdefault(bare)
            return True
        return False

    def _absent(self, found: Candidate, path: str, created: bool) -> None:
        """A name that no file has."""
        is_name = bool(naming.ending(path)) or naming.is_special(path.rpartition("/")[2])
        is_name = is_name and not naming.is_domain(found.text) and not found.after.startswith("(")
        if created and is_name and (naming.creates_surely(found) or not self._mistyped(path)):
            self._writable(path)
            self._no_file_above(path)
            self.creates.setdefault(path)
            self._created_until = found.end
            return
        self._through_link(path)
        if naming.names_a_file(found, path):
            symbols = symbols_of(self.request, self.known.defines, loose=True)
            raise missing(found.text, path, self.known, self.tracked, symbols)

    def _through_link(self, path: str) -> None:
        if "/" in path and naming.ending(path):
            self._writable(path)

    def _no_file_above(self, path: str) -> None:
        above = next((folder for folder in _parents(path) if folder in self.tracked), None)
        if above:
            raise RequestError(f"{path} cannot be created: {above} is a file", "choose another path")

    def _mistyped(self, path: str) -> bool:
        from difflib import get_close_matches

        return path in self.known.renamed or bool(get_close_matches(path, self.tracked, 1, 0.9))

    def _glob(self, text: str, found: Candidate) -> None:
        matches = compiled(text, self.known.prefix)
        matching = sorted(filter(matches, self.staged)) or sorted(filter(matches, self.tracked))
        if not matching and naming.is_placed(found):
            raise RequestError(f"no file matches {text}", "`git ls-files` lists the files that a request can name")
        for path in matching:
            if path not in self.known.links:
                self.paths.setdefault(path)

    def placed(self) -> list[str]:
        """A new file without a folder goes to the folder of the files that are named beside it, when that is one."""
        folders = {posixpath.dirname(path) for path in self.paths if not _is_aside(path)}
        folder = folders.pop() if len(folders) == 1 else ""
        return [
            posixpath.join(folder, path) if "/" not in path and naming.ending(path) else path for path in self.creates
        ]


def _parents(path: str) -> Iterable[str]:
    at = path.find("/")
    while at > 0:
        yield path[:at]
        at = path.find("/", at + 1)


def _ends_with(path: str, tail: str) -> bool:
    path, tail = path.lower(), tail.lower()
    return path == tail or path.endswith("/" + tail)


def _plainly(path: str) -> bool:
    return naming.is_special(path) or path.startswith(".")


def _is_aside(path: str) -> bool:
    return bool(re.search(r"(?:^|/)(?:tests?|docs?|spec|examples?)/|\.(?:md|rst|txt|toml|cfg)$", path))


def _outside(text: str) -> RequestError:
    return RequestError(f"{text} is outside of the repository", "name a file of this repository")
