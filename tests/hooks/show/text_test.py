from __future__ import annotations

import io
import re
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from litecode.core.errors import ConfigError, LitecodeError, ModelNotRunning
from litecode.core.values import Apply, Change, Finding, Patch, Run, Severity, SkippedFile, State, Verdict
from litecode.core.world import Options
from litecode.hooks.show.terminal import Terminal
from litecode.hooks.show.text import (
    check_summary,
    cost,
    detail,
    error_lines,
    finding_line,
    folded,
    header,
    hints,
    show_check,
    show_error,
    show_run,
    summary,
    verdict_lines,
)

Runs = Callable[..., Run]
Screens = Callable[..., Any]
Findings = Callable[..., Finding]

RUN = Options()
HOOK = Options(hook=True)
HOSTILE = "a\x1b[2J\u202eb\udcff\n\u200bc\x07"
SHOWN = "a\\x1b[2J\\u202eb\\xff\\n\\u200bc\\x07"


def verdict(state: State, severity: Severity = Severity.ERROR, **more: Any) -> Verdict:
    return Verdict("a.py", "r", state, severity=severity, **more)


def patch(path: str, state: State, *rules: str) -> Patch:
    return Patch(path, f"--- a/{path}\n+++ b/{path}\n@@ -1 +1 @@\n-a\n+b\n", state, rules, Change(path, "", None, b""))


def test_a_commit_as_it_should_look(shop_run: Run, screen: Screens) -> None:
    terminal = screen()
    show_run(shop_run, HOOK, terminal)
    diff = "".join(
        f"--- a/shop/{name}.py\n+++ b/shop/{name}.py\n@@ -12,3 +12,3 @@ def total(items):\n"
        '     price = 1\n-    print("total", price)\n+    logger.info("total %s", price)\n     return price\n'
        for name in ("cart", "mail", "stock", "auth")
    ).replace("--- a/shop/auth", "held, not staged: two answers: OSError, (OSError, ValueError)\n--- a/shop/auth")
    assert (
        terminal.stdout
        == (
            "  shop/auth.py:52   narrow-except  held      two answers: OSError, (OSError, ValueError)\n"
            "  shop/cart.py:14   no-print       staged    2 sites   41 tokens  1.8 s\n"
            "  shop/mail.py:9    no-print       staged    1 site    cached\n"
            "  shop/stock.py:31  raise-from     staged    4 sites   88 tokens  3.9 s\n"
        )
        + diff
    )
    assert terminal.stderr == (
        "litecode: 4 of 6 staged files match 3 rules, 9 sites\n"
        "3 patches staged, 1 held (warning): git litecode review 7f3a    undo: git litecode undo 7f3a\n"
    )


def test_colours_change_nothing_but_colours(shop_run: Run, screen: Screens) -> None:
    plain, coloured = screen(), screen(colour=True)
    show_run(shop_run, HOOK, plain)
    show_run(shop_run, HOOK, coloured)
    assert "\x1b[32mstaged  \x1b[0m" in coloured.stdout
    assert "\x1b[33mheld    \x1b[0m" in coloured.stdout
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured.stdout) == plain.stdout
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured.stderr) == plain.stderr
    assert "\x1b" not in plain.stdout + plain.stderr


@pytest.mark.parametrize("width", [1, 20, 60, 80, 1000])
def test_nothing_is_lost_at_any_width(shop_run: Run, screen: Screens, width: int) -> None:
    lines = list(verdict_lines(shop_run.verdicts, RUN, screen(width=width)))
    assert [line.split() for line in lines] == [
        line.split() for line in verdict_lines(shop_run.verdicts, RUN, screen(width=80))
    ]


def test_columns_line_up_by_what_a_terminal_shows(screen: Screens) -> None:
    rows = [Verdict(path, "r", State.HELD, "x", line=1) for path in ("日本.py", "cafe\u0301.py", "plain.py")]
    assert list(verdict_lines(rows, RUN, screen())) == [
        "  日本.py:1   r  held      x",
        "  cafe\u0301.py:1   r  held      x",
        "  plain.py:1  r  held      x",
    ]


