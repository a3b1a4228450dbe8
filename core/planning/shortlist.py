"""Which files a request is most likely about, ranked without a model.

A file is found by the words of its path, its symbols and its content, by the subjects of commits like the request, and
by its nearness to files that were found: changed together with them, or their test. Only words are read here; what a
planner sees of a file is another matter.
"""

from __future__ import annotations

import heapq
import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from litecode.core.planning import words
from litecode.core.planning.kin import History, Kin, is_test

# Weights, chosen on 96 commits of eight repositories (tests/bench/localise_bench.py); none of them is sharp.
_NAME, _FOLDER, _SYMBOL, _CONTENT = 3.0, 1.5, 1.5, 1.0
_SATURATION = 1.2  # of the occurrences of one word in one file
_LONG_CONTENT, _LONG_SYMBOLS = 0.6, 0.3  # how much long files are held back: 0 not at all, 1 in full
_ALIKE = 0.4  # what a word counts that is not the same but begins with it: config, configuration
_PREFIX = 1.5  # for words before a colon, as in `cli: ...` or `fix(cli): ...`
_ASIDE = 0.7  # what tests keep of their score when the request does not speak of tests; they come back as companions
_LIKE_COMMITS = 30  # past commits that are heard
_MOST_PATHS = 25  # a commit with more is no help
_PAST, _BUSY = 1.0, 0.1  # the weight of these commits, and of being changed often, beside the best score by words
_PAST_ALONE = 0.5  # instead of the best score when no word of the request is in any file
_COMPANION = 0.15  # how near companions of a pick are at least
_STARTS = 15  # files whose companions are looked at

_SCOPE = re.compile(r"\s*(?:\w+\(([^)]*)\)|([\w/, .-]{2,30}))!?:\s")


@dataclass(frozen=True, slots=True)
class Corpus:
    """What is known of the files that can be picked.

    `content` and `symbols` give, for a stem of `words`, the files that have it and how often; `alike` the stems in
    them that begin like a stem. `sizes` has the number of words of content and symbols. `history` has past commits,
    newest first: subject and paths.
    """

    paths: tuple[str, ...]
    content: Callable[[str], Mapping[str, int]]
    symbols: Callable[[str], Mapping[str, int]]
    alike: Callable[[str], Iterable[str]]
    sizes: Mapping[str, tuple[int, int]]
    history: History = ()


class Ranked(NamedTuple):
    """`score` is about 1 where every word of a request is explained, 0.2 for a weak guess; named files have 2 more."""

    path: str
    score: float


def shortlist(request: str, corpus: Corpus, limit: int = 20, named: Sequence[str] = ()) -> tuple[Ranked, ...]:
    """The `limit` files that fit best, best first, those of `named` before all others. Ties go by path."""
    asked = words.of_request(request)
    scores = _by_words(request, asked, corpus)
    kin = Kin(corpus.paths, corpus.history)
    best = max(scores.values(), default=_PAST_ALONE)
    for path, likeness in _by_history(asked, kin).items():
        scores[path] += _PAST * best * likeness / (likeness + 0.5)
    busiest = math.log1p(max(kin.touched.values(), default=0))
    for path, times in kin.touched.items():
        if busiest and path in scores:
            scores[path] += _BUSY * best * math.log1p(times) / busiest
    _with_companions(scores, kin)
    for path in named:
        scores[path] = max(scores[path], 0.0) + 2.0
    found = heapq.nsmallest(limit, ((-score, path) for path, score in scores.items() if score > 0))
    return tuple(Ranked(path, -score) for score, path in found)


def _by_words(request: str, asked: Counter[str], corpus: Corpus) -> defaultdict[str, float]:
    """BM25 over four fields that are added up before they saturate, so that a word counts once; 1 is the most."""
    names, folders = _path_words(corpus.paths)
    long = _Lengths(corpus.sizes)
    scope = _SCOPE.match(request)
    scoped = words.of_request(scope.group(1) or scope.group(2)) if scope else ()
    scores: defaultdict[str, float] = defaultdict(float)
    most = 0.0
    for word in sorted(asked):
        homes = {*names.get(word, ()), *folders.get(word, ()), *corpus.content(word)}
        weights: defaultdict[str, float] = defaultdict(float)
        for form in [word, *_alike(word, corpus, names, folders)]:
            part = 1.0 if form == word else _ALIKE
            for path, times in names.get(form, {}).items():
                weights[path] += part * _NAME * times
            for path, times in folders.get(form, {}).items():
                weights[path] += part * _FOLDER * times
            for path, times in corpus.symbols(form).items():
                weights[path] += part * _SYMBOL * times / long.symbols(path)
            for path, times in corpus.content(form).items():
                weights[path] += part * _CONTENT * times / long.content(path)
        rarity = _rarity(len(homes) or len(weights) or 1, len(corpus.paths)) * (_PREFIX if word in scoped else 1.0)
        most += rarity
        for path, weight in weights.items():
            scores[path] += rarity * weight / (_SATURATION + weight)
    for path in scores:
        scores[path] *= (_ASIDE if "test" not in asked and is_test(path) else 1.0) / most
    return scores


