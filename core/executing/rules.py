"""One rule on one file: find the sites, fix or rewrite them, prove the result. Values in, values out; calls go through
`World`-given functions.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Protocol

from litecode.config.rules import AstPattern, Confidence, Rule, Where
from litecode.core.errors import RuleError
from litecode.core.executing.executor import Job, Result, Steps, first_prompt, rewrite_region
from litecode.core.executing.prompt import Example
from litecode.core.executing.sites import exceptions_of, find_sites
from litecode.core.executing.suppressions import in_comment, suppressed_lines
from litecode.core.patching import ensure
from litecode.core.patching.document import Cut, Document
from litecode.core.patching.edits import Edit, follow_lines, splice
from litecode.core.patching.fixing import Unfixable, fix_match, fix_regex
from litecode.core.patching.gates.base import Asked
from litecode.core.patching.judge import fault_of_fix
from litecode.core.patching.match import AstMatch, AstMatcher, Matcher, RegexMatch, ast_matcher, regex_matcher
from litecode.core.patching.regions import Area, functions, regions_of, wider
from litecode.core.patching.snippets import check_ensure, check_fix
from litecode.core.patching.syntax import tokens
from litecode.core.patching.vocabulary import Vocabulary, vocabulary
from litecode.core.values import Prompt, Proof, Site

EXAMPLES = 2
EXAMPLE_LINES = 8
WIDEST = 60  # lines of a region that a refusal may grow to


@dataclass(frozen=True, slots=True)
class CompiledRule:
    """A rule made ready for one language. `grammar` is ast-grep's name of it, None when ast-grep does not have it."""

    rule: Rule
    grammar: str | None
    asked: Asked
    exceptions: tuple[AstMatcher, ...]
    examples: tuple[Example, ...]
    kind: str


@dataclass(frozen=True, slots=True)
class FileState:
    """A file on its way through the rules. `changed` are the lines that the commit touches, None for all."""

    path: str
    document: Document
    changed: frozenset[int] | None


@dataclass(frozen=True, slots=True)
class Applied:
    """What one rule did to one file. `state` is the file after it; the same object when nothing changed. `refused` and
    `reason` say why a part could not be done: then nothing of the rule is in `state`.
    """

    state: FileState
    before: Document
    sites: tuple[Site, ...]
    ends: tuple[int, ...]  # the last line of each site
    proof: Proof = Proof.PROVEN
    reason: str = ""
    results: tuple[Result, ...] = ()

    @property
    def changed(self) -> bool:
        return self.state.document.text != self.before.text


class Run(Protocol):
    """Drives the steps of one region to its result: makes the calls, or knows the result from an earlier run."""

    def __call__(self, job: Job, steps: Callable[[Job], Steps]) -> Result: ...


def compile_rule(rule: Rule, grammar: str | None) -> CompiledRule:
    """Raises RuleError, with its place in the rules file, for a pattern, regex, fix or line that cannot be used."""
    matcher: Matcher | None = None
    if rule.pattern is not None:
        matcher = _ast("pattern", rule.pattern, grammar, rule)
    elif rule.regex is not None:
        with _blamed(rule, "regex"):
            matcher = regex_matcher(rule.regex)
    if rule.fix is not None and isinstance(matcher, AstMatcher):
        with _blamed(rule, "fix"):
            check_fix(rule.fix, matcher, [test.code for test in rule.tests.invalid])
    if rule.language and grammar:
        with _blamed(rule, "ensure"):
            check_ensure(rule.ensure, grammar)
    words = vocabulary(rule.instruction or "")
    asked = Asked(
        vocabulary=words,
        matcher=matcher,
        reject=None if rule.reject is None else _ast("reject", rule.reject, grammar, rule),
        expect=None if rule.expect is None else _ast("expect", rule.expect, grammar, rule),
        ensure=rule.ensure,
        certain=rule.confidence is Confidence.HIGH and matcher is not None,
        shown=_shown(rule, grammar),
    )
    kind = rule.region.value if rule.region is not None else "statement" if grammar else "line"
    return CompiledRule(rule, grammar, asked, exceptions_of(words, grammar), _examples(rule, words), kind)


