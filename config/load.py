"""Reads a rules file: YAML text in, typed rules out, or the first error with its line, column and remedy."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from litecode.config import keys, languages, presets
from litecode.config.conditions import CONDITIONS, EXCLUSIVE
from litecode.config.document import ListNode, MapNode, Node, Scalar, Source, compose, describe
from litecode.config.kinds import Key, Values, nearest, read_mapping
from litecode.config.rules import Rule, RulesFile
from litecode.config.select import Filter
from litecode.core.errors import ConfigError, RuleError

builtin = presets.read


def load_rules(data: bytes, path: str, preset: Callable[[str], bytes] = builtin) -> RulesFile:
    """The rules of a file and of the presets that it extends. `path` is for messages; `preset` gives the text of the
    preset with a name, without `litecode:`, or raises `ConfigError`.

    Every error is a `ConfigError` whose `where` is `path:line:col`. Whether patterns fit their language is not checked.
    """
    source = Source(path)
    top = _read(data, source, keys.FILE_KEYS)
    if top is None:
        return RulesFile(path)
    rules: dict[str, Rule] = {}
    drafts: dict[str, Values] = {}
    for name, node in _extended(top):
        try:
            text = preset(name.removeprefix(keys.PRESET_PREFIX))
        except ConfigError as error:
            raise ConfigError(error.message, error.hint, source.where(node)) from error
        inner = Source(name)
        _add_rules(_read(text, inner, keys.PRESET_KEYS), inner, drafts, rules)
    _add_rules(top, source, drafts, rules)
    return RulesFile(
        path,
        tuple(rules.values()),
        top.get(keys.FILES),
        top.get(keys.EXCLUDE),
        top.get(keys.MINIMUM_VERSION),
        tuple(source.warnings),
    )


def _read(data: bytes, source: Source, known: tuple[Key[object], ...]) -> Values | None:
    root = compose(data, source.path)
    if root is None or (isinstance(root, Scalar) and root.value is None):
        return None
    if not isinstance(root, MapNode):
        hint = "put the list under `rules:`" if isinstance(root, ListNode) else "begin with `rules:`"
        raise source.error(root, f"a rules file must be a mapping, not {describe(root)}", hint)
    _check_version(root, source)
    return read_mapping(root, "a rules file", known, source)


def _extended(top: Values) -> list[tuple[str, Node]]:
    node = top.nodes.get(keys.EXTENDS.name)
    return list(zip(top.get(keys.EXTENDS), node.items, strict=True)) if isinstance(node, ListNode) else []


def _check_version(root: MapNode, source: Source) -> None:
    """First of all, because a newer file may have keys that this version calls unknown."""
    key = keys.MINIMUM_VERSION
    node = next((value for name, value in root.pairs if name.text == key.name), None)
    if node is None:
        return
    from importlib.metadata import version

    wanted, installed = key.kind.read(node, f"`{key.name}`", source), version("litecode")
    if _numbers(wanted) > _numbers(installed):
        message = f"LiteCode {wanted} is needed, {installed} is installed"
        raise source.error(node, message, "upgrade it: pip install --upgrade litecode")


def _numbers(version: str) -> tuple[int, ...]:
    """The leading numbers of a version, without trailing zeros: 1.0 is 1."""
    release = re.match(r"[0-9]+(\.[0-9]+)*", version)
    numbers = [int(part) for part in release.group().split(".")] if release else []
    while numbers and not numbers[-1]:
        numbers.pop()
    return tuple(numbers)


def _add_rules(top: Values | None, source: Source, drafts: dict[str, Values], rules: dict[str, Rule]) -> None:
    """Add the rules of one file to those of its presets; `drafts` has what was written for each rule so far."""
    own: dict[str, Node] = {}
    inherited = tuple(drafts)
    for values in top.get(keys.RULES) if top else ():
        name, node = values.get(keys.ID), values.nodes[keys.ID.name]
        if name in own:
            hint = f"give one of them another id; the first is in line {own[name].line}"
            raise source.error(node, f"two rules have the id `{name}`", hint)
        own[name] = node
        merged = _override(drafts[name], values) if name in drafts else values
        _check(merged, values, source, inherited)
        given = tuple(key for key in values.given if key != keys.ID.name)
        base, written = (rules[name].source, given) if name in drafts else ("", ())
        drafts[name] = merged
        rules[name] = replace(_rule(merged, source), base=base, own=written, nodes=values.nodes)


def _override(base: Values, own: Values) -> Values:
    """The keys of `base` with those of `own` over them. A key of `own` also replaces the one that it excludes: an
    override may exchange `fix` for `instruction`.
    """
    given = dict(base.given)
    for pair in EXCLUSIVE:
        if pair.first in own.given or pair.second in own.given:
            given.pop(pair.first, None)
            given.pop(pair.second, None)
    return replace(own, given={**given, **own.given})


def _check(values: Values, own: Values, source: Source, inherited: tuple[str, ...]) -> None:
    """What no single key can tell. `own` has the nodes of this file, `values` also what a preset gives."""
    name = values.get(keys.ID)
    for key in keys.REQUIRED:
        if key.name not in values.given:
            near = nearest(name, inherited)
            hint = f"did you mean the preset rule `{near}`?" if near else f"add `{key.name}:`"
            raise source.error(own.node, f"rule `{name}` has no `{key.name}`", hint)
    for condition in CONDITIONS:
        broken = condition.broken(values)
        if broken:
            place = own.places.get(condition.blamed(own), own.node)
            raise source.error(place, f"rule `{name}` {broken}", condition.hint)
    regex, fix = values.get(keys.REGEX), values.get(keys.FIX)
    if regex is not None and fix is not None:
        _check_template(regex, fix, own, source)


def _check_template(regex: str, fix: str, own: Values, source: Source) -> None:
    try:
        re.compile(regex, re.MULTILINE).sub(fix, "")
    except (re.error, IndexError) as error:
        node = own.nodes.get(keys.FIX.name) or own.nodes.get(keys.REGEX.name) or own.node
        reason, offset = str(error), None
        if isinstance(error, re.error):
            reason, offset = f"{error.msg} at character {(error.pos or 0) + 1}", error.pos
        hint = r"write groups as \1 or \g<name>, a backslash as \\"
        raise RuleError(f"`fix` is not a valid template: {reason}", hint, source.where(node, offset)) from error


def _rule(values: Values, source: Source) -> Rule:
    return Rule(
        id=values.get(keys.ID),
        message=values.get(keys.MESSAGE),
        note=values.get(keys.NOTE),
        url=values.get(keys.URL),
        severity=values.get(keys.SEVERITY),
        language=values.get(keys.LANGUAGE),
        filter=_filter(values),
        pattern=values.get(keys.PATTERN),
        regex=values.get(keys.REGEX),
        fix=values.get(keys.FIX),
        instruction=values.get(keys.INSTRUCTION),
        ensure=values.get(keys.ENSURE),
        region=values.get(keys.REGION),
        confidence=values.get(keys.CONFIDENCE),
        reject=values.get(keys.REJECT),
        expect=values.get(keys.EXPECT),
        where=values.get(keys.WHERE),
        verify=values.get(keys.VERIFY),
        tests=values.get(keys.TESTS),
        metadata=values.get(keys.METADATA),
        line=values.node.line,
        source=source.path,
    )


def _filter(values: Values) -> Filter:
    types_or, exclude_types = values.get(keys.TYPES_OR), values.get(keys.EXCLUDE_TYPES)
    language = languages.find(values.get(keys.LANGUAGE))
    # An empty list is as good as none: a pattern of one language finds nothing but nonsense in the files of others.
    if language and not values.given.get(keys.TYPES.name) and not types_or:
        types_or, exclude_types = language.tags, (*exclude_types, *language.not_tags)
    return Filter(values.get(keys.FILES), values.get(keys.EXCLUDE), values.get(keys.TYPES), types_or, exclude_types)
