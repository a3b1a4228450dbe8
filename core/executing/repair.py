"""What small models do to code that they were to leave alone, undone by code: the reply is brought back to the region's
own form.

Nothing here makes a wrong reply right. It takes away what was added beside the answer (imports, the ensured lines,
comments) and gives back the layout of what was not changed. The gates judge the result.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import SequenceMatcher
from textwrap import dedent

from litecode.core.patching.document import Cut
from litecode.core.patching.edits import Edit, splice
from litecode.core.patching.syntax import Node, Token, has_grammar, parse, tokens
from litecode.core.patching.vocabulary import Vocabulary

# Kinds of statements that bring names in; grammars name them differently. C#'s `using` statement is none of them.
_IMPORT_KIND = re.compile(r"import|include|using_d|use_declaration|namespace_use|extern_crate")


def repair(code: str, region: str, language: str | None, vocabulary: Vocabulary, ensure: Sequence[str]) -> str:
    """The reply's code for a region, both dedented; see the module."""
    code = _first_margin(code, region)
    code = _without_added_lines(code, region, language, ensure)
    if not vocabulary.about_comments:
        code = _without_added_comments(code, region, language)
    return _with_old_layout(code, region, language)


def _first_margin(code: str, region: str) -> str:
    """The region begins without indentation; a reply that indents all its lines means the same."""
    if code[:1] in (" ", "\t") and region[:1] not in (" ", "\t"):
        code = dedent(code)
        return code.lstrip(" \t") if code[:1] in (" ", "\t") else code
    return code


def _without_added_lines(code: str, region: str, language: str | None, ensure: Sequence[str]) -> str:
    """Import lines and ensured lines that the region did not have: they belong to the head of the file, where code puts
    them. When the region has imports itself, the rule may be about them, so they stay.
    """
    old = {line.strip() for line in region.split("\n")}
    ensured = {line.strip() for line in ensure}
    if language is None or not has_grammar(language):
        added = [line for line in code.split("\n") if line.strip() in ensured - old]
        return _drop_lines(code, added)
    about_imports = any(_is_import(node) for node in parse(region, language).children())
    cuts: list[Cut] = []
    for node in parse(code, language).children():
        text = node.text.strip()
        is_ensured = text.rstrip(";") in {line.rstrip(";") for line in ensured}
        if (is_ensured or (_is_import(node) and not about_imports)) and text not in old:
            cuts.append(node.cut)
    return _drop(code, cuts) if cuts else code


def _is_import(node: Node) -> bool:
    return node.named and _IMPORT_KIND.search(node.kind) is not None


def _drop_lines(code: str, lines: Sequence[str]) -> str:
    return "\n".join(line for line in code.split("\n") if line not in lines).strip("\n")


def _drop(code: str, cuts: Sequence[Cut]) -> str:
    """Without some whole statements, and without the blank lines that they leave at the head."""
    edits = []
    for cut in cuts:
        end = cut.end
        while end < len(code) and code[end] in " \t;":
            end += 1
        edits.append(Edit(Cut(cut.start, end + 1 if code[end : end + 1] == "\n" else end), ""))
    return splice(code, edits).lstrip("\n").rstrip()


def _without_added_comments(code: str, region: str, language: str | None) -> str:
    """Comments that the region did not have; a line that is nothing else goes with them."""
    if language is None or not has_grammar(language):
        return code
    old = [" ".join(t.text.split()) for t in tokens(region, language) if t.is_comment]
    edits: list[Edit] = []
    for token in tokens(code, language):
        if not token.is_comment:
            continue
        if " ".join(token.text.split()) in old:
            old.remove(" ".join(token.text.split()))
            continue
        edits.append(Edit(_comment_cut(code, token.cut), ""))
    if not edits:
        return code
    left = splice(code, edits).strip("\n").rstrip()
    return left if code[:1] in " \t" else left.lstrip(" \t")


def _comment_cut(code: str, cut: Cut) -> Cut:
    """What goes with a comment: its line when it is alone on it, else the blanks that set it off from the code."""
    line_start = code.rfind("\n", 0, cut.start) + 1
    line_end = code.find("\n", cut.end)
    line_end = len(code) if line_end < 0 else line_end
    before, after = code[line_start : cut.start], code[cut.end : line_end]
    if not before.strip() and not after.strip():
        return Cut(line_start, min(line_end + 1, len(code)))
    return Cut(line_start + len(before.rstrip()), cut.end) if before.strip() else cut


def _with_old_layout(code: str, region: str, language: str | None) -> str:
    """Between tokens that stand together before and after, the region's white space; elsewhere the reply's."""
    old, new = tokens(region, language), tokens(code, language)
    matcher = SequenceMatcher(None, [t.text for t in old], [t.text for t in new], autojunk=False)
    partner = {b.b + i: b.a + i for b in matcher.get_matching_blocks() for i in range(b.size)}
    edits: list[Edit] = []
    for index in range(1, len(new)):
        left, right = partner.get(index - 1), partner.get(index)
        if left is None or right != left + 1:
            continue
        gap = Cut(new[index - 1].cut.end, new[index].cut.start)
        wanted = region[old[left].cut.end : old[right].cut.start]
        has = gap.of(code)
        if has != wanted and not has.strip() and not wanted.strip():
            edits.append(Edit(gap, _merge_gap(has, wanted, language, old[left], old[right])))
    return splice(code, edits)


def _merge_gap(has: str, wanted: str, language: str | None, left: Token, right: Token) -> str:
    """Where both start a new line, the reply's indentation holds (it may have moved code into a block) with the
    region's blank lines.
    """
    if "\n" in has and "\n" in wanted:
        return wanted[: wanted.rfind("\n") + 1] + has[has.rfind("\n") + 1 :]
    if language in (None, "yaml") and ("\n" in has) != ("\n" in wanted):
        return has
    if left.is_string and right.is_string:
        return has  # white space inside a string literal is its text
    return wanted
