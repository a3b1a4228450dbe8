"""Takes the constraints from the pattern of each preset rule that has some, and lets `refine` search for them again.

`found` counts rules for which it finds a constraint. `held out` counts examples that it did not see while it searched
(each example in turn) and that the rule with the constraint treats as they should be, beside the rule without one.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

from litecode.config import presets
from litecode.config.load import load_rules
from litecode.config.rules import AstPattern, Rule, RuleTests
from litecode.core.errors import RuleError
from litecode.core.executing.rules import FileState, compile_rule, sites_of
from litecode.core.patching.document import Document
from litecode.core.refining import noise_of, ways
from litecode.core.rule_tests import grammar_of


@dataclass(slots=True)
class Count:
    right: int = 0
    bare: int = 0
    all: int = 0

    def __str__(self) -> str:
        return f"{self.right}/{self.all} (without constraint {self.bare}/{self.all})"


def stripped(rule: Rule) -> Rule | None:
    """The rule with a plain pattern or kind; None when it has nothing else, or when nothing is left of it."""
    if rule.pattern is None:
        return None
    kept = {key: value for key, value in rule.pattern.rule.items() if key in {"pattern", "kind"}}
    if not kept or (kept == dict(rule.pattern.rule) and not rule.pattern.constraints):
        return None
    return replace(rule, pattern=AstPattern(kept), fix=None, instruction=None, reject=None, expect=None, ensure=())


def finds(rule: Rule, code: str) -> bool:
    return bool(sites_of(compile_rule(rule, grammar_of(rule)), FileState("x", Document(code), None)))


def best(rule: Rule) -> Rule:
    found = ways(rule)
    return found[0].rule if found else rule


def main() -> None:
    valid, invalid = Count(), Count()
    found = noisy = 0
    start = time.perf_counter()
    for name in presets.names():
        for whole in load_rules(presets.read(name), name).rules:
            rule = stripped(whole)
            try:
                if rule is None or not noise_of(rule).noisy or noise_of(rule).missing:
                    continue
            except RuleError:
                continue
            noisy += 1
            got = ways(rule)
            found += bool(got)
            print(f"{name}/{rule.id}: {dict(got[0].keys) or dict(got[0].constraints) if got else 'none'}")
            for example in rule.tests.valid:
                rest = RuleTests(tuple(one for one in rule.tests.valid if one != example), rule.tests.invalid)
                if finds(rule, example):
                    valid.all += 1
                    valid.right += not finds(best(replace(rule, tests=rest)), example)
            for test in rule.tests.invalid:
                rest = RuleTests(rule.tests.valid, tuple(one for one in rule.tests.invalid if one != test))
                invalid.all += 1
                invalid.bare += 1
                invalid.right += finds(best(replace(rule, tests=rest)), test.code)
    print(f"rules: found {found}/{noisy}; {time.perf_counter() - start:.1f} s")
    print(f"held out, valid: {valid}\nheld out, invalid: {invalid}")


if __name__ == "__main__":
    main()
