"""Every setting: docs/settings.md.

python -m litecode.hooks.show.settings_table > docs/settings.md
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

from litecode.config.settings import SECTION, SETTINGS, Setting, Settings

HEAD = """\
# Settings

<!-- Made by `python -m litecode.hooks.show.settings_table > docs/settings.md`; edit config/settings.py. -->

What a person decides stands in git's configuration: `git config --global litecode.model qwen2.5-coder-1.5b`, and for
one command `git -c litecode.deadline=300 litecode run`. A setting that can be given several times adds up
(`git config --global --add`), and an empty value forgets those before it. What the configuration inside a repository
may not say is ignored with a warning ([Safety](safety.md#trust)). `LITECODE_ENDPOINT` and `LITECODE_MODEL` go before
`litecode.endpoint` and `litecode.model`.
"""
COLUMNS = ("setting", "value", "without it", "in the repository's own configuration", "what it does")


def markdown() -> str:
    rows = [f"| {' | '.join(row)} |" for row in (COLUMNS, ("---",) * len(COLUMNS), *map(_row, SETTINGS))]
    return "\n".join((HEAD, *rows, ""))


def _row(setting: Setting) -> Iterator[str]:
    name = f"`{SECTION}{setting.key}`"
    yield f"{name}, `{SECTION}HOST.{setting.key}`" if setting.by_host else name
    yield setting.allowed.words
    yield _default(setting)
    yield "ignored" if setting.restricts is None else "only stricter" if setting.field != "trailer" else "counts"
    yield setting.doc


def _default(setting: Setting) -> str:
    value = getattr(Settings(), setting.field)
    return "not set" if value in ("", (), None) else f"{value:,}" if isinstance(value, int) else str(value)


if __name__ == "__main__":
    sys.stdout.write(markdown())
