"""Rewrites to show to a single gate."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from litecode.core.patching.document import Cut, Document
from litecode.core.patching.gates.base import Asked, Rewrite
from litecode.core.patching.judge import rewrite_of
from litecode.core.patching.match import AstMatcher, ast_matcher, regex_matcher
from litecode.core.patching.regions import region_of
from litecode.core.patching.vocabulary import vocabulary


def _pattern(text: str, language: str | None) -> AstMatcher | None:
    return ast_matcher({"pattern": text}, {}, str(language)) if text else None


@pytest.fixture
def rewriting() -> Callable[..., Rewrite]:
    """`rewriting(language, before, site, new)`: the region of the first `site` in a text becomes `new`. A `pattern`
    between slashes is a regex.
    """

    def make(
        language: str | None,
        before: str,
        site: str,
        new: str,
        *,
        kind: str = "statement",
        instruction: str = "",
        pattern: str = "",
        reject: str = "",
        expect: str = "",
        ensure: tuple[str, ...] = (),
        certain: bool = True,
        shown: frozenset[str] = frozenset(),
    ) -> Rewrite:
        document = Document(before)
        start = before.index(site)
        is_regex = pattern.startswith("/")
        asked = Asked(
            vocabulary(instruction),
            regex_matcher(pattern.strip("/")) if is_regex else _pattern(pattern, language),
            _pattern(reject, language),
            _pattern(expect, language),
            ensure,
            certain,
            shown,
        )
        area = region_of(document, Cut(start, start + len(site)), kind, language)
        return rewrite_of(document, area, new, language, asked)

    return make
