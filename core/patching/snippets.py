"""The snippets of a rule that go into files, `fix` and `ensure`: whether they can be used, before any file is looked
at.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from litecode.core.errors import RuleError
from litecode.core.patching import patterns
from litecode.core.patching.edits import splice
from litecode.core.patching.fixing import Unfixable, fix_match
from litecode.core.patching.match import AstMatcher
from litecode.core.patching.syntax import errors, has_grammar
from litecode.core.patching.template import META

_EMPTY_LIST = re.compile(r",?\s*\$\$\$[A-Z_][A-Z0-9_]*")


def check_fix(fix: str, matcher: AstMatcher, examples: Sequence[str] = ()) -> None:
    """Raises RuleError for a fix that names a meta-variable that the pattern does not have, that does not parse, or
    whose result the pattern would match again, so that each commit would add to it. `examples` are texts in which the
    pattern matches.
    """
    known = {m["many"] or m["one"] for code in patterns.codes(matcher.rule) for m in META.finditer(code)}
    for match in META.finditer(fix):
        name = match["many"] or match["one"] or ""
        if not name or name.startswith("_"):
            raise RuleError(f"{match.group()} holds nothing that the fix could use", "give it a name: $$$ARGS, $VALUE")
        if name not in known:
            raise RuleError(f"the fix uses ${name}, which the pattern does not have", "name the same meta-variables")
    if not _parses(fix, matcher, examples):
        hint = "write a whole statement or expression" if patterns.balanced(fix) else "check brackets and quotes"
        raise RuleError(f"`fix` does not parse as {matcher.language}: {patterns.brief(fix)}", hint, snippet=fix)
    if not _is_stable(fix, matcher):
        raise RuleError(
            "the pattern would match the fixed code again, and the fix would add to it",
            "exclude the fixed code: {pattern: ..., not: {...}}",
        )


def check_ensure(lines: Sequence[str], language: str) -> None:
    """Raises RuleError for a line that cannot stand in a file of the language."""
    if not has_grammar(language):
        return
    for line in lines:
        if all(errors(text, language) for text in (line, line + "\n", patterns.surrounded(line, language)[0])):
            hint = "write one statement in each item"
            raise RuleError(f"`ensure` does not parse as {language}: {line}", hint, snippet=line)


def _parses(fix: str, matcher: AstMatcher, examples: Sequence[str]) -> bool:
    """Whether the fix can stand where the pattern matches. A part that no language has by itself, such as the head of a
    handler, is judged by an example; without one, by its brackets and quotes, when the rule object says where it is.
    """
    language = matcher.language
    if not fix.strip() or patterns.sound(fix, language) or patterns.sound(_EMPTY_LIST.sub("", fix), language):
        return True
    shown = [fits for code in (*_own_codes(matcher), *examples) if (fits := _fits(code, fix, matcher)) is not None]
    return any(shown) if shown else _is_part(matcher.rule) and patterns.balanced(fix)


def _own_codes(matcher: AstMatcher) -> Iterator[str]:
    """Code in which the patterns of the rule should match."""
    for code in patterns.codes(matcher.rule):
        yield patterns.surrounded(patterns.sample(code), matcher.language)[0]


def _fits(code: str, fix: str, matcher: AstMatcher) -> bool | None:
    """Whether the code parses as well as before after the fix; None when it has nothing to fix."""
    try:
        edits = [fix_match(code, match, matcher, fix) for match in matcher.find(code)]
    except Unfixable:
        return None
    if not edits:
        return None
    return errors(splice(code, edits), matcher.language) <= errors(code, matcher.language)


def _is_part(rule: object) -> bool:
    """Whether a rule object finds nodes by something else than plain patterns."""
    if not isinstance(rule, Mapping):
        return False
    deeper = [one for key in ("any", "all") for one in rule.get(key) or ()]
    return any(key not in ("pattern", "any", "all", "not") for key in rule) or (
        isinstance(rule.get("pattern"), Mapping) or any(map(_is_part, deeper))
    )


def _is_stable(fix: str, matcher: AstMatcher) -> bool:
    code, _ = patterns.surrounded(patterns.sample(fix), matcher.language)
    try:
        return splice(code, [fix_match(code, match, matcher, fix) for match in matcher.find(code)]) == code
    except Unfixable:
        return False
