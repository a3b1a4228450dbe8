"""Constraints that separate examples: the smallest comes first, each is proven, and there may be none."""

from __future__ import annotations

from typing import Any

import pytest

from litecode.core.patching.match import ast_matcher
from litecode.core.patching.refine import Narrowing, narrowed, refine

KEYWORD = {"not": {"has": {"kind": "keyword_argument", "has": {"field": "name", "regex": "^file$"}, "stopBy": "end"}}}


@pytest.mark.parametrize(
    ("rule", "language", "valid", "invalid", "keys", "constraints"),
    [
        (
            {"pattern": "print($$$A)"},
            "python",
            ["print(x, file=sys.stderr)", "print('usage', file=out)", "pprint(x)"],
            ["print(x)", "print(f'{a}', sep='')"],
            KEYWORD,
            {},
        ),
        (
            {"pattern": "open($$$A)"},
            "python",
            ["with open(p) as f:\n    pass\n", "with open(p) as f, open(q) as g:\n    pass\n"],
            ["f = open(p)", "g(open(p))"],
            {"not": {"inside": {"kind": "as_pattern"}}},
            {},
        ),
        (
            {"kind": "variable_declaration"},
            "javascript",
            ["for (var i = 0; i < 3; i++) {}"],
            ["var x = 1;", "if (a) { var b = 2; }"],
            {"not": {"inside": {"kind": "for_statement"}}},
            {},
        ),
        (
            {"pattern": "assert $A"},
            "python",
            ["def test_x():\n    assert x\n", "def test_y():\n    assert y\n"],
            ["def f():\n    assert x\n", "assert y"],
            {
                "not": {
                    "inside": {
                        "kind": "function_definition",
                        "has": {"field": "name", "regex": "^test_"},
                        "stopBy": "end",
                    }
                }
            },
            {},
        ),
        ({"pattern": "$A == $B"}, "python", ["a == 0", "a == b"], ["a == None"], {}, {"B": {"kind": "none"}}),
        (
            {"pattern": "$L.warn($$$A)"},
            "python",
            ["warnings.warn('x')", "console.warn('y')"],
            ["logger.warn('x')", "log.warn('y')"],
            {},
            {"L": {"not": {"regex": "^(console|warnings)$"}}},
        ),
        ({"pattern": "f($$$A)"}, "python", ["f(a)"], ["f()", "f(1)"], {"not": {"has": {"kind": "identifier"}}}, {}),
    ],
)
def test_the_smallest_constraint(
    rule: dict[str, Any],
    language: str,
    valid: list[str],
    invalid: list[str],
    keys: dict[str, Any],
    constraints: dict[str, Any],
) -> None:
    first, *others = refine(ast_matcher(rule, {}, language), valid, invalid)
    if constraints or "has" not in keys.get("not", {}):
        assert (first.keys, first.constraints) == (keys, constraints)
    for one in (first, *others):
        new = ast_matcher(*narrowed(rule, {}, one), language)
        assert [text for text in valid if new.find(text)] == []
        assert [text for text in invalid if not new.find(text)] == []
    assert [one.cost for one in (first, *others)] == sorted(one.cost for one in (first, *others))


def test_the_argument_that_makes_the_difference_is_named() -> None:
    matcher = ast_matcher({"pattern": "print($$$A)"}, {}, "python")
    valid = ["print(x, file=sys.stderr)", "print('usage', file=out)"]
    assert refine(matcher, valid, ["print(x)", "print(f'{a}', sep='')"])[0].keys == KEYWORD


@pytest.mark.parametrize(
    ("valid", "invalid"),
    [
        (["g(1)"], ["f(1)"]),  # nothing to do
        (["f(1)"], ["f(1)"]),
        (["x = f(1)\n"], ["x = f(1)"]),
        (["f('a b')"], ["f('c d')"]),  # words that no regex names
        ([], ["f(1)"]),
    ],
)
def test_nothing_is_found_where_nothing_separates(valid: list[str], invalid: list[str]) -> None:
    assert refine(ast_matcher({"pattern": "f($A)"}, {}, "python"), valid, invalid) == []