def test_a_long_place_moves_only_its_own_row(screen: Screens) -> None:
    rows = [Verdict(path, "r", State.HELD, "x", line=1) for path in ("d/" * 40 + "a.py", "b.py")]
    assert list(verdict_lines(rows, RUN, screen(width=80))) == [
        "  " + "d/" * 40 + "a.py:1  r  held      x",
        "  b.py:1" + " " * 34 + "  r  held      x",
    ]


@pytest.mark.parametrize("hook", [True, False])
def test_a_hook_with_nothing_to_say_says_nothing(make_run: Runs, screen: Screens, hook: bool) -> None:
    run = make_run(verdicts=(verdict(State.CONFORMS),), skipped=(SkippedFile("a.bin", "binary"),), extra={"files": 2})
    terminal = screen()
    show_run(run, Options(hook=hook), terminal)
    assert terminal.stdout == ""
    assert terminal.stderr == (
        "" if hook else "litecode: nothing to do, 2 staged files looked at\n  left alone: a.bin (binary)\n"
    )


@pytest.mark.parametrize(
    ("verdicts", "extra", "options", "line"),
    [
        ((), {}, RUN, "nothing is staged"),
        ((), {"files": 0}, Options(all_files=True), "no files to look at"),
        ((), {"files": 1}, RUN, "nothing to do, 1 staged file looked at"),
        ((), {"files": 7}, Options(from_ref="a", to_ref="b"), "nothing to do, 7 files looked at"),
        ((verdict(State.CONFORMS, sites=3),), {"files": 1}, RUN, "1 of 1 staged file matches 1 rule, 3 sites"),
        ((verdict(State.FAILED),), {"files": 4}, RUN, "1 of 4 staged files matches 1 rule, 0 sites"),
        ((verdict(State.STAGED, sites=1),), {}, RUN, "1 staged file matches 1 rule, 1 site"),
        (
            (verdict(State.STAGED, sites=1),),
            {"files": 9},
            Options(all_files=True),
            "1 of 9 files matches 1 rule, 1 site",
        ),
    ],
)
def test_header(make_run: Runs, verdicts: Any, extra: Any, options: Options, line: str) -> None:
    assert header(make_run(verdicts=verdicts, extra=extra), options) == line


SHOW, REVIEW, UNDO = ": git litecode show 7f3a", ": git litecode review 7f3a", "undo: git litecode undo 7f3a"


@pytest.mark.parametrize(
    ("verdicts", "patches", "options", "line"),
    [
        ([], [], RUN, ""),
        ([verdict(State.CONFORMS)], [], RUN, ""),
        ([verdict(State.STAGED)], [State.STAGED], RUN, f"1 patch staged    {UNDO}"),
        ([verdict(State.STAGED)] * 3, [State.STAGED] * 2, RUN, f"2 patches staged (3 rules)    {UNDO}"),
        ([verdict(State.HELD)], [State.HELD], RUN, f"1 patch held{REVIEW}"),
        ([verdict(State.HELD)] * 2, [State.HELD] * 2, Options(apply=Apply.HOLD), f"2 patches held{REVIEW}"),
        ([verdict(State.HELD, Severity.WARNING)], [State.HELD], RUN, f"1 patch held (warning){REVIEW}"),
        (
            [verdict(State.HELD), verdict(State.HELD, Severity.WARNING), verdict(State.HELD, Severity.HINT)],
            [State.HELD],
            RUN,
            f"1 patch held (3 rules, 1 warning, 1 hint){REVIEW}",
        ),
        ([verdict(State.REJECTED)], [State.REJECTED], RUN, f"1 patch rejected{REVIEW}"),
        ([verdict(State.REJECTED)], [], RUN, f"1 patch rejected{SHOW}"),
        ([verdict(State.FAILED)], [], RUN, f"1 failed{SHOW}"),
        ([verdict(State.SKIPPED)], [], RUN, "1 skipped"),
        (
            [verdict(State.STAGED), verdict(State.HELD), verdict(State.REJECTED, Severity.WARNING)],
            [State.STAGED, State.HELD, State.REJECTED],
            RUN,
            f"1 patch staged, 1 held, 1 rejected (warning){REVIEW}    {UNDO}",
        ),
        ([verdict(State.STAGED)], [State.STAGED], Options(apply=Apply.WORKTREE), "1 patch changed"),
    ],
)
def test_summary(make_run: Runs, verdicts: Any, patches: Any, options: Options, line: str) -> None:
    run = make_run(verdicts=tuple(verdicts), patches=tuple(patch("a.py", state) for state in patches))
    assert summary(run, options) == line


