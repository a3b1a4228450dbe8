"""One rule on one file: what is found, fixed, rewritten, and what is left alone."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest

from litecode.core.errors import RuleError
from litecode.core.executing.rules import Applied, CompiledRule, FileState, apply_rule, preview, sites_of
from litecode.core.patching.document import Document
from litecode.core.values import Proof, Reply, Site, Span, Stop

Compile = Callable[..., CompiledRule]
Make = Callable[..., FileState]

PRINT = "language: python\npattern: print($$$A)\ninstruction: Replace print by logger.info.\n"
ENSURE = "ensure: [import logging, logger = logging.getLogger(__name__)]\n"
IS_NONE = "language: python\npattern: $A == None\nfix: $A is None\n"
HEAD = "import logging\n\nlogger = logging.getLogger(__name__)\n\n"


def no_calls(*_: object) -> Any:
    raise AssertionError("this rule needs no model")


def apply(rule: CompiledRule, file: FileState, run: Any = no_calls) -> Applied:
    return apply_rule(rule, file, run, lambda code: 100 + len(code))


class TestCompile:
    @pytest.mark.parametrize(
        ("keys", "grammar", "kind", "certain"),
        [
            (PRINT, "python", "statement", True),
            (PRINT + "region: function\n", "python", "function", True),
            (PRINT + "confidence: low\n", "python", "statement", False),
            ("regex: colour\ninstruction: Spell it color.\n", None, "line", True),
            ("regex: colour\nregion: file\ninstruction: Spell it color.\n", None, "file", True),
            ("instruction: Write docstrings.\nregion: function\n", "python", "function", False),
        ],
    )
    def test_what_is_not_said(self, compiled: Compile, keys: str, grammar: str, kind: str, certain: bool) -> None:
        rule = compiled(keys, grammar)
        assert (rule.kind, rule.asked.certain, rule.grammar) == (kind, certain, grammar)

    def test_examples_come_from_the_instruction_and_the_tests(self, compiled: Compile) -> None:
        tests = """\
tests:
  invalid:
  - code: "\\nprint(1)\\n"
    fixed: "logger.info(1)\\n"
  - print(2)
  - code: print(3)
    fixed: logger.info(3)
  - code: print(4)
    fixed: logger.info(4)
