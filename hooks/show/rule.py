"""A rule in words: `git litecode explain`."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from litecode.config.rules import AstPattern, Confidence, Rule, RulesFile, Where
from litecode.config.select import ALL_FILES, NO_FILES
from litecode.core.values import Severity
from litecode.hooks.show.terminal import Style, Terminal, visible

_CONSEQUENCE = {
    Severity.ERROR: "an error: a commit that leaves a finding stops",
    Severity.WARNING: "a warning: it is announced, and the commit goes on",
    Severity.INFO: "an information: it is announced, and the commit goes on",
    Severity.HINT: "a hint: it is announced, and the commit goes on",
    Severity.OFF: "switched off",
}


def rule_lines(rule: Rule, file: RulesFile, terminal: Terminal) -> Iterator[str]:
    """Everything that the rules file says about a rule, as sentences and blocks."""
    yield f"{terminal.out_style(visible(rule.id), Style.BOLD)}: {visible(rule.message)}"
    yield from _block(rule.note)
    if rule.url:
        yield f"See {visible(rule.url)}."
    yield ""
    yield f"It is {_CONSEQUENCE[rule.severity]}."
    yield f"It looks at {_files(rule, file)}."
    yield f"It finds {_trigger(rule)}."
    yield from _block(_pattern(rule.pattern) or rule.regex or "")
    yield from _action(rule)
    yield f"It is written in {visible(rule.source)}, line {rule.line}."
    if rule.base:
        own = ", ".join(rule.own) or "nothing"
        yield f"There it overrides {own} of the rule in {visible(rule.base)}; everything else is as it is there."


def list_lines(file: RulesFile, terminal: Terminal) -> Iterator[str]:
    """All rules by where they are written, those of the rules file first; overridden ones where the rest of them is."""
    homes: dict[str, list[Rule]] = {file.path: []}
    for rule in file.rules:
        homes.setdefault(rule.base or rule.source, []).append(rule)
    width = max((len(rule.id) for rule in file.rules), default=0)
    for home, rules in homes.items():
        if rules:
            yield terminal.out_style(visible(home), Style.BOLD)
        for rule in rules:
            changed = f" (overridden in {visible(file.path)})" if rule.base else ""
            yield f"  {rule.id:{width}}  {rule.severity.value:7}  {visible(rule.message)}{changed}"


def _files(rule: Rule, file: RulesFile) -> str:
    chosen = rule.filter
    kinds = [_kind("all of ", chosen.types)] if chosen.types not in ((), ("text",)) else []
    kinds += [_kind("one of ", chosen.types_or)] if chosen.types_or else []
    kinds += [_kind("none of ", chosen.exclude_types, "not ")] if chosen.exclude_types else []
    words = f"text files that are {', and '.join(kinds)}" if kinds else "text files"
    if not chosen.types:
        words = words.replace("text files", "files", 1)
    for regex in (file.files, chosen.files):
        words += f", with a path that matches {visible(regex)}" if regex != ALL_FILES else ""
    for regex in (file.exclude, chosen.exclude):
        words += f", but not {visible(regex)}" if regex != NO_FILES else ""
    return words


def _kind(several: str, tags: Sequence[str], one: str = "") -> str:
    """The words before the tags depend on how many there are: one of one is that one."""
    return f"{several if len(tags) > 1 else one}{', '.join(tags)}"


def _trigger(rule: Rule) -> str:
    lines = " in the lines that a commit changes" if rule.where is Where.CHANGED else " anywhere in a changed file"
    if rule.pattern is not None:
        return f"this {visible(rule.language)} code{lines}"
    if rule.regex is not None:
        return f"what this regular expression matches{lines}"
    touched = "that a commit changes" if rule.where is Where.CHANGED else "of a changed file"
    return f"every function {touched}, or the file where there is none; the model decides"


def _action(rule: Rule) -> Iterator[str]:
    if rule.fix is not None:
        yield "It is replaced, without a model, by:"
        yield from _block(rule.fix or "(nothing)")
    elif rule.instruction is not None:
        yield f"The model rewrites {_region(rule)}, and is told:"
        yield from _block(rule.instruction)
        if rule.pattern is None and rule.regex is None:
            yield "What it changes is held until a person says yes."
        if rule.confidence is Confidence.LOW:
            yield "A match is only a candidate: when the model leaves it as it is, it conforms."
    else:
        yield "It only reports; nothing is changed."
    for words, pattern in (("has", rule.expect), ("does not have", rule.reject)):
        if pattern is not None:
            yield f"The change is proven when the new code {words}:"
            yield from _block(_pattern(pattern))
    if rule.ensure:
        yield "A changed file gets these lines below its imports, unless it has them:"
        yield from _block("\n".join(rule.ensure))


def _region(rule: Rule) -> str:
    if rule.region is not None:
        return f"the {rule.region.value} around it"
    if rule.pattern is None and rule.regex is None:
        return "it"
    return "the statement around it" if rule.language else "the statement around it, or the line without a parser"


def _pattern(pattern: AstPattern | None) -> str:
    if pattern is None:
        return ""
    if set(pattern.rule) == {"pattern"} and isinstance(pattern.rule["pattern"], str) and not pattern.constraints:
        return pattern.rule["pattern"]
    whole = dict(pattern.rule) | ({"constraints": dict(pattern.constraints)} if pattern.constraints else {})
    return json.dumps(whole, indent=2, ensure_ascii=False)


def _block(text: str) -> Iterator[str]:
    for line in text.rstrip("\n").split("\n") if text else ():
        yield f"    {visible(line, chr(9))}".rstrip()
