"""Attributes of `self` that are nothing, and those that the gate cannot know about."""

from __future__ import annotations

import pytest

from litecode.core.patching.document import Cut, Document
from litecode.core.patching.gates.base import Asked
from litecode.core.patching.gates.selves import selves
from litecode.core.patching.judge import rewrite_of
from litecode.core.patching.regions import Area
from litecode.core.patching.vocabulary import vocabulary

BODY = """\
class Sensor{bases}:
    unit = 'C'

    def __init__(self):
        self.value = 0
{more}
    def tell(self):
        return self.value
"""

CASES = [
    ("", "", "return self.value + 1", ""),
    ("", "", "return self.unit", ""),
    ("", "", "return self.tell.__doc__", ""),
    ("", "", "self.late = 1; return self.late", ""),
    ("", "", "return self.__class__", ""),
    ("(object)", "", "return self.value", ""),
    ("(Base)", "", "return self.nothing", ""),
    ("(lib.Base)", "", "return self.nothing", ""),
    ("(metaclass=M)", "", "return self.nothing", ""),
    ("", "\n    def __getattr__(self, name):\n        return 1\n", "return self.nothing", ""),
    ("", "\n    def fill(self, d):\n        self.__dict__.update(d)\n", "return self.nothing", ""),
    ("", "\n    def fill(self, other):\n        return other.far\n", "return self.far", ""),
    ("", "", "return self.to_fahrenheit(1)", "`self.to_fahrenheit` is nothing: Sensor has no to_fahrenheit"),
    ("(object)", "", "return self.nothing", "`self.nothing` is nothing: Sensor has no nothing"),
    (
        "",
        "\n    def sum(self):\n        total = 1\n        return total\n",
        "return self.total",
        "`self.total` is nothing: Sensor has no total",
    ),
    ("", "\n    if 1:\n        late = 1\n", "return self.late", ""),
    ("", "\n    from lib import load\n", "return self.load()", ""),
    ("", "\n    def odd(this):\n        return this.x\n", "return self.y", "`self.y` is nothing: Sensor has no y"),
]


@pytest.mark.parametrize(("bases", "more", "new", "refusal"), CASES)
def test_selves(bases: str, more: str, new: str, refusal: str) -> None:
    text = BODY.format(bases=bases, more=more)
    start = text.rindex("return self.value")
    area = Area(Cut(start, start + len("return self.value")), "statement", ())
    asked = Asked(vocabulary("tell more"), None, None, None, (), certain=False)
    found = selves(rewrite_of(Document(text), area, new, "python", asked))
    assert (found.text.split(",")[0] if found else "") == refusal


def test_other_languages_are_not_its_business() -> None:
    text = "class A { f() { return this.x } }"
    asked = Asked(vocabulary("tell"), None, None, None, (), certain=False)
    assert selves(rewrite_of(Document(text), Area(Cut(0, len(text)), "file", ()), text, "javascript", asked)) is None


@pytest.mark.parametrize(
    ("old", "new", "refused"),
    [
        ("x = 1\n", "x = 1\n\n\ndef label(self):\n    return 1\n", True),
        ("x = 1\n", "x = 1\n\n\nasync def label(self, x):\n    return 1\n", True),
        ("x = 1\n", "x = 1\n\n\ndef label(item):\n    return 1\n", False),
        ("x = 1\n", "x = 1\n\n\nclass A:\n    def label(self):\n        return 1\n", False),
        ("def f(self):\n    return 1\n", "def f(self):\n    return 2\n", False),
    ],
)
def test_methods_without_a_class(old: str, new: str, refused: bool) -> None:
    asked = Asked(vocabulary("add a method label()"), None, None, None, (), certain=False)
    found = selves(rewrite_of(Document(old), Area(Cut(0, len(old)), "file", ()), new, "python", asked))
    assert (found.text if found else "") == ("`label` takes `self`, but is in no class" if refused else "")
