"""The first `.litecode.yaml` of a repository: presets that fit its languages, and one rule to start from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from litecode.hooks.editor import SCHEMA_PATH

_HEAD = f"""\
# yaml-language-server: $schema=.git/{SCHEMA_PATH}
#
# Conventions that `git litecode` keeps on the staged files of a commit. By default a rule looks only at lines that the
# commit changes; `git litecode check --all-files` shows what it would say to everything.

minimum_litecode_version: '0.1'
"""

_PRESETS = """
# Rules that come with LiteCode; `git litecode explain` lists them. A rule below with the id of one of them overrides
# what it names, e.g. `severity: off`, and keeps the rest; a rule of your own needs an id that is not among them.
extends:
"""

_NO_RULES = "\nrules: []\n"

# Each is a whole rule; it is written as a comment, because only a person knows whether it is wanted.
_EXAMPLES: Mapping[str, str] = {
    "python": """\
- id: no-assert-in-src
  message: An assert is gone with python -O; raise an exception.
  language: python
  files: ^src/
  pattern: assert $TEST, $MESSAGE
  instruction: |
    Replace the assert statement by an if statement with the opposite condition that raises a ValueError with the same
    message.
""",
    "javascript": """\
- id: no-alert
  message: Say it on the page, not in a window.
  language: javascript
  pattern: alert($MESSAGE)
  fix: showMessage($MESSAGE)
""",
    "typescript": """\
- id: no-any-cast
  message: A cast to any hides type errors.
  severity: warning
  language: typescript
  pattern: $VALUE as any
  instruction: |
    Replace the cast to any by a cast to unknown.
""",
    "go": """\
- id: errors-as-values
  message: Compare errors with errors.Is.
  language: go
  pattern: $ERR == io.EOF
  fix: errors.Is($ERR, io.EOF)
  ensure:
  - import "errors"
""",
}
_ANY_EXAMPLE = """\
- id: no-double-blank-lines
  message: More than two blank lines.
  exclude_types: [markdown]
  regex: '\\n{4,}'
  fix: '\\n\\n\\n'
"""


def starter(languages: Iterable[str], presets: Mapping[str, frozenset[str]]) -> str:
    """The text of the file for a repository with these languages, the most frequent first. `presets` has the name of
    each preset (without `litecode:`) and the languages of its rules, an empty one for a rule about any; a preset is
    taken when the repository has them all.
    """
    known = tuple(languages)
    fitting = [name for name, needed in presets.items() if known and needed and needed - {""} <= set(known)]
    text = _HEAD
    if fitting:
        text += _PRESETS + "".join(f"- litecode:{name}\n" for name in fitting)
    example = next((_EXAMPLES[language] for language in known if language in _EXAMPLES), _ANY_EXAMPLE)
    commented = "".join(f"# {line}\n" for line in example.splitlines())
    return f"{text}{_NO_RULES}# Instead of the brackets:\n{commented}"