def test_a_run_that_was_not_kept_cannot_be_named(make_run: Runs) -> None:
    run = make_run(verdicts=(verdict(State.HELD),), patches=(patch("a.py", State.HELD),))
    assert summary(replace(run, id=""), RUN) == "1 patch held"


def test_a_reason_that_held_patches_have_in_common_is_said_once(make_run: Runs, screen: Screens) -> None:
    reasons = {"a.py": "asked for", "b.py": "asked for", "c.py": "two answers"}
    held = tuple(replace(patch(path, State.HELD), reason=reason) for path, reason in reasons.items())
    run = make_run(verdicts=tuple(Verdict(p.path, "", State.HELD, p.reason) for p in held), patches=held)
    terminal = screen()
    show_run(run, RUN, terminal)
    assert terminal.stdout.count("held, not staged: asked for\n") == 1
    assert terminal.stdout.count("held, not staged: two answers\n") == 1


@pytest.mark.parametrize("asks", [True, False])
def test_who_is_going_to_be_asked_needs_no_command(make_run: Runs, screen: Screens, asks: bool) -> None:
    held = patch("a.py", State.HELD)
    run = make_run(verdicts=(Verdict("a.py", "", State.HELD, "asked for"),), patches=(held,), request="do it")
    terminal = screen()
    show_run(run, RUN, terminal, closing=not asks)
    said = "1 patch held: git litecode apply 7f3a, or hunk by hunk git litecode review 7f3a"
    assert (said in terminal.stderr) is not asks
    staged = replace(run, patches=(replace(held, state=State.STAGED),))
    terminal = screen()
    show_run(staged, RUN, terminal, closing=False)
    assert "git litecode undo 7f3a" in terminal.stderr


def test_findings_of_report_only_rules_are_counted(make_run: Runs, found: Findings, screen: Screens) -> None:
    findings = tuple(found("a.py", line, "r", "No.") for line in (9, 2))
    run = make_run(verdicts=(verdict(State.FOUND, Severity.WARNING, findings=findings),), extra={"files": 1})
    assert summary(run, RUN) == "2 findings (warning)"
    terminal = screen()
    show_run(run, RUN, terminal)
    assert terminal.stdout == "a.py:2:5: r No.\na.py:9:5: r No.\n"


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (verdict(State.STAGED, sites=2, calls=1, output_tokens=1, seconds=0.04), "2 sites   1 token  0.0 s"),
        (
            verdict(State.STAGED, sites=12, calls=3, output_tokens=2000, seconds=123.456),
            "12 sites  2000 tokens  123.5 s",
        ),
        (verdict(State.STAGED, sites=1, cached=True, calls=0), "1 site    cached"),
        (verdict(State.STAGED, sites=1), "1 site"),
        (verdict(State.STAGED, sites=2, left=(29,), cached=True), "1 of 2 sites  cached"),
    ],
)
def test_cost(given: Verdict, words: str) -> None:
    assert cost(given) == words


def test_detail(found: Findings) -> None:
    finding = found("a.py", 2, "r", "No.")
    assert detail(verdict(State.STAGED, sites=1, reason="x")) == "1 site"
    assert detail(verdict(State.HELD, reason="two answers", findings=(finding,))) == "two answers"
    assert detail(verdict(State.STAGED, sites=2, left=(29,))) == "1 of 2 sites  line 29: the model left it as it is"
    assert detail(verdict(State.HELD, reason="doubt", sites=3, left=(2, 9))) == (
        "doubt; lines 2, 9: the model left them as they are"
    )
    assert detail(verdict(State.HELD, sites=9, left=tuple(range(1, 8)))).startswith("; lines 1, 2, 3, 4, 5 and more: ")
    assert detail(verdict(State.FOUND, findings=(finding, finding))) == "No."
    assert detail(verdict(State.FOUND, reason="why", findings=(finding,))) == "why"
    assert detail(verdict(State.REJECTED, findings=(finding,))) == ""


