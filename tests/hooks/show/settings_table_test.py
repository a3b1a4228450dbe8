"""docs/settings.md has every setting."""

from __future__ import annotations

from pathlib import Path

import pytest

from litecode.config.settings import SETTINGS
from litecode.hooks.show.settings_table import markdown

DOCS = Path(__file__).resolve().parents[3] / "docs"


def test_the_page_is_the_one_that_is_made_now() -> None:
    """Made again by `python -m litecode.hooks.show.settings_table > docs/settings.md`."""
    assert (DOCS / "settings.md").read_text() == markdown()


def test_each_setting_has_one_row() -> None:
    rows = [line for line in markdown().splitlines() if line.startswith("| `litecode.")]
    assert len(rows) == len(SETTINGS)


@pytest.mark.parametrize(
    "row",
    [
        "| `litecode.window` | a whole number from 1,024 to 1,048,576 | 8,192 | only stricter | ",
        "| `litecode.model` | a model name | not set | ignored | ",
        "| `litecode.keyring`, `litecode.HOST.keyring` | ",
        "| `litecode.trailer` | keep, drop | keep | counts | ",
        "| `litecode.apply` | hold, worktree, stage | stage | only stricter | ",
    ],
)
def test_what_a_row_says(row: str) -> None:
    assert sum(line.startswith(row) for line in markdown().splitlines()) == 1