def test_two_exceptions_come_under_one_not() -> None:
    rule = {"pattern": "f($$$A)"}
    matcher = ast_matcher(rule, {}, "python")
    valid, invalid = ["with f(a): pass", "f(a, strict=b)"], ["x = f(a)", "f(a, x=b)", "g(f(a))"]
    first = refine(matcher, valid, invalid)[0]
    assert len(first.keys["not"]["any"]) == 2
    assert [bool(ast_matcher(*narrowed(rule, {}, first), "python").find(text)) for text in (*valid, *invalid)] == [
        *(False, False),
        *(True, True, True),
    ]


def test_existing_constraints_count() -> None:
    constraints = {"L": {"regex": "^(log|warnings)$"}}
    matcher = ast_matcher({"pattern": "$L.warn($$$A)", "not": {"pattern": "$L.warn()"}}, constraints, "python")
    found = refine(matcher, ["warnings.warn(x)", "log.warn()", "other.warn(x)"], ["log.warn(x)"])
    assert (found[0].keys, found[0].constraints) == ({}, {"L": {"regex": "^log$"}}) or found[0].constraints == {
        "L": {"not": {"regex": "^warnings$"}}
    }
    assert all(one.constraints or one.keys for one in found)


@pytest.mark.parametrize(
    ("rule", "constraints", "narrowing", "expected"),
    [
        ({"a": 1}, {}, Narrowing({"not": {"b": 2}}), ({"a": 1, "not": {"b": 2}}, {})),
        ({"not": 1}, {}, Narrowing({"not": 2}), ({"not": 1, "all": [{"not": 2}]}, {})),
        ({"not": 1, "all": [0]}, {}, Narrowing({"not": 2}), ({"not": 1, "all": [0, {"not": 2}]}, {})),
        ({}, {"A": 1}, Narrowing({}, {"A": 2, "B": 3}), ({}, {"A": {"all": [1, 2]}, "B": 3})),
    ],
)
def test_what_a_rule_says_already_stays(
    rule: dict[str, Any], constraints: dict[str, Any], narrowing: Narrowing, expected: tuple[Any, Any]
) -> None:
    before = repr((rule, constraints))
    assert narrowed(rule, constraints, narrowing) == expected
    assert repr((rule, constraints)) == before


def test_what_stays_the_same_in_the_fixed_text_is_not_meant() -> None:
    matcher = ast_matcher({"kind": "identifier"}, {}, "python")
    invalid = ["raise IOError(path)", "try:\n    f()\nexcept IOError:\n    pass\n"]
    fixed = {text: text.replace("IOError", "OSError") for text in invalid}
    valid = [*fixed.values(), "class IOError: pass"]
    first = refine(matcher, valid, invalid, fixed)[0]
    new = ast_matcher(*narrowed({"kind": "identifier"}, {}, first), "python")
    assert [[match.cut.of(text) for match in new.find(text)] for text in (*invalid, *valid)] == [
        *(["IOError"], ["IOError"]),
        *([], [], []),
    ]
    assert refine(matcher, valid, invalid) == []


def test_a_change_that_only_touches_a_match_counts_when_no_other_does() -> None:
    rule = {"kind": "identifier"}
    matcher = ast_matcher(rule, {}, "python")
    first = refine(matcher, ["a = b"], ["f(a)"], {"f(a)": "f(a,)"})[0]
    assert [m.cut.of("f(a)") for m in ast_matcher(*narrowed(rule, {}, first), "python").find("f(a)")] == ["a"]


def test_many_exceptions_where_no_few_are_enough() -> None:
    rule = {"pattern": "f($$$A)"}
    valid = ["f('s')", "f(a=1)", "f(1.5)", "f([])"]
    first = refine(ast_matcher(rule, {}, "python"), valid, ["f(x)", "f(1)", "f(g)"])[0]
    new = ast_matcher(*narrowed(rule, {}, first), "python")
    assert [text for text in valid if new.find(text)] == []
    assert new.find("f(x)")
