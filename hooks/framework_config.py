"""Adds LiteCode to a `.pre-commit-config.yaml` as a person would: one more item under `repos`, nothing else touched."""

from __future__ import annotations

import yaml

from litecode.core.errors import ConfigError

CONFIG_FILE = ".pre-commit-config.yaml"

_ENTRY = """\
- repo: local
  hooks:
  - id: litecode
    name: litecode
    entry: litecode-hook framework
    language: system
    types: [text]
    require_serial: true
"""


def with_litecode(text: str) -> str:
    """The configuration with the entry as the last of its repositories; comments, order and layout stay.

    Raises ConfigError when LiteCode is there already, or the file is not written in a way that a line can be added to.
    """
    hint = f"add this by hand:\n{_ENTRY}"
    try:
        root, before = yaml.compose(text, Loader=yaml.SafeLoader), yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise ConfigError("is no YAML", str(error), CONFIG_FILE) from error
    if (
        not isinstance(before, dict)
        or not isinstance(before.get("repos"), list)
        or not isinstance(root, yaml.MappingNode)
    ):
        raise ConfigError("has no list of `repos`", hint, CONFIG_FILE)
    if "litecode" in _ids(before["repos"]):
        raise ConfigError("has a hook with the id litecode already", "leave it as it is: nothing has to be added", CONFIG_FILE)
    repos = next(value for key, value in root.value if key.value == "repos")
    if repos.flow_style or not repos.value:
        raise ConfigError("has its `repos` in brackets", hint, CONFIG_FILE)
    end = "\r\n" if "\r\n" in text else "\n"
    lines = text.split("\n")
    at = _line_after(repos)
    if at == len(lines):  # no final newline
        lines += [""]
    indent = " " * repos.start_mark.column
    lines[at:at] = [indent + line + end[:-1] for line in _ENTRY.splitlines()]
    after = "\n".join(lines)
    if yaml.safe_load(after) != before | {"repos": [*before["repos"], *yaml.safe_load(_ENTRY)]}:
        raise ConfigError("is laid out in an unusual way", hint, CONFIG_FILE)
    return after


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
