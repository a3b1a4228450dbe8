"""Changes one rule in the text of a rules file, and not a byte besides: comments, quotes and layout stay."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import yaml

from litecode.config.load import load_rules
from litecode.config.rules import AstPattern, Rule
from litecode.core.errors import ConfigError

WIDEST = 110  # columns of a value on one line
_INDENT = 2


def with_regex(text: str, rule: str, regex: str) -> str:
    """The text with another `regex` in one rule. Raises ConfigError, as `with_pattern` does."""
    entry = _entry(text, rule)
    node = _value(entry, "regex")
    quoted = "'" + regex.replace("'", "''") + "'"
    if node is None:
        new = _inserted(text, entry, "regex", quoted)
    else:
        start, end = node.start_mark.index, _end(text, node)
        new = text[:start] + quoted + text[end:]
    return _checked(text, new, rule, lambda one: replace(one, pattern=None, regex=regex))


def with_pattern(
    text: str, rule: str, keys: Mapping[str, Any], constraints: Mapping[str, Any], want: AstPattern
) -> str:
    """The text with `keys` added to the rule object of a rule's `pattern`, and `constraints` to those of its
    meta-variables; `want` is the pattern that this must give. A rule whose pattern stands in a preset gets all of it.

    Raises ConfigError where that cannot be done without touching anything else, as with an anchor that others use.
    """
    entry = _entry(text, rule)
    node = _value(entry, "pattern")
    if node is None:
        whole: dict[str, Any] = dict(want.rule)
        if want.constraints:
            whole = {"rule": whole, "constraints": dict(want.constraints)}
        new = _inserted(text, entry, "pattern", whole)
    elif isinstance(node, yaml.ScalarNode):
        new = _from_scalar(text, entry, node, keys, constraints)
    else:
        new = _from_mapping(text, rule, keys, constraints)
    return _checked(text, new, rule, lambda one: replace(one, pattern=want, regex=None))


def _from_scalar(
    text: str, entry: yaml.MappingNode, node: yaml.ScalarNode, keys: Mapping[str, Any], constraints: Mapping[str, Any]
) -> str:
    """`pattern: CODE` becomes a rule object with the code as it was written."""
    start, end = node.start_mark.index, _end(text, node)
    written = text[start:end]
    if entry.flow_style:
        inner = ", ".join([f"pattern: {written}", *(f"{key}: {_flow(value)}" for key, value in keys.items())])
        outer = f"rule: {{{inner}}}, constraints: {_flow(constraints)}" if constraints else inner
        return f"{text[:start]}{{{outer}}}{text[end:]}"
    column = entry.start_mark.column + _INDENT
    if constraints:
        column += _INDENT
    moved = re.sub(r"\n(?=.)", "\n" + " " * (column - entry.start_mark.column), written)
    after = _line_end(text, end)
    lines = [f"pattern: {moved}{text[end:after]}", *(_lines(key, value, column) for key, value in keys.items())]
    block = "".join(f"\n{' ' * column}{line}" for line in lines)
    if constraints:
        outer = " " * (column - _INDENT)
        block = f"\n{outer}rule:{block}\n{outer}constraints:"
        block += "".join(f"\n{' ' * column}{_lines(key, value, column)}" for key, value in constraints.items())
    return text[:start].rstrip(" ") + block + text[after:]


def _from_mapping(text: str, rule: str, keys: Mapping[str, Any], constraints: Mapping[str, Any]) -> str:
    """One insertion after the other, each into the text as the one before left it."""
    for key, value in keys.items():
        pattern = _mapping(_value(_entry(text, rule), "pattern"))
        inner = _value(pattern, "rule")
        text = _added(text, pattern if inner is None else _mapping(inner), key, value)
    for name, value in constraints.items():
        pattern = _mapping(_value(_entry(text, rule), "pattern"))
        if _value(pattern, "rule") is None:
            text = _wrapped(text, pattern)
            pattern = _mapping(_value(_entry(text, rule), "pattern"))
        held = _value(pattern, "constraints")
        text = (
            _inserted(text, pattern, "constraints", {name: value})
            if held is None
            else _constrained(text, _mapping(held), name, value)
        )
    return text


def _added(text: str, node: yaml.MappingNode, key: str, value: object) -> str:
    """A key that is there already keeps what it says, and the new one stands under `all`."""
    if _value(node, key) is None:
        return _inserted(text, node, key, value)
    several = _value(node, "all")
    if several is None:
        return _inserted(text, node, "all", [{key: value}])
    return _appended(text, several, {key: value})


def _constrained(text: str, node: yaml.MappingNode, name: str, value: Mapping[str, Any]) -> str:
    held = _value(node, name)
    if held is None:
        return _inserted(text, node, name, value)
    start, end = held.start_mark.index, _end(text, held)
    if not isinstance(held, yaml.MappingNode) or not held.flow_style:
        raise _impossible("the constraint that is there is not on one line")
    return f"{text[:start]}{{all: [{text[start:end]}, {_flow(value)}]}}{text[end:]}"


def _wrapped(text: str, node: yaml.MappingNode) -> str:
    """A rule object under `rule:`, where constraints can stand beside it."""
    start, end = node.start_mark.index, _end(text, node)
    written = text[start:end]
    if node.flow_style:
        return f"{text[:start]}{{rule: {written}}}{text[end:]}"
    margin = " " * node.start_mark.column
    moved = re.sub(r"\n(?=.)", "\n" + " " * _INDENT, written)
    return f"{text[:start]}rule:\n{margin}{' ' * _INDENT}{moved}{text[end:]}"


def _inserted(text: str, node: yaml.MappingNode, key: str, value: object) -> str:
    """A key at the end of a mapping, in its style."""
    if node.flow_style:
        at = node.end_mark.index - 1
        rest = text[:at].rstrip()
        comma = "" if rest.endswith(("{", ",")) else ","
        return (
            f"{rest}{comma}{' ' if comma else ''}{key}: {value if isinstance(value, str) else _flow(value)}{text[at:]}"
        )
    end = _line_end(text, _end(text, node))
    column = node.start_mark.column
    line = f"{key}: {value}" if isinstance(value, str) else _lines(key, value, column)
    return f"{text[:end]}\n{' ' * column}{line}{text[end:]}"


def _appended(text: str, node: yaml.Node, value: object) -> str:
    if not isinstance(node, yaml.SequenceNode):
        raise _impossible("`all` is no list")
    if node.flow_style:
        at = node.end_mark.index - 1
        return f"{text[:at]}, {_flow(value)}{text[at:]}"
    end = _line_end(text, _end(text, node))
    return f"{text[:end]}\n{' ' * node.start_mark.column}- {_flow(value)}{text[end:]}"


def _lines(key: str, value: object, column: int) -> str:
    """`key: value` on one line, or as a block when that would be too long."""
    line = f"{key}: {_flow(value)}"
    if column + len(line) <= WIDEST:
        return line
    block = yaml.safe_dump({key: value}, sort_keys=False, allow_unicode=True, width=10_000).rstrip("\n")
    return block.replace("\n", "\n" + " " * column)


def _flow(value: object) -> str:
    dumped = yaml.safe_dump(value, default_flow_style=True, sort_keys=False, allow_unicode=True, width=10_000)
    return dumped.removesuffix("\n").removesuffix("\n...")


def _entry(text: str, rule: str) -> yaml.MappingNode:
    root = yaml.compose(text, Loader=yaml.SafeLoader)
    rules = _value(root, "rules") if isinstance(root, yaml.MappingNode) else None
    for entry in rules.value if isinstance(rules, yaml.SequenceNode) else ():
        name = _value(entry, "id") if isinstance(entry, yaml.MappingNode) else None
        if isinstance(name, yaml.ScalarNode) and name.value == rule:
            return _mapping(entry)
    raise ConfigError(
        f"the rules file has no entry for the rule {rule}, which comes from a preset",
        f"add `- id: {rule}` with your `tests` to it; they take the place of those of the preset",
    )


def _value(node: yaml.MappingNode, key: str) -> yaml.Node | None:
    return next((value for name, value in node.value if name.value == key), None)


def _mapping(node: yaml.Node | None) -> yaml.MappingNode:
    if not isinstance(node, yaml.MappingNode):
        raise _impossible("the pattern is no mapping")
    return node


def _end(text: str, node: yaml.Node) -> int:
    """Where the text of a node ends; the marks of a block go on to whatever comes next."""
    if isinstance(node, yaml.CollectionNode) and not node.flow_style and node.value:
        last = node.value[-1]
        return _end(text, last[1] if isinstance(last, tuple) else last)
    end: int = node.end_mark.index
    if isinstance(node, yaml.ScalarNode) and node.style in ("|", ">"):
        return len(text[:end].rstrip())
    return end


def _line_end(text: str, at: int) -> int:
    found = text.find("\n", at)
    return len(text) if found < 0 else found


def _checked(old: str, new: str, rule: str, change: Any) -> str:
    """The new text, if it says what was wanted and everything else as before."""
    try:
        before, after = (load_rules(text.encode(), "").rules for text in (old, new))
    except ConfigError as error:
        raise _impossible(error.message) from error
    wanted = [change(one) if one.id == rule else one for one in before]
    if [_bare(one) for one in after] != [_bare(one) for one in wanted]:
        raise _impossible("another rule shares it, or it is written in a way that is not understood")
    return new


def _bare(rule: Rule) -> Rule:
    return replace(rule, line=0, source="")


def _impossible(why: str) -> ConfigError:
    return ConfigError(f"the pattern cannot be changed where it stands: {why}", "write it into the rule by hand")
