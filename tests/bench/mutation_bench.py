"""Breaks right answers in twenty ways and counts what the gates let through.

    python tests/bench/mutation_bench.py CASES [--each 40] [--show KIND]

CASES is a folder of cases: `case.json` (kind, expect, stage), `rules.yaml`, `repo/` and a right answer `good/1/`.
A right answer of a region is what stands in its place in the right tree; where the gates have something against that
themselves it is left out. A broken one is refused, asks for a second answer or a person (`asks`, `held`), or passes.
`outside` are breaks of tokens away from the match: what nobody asked for. Exit status 1 when a kind that changes what
the code does passes more often than 2 % there.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from difflib import SequenceMatcher
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from litecode.config import languages
from litecode.config.load import load_rules
from litecode.config.select import Selection, tags_for
from litecode.core.executing.rules import CompiledRule, FileState, compile_rule, sites_of
from litecode.core.patching.document import Cut, Document
from litecode.core.patching.edits import Edit, splice
from litecode.core.patching.gates.base import Grade, Rewrite
from litecode.core.patching.gates.places import places
from litecode.core.patching.judge import judge, rewrite_of
from litecode.core.patching.regions import Area, regions_of
from litecode.core.patching.syntax import Token, tokens

LIMIT = 0.02
OPPOSITE = {"==": "!=", "!=": "==", "<": ">=", ">": "<=", "<=": ">", ">=": "<", "===": "!==", "!==": "==="}
OPPOSITE |= {"and": "or", "or": "and", "&&": "||", "||": "&&", "+": "-", "-": "+", "*": "+", "/": "*"}
OPPOSITE |= {"True": "False", "False": "True", "true": "false", "false": "true", "None": "0", "null": "0"}
HARMLESS = frozenset({"comment-changed", "comment-dropped"})  # refused or not, the code does the same


class Broken(NamedTuple):
    """What was done, the text that came of it, and the first place of the region that is different."""

    kind: str
    text: str
    at: int


class Code(NamedTuple):
    """A right answer, its tokens, and where the breakers draw from."""

    text: str
    found: tuple[Token, ...]
    rng: random.Random


Made = Iterator[tuple[str, int]]
Breaker = Callable[[Code], Made]


def _put(text: str, cut: Cut, new: str) -> str:
    return splice(text, [Edit(cut, new)])


def _lines(text: str) -> list[Cut]:
    ends = [m.end() for m in re.finditer(r"\n|\Z", text)]
    return [Cut(a, b) for a, b in pairwise([0, *ends]) if text[a:b].strip()]


def dropped_line(code: Code) -> Made:
    for cut in _lines(code.text):
        if any(cut.covers(t.cut) and not t.is_comment and len(t.text) > 1 for t in code.found):
            yield _put(code.text, cut, ""), cut.start


def doubled_line(code: Code) -> Made:
    for cut in _lines(code.text):
        if any(cut.covers(t.cut) and not t.is_comment and len(t.text) > 1 for t in code.found):
            line = cut.of(code.text).rstrip("\n")
            yield (
                _put(code.text, cut, f"{line}\n{line}" + ("\n" if cut.of(code.text).endswith("\n") else "")),
                cut.end - 1,
            )


def swapped_lines(code: Code) -> Made:
    for a, b in pairwise(_lines(code.text)):
        one, two = a.of(code.text), b.of(code.text)
        if one.strip() != two.strip() and one.endswith("\n"):
            yield (
                code.text[: a.start]
                + two.rstrip("\n")
                + "\n"
                + one.rstrip("\n")
                + code.text[b.end - two.endswith("\n") :],
                a.start,
            )


def moved_right(code: Code) -> Made:
    for cut in _lines(code.text)[1:]:
        yield _put(code.text, cut, "    " + cut.of(code.text)), cut.start


def moved_left(code: Code) -> Made:
    for cut in _lines(code.text)[1:]:
        if cut.of(code.text).startswith("    "):
            yield _put(code.text, cut, cut.of(code.text)[4:]), cut.start


def cut_off(code: Code) -> Made:
    lines = _lines(code.text)
    for cut in lines[len(lines) // 2 :]:
        if cut.start:
            yield code.text[: cut.start].rstrip(), cut.start


def _names(found: tuple[Token, ...]) -> list[Token]:
    return [t for t in found if t.kind != t.text and t.text.isidentifier() and not t.is_string and not t.is_comment]


def renamed(code: Code) -> Made:
    """One use of a name becomes another name of the region."""
    own = _names(code.found)
    others = sorted({t.text for t in own})
    for token in own:
        choices = [name for name in others if name != token.text]
        if choices:
            yield _put(code.text, token.cut, code.rng.choice(choices)), token.cut.start


def misspelt(code: Code) -> Made:
    for token in _names(code.found):
        yield _put(code.text, token.cut, token.text + "s"), token.cut.start


def turned_sign(code: Code) -> Made:
    for token in code.found:
        if token.text in OPPOSITE and not token.is_string and not token.is_comment:
            yield _put(code.text, token.cut, OPPOSITE[token.text]), token.cut.start


def negated(code: Code) -> Made:
    for token, after in pairwise(code.found):
        if token.text in ("if", "while", "elif") and token.kind == token.text:
            sign = "not " if "(" not in after.text else "!"
            start = after.cut.end if sign == "!" else after.cut.start
            yield code.text[:start] + sign + code.text[start:], start


def _groups(text: str, found: tuple[Token, ...]) -> Iterator[list[Cut]]:
    """The arguments of every pair of parentheses that has two or more."""
    stack: list[list[int]] = []
    for token in found:
        if token.text in ("(", "[", "{"):
            stack.append([token.cut.end])
        elif token.text == "," and stack:
            stack[-1].append(token.cut.start)
        elif token.text in (")", "]", "}") and stack:
            marks = [*stack.pop(), token.cut.start]
            cuts = [Cut(a + (text[a] == ","), b) for a, b in pairwise(marks)]
            if len(cuts) > 1 and all(cut.of(text).strip() for cut in cuts):
                yield cuts


def lost_argument(code: Code) -> Made:
    for cuts in _groups(code.text, code.found):
        for index, cut in enumerate(cuts):
            whole = Cut(cut.start - 1, cut.end) if index else Cut(cut.start, cuts[1].start)
            yield _put(code.text, whole, ""), cut.start


def swapped_arguments(code: Code) -> Made:
    for cuts in _groups(code.text, code.found):
        for a, b in pairwise(cuts):
            one, two = a.of(code.text).strip(), b.of(code.text).strip()
            if one != two and "=" not in one + two:
                yield (
                    splice(
                        code.text,
                        [Edit(a, a.of(code.text).replace(one, two)), Edit(b, b.of(code.text).replace(two, one))],
                    ),
                    a.start,
                )


def changed_text(code: Code) -> Made:
    for token in code.found:
        letters = [i for i, char in enumerate(token.text) if char.isalpha()]
        if token.is_string and token.kind != "string_start" and letters:
            at = token.cut.start + code.rng.choice(letters)
            yield code.text[:at] + ("q" if code.text[at] != "q" else "z") + code.text[at + 1 :], at


def emptied_text(code: Code) -> Made:
    for token in code.found:
        if token.is_string and token.kind != "string_start" and re.search(r"\w", token.text):
            yield _put(code.text, token.cut, re.sub(r"\w", "", token.text)), token.cut.start


def changed_number(code: Code) -> Made:
    for token in code.found:
        if token.text[:1].isdigit() and not token.is_string and not token.is_comment:
            yield _put(code.text, token.cut, str(code.rng.randrange(2, 9)) + token.text), token.cut.start


def dropped_word(code: Code) -> Made:
    for token in code.found:
        if token.text in ("await", "return", "not", "async", "static", "!", "yield", "export") and not token.is_string:
            yield (
                _put(
                    code.text,
                    Cut(token.cut.start, token.cut.end + (code.text[token.cut.end : token.cut.end + 1] == " ")),
                    "",
                ),
                (token.cut.start),
            )


def added_call(code: Code) -> Made:
    own = _names(code.found)
    for cut in _lines(code.text)[1:]:
        if own:
            margin = re.match(r"\s*", cut.of(code.text))
            space = margin.group() if margin else ""
            yield code.text[: cut.start] + f"{space}{code.rng.choice(own).text}()\n" + code.text[cut.start :], cut.start


def wrapped_call(code: Code) -> Made:
    """`f(a)` becomes `f(str(a))`."""
    for cuts in _groups(code.text, code.found):
        for cut in cuts:
            inner = cut.of(code.text).strip()
            if inner.isidentifier():
                yield _put(code.text, cut, cut.of(code.text).replace(inner, f"str({inner})")), cut.start


def dropped_comment(code: Code) -> Made:
    for token in code.found:
        if token.is_comment:
            yield _put(code.text, token.cut, ""), token.cut.start


def changed_comment(code: Code) -> Made:
    for token in code.found:
        if token.is_comment and len(token.text) > 6:
            yield _put(code.text, token.cut, token.text[:3] + " changed" + token.text[3:]), token.cut.start


KINDS: dict[str, Breaker] = {
    "line-dropped": dropped_line,
    "line-doubled": doubled_line,
    "lines-swapped": swapped_lines,
    "line-moved-right": moved_right,
    "line-moved-left": moved_left,
    "cut-off": cut_off,
    "name-exchanged": renamed,
    "name-misspelt": misspelt,
    "sign-turned": turned_sign,
    "condition-negated": negated,
    "argument-lost": lost_argument,
    "arguments-swapped": swapped_arguments,
    "text-changed": changed_text,
    "text-emptied": emptied_text,
    "number-changed": changed_number,
    "word-dropped": dropped_word,
    "call-added": added_call,
    "argument-wrapped": wrapped_call,
    "comment-dropped": dropped_comment,
    "comment-changed": changed_comment,
}


def broken(text: str, language: str | None, each: int, seed: int = 1) -> Iterator[Broken]:
    """At most `each` breaks of every kind; none that leaves the tokens as they are."""
    found = tokens(text, language)
    plain = _meaning(text, language)
    for kind, breaker in KINDS.items():
        rng = random.Random(f"{kind} {seed}")
        made = [
            (new, at) for new, at in breaker(Code(text, found, rng)) if new != text and _meaning(new, language) != plain
        ]
        for new, at in rng.sample(made, min(each, len(made))):
            yield Broken(kind, new, at)


def _meaning(text: str, language: str | None) -> list[tuple[int, str]]:
    """The tokens, for Python with the column of those that begin a line."""
    rows: list[tuple[int, str]] = []
    last, depth = -1, 0
    for token in tokens(text, language):
        start = text.rfind("\n", 0, token.cut.start)
        begins = language in ("python", "yaml") and start != last and not depth
        depth += (token.text in ("(", "[", "{")) - (token.text in (")", "]", "}"))
        last = start
        rows.append((token.cut.start - start if begins else 0, token.text))
    return rows


class Answer(NamedTuple):
    """A right answer for one region of one rule."""

    name: str
    document: Document
    area: Area
    language: str | None
    compiled: CompiledRule
    new: str

    def rewrite(self, new: str) -> Rewrite:
        return rewrite_of(self.document, self.area, new, self.language, self.compiled.asked)


def answers(folder: Path) -> Iterator[Answer]:
    """The right answers of all rule cases of a folder that ask a model."""
    for case in sorted(folder.iterdir()):
        spec = json.loads((case / "case.json").read_text()) if (case / "case.json").exists() else {}
        if spec.get("kind") == "rule" and spec["expect"] == "change":
            yield from _of_case(case, spec["stage"])


def _of_case(case: Path, staged: list[str]) -> Iterator[Answer]:
    rules = load_rules((case / "rules.yaml").read_bytes(), ".litecode.yaml")
    selection = Selection.of(rules)
    for path in staged:
        good = case / "good" / "1" / path
        if not good.exists():
            continue
        data = (case / "repo" / path).read_bytes()
        document, after = Document.decode(data), Document.decode(good.read_bytes()).text
        tags = tags_for(path, "100644", lambda data=data: data[:8192])
        for rule_id in selection.ids(path, lambda tags=tags: tags):
            rule = next(r for r in rules.active if r.id == rule_id)
            language = rule.language or languages.language_of(path, tags)
            known = languages.find(language) if language else None
            compiled = compile_rule(rule, known.parser if known else None)
            if rule.instruction is None or compiled.asked.matcher is None:
                continue
            sites = [found.cut for found in sites_of(compiled, FileState(path, document, None))]
            for area in regions_of(document, sites, compiled.kind, compiled.grammar):
                new = _counterpart(document.text, after, area.cut)
                if new.strip() and new != area.cut.of(document.text):
                    yield Answer(f"{case.name} {path} {rule_id}", document, area, compiled.grammar, compiled, new)


def _counterpart(before: str, after: str, cut: Cut) -> str:
    """What stands in the other text in the place of a region of whole lines."""
    old, new = before.split("\n"), after.split("\n")
    first, last = before.count("\n", 0, cut.start), before.count("\n", 0, cut.end)
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    start = end = 0
    for tag, i1, i2, j1, j2 in matcher.get_opcodes():
        paired = tag == "equal" or i2 - i1 == j2 - j1
        if i1 <= first < i2:
            start = j1 + (first - i1 if paired else 0)
        if i1 <= last < i2:
            end = j1 + (last - i1) + 1 if paired else j2
    return "\n".join(new[start:end]).strip()


def judged(answer: Answer, each: int, kinds: frozenset[str] | None = None) -> Iterator[tuple[Broken, bool, str, str]]:
    """Every break with whether it is outside of the match, what the gates say, and which of them."""
    right = answer.rewrite(answer.new)
    shift = right.new_cut.start
    kept = [Cut(t.cut.start - shift, t.cut.end - shift) for t in places(right).kept]
    for one in broken(answer.new, answer.language, each):
        if kinds is not None and one.kind not in kinds:
            continue
        judgement = judge(answer.rewrite(one.text))
        outside = any(cut.start <= one.at < cut.end for cut in kept)
        if judgement.refusal is not None:
            yield one, outside, "refused", judgement.refusal.gate
        elif any(doubt.grade is Grade.DOUBT for doubt in judgement.doubts):
            yield one, outside, "held", judgement.doubts[0].gate
        else:
            yield one, outside, "asks" if judgement.doubts else "passed", ""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", type=Path)
    parser.add_argument("--each", type=int, default=40, help="breaks of each kind in each answer")
    parser.add_argument("--show", help="print the breaks of this kind that pass")
    args = parser.parse_args()
    counts: Counter[tuple[str, bool, str]] = Counter()
    used = left_out = 0
    for answer in answers(args.cases):
        if judge(answer.rewrite(answer.new)).refusal is not None:
            left_out += 1
            continue
        used += 1
        for one, outside, outcome, _ in judged(answer, args.each):
            counts[one.kind, outside, outcome] += 1
            if args.show == one.kind and outcome in ("passed", "asks"):
                print(
                    f"--- {answer.name} {'outside' if outside else 'inside'} {outcome}\n{answer.new}\n>>>\n{one.text}"
                )
    print(f"{used} right answers, {left_out} more that a gate refuses")
    return _table(counts)


def _table(counts: Counter[tuple[str, bool, str]]) -> int:
    outcomes = ("refused", "held", "asks", "passed")
    print(f"{'kind':20} {'where':8}" + "".join(f"{name:>9}" for name in outcomes) + "   passed")
    worst = 0.0
    for outside in (True, False):
        for kind in KINDS:
            row = [counts[kind, outside, name] for name in outcomes]
            if sum(row):
                share = row[-1] / sum(row)
                worst = max(worst, share if outside and kind not in HARMLESS else 0.0)
                where = "outside" if outside else "inside"
                print(f"{kind:20} {where:8}" + "".join(f"{n:9}" for n in row) + f"   {share:.1%}")
    print(f"most that passes outside of the match: {worst:.1%} (at most {LIMIT:.0%})")
    return 1 if worst > LIMIT else 0


if __name__ == "__main__":
    sys.exit(main())
