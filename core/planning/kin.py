"""Files that belong together: a module and its test, a header and its source, files that change in the same commits."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from functools import cached_property, lru_cache

History = Sequence[tuple[str, Sequence[str]]]  # subject and paths of commits, newest first

_TEST = re.compile(
    r"(?:^|/)(?:tests?|__tests__|specs?)(?:/|$)|(?:^|/)test_|[._-](?:test|spec)s?\.|(?:^|/)conftest\.|vitest\.",
    re.IGNORECASE,
)
_TEST_WORDS = re.compile(r"^tests?[_-]|[_-](?:tests?|spec)$")
_TOGETHER = 0.3  # how near two files are that always change together
_PAIR = 0.3  # a test and what it tests
_HALF = 0.25  # a.c and a.h, a.tsx and a.css, a.py and a.pyi
_FEW = 12  # commits with more paths say nothing about pairs


@lru_cache(maxsize=50_000)
def is_test(path: str) -> bool:
    return _TEST.search(path) is not None


@lru_cache(maxsize=50_000)
def stem_of(path: str) -> str:
    """The name of a file without endings and without what makes it the name of a test."""
    return _TEST_WORDS.sub("", path.rpartition("/")[2].split(".")[0].lower())


class Kin:
    """`history` is kept as it is; `present` has, for each of its commits, the paths that still exist."""

    def __init__(self, paths: Sequence[str], history: History) -> None:
        self.history = history
        known = set(paths)
        self.present = [[path for path in touched if path in known] for _, touched in history]
        self.touched = Counter(path for touched in self.present for path in touched)
        self._by_stem: defaultdict[str, list[str]] = defaultdict(list)
        for path in paths:
            self._by_stem[stem_of(path)].append(path)

    @cached_property
    def _commits_of(self) -> dict[str, list[int]]:
        found: defaultdict[str, list[int]] = defaultdict(list)
        for number, touched in enumerate(self.present):
            if 2 <= len(touched) <= _FEW:
                for path in touched:
                    found[path].append(number)
        return found

    def near(self, path: str) -> dict[str, float]:
        """Files near to one, 0 to 1."""
        found: dict[str, float] = {}
        together = Counter(other for number in self._commits_of.get(path, ()) for other in self.present[number])
        for other, times in together.items():
            if times >= 2:
                found[other] = _TOGETHER * times / (self.touched[path] + 2)
        folder = path.rpartition("/")[0]
        for other in self._by_stem[stem_of(path)]:
            if is_test(other) != is_test(path):
                found[other] = max(found.get(other, 0.0), _PAIR)
            elif other.rpartition("/")[0] == folder:
                found[other] = max(found.get(other, 0.0), _HALF)
        found.pop(path, None)
        return found
