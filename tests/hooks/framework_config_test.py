from __future__ import annotations

import pytest
import yaml

from litecode.core.errors import ConfigError
from litecode.hooks.framework_config import with_litecode

ENTRY = {
    "repo": "local",
    "hooks": [
        {
            "id": "litecode",
            "name": "litecode",
            "entry": "litecode-hook framework",
            "language": "system",
            "types": ["text"],
            "require_serial": True,
            "verbose": True,
        }
    ],
}

PLAIN = """\
# our hooks
repos:
-   repo: https://example.com/hooks  # pinned
    rev: v4.0.0
    hooks:
    -   id: one
    -   id: two
        args: [--fix,
               --quiet]
"""


@pytest.mark.parametrize(
    ("head", "tail"),
    [
        (PLAIN, ""),
        (PLAIN, "# the end\n"),
        (PLAIN, "\n# below\nci:\n  autofix_prs: false\n"),
        ("exclude: ^vendor/\nrepos:\n  - repo: local\n    hooks: [{id: x, entry: y, name: x}]\n", "\n"),
        ("repos:\n  - repo: local\n    hooks:\n      - id: x\n        entry: |\n          a\n", "ci: {}\n"),
        ("repos:\n- repo: meta\n  hooks:\n  - id: 'identity'\n", "default_stages: [pre-commit]\n"),
        ("repos:\n- repo: meta\n  hooks: []\n", ""),
    ],
)
def test_it_adds_one_item_and_nothing_else(head: str, tail: str) -> None:
    text = head + tail
    before = yaml.safe_load(text)
    after = with_litecode(text)
    assert yaml.safe_load(after)["repos"] == [*before["repos"], ENTRY]
    assert after.startswith(head)
    assert after.endswith(tail)
    with pytest.raises(ConfigError, match="already"):
        with_litecode(after)


@pytest.mark.parametrize(
    ("head", "tail"),
    [
        ("repos:", ""),
        ("# mine\nrepos:", ""),
        ("repos:", "ci: {}\n"),
        ("exclude: ^vendor/\nrepos:", "\n# the end\n"),
    ],
)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_empty_brackets_become_a_list(head: str, tail: str, end: str) -> None:
    head, tail = head.replace("\n", end), tail.replace("\n", end)
    text = f"{head} []{end}{tail}"
    after = with_litecode(text)
    assert yaml.safe_load(after) == yaml.safe_load(text) | {"repos": [ENTRY]}
    assert after.startswith(f"{head}{end}- repo: local{end}")
    assert after.endswith(tail)
    assert after.count("\n") == after.count(end)


def test_a_new_file() -> None:
    assert yaml.safe_load(with_litecode("")) == {"repos": [ENTRY]}


def test_a_missing_final_newline_is_added_where_a_line_follows() -> None:
    after = with_litecode("repos:\n- repo: meta\n  hooks:\n  - id: identity")
    assert yaml.safe_load(after)["repos"][1] == ENTRY


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("repos:\n", "no list of `repos`"),
        ("- repo: meta\n", "no list of `repos`"),
        ("repos: [{repo: meta, hooks: []}]\n", "in brackets"),
        ("repos: {\n", "no YAML"),
        ("repos:\n- repo: local\n  hooks: [{id: litecode}]\n", "already"),
    ],
)
def test_what_it_does_not_understand_is_left_to_a_person(text: str, said: str) -> None:
    with pytest.raises(ConfigError, match=said) as caught:
        with_litecode(text)
    assert caught.value.hint
