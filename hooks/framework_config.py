"""Adds LiteCode to a `.pre-commit-config.yaml` as a person would: one more item under `repos`, nothing else touched."""

from __future__ import annotations

import yaml

from litecode.core.errors import ConfigError

CONFIG_FILE = ".pre-commit-config.yaml"

ENTRY = """\
- repo: local
  hooks:
  - id: litecode
    name: litecode
    entry: litecode-hook framework
    language: system
    types: [text]
    require_serial: true
    verbose: true
"""


class ByHand(ConfigError):
    """The file is fine, but a person has to put the entry in."""


def with_litecode(text: str) -> str:
    """The configuration with the entry as the last of its repositories; comments, order and layout stay.

    An empty text is a file that is yet to be made. Raises ConfigError when LiteCode is there already, ByHand when the
    file is not written in a way that a line can be added to.
    """
    if not text.strip():
        return f"repos:\n{ENTRY}"
    hint = "add the lines on standard output by hand, as one more item under `repos:`"
    try:
        root, before = yaml.compose(text, Loader=yaml.SafeLoader), yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise ConfigError("is no YAML", str(error), CONFIG_FILE) from error
    if (
        not isinstance(before, dict)
        or not isinstance(before.get("repos"), list)
        or not isinstance(root, yaml.MappingNode)
    ):
        raise ByHand("has no list of `repos`", hint, CONFIG_FILE)
    if "litecode" in _ids(before["repos"]):
        raise ConfigError(
            "has a hook with the id litecode already", "leave it as it is: nothing has to be added", CONFIG_FILE
        )
    repos = next(value for key, value in root.value if key.value == "repos")
    if repos.flow_style and repos.value:
        raise ByHand("has its `repos` in brackets", hint, CONFIG_FILE)
    end = "\r\n" if "\r\n" in text else "\n"
    after = _added(text, repos, end)
    if yaml.safe_load(after) != before | {"repos": [*before["repos"], *yaml.safe_load(ENTRY)]}:
        raise ByHand("is laid out in an unusual way", hint, CONFIG_FILE)
    return after


def _added(text: str, repos: yaml.SequenceNode, end: str) -> str:
    entry = [line + end for line in ENTRY.splitlines()]
    if not repos.value:  # `repos: []`
        rest = text[repos.end_mark.index :].lstrip(" ").removeprefix(end)
        return "".join((text[: repos.start_mark.index].rstrip(" "), end, *entry, rest))
    lines = text.split("\n")
    at = _line_after(repos)
    if at == len(lines):  # no final newline
        lines += [""]
    indent = " " * repos.start_mark.column
    lines[at:at] = [indent + line[:-1] for line in entry]
    return "\n".join(lines)


def _ids(repos: list[object]) -> set[object]:
    hooks = [hook for repo in repos if isinstance(repo, dict) for hook in repo.get("hooks") or ()]
    return {hook.get("id") for hook in hooks if isinstance(hook, dict)}


def _line_after(node: yaml.Node) -> int:
    """The number of the line, from 0, after the last one that belongs to a node. The end of a block collection is where
    the next thing begins, comments in between included, so it is its last child that tells.
    """
    while isinstance(node, yaml.CollectionNode) and not node.flow_style and node.value:
        node = node.value[-1][1] if isinstance(node, yaml.MappingNode) else node.value[-1]
    return int(node.end_mark.line) + (1 if node.end_mark.column else 0)