class _Lengths:
    """How long files are beside the usual one, as divisors of what is found in them."""

    def __init__(self, sizes: Mapping[str, tuple[int, int]]) -> None:
        self._sizes = sizes
        number = len(sizes) or 1
        self._usual = sum(content for content, _ in sizes.values()) / number or 1.0
        self._usual_symbols = sum(symbols for _, symbols in sizes.values()) / number or 1.0

    def content(self, path: str) -> float:
        return 1 - _LONG_CONTENT + _LONG_CONTENT * self._sizes[path][0] / self._usual

    def symbols(self, path: str) -> float:
        return 1 - _LONG_SYMBOLS + _LONG_SYMBOLS * self._sizes[path][1] / self._usual_symbols


def _path_words(paths: Iterable[str]) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, int]]]:
    names: defaultdict[str, dict[str, int]] = defaultdict(dict)
    folders: defaultdict[str, dict[str, int]] = defaultdict(dict)
    known: dict[str, Counter[str]] = {}
    for path in paths:
        folder, _, name = path.rpartition("/")
        if folder not in known:
            known[folder] = words.of_path(folder)
        for word, times in known[folder].items():
            folders[word][path] = times
        for word, times in words.of_path(name).items():
            names[word][path] = times
    return names, folders


def _alike(word: str, corpus: Corpus, *fields: Mapping[str, object]) -> list[str]:
    """Words that begin with `word`, or that it begins with: no shorter than half, no more than six letters longer."""
    if len(word) < 4:
        return []
    shortest = max(4, len(word) // 2)
    found = {*corpus.alike(word), *(other for field in fields for other in field if other[:4] == word[:4])}
    return sorted(
        other
        for other in found
        if other != word
        and shortest <= len(other) <= len(word) + 6
        and (other.startswith(word) or word.startswith(other))
    )


def _rarity(holders: int, total: int) -> float:
    return math.log(1 + (total - min(holders, total) + 0.5) / (holders + 0.5))


def _by_history(asked: Counter[str], kin: Kin) -> dict[str, float]:
    """How much past commits with a subject like the request speak for a file; about 1 is a lot."""
    having: defaultdict[str, list[int]] = defaultdict(list)
    starts = {word[: min(4, len(word) - 1)] for word in asked}  # inflection changes the end
    for number, (subject, _) in enumerate(kin.history):
        lower = subject.lower()
        for word in words.of_request(subject) if any(start in lower for start in starts) else ():
            if word in asked:
                having[word].append(number)
    total = len(kin.history)
    likeness: defaultdict[int, float] = defaultdict(float)
    for word in sorted(having):
        for number in having[word]:
            likeness[number] += _rarity(len(having[word]), total)
    whole = sum(_rarity(len(having.get(word, ())), total) for word in asked) or 1.0
    speaking: dict[str, float] = defaultdict(float)
    for number, like in sorted(likeness.items(), key=lambda item: (-item[1], item[0]))[:_LIKE_COMMITS]:
        paths = kin.present[number]
        if 0 < len(paths) <= _MOST_PATHS:
            for path in paths:
                speaking[path] += (like / whole) ** 2 / math.sqrt(len(paths))
    return speaking


def _with_companions(scores: defaultdict[str, float], kin: Kin) -> None:
    """Raise files that are near to the best ones; the nearest counts, not the sum, or hubs would win."""
    more: defaultdict[str, float] = defaultdict(float)
    for start in heapq.nsmallest(_STARTS, scores, key=lambda path: (-scores[path], path)):
        for path, nearness in kin.near(start).items():
            more[path] = max(more[path], nearness * scores[start])
    for path, score in more.items():
        scores[path] += score


def companions(picked: Sequence[str], corpus: Corpus, limit: int = 8) -> tuple[str, ...]:
    """Files that likely have to change with those that were picked: their tests, their other halves, and what was
    mostly changed together with them. Nearest first, none of `picked`.
    """
    kin = Kin(corpus.paths, corpus.history)
    near: defaultdict[str, float] = defaultdict(float)
    for start in picked:
        for path, nearness in kin.near(start).items():
            near[path] = max(near[path], nearness)
    ranked = sorted((path for path in near if path not in picked), key=lambda path: (-near[path], path))
    return tuple(path for path in ranked if near[path] >= _COMPANION)[:limit]