def test_check(make_run: Runs, found: Findings, screen: Screens) -> None:
    run = make_run(
        verdicts=(
            Verdict("b.py", "r", State.FOUND, findings=(found("b.py", 3, "r", "Bad."),)),
            Verdict("a.py", "r", State.HELD, "doubt", findings=tuple(found("a.py", n, "r", "Bad.") for n in (9, 2))),
            Verdict("c.py", "r", State.CONFORMS, findings=(found("c.py", 1, "r", "a candidate that is fine"),)),
            Verdict("d.py", "slow", State.SKIPPED, "no time is left", line=4),
            Verdict("e.py", "r", State.FAILED, "the model is gone"),
        ),
        patches=(patch("a.py", State.HELD, "r"), patch("b.py", State.REJECTED, "r")),
        notes=(".litecode.yaml has unstaged edits",),
    )  # fmt: skip
    terminal = screen()
    show_check(run, terminal)
    assert terminal.stdout == "a.py:2:5: r Bad.\na.py:9:5: r Bad.\nb.py:3:5: r Bad.\n"
    assert terminal.stderr == (
        "note: .litecode.yaml has unstaged edits\n"
        "  d.py:4  slow  skipped   no time is left\n"
        "  e.py    r     failed    the model is gone\n"
        "litecode: 3 findings in 2 files, `git litecode run` has a change for 2 of them\n"
    )


@pytest.mark.parametrize(
    ("patches", "line"),
    [
        ([], "litecode: 1 finding in 1 file"),
        (
            [patch("a.py", State.HELD, "r")],
            "litecode: 1 finding in 1 file, `git litecode run` has a change for all of them",
        ),
        ([patch("a.py", State.HELD, "other")], "litecode: 1 finding in 1 file"),
        ([patch("a.py", State.REJECTED, "r")], "litecode: 1 finding in 1 file"),
    ],
)
def test_check_summary(make_run: Runs, found: Findings, patches: Any, line: str) -> None:
    """What the model left as it is has no change."""
    half = verdict(State.HELD, findings=tuple(found("a.py", n, "r", "x") for n in (1, 2)), left=(2,))
    both = make_run(verdicts=(half,), patches=(patch("a.py", State.HELD, "r"),))
    assert check_summary(both).endswith("2 findings in 1 file, `git litecode run` has a change for 1 of them")
    assert check_summary(make_run()) == "litecode: no findings"
    run = make_run(verdicts=(verdict(State.FOUND, findings=(found("a.py", 1, "r", "x"),)),), patches=tuple(patches))
    assert check_summary(run) == line


@pytest.mark.parametrize("extra", [{}, {"hints": []}, {"hints": None}, {"hints": "text"}, {"hints": 3}])
def test_no_hints(make_run: Runs, extra: dict[str, object]) -> None:
    assert hints(make_run(extra=extra)) == ()


def test_what_failed_has_its_remedy_once(make_run: Runs, screen: Screens) -> None:
    run = make_run(
        verdicts=tuple(Verdict(path, "r", State.FAILED, "no model is there", line=1) for path in ("a", "b")),
        extra={"files": 2, "hints": ["git litecode model pull", "git litecode model pull", "two\nlines\x1b"]},
    )
    want = "hint: git litecode model pull\nhint: two\nhint: lines\\x1b\n"
    terminal = screen()
    show_run(run, RUN, terminal)
    assert terminal.stderr.endswith(f"\n{want}2 failed: git litecode show 7f3a\n")
    terminal = screen()
    show_check(run, terminal)
    assert terminal.stderr.endswith(f"\n{want}litecode: no findings\n")


def test_nothing_from_outside_reaches_the_terminal_as_it_is(make_run: Runs, screen: Screens) -> None:
    finding = Finding(HOSTILE, 1, 1, 1, HOSTILE, HOSTILE, Severity.ERROR)
    diff = f"--- a\n+++ b\n@@ -1 +1 @@\n-{HOSTILE}\n+{HOSTILE}\n"
    run = make_run(
        verdicts=(
            Verdict(HOSTILE, HOSTILE, State.HELD, HOSTILE, line=1),
            Verdict(HOSTILE, HOSTILE, State.FOUND, findings=(finding,)),
        ),
        patches=(
            Patch(HOSTILE, diff, State.HELD, (), Change("", "", None, b""), HOSTILE),
        ),
        skipped=(SkippedFile(HOSTILE, HOSTILE),),
        notes=(HOSTILE,),
    )  # fmt: skip
    for verbose in (False, True):
        terminal = screen()
        show_run(run, RUN, terminal, verbose)
        show_check(run, terminal, verbose)
        show_error(LitecodeError(HOSTILE, HOSTILE), terminal)
        text = terminal.stdout + terminal.stderr
        assert SHOWN in text
        assert all(char == "\n" or char.isprintable() for char in text)
        text.encode()  # no lone surrogates


