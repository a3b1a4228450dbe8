"""Deterministic fixes: a template filled with what a match holds, changing as little of its layout as it can and losing
nothing that the pattern does not name.
"""

from __future__ import annotations

from collections import Counter

from litecode.core.errors import LitecodeError, RuleError
from litecode.core.patching import parens
from litecode.core.patching.captures import Lined, lined_up
from litecode.core.patching.document import Cut
from litecode.core.patching.edits import Edit, splice
from litecode.core.patching.match import AstMatch, AstMatcher, RegexMatch, outermost
from litecode.core.patching.removal import Inseparable, removal
from litecode.core.patching.syntax import Token, tokens
from litecode.core.patching.template import META, Inner, keep_layout, render

_CLOSERS = frozenset(")]}")


class Unfixable(LitecodeError):
    """One match cannot be replaced without losing something; nothing is wrong with the rule as such."""


def fix_match(text: str, match: AstMatch, matcher: AstMatcher, fix: str) -> Edit:
    """The replacement of one match. Matches inside its meta-variables are fixed too; what fix and pattern share keeps
    its layout. A removed statement takes its line along. Raises Unfixable.
    """

    def inner(cut: Cut) -> str:
        """The text of a meta-variable, with the matches in it fixed."""
        nodes = [n for n in matcher.find_in(match.node) if cut.covers(n.cut) and n.cut != match.cut]
        edits = [_clipped(fix_match(text, AstMatch(n.cut, n), matcher, fix), cut) for n in outermost(nodes)]
        part = splice(text[: cut.end], edits)[cut.start :]
        return f"({part})" if any(parens.inside(fix, n, part, matcher.language) for n in names.get(cut, ())) else part

    names = _held(match, matcher, fix)
    lined = lined_up(match, matcher)
    rest = _rest(text, match, lined, matcher.language)
    rendered = render(text, fix, match.node, inner, matcher.language)
    new = _kept(text, lined, fix, rendered, rest, matcher.language, inner)
    if new is None:
        lost = [t for t in rest if t != ";"]
        if lost:
            text_of = f"the match goes on with `{lost[0]}`, which the pattern does not name and the fix would lose"
            raise Unfixable(text_of, "make the pattern longer, or exclude such code with `not:`")
        new = rendered + ";" if rest and rendered.strip() and rendered[-1] not in ";}" else rendered
    if new.strip():
        edit = Edit(match.cut, new)
        return Edit(match.cut, f"({new})") if parens.outside(text, edit, match.node, fix, matcher.language) else edit
    try:
        return removal(text, match.node, matcher.language)
    except Inseparable as err:
        raise Unfixable(str(err), "write a fix that leaves a statement there") from None


def fix_regex(match: RegexMatch, fix: str) -> Edit:
    """The replacement of one regex match, exactly as by `re.sub`. Raises RuleError for an unknown group."""
    import regex

    try:
        new = match.match.expand(fix)
    except (IndexError, KeyError, ValueError, regex.error) as err:
        raise RuleError(f"the fix cannot be used: {err}", r"write groups as \1 or \g<name>") from None
    if "\0" in new or "\r" in new:
        raise RuleError(
            "the fix puts a control character into the text", r"leave out \0 and \r, which are none of its groups"
        )
    return Edit(Cut(*match.match.span()), new)


def _held(match: AstMatch, matcher: AstMatcher, fix: str) -> dict[Cut, list[str]]:
    """The names of the fix that stand for one node, by what they hold."""
    names: dict[Cut, list[str]] = {}
    for name in {m["one"] for m in META.finditer(fix) if m["one"]}:
        cut = match.node.captured(name)
        if cut is not None:
            names.setdefault(cut, []).append(name)
        elif f"$$${name}" not in repr(matcher.rule):
            raise Unfixable(f"${name} of the fix holds nothing here", "write a rule of its own for this case")
    return names


def _clipped(edit: Edit, cut: Cut) -> Edit:
    return Edit(Cut(max(edit.cut.start, cut.start), min(edit.cut.end, cut.end)), edit.text)


def _rest(text: str, match: AstMatch, lined: Lined | None, language: str) -> list[str]:
    """The tokens of a match that neither its pattern nor a meta-variable stands for: ast-grep takes `raise $E` for
    `raise E from err`, too.
    """
    if lined is None:
        return []
    names = Counter(m["many"] or m["one"] for m in META.finditer(lined.pattern))
    held = {cut: count for name, count in names.items() if (cut := lined.node.captured(name))}
    wanted = "".join(META.sub("", lined.pattern).split())
    found = [t for t in tokens(text, language) if match.cut.covers(t.cut) and not t.is_comment]
    rest: list[str] = []
    for index, token in enumerate(found):
        bare = "".join(token.text.split())
        if any(cut.covers(token.cut) for cut in held) or (token.text == "," and _closed(found, index)):
            continue
        if wanted.startswith(bare):
            wanted = wanted[len(bare) :]
        else:
            rest.append(token.text)
    for cut, count in held.items():
        for token in (t for t in found if cut.covers(t.cut)) if count > 1 else ():
            rest.remove(token.text)  # `$A == $A`: only one of them is known
    return rest


def _closed(found: list[Token], index: int) -> bool:
    return index + 1 < len(found) and found[index + 1].text in _CLOSERS


def _kept(
    text: str, lined: Lined | None, fix: str, rendered: str, rest: list[str], language: str, inner: Inner
) -> str | None:
    """The fix in the layout of the match, if that says the same as the rendered template and loses nothing."""
    if lined is None:
        return None
    kept = keep_layout(text, lined.node, lined.pattern, fix, inner, language)
    if kept is None:
        return None
    left = _less(_code(kept, language), _code(rendered, language))
    return kept if left is not None and Counter(left) == Counter(rest) else None


def _code(part: str, language: str) -> list[str]:
    """The tokens of a part, without comments and trailing commas."""
    found = [t for t in tokens(part, language) if not t.is_comment]
    return [t.text for i, t in enumerate(found) if not (t.text == "," and _closed(found, i))]


def _less(one: list[str], other: list[str]) -> list[str] | None:
    """What `one` has more than `other`, which must be in it in its order (else None)."""
    more: list[str] = []
    rest = iter(other)
    wanted = next(rest, None)
    for text in one:
        if text == wanted:
            wanted = next(rest, None)
        else:
            more.append(text)
    return more if wanted is None else None
