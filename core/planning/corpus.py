"""What `shortlist` reads, made of texts at hand; for large trees an index has it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping

from litecode.core.filemap.outline import Outline
from litecode.core.planning import words
from litecode.core.planning.shortlist import Corpus


def corpus_of(texts: Mapping[str, str], outlines: Mapping[str, Outline]) -> Corpus:
    """The corpus of some files; `outlines` has one for each of them, also for those that are no text."""
    content: defaultdict[str, dict[str, int]] = defaultdict(dict)
    symbols: defaultdict[str, dict[str, int]] = defaultdict(dict)
    sizes: dict[str, tuple[int, int]] = {}
    for path, found in outlines.items():
        said: Counter[str] = words.of_text(texts.get(path, ""))
        named: Counter[str] = words.of_names(symbol.name for symbol in found.symbols)
        for word, times in said.items():
            content[word][path] = times
        for word, times in named.items():
            symbols[word][path] = times
        sizes[path] = (sum(said.values()), sum(named.values()))
    starts: defaultdict[str, list[str]] = defaultdict(list)
    for word in content:
        starts[word[:4]].append(word)
    return Corpus(
        tuple(outlines),
        lambda word: content.get(word, {}),
        lambda word: symbols.get(word, {}),
        lambda word: starts.get(word[:4], []),
        sizes,
    )