def test_long_texts_are_cut(screen: Screens) -> None:
    (line,) = verdict_lines([Verdict("a", "r", State.HELD, "x" * 20_000)], RUN, screen())
    assert line == "  a  r  held      " + "x" * 300 + "… (19700 more characters)"
    assert len(finding_line(Finding("a", 1, 1, 1, "r", "x" * 20_000, Severity.ERROR))) == 334


def test_skipped_files(make_run: Runs, screen: Screens) -> None:
    run = make_run(skipped=tuple(SkippedFile(f"{name}.bin", "binary") for name in "abcde"), extra={"files": 0})
    terminal = screen()
    show_run(run, RUN, terminal)
    assert terminal.stderr == (
        "litecode: nothing is staged\n  left alone: a.bin (binary), b.bin (binary), c.bin (binary) and 2 more\n"
    )
    terminal = screen()
    show_run(run, RUN, terminal, verbose=True)
    assert terminal.stderr.splitlines()[1:3] == ["  a.bin: left alone, binary", "  b.bin: left alone, binary"]


@pytest.mark.parametrize(
    ("error", "lines"),
    [
        (LitecodeError("It broke", "Mend it"), ["litecode: It broke", "hint: Mend it"]),
        (LitecodeError("It broke"), ["litecode: It broke"]),
        (
            ModelNotRunning("nothing answers", "start it\nor install one"),
            ["litecode: nothing answers", "hint: start it", "hint: or install one"],
        ),
        (
            ConfigError("unknown key `paterns`", "did you mean `pattern`?", ".litecode.yaml:3:5"),
            ["litecode: .litecode.yaml:3:5: unknown key `paterns`", "hint: did you mean `pattern`?"],
        ),
    ],
)
def test_errors(error: LitecodeError, lines: list[str], screen: Screens) -> None:
    assert error_lines(error) == lines
    terminal = screen()
    show_error(error, terminal)
    assert terminal.stderr.splitlines() == lines
    assert terminal.stdout == ""
    coloured = screen(colour=True)
    show_error(error, coloured)
    assert coloured.stderr.startswith("\x1b[31mlitecode:\x1b[0m ")


def test_an_ascii_stream_gets_escapes() -> None:
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding="ascii", write_through=True)
    terminal = Terminal(stream, stream)
    for line in verdict_lines([Verdict("ä.py", "r", State.HELD, "日本", line=1)], RUN, terminal):
        terminal.print(line)
    assert raw.getvalue() == b"  \\xe4.py:1  r  held      \\u65e5\\u672c\n"


@pytest.mark.parametrize("state", [State.FAILED, State.SKIPPED])
def test_what_failed_for_one_reason_gets_ten_lines(make_run: Runs, screen: Screens, state: State) -> None:
    down = [Verdict(f"f{number:03}", "r", state, "nothing answers", line=1) for number in range(300)]
    other = [Verdict("g", "r", state, "too long", line=1), Verdict("h", "s", state, "nothing answers", line=1)]
    run = make_run(verdicts=(*down, *other), extra={"files": 302})
    for show, where in ((partial(show_run, options=RUN), "stdout"), (show_check, "stderr")):
        terminal, whole = screen(), screen()
        show(run, terminal=terminal)
        lines = [line.split() for line in getattr(terminal, where).splitlines() if line.startswith("  ")]
        assert [line[0] for line in lines] == [*(f"f{number:03}:1" for number in range(10)), "g:1", "h:1", "and"]
        assert lines[-1] == ["and", "290", "more", "files", "r", state.value, "nothing", "answers"]
        show(run, terminal=whole, verbose=True)
        assert sum(line.endswith("nothing answers") for line in getattr(whole, where).splitlines()) == 301


@pytest.mark.parametrize("state", [State.STAGED, State.HELD, State.REJECTED])
def test_what_a_person_has_to_look_at_is_never_folded(state: State) -> None:
    verdicts = [Verdict(f"f{number}", "r", state, "why", line=1) for number in range(300)]
    assert folded(verdicts, verbose=False) == (verdicts, [])
