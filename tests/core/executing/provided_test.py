"""What code knows better than a small model: functions of other files, members of the class, scripts under `set -u`."""

# ruff: noqa: E501 - tables of texts

from __future__ import annotations

from typing import Any

import pytest

from litecode.core.executing.nounset import with_defaults
from litecode.core.executing.provided import provided, unused, with_members, without_owner
from litecode.core.patching.document import Document
from litecode.core.values import Proof

UNITS = "def to_fahrenheit(celsius: float) -> float:\n    return celsius * 9 / 5 + 32\n\n\nclass Unit:\n    def label(self, size=1):\n        return 1\n"
SENSOR = "class Sensor:\n    def describe(self):\n        return f'{self.value} C'\n\n    def __init__(self):\n        self.value = 0\n"
WORDS = "let Sensor.describe use `to_fahrenheit` to print degrees Fahrenheit"


OTHERS = {"units.py": UNITS}


@pytest.mark.parametrize(
    ("words", "own", "heads"),
    [
        (WORDS, "", ["to_fahrenheit(celsius: float)"]),
        ("use `Unit` and `to_fahrenheit`", "", ["Unit", "to_fahrenheit(celsius: float)"]),
        ("use to_fahrenheit", "", []),
        ("use `to_kelvin`", "", []),
        (WORDS, "def to_fahrenheit(c):\n    return c\n", []),
        ("print `°F`", "", []),
        ("use `label`", "", ["label(size=1)"]),
        ("use `name`", "", []),
    ],
)
def test_what_another_file_provides(words: str, own: str, heads: list[str]) -> None:
    assert [p.head.strip() for p in provided(words, own, {"units.py": Document(UNITS)})] == heads


def test_the_model_is_told_of_it_and_an_answer_without_it_is_refused(talk: Any) -> None:
    plain = "def describe(self):\n    return f'{self.value} F'"
    right = "def describe(self):\n    return f'{to_fahrenheit(self.value)} F'"
    said = talk(SENSOR, WORDS, [plain, right], "sensor.py", OTHERS)
    assert (
        "`to_fahrenheit(celsius: float)` is in units.py and is imported already" in said.prompts[0].messages[-1].content
    )
    assert [t.refusal for t in said.end.tries][:2] == ["use `to_fahrenheit(celsius: float)` of units.py", ""]
    assert said.end.text is not None
    assert said.end.text.startswith("from units import to_fahrenheit\n")
    assert "{to_fahrenheit(self.value)} F" in said.end.text


def test_a_method_is_told_as_one(talk: Any) -> None:
    (found,) = provided("use `label`", "", {"units.py": Document(UNITS)})
    assert str(found) == "`label(size=1)` is a method of Unit now: use it."
    plain = "def describe(self):\n    return f'{self.value} F'"
    right = "def describe(self):\n    return self.value.label()"
    said = talk(SENSOR, "let Sensor.describe use `label`", [plain, right], "sensor.py", OTHERS)
    assert said.end.text == SENSOR.replace("f'{self.value} C'", "self.value.label()")


def test_a_function_that_is_taken_for_a_method_is_called_as_what_it_is(talk: Any) -> None:
    wrong = "def describe(self):\n    return f'{self.to_fahrenheit(self.value)} F'"
    said = talk(SENSOR, WORDS, [wrong], "sensor.py", OTHERS)
    assert said.end.text is not None
    assert "{to_fahrenheit(self.value)} F" in said.end.text


@pytest.mark.parametrize(
    ("code", "before", "names", "wanted"),
    [
        ("a = self.f(1)", "x = 1", ["f"], "a = f(1)"),
        ("a = this . f(1)", "x = 1", ["f"], "a = f(1)"),
        ("a = self.f(1)", "b = self.f(2)", ["f"], "a = self.f(1)"),
        ("a = self.fg(1)", "x = 1", ["f"], "a = self.fg(1)"),
        ("a = other.f(1)", "x = 1", ["f"], "a = other.f(1)"),
        ("a = myself.f(1)", "x = 1", ["f"], "a = myself.f(1)"),
        ("a = self.f(1)", "x = 1", [], "a = self.f(1)"),
    ],
)
def test_owners_go_only_where_they_own_nothing(code: str, before: str, names: list[str], wanted: str) -> None:
    assert without_owner(code, before, names) == wanted


