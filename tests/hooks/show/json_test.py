from __future__ import annotations

import base64
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import jsonschema
import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from litecode.core.values import Call, Change, Patch, Prompt, Reply, Run, SkippedFile, State, Stop, Verdict
from litecode.core.world import Options
from litecode.hooks.show.json import JsonRun, run_json, schema


def document(run: Run, options: Options = Options()) -> dict[str, object]:  # noqa: B008  # frozen
    text = run_json(run, options, "0.1.0")
    value: dict[str, object] = json.loads(text)
    jsonschema.Draft202012Validator(schema()).validate(value)
    assert json.loads(msgspec.json.encode(msgspec.json.decode(text, type=JsonRun))) == value
    return value


def test_a_run(shop_run: Run) -> None:
    reply = Reply("x", Stop.END, 100, 20, 1.5)
    calls = (
        Call("a", Prompt((), 1), reply, 90, 8192, 0.0, 1.5),
        Call("b", Prompt((), 1), reply, 90, 8192, 0.0, 1.5),
        Call("c", Prompt((), 1), reply, 90, 8192, 0.0, 0.0, cached=True),
        Call("d", Prompt((), 1), None, 90, 8192, 0.0, 0.0, error="timeout"),
    )
    value = document(replace(shop_run, calls=calls, skipped=(SkippedFile("a.bin", "binary"),), notes=("n",)))
    verdicts, patches = value.pop("verdicts"), value.pop("patches")
    assert value == {
        "version": 1,
        "litecode": "0.1.0",
        "id": "7f3a",
        "started": 1_700_000_000.0,
        "seconds": 0.0,
        "command": ["git", "litecode", "run"],
        "model": "",
        "request": "",
        "exit_code": 0,
        "skipped": [{"path": "a.bin", "reason": "binary"}],
        "notes": ["n"],
        "hints": [],
        "calls": {"made": 3, "cached": 1, "prompt_tokens": 200, "output_tokens": 40, "seconds": 3.0},
    }
    assert isinstance(verdicts, list)
    assert isinstance(patches, list)
    assert verdicts[1] == {
        "path": "shop/cart.py",
        "rule": "no-print",
        "state": "staged",
        "reason": "",
        "proof": "proven",
        "severity": "error",
        "line": 14,
        "sites": 2,
        "calls": 2,
        "output_tokens": 41,
        "seconds": 1.84,
        "cached": False,
        "findings": [
            {
                "path": "shop/cart.py",
                "line": 14,
                "column": 5,
                "end_line": 14,
                "rule": "no-print",
                "message": "No print.",
                "severity": "error",
            }
        ],
    }
    assert patches[0] == {
        "path": "shop/auth.py",
        "state": "held",
        "rules": ["narrow-except"],
        "reason": "two answers: OSError, (OSError, ValueError)",
        "diff": shop_run.patches[0].diff,
    }


def test_an_empty_run(make_run: Callable[..., Run]) -> None:
    value = document(make_run())
    assert (value["verdicts"], value["patches"], value["exit_code"]) == ([], [], 0)


def test_the_exit_code_is_the_one_of_the_program(make_run: Callable[..., Run]) -> None:
    assert document(make_run(verdicts=(Verdict("a", "r", State.HELD),)))["exit_code"] == 1
    assert document(make_run(verdicts=(Verdict("a", "r", State.FAILED),)))["exit_code"] == 2


def test_text_that_is_no_unicode_has_its_bytes_beside_it(make_run: Callable[..., Run]) -> None:
    path, diff = "caf\udce9.txt", "--- a\n+++ b\n@@ -1 +1 @@\n-\udce9\n+e\n"
    run = make_run(
        verdicts=(Verdict(path, "r", State.STAGED),),
        patches=(Patch(path, diff, State.STAGED, ("r",), Change(path, "100644", None, b"")),),
    )
    value = document(run)
    assert isinstance(value["verdicts"], list)
    assert isinstance(value["patches"], list)
    encoded = base64.b64encode(b"caf\xe9.txt").decode()
    assert (value["verdicts"][0]["path"], value["verdicts"][0]["path_base64"]) == ("caf\ufffd.txt", encoded)
    patch = value["patches"][0]
    assert (patch["path_base64"], patch["diff"]) == (encoded, None)
    assert base64.b64decode(patch["diff_base64"]) == b"--- a\n+++ b\n@@ -1 +1 @@\n-\xe9\n+e\n"


odd = st.text(st.characters(codec="utf-8") | st.characters(min_codepoint=0xDC80, max_codepoint=0xDCFF), max_size=20)


@settings(deadline=None)
@given(odd, odd, odd)
def test_any_text_gives_valid_json(path: str, reason: str, diff: str) -> None:
    from litecode.core.values import Plan

    run = Run(
        "7f3a",
        0.0,
        (reason,),
        Plan(()),
        verdicts=(Verdict(path, reason, State.HELD, reason),),
        patches=(Patch(path, diff, State.HELD, (reason,), Change(path, "", None, b""), reason),),
        notes=(reason,),
        model=reason,
    )
    value = document(run)
    assert isinstance(value["patches"], list)
    patch = value["patches"][0]
    back = patch["diff"].encode() if patch["diff"] is not None else base64.b64decode(patch["diff_base64"])
    assert back == diff.encode("utf-8", "surrogateescape")


def test_every_key_is_documented() -> None:
    text = (Path(__file__).parents[3] / "docs" / "output.md").read_text(encoding="utf-8")
    names = {name for definition in schema()["$defs"].values() for name in definition.get("properties", {})}
    assert names
    assert {name for name in names if f"`{name}`" not in text} == set()
    assert all(f"| `{state.value}` |" in text for state in State)
