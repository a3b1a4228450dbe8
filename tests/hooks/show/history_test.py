from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from litecode.core.store.records import RunRecord
from litecode.core.values import (
    Attempt,
    Call,
    Message,
    Prompt,
    Region,
    Reply,
    Run,
    Sampling,
    SkippedFile,
    Span,
    State,
    Stop,
    Verdict,
)
from litecode.hooks.show.history import log_line, show_page

HOSTILE = "a\x1b[2J\u202eb\udcff\nc"
SHOWN = "a\\x1b[2J\\u202eb\\xff\\nc"
WHEN = 1_700_000_000.0
RUN = ("git", "litecode", "run", "--yes")


@pytest.mark.parametrize(
    ("record", "line"),
    [
        (
            RunRecord("7f3a", WHEN, RUN, files=4, states={State.HELD: 1, State.STAGED: 3, State.CONFORMS: 2}),
            "7f3a  2023-11-14 22:13  3 staged, 1 held, 2 conforms in 4 files  git litecode run --yes",
        ),
        (
            RunRecord("7f3a", WHEN, RUN, files=2, states={State.STAGED: 3}, undone=True),
            "7f3a  2023-11-14 22:13  3 staged in 2 files, undone  git litecode run --yes",
        ),
        (RunRecord("7f3a", WHEN, RUN), "7f3a  2023-11-14 22:13  nothing to do  git litecode run --yes"),
        (
            RunRecord("7f3a", WHEN, ("x",), request="Rename it", files=1, states={State.FAILED: 1}),
            "7f3a  2023-11-14 22:13  1 failed in 1 file  Rename it",
        ),
        (
            RunRecord("7f3a", WHEN, damage="run.json is no JSON"),
            "7f3a  2023-11-14 22:13  damaged: run.json is no JSON",
        ),
        (RunRecord("7f3a", 1e30, ("x",)), "7f3a  at an unknown time  nothing to do  x"),
        (RunRecord("7f3a", WHEN, ("a b", HOSTILE)), f"7f3a  2023-11-14 22:13  nothing to do  'a b' '{SHOWN}'"),
        (
            RunRecord("7f3a", WHEN, ("x" * 99,)),
            "7f3a  2023-11-14 22:13  nothing to do  " + "x" * 60 + "… (39 more characters)",
        ),
    ],
)
def test_log_lines(record: RunRecord, line: str, screen: Callable[..., Any]) -> None:
    assert log_line(record, screen()) == line


def test_a_page(shop_run: Run, screen: Callable[..., Any]) -> None:
    region = Region(Span(0, 1), "statement", ())
    tries = tuple(Attempt(region, "", "", refusal) for refusal in ("syntax error", "syntax error", "comment lost", ""))
    reply = Reply("log.info(x)", Stop.END, 100, 20, 1.25, 40)
    prompt = Prompt((Message("system", "Be brief."), Message("user", "```\n\tprint(x)\n\n```")), 128, Sampling())
    calls = (
        Call("no-print shop/cart.py:14", prompt, reply, 90, 8192, 0.0, 1.25),
        Call("no-print shop/mail.py:9", prompt, reply, 90, 8192, 0.0, 0.0, cached=True),
        Call("raise-from shop/stock.py:31", prompt, None, 90, 8192, 0.0, 0.0, error="no answer"),
    )
    run = replace(
        shop_run,
        verdicts=(*shop_run.verdicts[:1], replace(shop_run.verdicts[1], attempts=tries)),
        patches=shop_run.patches[:1],
        calls=calls,
        command=RUN,
        model="qwen (embedded)",
        seconds=17.34,
        skipped=(SkippedFile("a.bin", "binary"),),
        notes=("a note",),
    )
    terminal = screen()
    show_page(run, terminal, calls=True)
    assert terminal.stderr == ""
    assert (
        terminal.stdout
        == """\
run 7f3a  2023-11-14 22:13  git litecode run --yes
17.3 s; 2 calls of qwen (embedded): 100 + 20 tokens, 1 reply from the cache
note: a note
  shop/auth.py:52  narrow-except  held      two answers: OSError, (OSError, ValueError)
  shop/cart.py:14  no-print       staged    2 sites   41 tokens  1.8 s
      refused: syntax error (2 times)
      refused: comment lost
  a.bin: left alone, binary

held by narrow-except: two answers: OSError, (OSError, ValueError)
--- a/shop/auth.py
+++ b/shop/auth.py
@@ -12,3 +12,3 @@ def total(items):
     price = 1
-    print("total", price)
+    logger.info("total %s", price)
     return price

call 1: no-print shop/cart.py:14
estimate 90 + 128 of 8192 tokens; read 100 (40 cached), wrote 20 in 1.2 s, stop: stop
system:
  | Be brief.
user:
  | ```
  | \tprint(x)
  |
  | ```
reply:
  | log.info(x)

call 2: no-print shop/mail.py:9
estimate 90 + 128 of 8192 tokens, from the cache
system:
  | Be brief.
user:
  | ```
  | \tprint(x)
  |
  | ```
reply:
  | log.info(x)

call 3: raise-from shop/stock.py:31
estimate 90 + 128 of 8192 tokens; failed: no answer
system:
  | Be brief.
user:
  | ```
  | \tprint(x)
  |
  | ```
"""
    )


@pytest.mark.parametrize(
    ("calls", "words"),
    [
        (0, "1.0 s"),
        (1, "1.0 s; 1 reply from the cache"),
        (3, "1.0 s; 3 replies from the cache"),
    ],
)
def test_effort_without_a_model(
    make_run: Callable[..., Run], screen: Callable[..., Any], calls: int, words: str
) -> None:
    call = Call("x", Prompt((), 1), Reply("x", Stop.END, 1, 1, 1.0), 1, 1, 0.0, 0.0, cached=True)
    terminal = screen()
    show_page(make_run(seconds=1.0, calls=(call,) * calls, request="Do it"), terminal)
    assert terminal.stdout.splitlines()[1:] == ["request: Do it", words]


def test_nothing_from_outside_reaches_the_terminal_as_it_is(shop_run: Run, screen: Callable[..., Any]) -> None:
    prompt = Prompt((Message(HOSTILE, HOSTILE),), 1)
    attempt = Attempt(Region(Span(0, 1), "x", ()), "", "", HOSTILE)
    diff = f"@@ -1 +1 @@\n-{HOSTILE}\n"
    run = replace(
        shop_run,
        command=(HOSTILE,),
        model=HOSTILE,
        request=HOSTILE,
        notes=(HOSTILE,),
        verdicts=(Verdict(HOSTILE, HOSTILE, State.REJECTED, HOSTILE, attempts=(attempt,)),),
        patches=tuple(replace(patch, rules=(HOSTILE,), reason=HOSTILE, diff=diff) for patch in shop_run.patches),
        calls=(Call(HOSTILE, prompt, Reply(HOSTILE, Stop.END, 1, 1, 1.0), 1, 1, 0.0, 0.0, error=HOSTILE),),
    )
    terminal = screen()
    show_page(run, terminal, calls=True)
    assert all(char == "\n" or char.isprintable() for char in terminal.stdout)
    terminal.stdout.encode()