CACHE = "class Cache:\n    def __init__(self):\n        self.hits = 0\n        self._values = {}\n\n    def get(self, key):\n        return key\n"


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("self._hits += 1", "self.hits += 1"),
        ("self.values[key]", "self._values[key]"),
        ("self.Hits += self._hits", "self.hits += self.hits"),
        ("self.hits += 1", "self.hits += 1"),
        ("self.misses += 1", "self.misses += 1"),
        ("other._hits += 1", "other._hits += 1"),
        ("self._hits = 1", "self._hits = 1"),
    ],
)
def test_members_that_are_nearly_right(line: str, wanted: str) -> None:
    new = f"def get(self, key):\n        {line}\n        return key\n"
    after = CACHE.replace("def get(self, key):\n        return key\n", new)
    assert with_members(new, CACHE, after) == new.replace(line, wanted)


def test_members_that_could_be_two_things_stay() -> None:
    text = CACHE.replace("self._values = {}", "self.__hits = 1")
    new = "def get(self, key):\n        return self._hits\n"
    assert with_members(new, text, text.replace("def get(self, key):\n        return key\n", new)) == new


@pytest.mark.parametrize(
    ("text", "names", "refused"),
    [
        ("x = 1\n", True, True),
        ("# to_fahrenheit\n", True, True),
        ("x = to_fahrenheit(1)\n", True, False),
        ("x\n", False, False),
    ],
)
def test_use_is_seen_in_code_alone(text: str, names: bool, refused: bool) -> None:
    given = provided(WORDS, "", {"units.py": Document(UNITS)}) if names else ()
    assert (unused(text, "python", given) is not None) == refused


STRICT = "#!/bin/sh\nset -eu\nname=$1\n"


@pytest.mark.parametrize(
    ("before", "code", "wanted"),
    [
        (STRICT, 'if [ -z "$1" ]; then', 'if [ -z "${1:-}" ]; then'),
        (STRICT, 'if [[ ! -n $DIR ]]; then', 'if [[ ! -n ${DIR:-} ]]; then'),
        (STRICT, '[ -n "${DIR}" ] || exit', '[ -n "${DIR:-}" ] || exit'),
        ("set -o nounset\n", '[ -z "$1" ] && exit', '[ -z "${1:-}" ] && exit'),
        ("#!/bin/bash -eu\n", '[ -z "$1" ] && exit', '[ -z "${1:-}" ] && exit'),
        (STRICT, '[ -z "${1:-}" ] && exit', '[ -z "${1:-}" ] && exit'),
        (STRICT, '[ "$#" -eq 0 ] && exit', '[ "$#" -eq 0 ] && exit'),
        (STRICT, '[ -f "$1" ] && exit', '[ -f "$1" ] && exit'),
        (STRICT + '[ -z "$1" ] && exit\n', '[ -z "$1" ] && exit', '[ -z "$1" ] && exit'),
        ("set -e\n", '[ -z "$1" ] && exit', '[ -z "$1" ] && exit'),
        ("# set -u\n", '[ -z "$1" ] && exit', '[ -z "$1" ] && exit'),
    ],
)  # fmt: skip
def test_emptiness_under_nounset(before: str, code: str, wanted: str) -> None:
    assert with_defaults(code, before) == wanted


SCRIPT = '#!/bin/sh\n# Pack.\nset -eu\n\nname=$1\n\npack() {\n    tar -cf "$1.tar" "$1"\n}\n\npack "$name"\n'
USAGE = "if [ $# -eq 0 ]; then\n    echo usage >&2\n    exit 2\nfi"


def test_the_same_lines_do_not_come_into_two_places(talk: Any) -> None:
    request = "pack.sh should print usage and exit with status 2 without an argument"
    body = '    tar -cf "$1.tar" "$1"\n}'
    inside = USAGE.replace("\n", "\n    ")
    replies = ['{"parts": ["name", "pack"]}', *[f"pack() {{\n    {inside}\n{body}"] * 2, f"{USAGE}\n\nname=$1"]
    said = talk(SCRIPT, request, replies, "pack.sh", OTHERS)
    assert (said.end.proof, said.end.text) == (Proof.REFUSED, None)
    assert said.end.reason == "the same lines came into pack and into name; name the one that should change"


def test_they_may_where_both_are_named(talk: Any) -> None:
    text = "def one(a):\n    return a\n\n\ndef two(a):\n    return a\n"
    guard = "    if a < 0:\n        raise ValueError\n"
    replies = [f"def two(a):\n{guard}    return a"] * 2 + [f"def one(a):\n{guard}    return a"]
    said = talk(text, "one() and two() must raise ValueError when a is negative", replies, "a.py", OTHERS)
    assert said.end.text == text.replace("    return", f"{guard}    return")
