"""A run as JSON, for programs: `--format json`. The types below are its schema; docs/output.md describes it.

Within one `version` keys are only added. Text is valid Unicode; a path that is not has its bytes beside it.
"""

from __future__ import annotations

import base64
from typing import Any

import msgspec

from litecode.core.values import Call, Finding, Patch, Proof, Run, Severity, State, Verdict
from litecode.core.world import Options
from litecode.hooks.exits import exit_code
from litecode.hooks.show.text import hints, in_order

VERSION = 1


class JsonFinding(msgspec.Struct, omit_defaults=True):
    """Lines and columns begin at 1; columns count characters. `mark` is a digest of the code that matched."""

    path: str
    line: int
    column: int
    end_line: int
    rule: str
    message: str
    severity: Severity
    path_base64: str = ""
    mark: str = ""


class JsonVerdict(msgspec.Struct, omit_defaults=True):
    """What became of one rule (a request when `rule` is empty) on one file. `line` 0 is the file as a whole."""

    path: str
    rule: str
    state: State
    reason: str
    proof: Proof
    severity: Severity
    line: int
    sites: int
    calls: int
    output_tokens: int
    seconds: float
    cached: bool
    findings: list[JsonFinding]
    left: list[int] = []
    path_base64: str = ""


class JsonPatch(msgspec.Struct, omit_defaults=True):
    """`diff` is for `git apply`; where the file is not UTF-8 it is null, and `diff_base64` has the bytes."""

    path: str
    state: State
    rules: list[str]
    reason: str
    diff: str | None
    path_base64: str = ""
    diff_base64: str = ""


class JsonSkipped(msgspec.Struct, omit_defaults=True):
    path: str
    reason: str
    path_base64: str = ""


class JsonCalls(msgspec.Struct):
    """Model calls, added up. Tokens are those that the server counted; `cached` calls needed no model."""

    made: int
    cached: int
    prompt_tokens: int
    output_tokens: int
    seconds: float


class JsonRun(msgspec.Struct):
    """`started` is UNIX time. `id` is what `git litecode show` takes; empty when nothing was kept."""

    version: int
    litecode: str
    id: str
    started: float
    seconds: float
    command: list[str]
    model: str
    request: str
    exit_code: int
    verdicts: list[JsonVerdict]
    patches: list[JsonPatch]
    skipped: list[JsonSkipped]
    notes: list[str]
    hints: list[str]
    calls: JsonCalls


def run_json(run: Run, options: Options, litecode: str) -> str:
    """One document on several lines; `litecode` is the version of the program."""
    document = JsonRun(
        version=VERSION,
        litecode=litecode,
        id=run.id,
        started=run.started,
        seconds=run.seconds,
        command=[_text(word) for word in run.command],
        model=_text(run.model),
        request=_text(run.request),
        exit_code=exit_code(run, options),
        verdicts=[_verdict(verdict) for verdict in in_order(run.verdicts)],
        patches=[_patch(patch) for patch in run.patches],
        skipped=[JsonSkipped(_text(file.path), _text(file.reason), _bytes(file.path)) for file in run.skipped],
        notes=[_text(note) for note in run.notes],
        hints=[_text(hint) for hint in hints(run)],
        calls=_calls(run.calls),
    )
    return msgspec.json.format(msgspec.json.encode(document), indent=2).decode()


def schema() -> dict[str, Any]:
    """The JSON Schema of what `run_json` gives."""
    return msgspec.json.schema(JsonRun)


def _verdict(verdict: Verdict) -> JsonVerdict:
    return JsonVerdict(
        path=_text(verdict.path),
        rule=_text(verdict.rule),
        state=verdict.state,
        reason=_text(verdict.reason),
        proof=verdict.proof,
        severity=verdict.severity,
        line=verdict.line,
        sites=verdict.sites,
        calls=verdict.calls,
        output_tokens=verdict.output_tokens,
        seconds=verdict.seconds,
        cached=verdict.cached,
        findings=[_finding(finding) for finding in verdict.findings],
        left=list(verdict.left),
        path_base64=_bytes(verdict.path),
    )


def _finding(finding: Finding) -> JsonFinding:
    return JsonFinding(
        path=_text(finding.path),
        line=finding.line,
        column=finding.column,
        end_line=finding.end_line,
        rule=_text(finding.rule),
        message=_text(finding.message),
        severity=finding.severity,
        path_base64=_bytes(finding.path),
        mark=finding.mark,
    )


def _patch(patch: Patch) -> JsonPatch:
    odd = _bytes(patch.diff)
    return JsonPatch(
        path=_text(patch.path),
        state=patch.state,
        rules=[_text(rule) for rule in patch.rules],
        reason=_text(patch.reason),
        diff=None if odd else patch.diff,
        path_base64=_bytes(patch.path),
        diff_base64=odd,
    )


def _calls(calls: tuple[Call, ...]) -> JsonCalls:
    replies = [call.reply for call in calls if call.reply is not None and not call.cached]
    return JsonCalls(
        made=sum(not call.cached for call in calls),
        cached=sum(call.cached for call in calls),
        prompt_tokens=sum(reply.prompt_tokens for reply in replies),
        output_tokens=sum(reply.output_tokens for reply in replies),
        seconds=sum(reply.seconds for reply in replies),
    )


def _text(text: str) -> str:
    """Valid Unicode: what cannot be decoded is U+FFFD."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _bytes(text: str) -> str:
    """Base64 of the bytes behind a text that is no valid Unicode, else empty."""
    data = text.encode("utf-8", "surrogateescape")
    try:
        data.decode()
    except UnicodeDecodeError:
        return base64.b64encode(data).decode()
    return ""
