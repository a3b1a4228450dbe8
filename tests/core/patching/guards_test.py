from __future__ import annotations

import re

import pytest

from litecode.core.patching.guards import guard


@pytest.mark.parametrize(
    ("regex", "valid", "invalid", "expected"),
    [
        ("TODO", ["# TODO(anna): x", "TODO(#12)"], ["# TODO: x", "TODO"], r"TODO(?!\()"),
        ("print", ["pprint(x)"], ["print(x)", " print(x)"], r"(?<!\w)print"),
        ("(?i)print", ["pprint(x)"], ["Print(x)"], r"(?i)(?<!\w)print"),
        ("ab|cd", ["xab", "xcd"], ["ab", "-cd"], r"(?<!\w)(?:ab|cd)"),
        ("except:", ["except:  # fine"], ["except:", "except: pass"], r"except:(?!\ \ )"),
        (r"\d+px", ["a: 1px;"], ["b: 1px;"], r"(?![^\n]*\ba\b)\d+px"),
    ],
)
def test_the_smallest_guard(regex: str, valid: list[str], invalid: list[str], expected: str) -> None:
    found = guard(regex, valid, invalid)
    for one in found:
        assert not any(re.search(one.regex, text, re.MULTILINE) for text in valid)
        assert all(re.search(one.regex, text, re.MULTILINE) for text in invalid)
    if "px" not in regex:
        assert found[0].regex == expected
    assert found[0].guards


@pytest.mark.parametrize(
    ("regex", "valid", "invalid"),
    [
        ("TODO", ["x"], ["TODO"]),  # nothing to do
        ("TODO", ["TODO"], ["TODO"]),
        ("TODO", [], ["TODO"]),
        ("TODO", ["a TODO b"], ["a TODO b\n"]),
    ],
)
def test_nothing_is_found_where_nothing_separates(regex: str, valid: list[str], invalid: list[str]) -> None:
    assert guard(regex, valid, invalid) == []


def test_two_guards_where_one_is_not_enough() -> None:
    valid, invalid = ["xTODO", "TODO()"], ["TODO x", "a TODO-1"]
    found = guard("TODO", valid, invalid)
    assert {len(one.guards) for one in found} <= {1, 2}
    assert not any(re.search(found[0].regex, text) for text in valid)


def test_line_ends_are_guards_too() -> None:
    assert guard("a", ["a"], ["ab", "a b"])[0].regex in {"a(?!$)", "(?<!^)a"}
    assert guard("b", ["b c", "ab c"], ["b", "ab"])[0].regex
