"""Calls for a region: known results, the budget, what is kept, and what is never sent."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable
from typing import Any

import pytest

from litecode.config.load import load_rules
from litecode.core.budget.fit import slack_of
from litecode.core.calls import Caller, TaskCalls
from litecode.core.errors import ModelBusy, ModelCancelled, ModelMissing, ModelTimeout, ModelTooLarge
from litecode.core.events import Event, EventKind
from litecode.core.executing.rules import Applied, FileState, apply_rule, compile_rule, preview
from litecode.core.patching.document import Document
from litecode.core.values import Message, Prompt, Proof, Reply, Stop

RULE = """\
language: python
pattern: print($$$A)
instruction: Replace print by logger.info.
ensure: [import logging, logger = logging.getLogger(__name__)]
"""
TEXT = "x = 1\nprint(x)\n"
GOOD = "logger.info(x)"


class Bench:
    """Applies one rule to one text, each time with a new caller."""

    def __init__(self, scene: Any) -> None:
        self.scene = scene
        self.model = scene.model
        self.model.answers = {"print(x)": GOOD}
        scene.base()
        self.world = scene.world()
        self.record = TaskCalls("none")

    def rule(self, keys: str, grammar: str | None = "python") -> Any:
        lines = "".join(f"  {line}\n" for line in keys.splitlines())
        text = f"rules:\n- id: no-print\n  message: No.\n{lines}"
        return compile_rule(load_rules(text.encode(), ".litecode.yaml").rules[0], grammar)

    def __call__(
        self, text: str = TEXT, keys: str = RULE, *lines: int, read_only: bool = False, **more: Any
    ) -> Applied:
        fresh, deadline = more.pop("fresh", False), more.pop("deadline", None)
        start = self.world.clock()
        caller = Caller(self.world, start=start, deadline=deadline, read_only=read_only, fresh=fresh)
        self.record = TaskCalls("a.py no-print")
        rule = self.rule(keys, more.pop("grammar", "python"))
        state = FileState("a.py", Document.decode(text.encode()), frozenset(lines) if lines else None)

        def run(job: Any, steps: Any) -> Any:
            return caller.drive(job, steps, rule.rule.digest, self.record)

        try:
            return apply_rule(rule, state, run, caller.reserve)
        finally:
            self.caller = caller
            caller.close()

    def poison(self, value: str) -> None:
        with sqlite3.connect(self.world.cache.path) as connection:
            assert connection.execute("UPDATE replies SET value = ?", (value.encode(),)).rowcount == 1
        connection.close()

    def stored(self) -> list[str]:
        with sqlite3.connect(self.world.cache.path) as connection:
            rows = connection.execute("SELECT value FROM replies").fetchall()
        connection.close()
        return [row[0].decode() for row in rows]


@pytest.fixture
def bench(scene: Any) -> Any:
    made = Bench(scene)
    yield made
    made.world.cache.close()


class TestCalls:
    def test_a_call_is_made_recorded_and_told(self, bench: Bench) -> None:
        applied = bench()
        assert (applied.proof, applied.results[0].new) == (Proof.PROVEN, GOOD)
        (call,) = bench.record.calls
        assert bench.caller.calls == (call,)
        assert (call.purpose, call.prompt, call.window) == ("a.py no-print", bench.model.prompts[0], 8192)
        assert call.reply is not None
        assert (bench.record.known, bench.record.output_tokens) == (0, call.reply.output_tokens)
        assert bench.record.seconds == call.ended - call.started
        assert bench.scene.events == [Event(EventKind.CALL, text="a.py no-print", tokens=20, seconds=0.5)]

    def test_the_model_is_opened_once_and_closed(self, bench: Bench) -> None:
        bench("print(x)\nprint(y)\n")
        assert (bench.scene.opened, bench.model.closed) == (1, 1)
        assert bench.caller.model_name == "scripted"

    def test_a_model_that_is_not_there_is_looked_for_once(self, bench: Bench) -> None:
        tried = []

        def missing() -> Any:
            tried.append(1)
            raise ModelMissing("no model is there", "pull one")

        object.__setattr__(bench.world, "model", missing)
        caller = Caller(bench.world, start=0.0, deadline=None, read_only=False)
        errors = []
        for _ in range(3):
            with pytest.raises(ModelMissing) as caught:
                caller.door()
            errors.append(caught.value)
        assert (len(tried), len(set(map(id, errors)))) == (1, 1)
        assert caller.model_name == ""
        caller.close()

    def test_a_call_that_failed_is_recorded_too(self, bench: Bench) -> None:
        bench.model.answers = {"print(x)": [ModelBusy("busy", wait=0.0), GOOD]}
        assert bench().proof is Proof.PROVEN
        failed, good = bench.caller.calls
        assert (failed.reply, failed.error) == (None, "ModelBusy: busy")
        assert bench.record.calls == [good]

    def test_an_error_of_the_model_passes_through_and_nothing_is_kept(self, bench: Bench) -> None:
        bench.model.answers = {"print(x)": [ModelMissing("gone"), GOOD]}
        with pytest.raises(ModelMissing):
            bench()
        assert not bench.world.cache.path.exists()

    def test_the_deadline_counts_from_the_start_of_the_run(self, bench: Bench) -> None:
        with pytest.raises(ModelTimeout, match=r"the time for this run is up \(0 s\)"):
            bench(deadline=0.0)
        assert bench.model.prompts == []
        now = bench.world.clock()
        caller = Caller(bench.world, start=now - 100, deadline=99.0, read_only=False)
        left = caller.door().halt.left()
        assert left is not None
        assert left < 0

    def test_an_interrupted_run_makes_no_call(self, bench: Bench) -> None:
        bench.world.cancel.set()
        with pytest.raises(ModelCancelled):
            bench()
        assert bench.model.prompts == []


class TestKnown:
    def test_the_second_time_no_call_is_made(self, bench: Bench) -> None:
        first = bench()
        again = bench()
        assert len(bench.model.prompts) == 1
        assert (bench.record.known, bench.record.calls, bench.caller.calls) == (1, [], ())
        assert again.state == first.state
        assert (again.proof, again.results[0].tries) == (Proof.PROVEN, ())

    @pytest.mark.parametrize(
        ("text", "keys", "answer", "proof"),
        [
            (TEXT, RULE, "logger.info()", Proof.REFUSED),
            (
                TEXT,
                RULE.replace("logger.info.", "a call of the logger."),
                ["logger.warn(x)", "logger.debug(x)"],
                Proof.DOUBTFUL,
            ),
            (TEXT, RULE + "confidence: low\n", "print(x)", Proof.PROVEN),
        ],
    )
    def test_whatever_came_of_it(self, bench: Bench, text: str, keys: str, answer: Any, proof: Proof) -> None:
        bench.model.answers = {"print(x)": answer}
        first = bench(text, keys)
        made = len(bench.model.prompts)
        second = bench(text, keys)
        assert (len(bench.model.prompts), first.proof, second.proof) == (made, proof, proof)
        assert (second.reason, second.state) == (first.reason, first.state)

    @pytest.mark.parametrize(
        ("text", "keys"),
        [
            ("x = 2\nprint(x)\n", RULE),  # a retry looks at the whole file
            (TEXT + "\n", RULE),
            (TEXT, RULE.replace("Replace", "Exchange")),
            (TEXT, RULE + "region: function\n"),
            (TEXT, RULE + "confidence: low\n"),
            (TEXT, RULE + "expect: logger.info($A)\n"),
        ],
    )
    def test_another_text_or_rule_is_asked_for_anew(self, bench: Bench, text: str, keys: str) -> None:
        bench()
        bench(text, keys)
        assert bench.record.known == 0
        assert bench.record.calls

    def test_a_better_message_keeps_what_is_known(self, bench: Bench) -> None:
        bench()
        bench(TEXT, RULE + "note: Because.\nseverity: warning\n")
        assert bench.record.known == 1

    @pytest.mark.parametrize("name", ["litecode.core.known.VERSION", "litecode.core.known.GATES_VERSION"])
    def test_so_is_another_version_of_prompts_or_gates(
        self, bench: Bench, name: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        bench()
        monkeypatch.setattr(name, "other")
        bench()
        assert bench.record.known == 0

    def test_so_is_another_model(self, bench: Bench) -> None:
        bench()
        bench.model.digest = "2" * 64
        bench()
        assert bench.record.known == 0

    def test_so_is_the_same_region_with_other_sites(self, bench: Bench) -> None:
        text = "f(\n    print(x),\n    print(y),\n)\n"
        bench.model.always = "f(\n    logger.info(x),\n    print(y),\n)"
        bench(text, RULE, 2)
        made = len(bench.model.prompts)
        bench(text, RULE, 2)
        assert len(bench.model.prompts) == made
        bench(text, RULE)
        assert len(bench.model.prompts) > made

    def test_the_same_code_elsewhere_in_the_file_has_the_same_answer(self, bench: Bench) -> None:
        applied = bench("print(x)\n\n\nprint(x)\n")
        assert applied.proof is Proof.PROVEN
        assert (len(bench.model.prompts), bench.record.known) == (1, 1)

    def test_but_a_refusal_counts_only_in_its_place(self, bench: Bench) -> None:
        bench.model.answers = {"print(x)": ["logger.info()", "logger.info()", "logger.info()", GOOD]}
        first, second = bench("print(x)\n\n\nprint(x)\n").results
        assert (first.proof, second.proof) == (Proof.REFUSED, Proof.PROVEN)

    def test_what_does_not_fit_is_not_kept(self, bench: Bench) -> None:
        bench.model.window = 150
        assert bench().proof is Proof.REFUSED
        bench.model.window = 8192
        assert bench().proof is Proof.PROVEN

    def test_a_look_that_may_change_nothing_keeps_nothing(self, bench: Bench) -> None:
        assert bench(read_only=True).proof is Proof.PROVEN
        assert not bench.world.cache.path.exists()
        bench()
        content = bench.world.cache.path.read_bytes()
        assert bench(read_only=True).proof is Proof.PROVEN
        assert (bench.record.known, bench.world.cache.path.read_bytes()) == (1, content)

    @pytest.mark.parametrize(
        "value",
        [
            '[6, "", "proven", ""]',
            '[6, "print(x)", "proven", ""]',
            '[6, "logger.info(x); exec(x)", "proven", ""]',
            '[6, "logger.info(x)\\r", "proven", ""]',
            '[6, "logger.info(x)  # \\ud83d", "proven", ""]',
            '[6, null, "proven", ""]',  # a violation that is said to conform
            '[6, null, "doubtful", ""]',
            '[6, "logger.info(x)", "asked", ""]',
            '[6, "logger.info(x)", "refused", ""]',
            '[0, null, "refused", "elsewhere"]',
            '[6, "logger.info(x)", "certain", ""]',
            '[6, "logger.info(x)", [], ""]',
            '[6, 7, "proven", ""]',
            '[6, ["logger.info(x)"], "proven", ""]',
            '[6, "logger.info(x)", "proven", 7]',
            '[6, "logger.info(x)", "proven"]',
            "{}",
            "null",
            "7",
            "logger.info(x)",
            "",
        ],
    )
    def test_a_poisoned_entry_is_worth_nothing(self, bench: Bench, value: str) -> None:
        bench()
        good = bench.stored()
        bench.poison(value)
        applied = bench()
        assert applied.results[0].new == GOOD
        assert (bench.record.known, len(bench.record.calls)) == (0, 1)
        assert bench.stored() == good

    def test_a_doubt_is_not_made_a_proof(self, bench: Bench) -> None:
        keys = RULE + "confidence: low\n"
        assert bench(TEXT, keys).proof is Proof.DOUBTFUL
        bench.poison('[6, "logger.info(x)", "proven", ""]')
        assert bench(TEXT, keys).proof is Proof.DOUBTFUL
        assert bench.record.known == 0
        assert bench(TEXT, keys).proof is Proof.DOUBTFUL
        assert bench.record.known == 1

    def test_a_damaged_file_costs_a_call(self, bench: Bench) -> None:
        bench()
        bench.world.cache.close()
        bench.world.cache.path.write_bytes(b"no database" * 1000)
        assert bench(read_only=True).proof is Proof.PROVEN
        assert bench.record.known == 0
        assert bench.world.cache.path.read_bytes().startswith(b"no database")
        assert bench().proof is Proof.PROVEN
        assert bench.record.known == 0


class TestInVain:
    """What was refused is not asked again while its code stays, wherever it has moved to."""

    WRONG = "logger.info()"

    @pytest.mark.parametrize(
        ("text", "more"),
        [
            (TEXT, {}),  # the result itself is known
            ("y = 3\n\n\n" + TEXT, {}),
            (TEXT + "\n\ndef f():\n    return 1\n", {}),
            (TEXT.replace("x = 1", "x = 2"), {}),
            (TEXT + "y = 3\n", {"read_only": True}),
        ],
    )
    def test_the_same_place_in_another_file(self, bench: Bench, text: str, more: dict[str, Any]) -> None:
        bench.model.answers = {"print(x)": self.WRONG}
        first = bench()
        made = len(bench.model.prompts)
        content = bench.world.cache.path.read_bytes()
        again = bench(text, **more)
        assert (len(bench.model.prompts), again.proof, again.reason) == (made, Proof.REFUSED, first.reason)
        assert (bench.record.known, bench.record.calls, bench.scene.opened) == (1, [], 2)
        assert all(call.cached and call.reply is not None for call in bench.caller.calls)
        assert not more or bench.world.cache.path.read_bytes() == content

    @pytest.mark.parametrize(
        ("text", "keys"),
        [
            ("x = 1\nprint(x)\nprint(x)\n", RULE),  # the second one is another place
            ("x = 1\nif x:\n    print(x, 2)\n", RULE),
            (TEXT + "y = 3\n", RULE.replace("Replace", "Exchange")),
            (TEXT + "y = 3\n", RULE.replace("print by", "the print by")),
        ],
    )
    def test_another_place_or_rule_is_asked_about(self, bench: Bench, text: str, keys: str) -> None:
        bench.model.answers = {"print(x)": self.WRONG}
        bench()
        made = len(bench.model.prompts)
        bench(text, keys)
        assert len(bench.model.prompts) > made

    @pytest.mark.parametrize("name", ["litecode.core.known.VERSION", "litecode.core.known.GATES_VERSION", ""])
    def test_other_gates_prompts_or_models_ask_again(
        self, bench: Bench, name: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        bench.model.answers = {"print(x)": self.WRONG}
        bench()
        if name:
            monkeypatch.setattr(name, "other")
        else:
            bench.model.digest = "2" * 64
        bench.model.answers = {"print(x)": GOOD}
        assert bench(TEXT + "y = 3\n").proof is Proof.PROVEN

    @pytest.mark.parametrize("text", [TEXT, TEXT + "y = 3\n"])
    def test_who_wants_to_know_anew_asks(self, bench: Bench, text: str) -> None:
        bench.model.answers = {"print(x)": self.WRONG}
        bench()
        bench.model.answers = {"print(x)": GOOD}
        assert bench(text).proof is Proof.REFUSED
        assert bench(text, fresh=True).proof is Proof.PROVEN
        assert bench(text).proof is Proof.PROVEN  # the new answer is what is known from now on
        assert bench.record.known == 1

    def test_what_has_become_right_is_taken(self, bench: Bench) -> None:
        """The gates look again: a name that the answer uses is defined now."""
        keys = RULE.replace("logger.info.", "note().")
        bench.model.answers = {"print(x)": "note(x)"}
        assert bench("x = 1\nprint(x)\n", keys).proof is Proof.REFUSED
        made = len(bench.model.prompts)
        applied = bench("from notes import note\n\nx = 1\nprint(x)\n", keys)
        assert applied.proof is Proof.PROVEN
        assert len(bench.model.prompts) == made

    def test_an_answer_that_was_cut_off_is_not_kept(self, bench: Bench, reply: Callable[..., Reply]) -> None:
        bench.model.answers = {"print(x)": reply(self.WRONG, Stop.LENGTH)}
        bench()
        made = len(bench.model.prompts)
        bench(TEXT + "y = 3\n")
        assert len(bench.model.prompts) > made


class TestBudget:
    """Nothing goes around the door."""

    DIGITS = "data = [\n" + "    1234567890, 9876543210, 5555555555,\n" * 2000 + "]\nprint(x)\n"
    LONG = "def f(x):\n    print(x)\n" + "".join(f"    x = compute(x, {n}, 'value {n}')\n" for n in range(600))

    @pytest.mark.parametrize("text", [DIGITS, LONG], ids=["digits", "long function"])
    def test_a_statement_in_them_is_handled(self, bench: Bench, text: str) -> None:
        assert bench(text).proof is Proof.PROVEN
        assert bench.model.asked == ["print(x)"]
        (call,) = bench.caller.calls
        assert call.estimate < 200

    @pytest.mark.parametrize(
        ("text", "region"), [(DIGITS, "file"), (LONG, "function"), (LONG, "file")], ids=["digits", "function", "file"]
    )
    def test_all_of_them_is_refused_with_the_numbers(self, bench: Bench, text: str, region: str) -> None:
        applied = bench(text, RULE + f"region: {region}\n")
        assert (applied.proof, applied.changed) == (Proof.REFUSED, False)
        assert applied.reason.startswith("the request does not fit the model's window: about ")
        assert applied.reason.endswith(" of 8,192 tokens")
        assert bench.model.prompts == []
        assert bench.caller.calls == ()

    def test_examples_are_dropped_before_code(self, bench: Bench) -> None:
        long = "print(" + ", ".join(f"'{n}'" for n in range(200)) + ")"
        keys = RULE + f'tests:\n  invalid:\n  - {{code: "{long}", fixed: "{long.replace("print", "logger.info")}"}}\n'
        bench.model.window = 1024
        assert bench(TEXT, keys).proof is Proof.PROVEN
        assert [len(prompt.messages) for prompt in bench.model.prompts] == [2]
        bench.model.window = 8192
        bench("y = 1\nprint(x)\n", keys)
        assert [len(prompt.messages) for prompt in bench.model.prompts] == [2, 4]

    @pytest.mark.parametrize("lines", [1, 40, 100, 150, 200, 250, 300, 400])
    def test_no_request_is_larger_than_the_window(self, bench: Bench, lines: int) -> None:
        body = "".join(f"    x = compute(x, {n}, 'value {n}')\n" for n in range(lines))
        bench("def f(x):\n    print(x)\n" + body, RULE + "region: function\n")
        for call in bench.caller.calls:
            assert call.estimate + call.prompt.reserve + slack_of(8192) <= call.window == 8192

    def test_the_reserve_grows_with_the_region(self, bench: Bench) -> None:
        caller = Caller(bench.world, start=0.0, deadline=None, read_only=True)
        assert caller.reserve("") == 128
        assert 128 < caller.reserve("print(x)") < caller.reserve("print(x)\n" * 50) < 2000
        estimator = caller.door().estimator
        for lines, most in ((500, 2000), (1000, None), (5000, None)):
            text = "print(x)\n" * lines
            assert caller.reserve(text) == (most or estimator.text(text) + 128)
            assert caller.reserve(text) >= estimator.text(text)

    def test_a_server_that_says_it_is_too_large_is_believed(self, bench: Bench, reply: Callable[..., Reply]) -> None:
        bench.model.always = ModelTooLarge("the server says no", needed=9000, window=8192)
        applied = bench()
        assert (applied.proof, applied.reason) == (Proof.REFUSED, "the server says no")
        bench.model.always = reply(GOOD)
        assert bench().proof is Proof.PROVEN


class TestEstimate:
    def test_a_call_that_is_not_made(self, bench: Bench) -> None:
        caller = Caller(bench.world, start=0.0, deadline=None, read_only=True)
        state = FileState("a.py", Document(TEXT), None)
        (prompt,) = preview(bench.rule(RULE), state, caller.reserve)
        call = caller.estimate(prompt, "a.py no-print")
        assert (call.purpose, call.prompt, call.reply, call.window) == ("a.py no-print", prompt, None, 8192)
        assert 0 < call.estimate < 500
        assert bench.model.prompts == []

    def test_without_a_model_the_settings_say_how_large_the_window_is(self, bench: Bench) -> None:
        def missing() -> Any:
            raise ModelMissing("no model is there")

        object.__setattr__(bench.world, "model", missing)
        caller = Caller(bench.world, start=0.0, deadline=None, read_only=True)
        prompt = Prompt((Message("user", "x " * 20_000),), caller.reserve("x"))
        call = caller.estimate(prompt, "p")
        assert call.window == 8192
        assert call.estimate > 20_000
        assert prompt.reserve == 130


def test_results_are_shared_between_threads(bench: Bench) -> None:
    caller = Caller(bench.world, start=bench.world.clock(), deadline=None, read_only=False)
    rule = bench.rule(RULE)
    bench.model.answers = {f"print(x{n})": f"logger.info(x{n})" for n in range(8)}
    found: dict[int, Applied] = {}

    def work(n: int) -> None:
        state = FileState(f"{n}.py", Document(f"x{n} = 1\nprint(x{n})\n"), None)
        record = TaskCalls(str(n))
        found[n] = apply_rule(
            rule, state, lambda job, steps: caller.drive(job, steps, rule.rule.digest, record), caller.reserve
        )

    threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {n: applied.results[0].new for n, applied in found.items()} == {n: f"logger.info(x{n})" for n in range(8)}
    assert (bench.scene.opened, len(caller.calls)) == (1, 8)
    assert {call.slot for call in caller.calls} <= {0, 1}
    assert [call.started for call in caller.calls] == sorted(call.started for call in caller.calls)


def test_a_reply_that_was_cut_off_is_no_code(bench: Bench, reply: Callable[..., Reply]) -> None:
    bench.model.always = reply(GOOD, Stop.LENGTH)
    applied = bench()
    assert (applied.proof, applied.reason) == (Proof.REFUSED, "the reply was cut off")