def _examples(rule: Rule, words: Vocabulary) -> tuple[Example, ...]:
    """What the instruction itself shows, then what the rule's tests show, if short and without ensured lines."""
    tests = [
        (test.code.strip("\n"), test.fixed.strip("\n"))
        for test in rule.tests.invalid
        if test.fixed is not None and test.fixed.count("\n") <= EXAMPLE_LINES
    ]
    bare = [(old, new) for old, new in tests if not any(line in new for line in rule.ensure)]
    return (*words.pairs, *bare)[:EXAMPLES]


def _shown(rule: Rule, grammar: str | None) -> frozenset[str]:
    found: set[str] = set()
    for test in rule.tests.invalid:
        if test.fixed is not None:
            old, new = (
                Counter(t.text for t in tokens(text, grammar) if t.kind == t.text) for text in (test.code, test.fixed)
            )
            found.update((old - new) + (new - old))
    return frozenset(found)


@contextmanager
def _blamed(rule: Rule, key: str) -> Iterator[None]:
    """Give an error the rule and the place of what is written under its key."""
    try:
        yield
    except RuleError as err:
        raise RuleError(f"rule {rule.id}: {err.message}", err.hint, rule.place(key, err.snippet)) from None


def _ast(key: str, pattern: AstPattern, grammar: str | None, rule: Rule) -> AstMatcher:
    with _blamed(rule, key):
        if grammar is None:
            name = rule.language or "this kind of file"
            raise RuleError(f"patterns are not available for {name}", "use `regex:` instead, or name the `language:`")
        return ast_matcher(pattern.rule, pattern.constraints, grammar, f"`{key}`")


def sites_of(compiled: CompiledRule, state: FileState) -> list[AstMatch] | list[RegexMatch] | list[Area]:
    """Where the rule applies now; a rule without pattern applies to every function that the commit touches, or to the
    file, unless a comment on its first line or above says no.
    """
    matcher = compiled.asked.matcher
    changed = None if compiled.rule.where is Where.FILE else state.changed
    if matcher is not None:
        return find_sites(state.document, matcher, compiled.rule.id, changed, compiled.exceptions, compiled.grammar)
    if not state.document.text.strip():
        return []
    areas = functions(state.document, compiled.grammar) if compiled.kind == "function" else []
    areas = areas or [Area(Cut(0, len(state.document.text)), "file", ())]
    ignored = suppressed_lines(state.document.text, compiled.rule.id, compiled.grammar)
    lines = [state.document.lines_of(area.cut) for area in areas]
    return [
        area
        for area, own in zip(areas, lines, strict=True)
        if own[0] not in ignored and (changed is None or any(n in changed for n in own))
    ]


def site_values(document: Document, cuts: Sequence[Cut]) -> tuple[tuple[Site, ...], tuple[int, ...]]:
    """Sites as values with byte spans and positions, and the last line of each."""
    sites = tuple(Site(document.span(c), *document.position(c.start), c.of(document.text)) for c in cuts)
    return sites, tuple(document.lines_of(c)[-1] for c in cuts)


def apply_rule(compiled: CompiledRule, state: FileState, run: Run, reserve: Callable[[str], int]) -> Applied:
    """Apply one rule to the file as the earlier rules left it. Errors of the model pass through."""
    found = sites_of(compiled, state)
    cuts = [f.cut for f in found]
    sites, ends = site_values(state.document, cuts)
    if not found or (compiled.rule.fix is None and compiled.rule.instruction is None):
        return Applied(state, state.document, sites, ends)
    if compiled.rule.fix is not None:
        matches = [f for f in found if not isinstance(f, Area)]
        try:
            edits = [_fixed(compiled, state.document.text, match, compiled.rule.fix) for match in matches]
        except Unfixable as err:
            return Applied(state, state.document, sites, ends, Proof.REFUSED, err.message)
        return _finish(compiled, state, cuts, edits, ())
    results = _rewrite(compiled, state, cuts, _areas(compiled, state, found), run, reserve)
    edits = [Edit(r.area.cut, r.new) for r in results if r.new is not None]
    return _finish(compiled, state, cuts, edits, results)