"""
        assert compiled(PRINT + tests).examples == (("print(1)", "logger.info(1)"), ("print(3)", "logger.info(3)"))
        pair = PRINT.replace("info.", "info: print(x) becomes logger.info(x).").replace(": R", ": >-\n  R", 1)
        assert compiled(pair + tests).examples == (("print(x)", "logger.info(x)"), ("print(1)", "logger.info(1)"))

    @pytest.mark.parametrize(
        ("code", "fixed", "shown"),
        [
            (
                "def f(a=[]): g(a)",
                "def f(a=None):\\n    if a is None:\\n        a = []\\n    g(a)",
                {"if", "is", "=", ":"},
            ),
            ("x = a and b", "x = f(a, b)", {"and", "(", ")", ","}),
            ("print(a)", "log(b)", set()),
            ("print(a)", "print(a)", set()),
        ],
    )
    def test_what_comes_and_goes_in_examples(self, compiled: Compile, code: str, fixed: str, shown: set[str]) -> None:
        tests = f'tests:\n  invalid:\n  - code: "{code}"\n    fixed: "{fixed}"\n  - print(1 + 2)\n'
        assert compiled(PRINT + tests).asked.shown == shown
        assert compiled(PRINT).asked.shown == frozenset()

    @pytest.mark.parametrize(
        "fixed",
        ["import logging\\n\\nlogger.info(1)", "logger.info(1)" + "\\nx" * 9],
        ids=["ensured lines", "too long"],
    )
    def test_what_is_no_example(self, compiled: Compile, fixed: str) -> None:
        tests = f'tests:\n  invalid:\n  - code: print(1)\n    fixed: "{fixed}"\n'
        assert compiled(PRINT + ENSURE + tests).examples == ()

    @pytest.mark.parametrize(
        ("keys", "grammar", "place", "message"),
        [
            ("language: python\npattern: print(\n", "python", "5:12", "`pattern` does not parse as python: print("),
            (IS_NONE.replace("$A is", "$B is"), "python", "6:8", "the fix uses $B, which the pattern does not have"),
            (PRINT + "reject: 'f('\n", "python", "7:11", "`reject` does not parse as python: f("),
            (PRINT + "expect: 'f('\n", "python", "7:11", "`expect` does not parse as python: f("),
            (
                PRINT + "expect: {kind: nothing}\n",
                "python",
                "7:11",
                "`expect` cannot be used: Kind `nothing` is invalid",
            ),
            (IS_NONE.replace("is None", "is"), "python", "6:8", "`fix` does not parse as python: $A is"),
            (
                IS_NONE + "ensure: [import a, import (]\n",
                "python",
                "7:22",
                "`ensure` does not parse as python: import (",
            ),
            (IS_NONE + "ensure:\n- log = 3 +\n", "python", "8:5", "`ensure` does not parse as python: log = 3 +"),
            (
                "language: python\npattern:\n  any:\n  - pattern: a\n  - pattern: b\n    not: {pattern: 'f('}\n",
                "python",
                "9:22",
                "`pattern` does not parse as python: f(",
            ),
            (PRINT, None, "5:12", "patterns are not available for python"),
        ],
    )
    def test_what_cannot_be_used_is_named_with_its_place(
        self, compiled: Compile, keys: str, grammar: str | None, place: str, message: str
    ) -> None:
        with pytest.raises(RuleError) as caught:
            compiled(keys, grammar)
        assert str(caught.value) == f".litecode.yaml:{place}: rule the-rule: {message}"
        assert caught.value.hint

    @pytest.mark.parametrize(
        "keys",
        [
            "regex: a\nfix: '(('\n",
            "language: python\nregex: a\nfix: '(('\n",
            "regex: a\nfix: b\nensure: ['not python (']\n",  # no language: it may be for any kind of file
            IS_NONE + "ensure: [log = f(), import a]\n",
            "language: python\npattern: f($$$A)\nfix: ''\n",
        ],
    )
    def test_texts_that_are_no_code_and_code_that_parses(self, compiled: Compile, keys: str) -> None:
        assert compiled(keys).rule.id == "the-rule"


class TestFix:
    @pytest.mark.parametrize(
        ("before", "after"),
        [
            ("if a == None:\n    pass\n", "if a is None:\n    pass\n"),
            ("x = f(a) == None or b == None\n", "x = f(a) is None or b is None\n"),
            ("x = (a ==\n     None)  # why\n", "x = (a is\n     None)  # why\n"),
            ("x = (a == None) == None\n", "x = (a is None) is None\n"),
        ],
    )
    def test_all_matches_are_filled_in(self, compiled: Compile, state: Make, before: str, after: str) -> None:
        applied = apply(compiled(IS_NONE), state(before))
        assert applied.state.document.text == after
        assert (applied.proof, applied.reason, applied.changed) == (Proof.PROVEN, "", True)
        assert applied.before.text == before

    @pytest.mark.parametrize(
        "text",
        [
            "if a is None:\n    pass\n",
            "x = 'a == None'  # a == None\n",
            "x = a == None  # litecode-ignore: the-rule\n",
            "",
        ],
    )
    def test_where_nothing_matches_the_same_state_comes_back(self, compiled: Compile, state: Make, text: str) -> None:
        file = state(text)
        applied = apply(compiled(IS_NONE), file)
        assert applied.state is file
        assert (applied.sites, applied.proof, applied.changed) == ((), Proof.PROVEN, False)

    def test_a_regex_with_groups(self, compiled: Compile, state: Make) -> None:
        rule = compiled("regex: 'colou?r=(\\w+)'\nfix: 'color: \\1'\n", None)
        applied = apply(rule, state("a colour=red, color=blue\nb\n"))
        assert applied.state.document.text == "a color: red, color: blue\nb\n"

    def test_a_fix_that_changes_nothing_conforms(self, compiled: Compile, state: Make) -> None:
        file = state("a colour\n")
        applied = apply(compiled("regex: colour\nfix: colour\n", None), file)
        assert applied.state is file
        assert (len(applied.sites), applied.proof, applied.changed) == (1, Proof.PROVEN, False)

    @pytest.mark.parametrize(
        ("keys", "text", "part"),
        [
            ("language: python\npattern: print($A)\nfix: print $A\n", "print(1)\n", "does not parse"),
            ("language: python\npattern: f($A)\nfix: g($A)\n", "f(1)\n", "undefined name 'g'"),
            ("language: python\npattern: f()\nfix: f(1)\n", "def f(a=0): ...\nf(  # why\n)\n", "`# why` would be lost"),
        ],
    )
    def test_what_would_do_damage_is_refused_whole(
        self, compiled: Compile, state: Make, keys: str, text: str, part: str
    ) -> None:
        file = state(text + text)
        applied = apply(compiled(keys), file)
        assert applied.state is file
        assert (applied.proof, applied.changed, len(applied.sites)) == (Proof.REFUSED, False, 2)
        assert part in applied.reason

    def test_a_match_that_the_fix_cannot_be_filled_from_is_refused(self, compiled: Compile, state: Make) -> None:
        keys = "language: python\npattern: {any: [{pattern: print($A)}, {pattern: print()}]}\nfix: repr($A)\n"
        file = state("print(1)\nprint()\n")
        applied = apply(compiled(keys), file)
        assert applied.state is file
        assert (applied.proof, len(applied.sites)) == (Proof.REFUSED, 2)
        assert applied.reason == "$A of the fix holds nothing here"

    def test_a_rule_about_comments_may_take_one_away(self, compiled: Compile, state: Make) -> None:
        applied = apply(compiled("regex: '[ ]*# type: ignore'\nfix: ''\n"), state("x = 1  # type: ignore\n"))
        assert applied.state.document.text == "x = 1\n"

    def test_sites_are_in_bytes_of_the_blob(self, compiled: Compile, state: Make) -> None:
        data = "\ufeffé = 1\r\nx = (é ==\r\n  None)\r\n".encode()
        applied = apply(compiled(IS_NONE), state(data))
        (site,) = applied.sites
        assert site == Site(Span(16, 29), 2, 6, "é ==\n  None")
        assert data[16:29] == "é ==\r\n  None".encode()
        assert applied.ends == (3,)
        document = applied.state.document
        assert document.encode(document.text) == "\ufeffé = 1\r\nx = (é is\r\n  None)\r\n".encode()


class TestEnsure:
    @pytest.mark.parametrize(
        ("before", "after"),
        [
            ("print(1)\n", HEAD + "logger.info(1)\n"),
            ("import logging\n\nprint(1)\n", HEAD + "logger.info(1)\n"),
            (HEAD + "print(1)\n", HEAD + "logger.info(1)\n"),
            ('"""Doc."""\n\nprint(1)\nprint(1)\n', '"""Doc."""\n\n' + HEAD + "logger.info(1)\nlogger.info(1)\n"),
        ],
    )
    def test_a_changed_file_gets_the_lines_once(
        self, compiled: Compile, state: Make, table: Any, before: str, after: str
    ) -> None:
        applied = apply(compiled(PRINT + ENSURE), state(before), table({"print(1)": "logger.info(1)"}))
        assert (applied.proof, applied.reason) == (Proof.PROVEN, "")
        assert applied.state.document.text == after

    @pytest.mark.parametrize(
        ("text", "answers"),
        [("x = 1\n", {}), ("print(1)\n", {"print(1)": "logger.info()"}), ("print(1)\n", {"print(1)": ""})],
    )
    def test_any_other_file_gets_none(
        self, compiled: Compile, state: Make, table: Any, text: str, answers: dict[str, str]
    ) -> None:
        assert apply(compiled(PRINT + ENSURE), state(text), table(answers)).state.document.text == text

    def test_a_fix_brings_them_too(self, compiled: Compile, state: Make) -> None:
        keys = "language: python\npattern: print($A)\nfix: logger.info($A)\n" + ENSURE
        assert apply(compiled(keys), state("print(1)\n")).state.document.text == HEAD + "logger.info(1)\n"


class TestReport:
    def test_it_finds_and_changes_nothing(self, compiled: Compile, state: Make) -> None:
        file = state("x = 1\nbreakpoint()\nif x:\n    breakpoint()\n")
        applied = apply(compiled("language: python\npattern: breakpoint()\n"), file)
        assert applied.state is file
        assert [(s.line, s.column) for s in applied.sites] == [(2, 1), (4, 5)]
        assert (applied.proof, applied.results) == (Proof.PROVEN, ())


class TestWhere:
    TEXT = "a == None\nb == None\nc == None\n"

    @pytest.mark.parametrize(
        ("keys", "changed", "want"),
        [
            (IS_NONE, (2,), "a == None\nb is None\nc == None\n"),
            (IS_NONE, (1, 3), "a is None\nb == None\nc is None\n"),
            (IS_NONE, (), "a is None\nb is None\nc is None\n"),
            (IS_NONE, (9,), TEXT),
            (IS_NONE + "where: file\n", (2,), "a is None\nb is None\nc is None\n"),
            (IS_NONE + "where: changed\n", (2,), "a == None\nb is None\nc == None\n"),
        ],
    )
    def test_changed_lines_or_the_whole_file(
        self, compiled: Compile, state: Make, keys: str, changed: tuple[int, ...], want: str
    ) -> None:
        assert apply(compiled(keys), state(self.TEXT, *changed)).state.document.text == want

    def test_the_lines_move_with_what_a_rule_does(self, compiled: Compile, state: Make, table: Any) -> None:
        file = state("x = 1\nprint(x == None)\ny == None\n", 2)
        after = apply(compiled(PRINT + ENSURE), file, table({"print(x == None)": "logger.info(x == None)"})).state
        assert after.document.text == HEAD + "x = 1\nlogger.info(x == None)\ny == None\n"
        assert after.changed == {6}
        last = apply(compiled(IS_NONE), after).state
        assert last.document.text == HEAD + "x = 1\nlogger.info(x is None)\ny == None\n"


class TestRewrite:
    TWO = "def f(x):\n    print(x)\n    y = x\n    print(y)\n"

    def test_each_region_is_asked_for_by_itself(self, compiled: Compile, state: Make, table: Any) -> None:
        run = table({"print(x)": "logger.info(x)", "print(y)": "logger.info(y)"})
        applied = apply(compiled(PRINT + ENSURE), state(self.TWO), run)
        assert run.asked == ["print(x)", "print(y)"]
        assert applied.state.document.text == HEAD + self.TWO.replace("print", "logger.info")
        assert [len(result.tries) for result in applied.results] == [1, 1]

    def test_sites_that_share_a_region_go_together(self, compiled: Compile, state: Make, table: Any) -> None:
        text = "x = f(a == None, b == None)\n"
        keys = "language: python\npattern: $A == None\ninstruction: Write `is None`.\n"
        run = table({text.strip(): "x = f(a is None, b is None)"})
        applied = apply(compiled(keys), state(text), run)
        assert len(run.asked) == 1
        assert len(run.jobs[0].area.sites) == len(applied.sites) == 2
        assert applied.state.document.text == "x = f(a is None, b is None)\n"

    def test_one_region_that_is_refused_refuses_all(self, compiled: Compile, state: Make, table: Any) -> None:
        text = "print(1)\n\n\nprint(2)\n"
        file = state(text)
        applied = apply(compiled(PRINT + ENSURE), file, table({"print(1)": "logger.info(1)"}))
        assert applied.state is file
        assert (applied.proof, applied.changed) == (Proof.REFUSED, False)
        assert applied.reason == "the code must change: `print(2)`"
        assert [result.proof for result in applied.results] == [Proof.PROVEN, Proof.REFUSED]

    def test_one_that_is_doubtful_makes_all_doubtful(self, compiled: Compile, state: Make, table: Any) -> None:
        run = table(
            {
                "print('a', 1)": "logger.info('a %s', 1)",
                "print('b', 2)": ["logger.warn('b %s', 2)", "logger.debug('b %s', 2)"],
            }
        )
        keys = PRINT.replace("logger.info", "a call of the logger") + ENSURE
        applied = apply(compiled(keys), state("print('a', 1)\nprint('b', 2)\n"), run)
        assert applied.proof is Proof.DOUBTFUL
        assert "two answers: warn, debug" in applied.reason
        assert applied.state.document.text == HEAD + "logger.info('a %s', 1)\nlogger.warn('b %s', 2)\n"

    def test_what_the_regions_do_to_each_other_is_looked_at(self, compiled: Compile, state: Make, table: Any) -> None:
        text = "def f():\n    a = 1\n    b = 1\n    return a\n\n\ndef g():\n    return f()\n"
        keys = "language: python\npattern: 'def f($$$A): $$$B'\nregion: function\ninstruction: Call it h.\n"
        changed = "def h():\n    a = 1\n    b = 1\n    return a"
        applied = apply(compiled(keys), state(text), table({text.split("\n\n\n")[0]: changed}))
        assert applied.proof is Proof.REFUSED

    @pytest.mark.parametrize(
        ("keys", "answers"),
        [
            ("confidence: low\n", {}),
            ("confidence: low\n", {"print(1)": "logger.info(1, 2, 3, 4)"}),
        ],
    )
    def test_candidates_that_stay_conform(
        self, compiled: Compile, state: Make, table: Any, keys: str, answers: dict[str, str]
    ) -> None:
        file = state("print(1)\n")
        applied = apply(compiled(PRINT + ENSURE + keys), file, table(answers))
        assert applied.state is file
        assert (applied.proof, applied.changed, len(applied.sites)) == (Proof.PROVEN, False, 1)
        assert bool(applied.reason) == bool(answers)

    def test_candidates_with_another_one_that_changed_are_refused(
        self, compiled: Compile, state: Make, table: Any
    ) -> None:
        run = table({"print(1)": "logger.info(1)", "print(2)": ""})
        applied = apply(compiled(PRINT + ENSURE + "confidence: low\n"), state("print(1)\nx = 1\nprint(2)\n"), run)
        assert (applied.proof, applied.changed) == (Proof.REFUSED, False)

    @pytest.mark.parametrize("text", ["a colour", "a colour\n", "\n\na colour\nb\n\n\n", "  a colour\n    b\n"])
    def test_a_file_keeps_the_white_space_around_it(
        self, compiled: Compile, state: Make, table: Any, text: str
    ) -> None:
        rule = compiled("regex: colour\nregion: file\ninstruction: Spell it color.\n", None)
        asked = text.strip().replace("\n    ", "\n  ")
        applied = apply(rule, state(text), table({asked: asked.replace("colour", "color")}))
        assert (applied.proof, applied.reason) == (Proof.PROVEN, "")
        assert applied.state.document.text == text.replace("colour", "color")


class TestWider:
    BODY = "def f(x):\n    y = x\n    print(x)\n    z = y\n    print(y)\n    return z"
    TEXT = BODY + "\n\n\nprint(1)\n"
    GOOD = BODY.replace("print", "logger.info")

    def test_a_refused_region_gets_another_chance_in_a_larger_one(
        self, compiled: Compile, state: Make, table: Any
    ) -> None:
        run = table({"print(x)": "", self.BODY: self.GOOD, "print(1)": "logger.info(1)"})
        applied = apply(compiled(PRINT + ENSURE), state(self.TEXT), run)
        assert applied.proof is Proof.PROVEN
        assert applied.state.document.text == HEAD + self.TEXT.replace("print", "logger.info")
        # the second site is in the larger region, so it is not asked for by itself
        assert run.asked == ["print(x)"] * 3 + [self.BODY, "print(1)"]
        assert [job.area.kind for job in run.jobs] == ["statement", "function", "statement"]
        assert len(run.jobs[1].area.sites) == 2
        assert [len(result.tries) for result in applied.results] == [4, 1]

    def test_it_takes_the_place_of_results_within_it(self, compiled: Compile, state: Make, table: Any) -> None:
        run = table({"print(x)": "logger.info(x)", "print(y)": "", self.BODY: self.GOOD, "print(1)": "logger.info(1)"})
        applied = apply(compiled(PRINT + ENSURE), state(self.TEXT), run)
        assert applied.state.document.text == HEAD + self.TEXT.replace("print", "logger.info")
        assert [result.area.kind for result in applied.results] == ["function", "statement"]

    def test_when_that_is_refused_too_the_first_reason_counts(self, compiled: Compile, state: Make, table: Any) -> None:
        run = table({"print(x)": "", "print(y)": "logger.info(y)", "print(1)": "logger.info(1)"})
        file = state(self.TEXT)
        applied = apply(compiled(PRINT + ENSURE), file, run)
        assert applied.state is file
        assert (applied.proof, applied.reason) == (Proof.REFUSED, "the code is empty")
        assert run.asked == ["print(x)"] * 3 + [self.BODY] * 3 + ["print(y)", "print(1)"]

    def test_a_function_that_is_too_long_is_no_second_chance(self, compiled: Compile, state: Make, table: Any) -> None:
        text = "def f(x):\n    print(x)\n" + "    x += 1\n" * 60
        run = table({"print(x)": ""})
        assert apply(compiled(PRINT + ENSURE), state(text), run).proof is Proof.REFUSED
        assert run.asked == ["print(x)"] * 3

    def test_nor_is_anything_around_a_whole_file(self, compiled: Compile, state: Make, table: Any) -> None:
        run = table({})
        assert apply(compiled(PRINT + "region: file\n"), state("print(1)\n"), run).proof is Proof.REFUSED
        assert len(run.jobs) == 1

    def test_what_is_too_large_is_not_made_larger(self, compiled: Compile, state: Make) -> None:
        from litecode.core.errors import ModelTooLarge

        jobs = []

        def run(job: Any, steps: Any) -> Any:
            jobs.append(job)
            steps = steps(job)
            next(steps)
            try:
                steps.throw(ModelTooLarge("9 of 8 tokens"))
            except StopIteration as end:
                return end.value

        applied = apply(compiled(PRINT + "confidence: low\n"), state(self.BODY + "\n"), run)
        assert (applied.proof, applied.reason) == (Proof.REFUSED, "9 of 8 tokens")
        assert [job.area.kind for job in jobs] == ["statement", "statement"]


class TestWithoutPattern:
    KEYS = "language: python\ninstruction: Write docstrings.\nregion: function\n"
    TEXT = "def f():\n    return 1\n\n\nclass A:\n    def g(self):\n        return 2\n"

    @pytest.mark.parametrize(
        ("text", "changed", "want"),
        [
            (TEXT, (), ["def f():\n    return 1", "def g(self):\n    return 2"]),
            (TEXT, (2,), ["def f():\n    return 1"]),
            (TEXT, (7,), ["def g(self):\n    return 2"]),
            (TEXT, (5,), []),
            ("\n\nx = 1\n\n", (), ["x = 1"]),
            ("# litecode-ignore: the-rule\n" + TEXT, (), ["def g(self):\n    return 2"]),
            ("x = 1  # litecode-ignore: the-rule\n", (), []),
            ("", (), []),
            ("\n\n", (), []),
        ],
    )
    def test_every_function_that_the_commit_touches_or_the_file(
        self, compiled: Compile, state: Make, table: Any, text: str, changed: tuple[int, ...], want: list[str]
    ) -> None:
        run = table({})
        applied = apply(compiled(self.KEYS), state(text, *changed), run)
        assert run.asked == want
        assert (applied.proof, applied.changed, len(applied.sites)) == (Proof.PROVEN, False, len(want))

    def test_where_file_means_all_of_them(self, compiled: Compile, state: Make) -> None:
        assert len(sites_of(compiled(self.KEYS + "where: file\n"), state(self.TEXT, 2))) == 2

    def test_a_text_without_a_grammar_is_one_region(self, compiled: Compile, state: Make) -> None:
        rule = compiled("instruction: Say it politely.\nregion: function\n", None)
        (area,) = sites_of(rule, state("Do it.\n\nAt once.\n", 3))
        assert (area.cut.of("Do it.\n\nAt once.\n"), sites_of(rule, state("Do it.\n", 9))) == (
            "Do it.\n\nAt once.\n",
            [],
        )

    def test_a_change_is_doubtful(self, compiled: Compile, state: Make, table: Any) -> None:
        documented = 'def f():\n    """Give 1."""\n    return 1'
        run = table({"def f():\n    return 1": documented})
        applied = apply(compiled(self.KEYS), state(self.TEXT, 2), run)
        assert applied.proof is Proof.DOUBTFUL
        assert applied.state.document.text == self.TEXT.replace("def f():\n    return 1", documented)

    def test_a_refused_one_is_left_as_it_is(self, compiled: Compile, state: Make, table: Any) -> None:
        file = state(self.TEXT, 2)
        applied = apply(compiled(self.KEYS), file, table({"def f():\n    return 1": "def f("}))
        assert applied.state is file
        assert applied.proof is Proof.PROVEN
        assert applied.reason.startswith("left as it is: ")


class TestPreview:
    def test_the_first_prompt_of_each_region(self, compiled: Compile, state: Make, table: Any) -> None:
        rule, file = compiled(PRINT + ENSURE), state("print(1)\nx = 1\nprint(2)\n")
        run = table({"print(1)": "logger.info(1)", "print(2)": "logger.info(2)"})
        apply(rule, file, run)
        assert preview(rule, file, lambda code: 100 + len(code)) == run.prompts
        assert len(run.prompts) == 2

    @pytest.mark.parametrize(
        ("keys", "text"),
        [(IS_NONE, "a == None\n"), ("language: python\npattern: print($$$A)\n", "print(1)\n"), (PRINT, "x = 1\n")],
    )
    def test_what_needs_no_model_has_none(self, compiled: Compile, state: Make, keys: str, text: str) -> None:
        assert preview(compiled(keys), state(text), len) == []


class TestAnyReply:
    """Whatever a model says: no exception, and not a byte outside of the region changes."""

    TEXT = (
        'import os\n\n\ndef g(x):  # before\n    print(x)\n\n\ndef f(x, y):\n    """Doc ``` x."""\n    # why\n'
        "    z = [a for a in x]\n    print('a', x,\n          y)  # c\n    print(f'{x!r:>10} ünï')\n"
        "    return z\n\n\n# after\n"
    )
    PIECES = (
        *(
            "```",
            "\n",
            "\r",
            "\t",
            " ",
            "'",
            '"',
            "(",
            ")",
            "#",
            "\\",
            "\0",
            "é",
            "\u2028",
            "\ud83d",
            "<think>",
            "...",
            ";",
        ),
        *("import os\n", "    ", ",", "{", "}", "$A", ":", "0", "<|im_end|>", "return", "x", "print(x)", "# why\n"),
    )

    def mutated(self, rng: random.Random, text: str) -> str:
        for _ in range(rng.choice((0, 1, 1, 2, 3, 8))):
            start, end = sorted((rng.randrange(len(text) + 1), rng.randrange(len(text) + 1)))
            piece = rng.choice((rng.choice(self.PIECES), "", text[start:end]))
            end = min(end, start + rng.choice((0, 0, 1, 10)))
            text = text[:start] + piece + text[end:]
        return text

    @pytest.mark.parametrize("seed", range(6))
    @pytest.mark.parametrize("eol", ["\n", "\r\n"])
    def test_it(self, compiled: Compile, state: Make, seed: int, eol: str) -> None:
        rng = random.Random(seed)
        data = self.TEXT.replace("\n", eol).encode()
        keys = PRINT.replace("logger.info", "os.write")
        rule = compiled(keys + ("region: function\n" if seed % 2 else ""))
        proofs = set()

        def run(job: Any, steps: Any) -> Any:
            running = steps(job)
            good = job.area.cut.of(job.document.text).replace("print", "os.write")
            try:
                next(running)
                while True:
                    text = self.mutated(rng, f"```\n{self.mutated(rng, good)}\n```")
                    running.send(Reply(text, Stop.END, 1, 1, 0.1))
            except StopIteration as end:
                return end.value

        for _ in range(12):
            applied = apply(rule, state(data, *range(9, 16)), run)
            document = applied.state.document
            after = document.encode(document.text)
            assert after.startswith(data[: data.index(b"def f")])
            assert after.endswith(data[data.index(b"# after") :])
            assert Document.decode(after).eol == eol
            assert applied.changed == (after != data)
            assert not (applied.changed and applied.proof is Proof.REFUSED)
            proofs.add(applied.proof)
        assert {Proof.PROVEN, Proof.REFUSED} <= proofs