def _rewrite(
    compiled: CompiledRule,
    state: FileState,
    sites: Sequence[Cut],
    areas: Sequence[Area],
    run: Run,
    reserve: Callable[[str], int],
) -> tuple[Result, ...]:
    """The results of all regions. A refused one gets a second chance in a larger region, with all sites in that."""
    results: list[Result] = []
    done = -1
    for area in areas:
        if area.cut.start < done:
            continue  # a larger region has it already
        result = run(_job(compiled, state, area, reserve), rewrite_region)
        refused = result.proof is Proof.REFUSED and result.fits and area.sites
        larger = wider(state.document, area, compiled.grammar) if refused else None
        if larger is not None and larger.cut.of(state.document.text).count("\n") < WIDEST:
            inside = tuple(s for s in sites if larger.cut.covers(s))
            second = run(_job(compiled, state, replace(larger, sites=inside), reserve), rewrite_region)
            second = replace(second, tries=(*result.tries, *second.tries))
            if second.proof is not Proof.REFUSED:
                results = [r for r in results if not larger.cut.covers(r.area.cut)]
                done = larger.cut.end
                result = second
        results.append(result)
    return tuple(results)


def preview(compiled: CompiledRule, state: FileState, reserve: Callable[[str], int]) -> list[Prompt]:
    """The first prompts that `apply_rule` would send, one for each region."""
    found = sites_of(compiled, state)
    if not found or compiled.rule.instruction is None:
        return []
    return [first_prompt(_job(compiled, state, area, reserve)) for area in _areas(compiled, state, found)]


def _fixed(compiled: CompiledRule, text: str, match: AstMatch | RegexMatch, fix: str) -> Edit:
    if isinstance(match, RegexMatch):
        return fix_regex(match, fix)
    assert isinstance(compiled.asked.matcher, AstMatcher)
    return fix_match(text, match, compiled.asked.matcher, fix)


def _areas(compiled: CompiledRule, state: FileState, found: Sequence[AstMatch | RegexMatch | Area]) -> list[Area]:
    if compiled.asked.matcher is None:
        return [f for f in found if isinstance(f, Area)]
    return regions_of(state.document, [f.cut for f in found], compiled.kind, compiled.grammar)


def _job(compiled: CompiledRule, state: FileState, area: Area, reserve: Callable[[str], int]) -> Job:
    """The white space around a region is no part of it, so that a file keeps its final newline."""
    text = area.cut.of(state.document.text)
    start = area.cut.start + len(text) - len(text.lstrip())
    area = replace(area, cut=Cut(start, start + len(text.strip())))
    instruction = compiled.rule.instruction or ""
    return Job(state.document, area, compiled.grammar, instruction, compiled.asked, compiled.examples, reserve)


def _finish(
    compiled: CompiledRule,
    state: FileState,
    cuts: Sequence[Cut],
    edits: list[Edit],
    results: tuple[Result, ...],
) -> Applied:
    sites, ends = site_values(state.document, cuts)
    refused = next((r for r in results if r.proof is Proof.REFUSED), None)
    looked_at = all(r.fits and r.new is None for r in results)
    if refused is not None and not compiled.asked.certain and looked_at:
        # Candidates that nobody could improve are no violations; a commit is not stopped because of them.
        return Applied(state, state.document, sites, ends, Proof.PROVEN, f"left as it is: {refused.reason}", results)
    if refused is not None:
        return Applied(state, state.document, sites, ends, Proof.REFUSED, refused.reason, results)
    text = state.document.text
    edits = [e for e in edits if e.cut.of(text) != e.text]
    if not edits:
        return Applied(state, state.document, sites, ends, Proof.PROVEN, "", results)
    changed = follow_lines(text, edits, state.changed)
    new = splice(text, edits)
    if compiled.rule.ensure:
        added = ensure.ensure(new, compiled.grammar, compiled.rule.ensure)
        changed = follow_lines(new, added, changed)
        new = splice(new, added)
    about_comments = any(in_comment(text, compiled.grammar, c) for c in cuts)
    fault = fault_of_fix(text, new, compiled.grammar, comments_may_go=bool(results) or about_comments)
    if fault:
        return Applied(state, state.document, sites, ends, Proof.REFUSED, fault, results)
    doubtful = next((r for r in results if r.proof is Proof.DOUBTFUL), None)
    after = FileState(state.path, state.document.with_text(new), changed)
    proof = Proof.DOUBTFUL if doubtful else Proof.PROVEN
    return Applied(after, state.document, sites, ends, proof, doubtful.reason if doubtful else "", results)
