"""Findings as SARIF 2.1.0, the format that code-scanning services and editors read.

Columns count Unicode code points, as our findings do, and the log says so in `columnKind`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from urllib.parse import quote

from litecode.config.rules import Rule
from litecode.core.values import Finding, Severity

FORMAT = "2.1.0"
SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
ROOT = "SRCROOT"  # what paths are relative to; the reader knows where that is

_LEVELS = {
    Severity.ERROR: "error",
    Severity.WARNING: "warning",
    Severity.INFO: "note",
    Severity.HINT: "note",
    Severity.OFF: "none",
}

Json = dict[str, object]


def sarif(findings: Iterable[Finding], rules: Sequence[Rule], litecode: str) -> str:
    """One log with one run. `rules` are those that were applied; `litecode` is the version of the program."""
    places = {rule.id: number for number, rule in enumerate(rules)}
    log: Json = {
        "$schema": SCHEMA,
        "version": FORMAT,
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "LiteCode",
                        "version": litecode,
                        "rules": [_descriptor(rule) for rule in rules],
                    }
                },
                "columnKind": "unicodeCodePoints",
                "results": [_result(finding, places) for finding in findings],
            }
        ],
    }
    return json.dumps(log, indent=2, ensure_ascii=False)


def _descriptor(rule: Rule) -> Json:
    descriptor: Json = {
        "id": rule.id,
        "shortDescription": {"text": _text(rule.message)},
        "defaultConfiguration": {"level": _LEVELS[rule.severity]},
    }
    if rule.note:
        descriptor["help"] = {"text": _text(rule.note), "markdown": _text(rule.note)}
    if rule.url:
        descriptor["helpUri"] = rule.url
    return descriptor


def _result(finding: Finding, places: dict[str, int]) -> Json:
    result: Json = {
        "ruleId": _text(finding.rule),
        "level": _LEVELS[finding.severity],
        "message": {"text": _text(finding.message)},
        "locations": [
            {
                "physicalLocation": {
                    "artifactLocation": {"uri": uri(finding.path), "uriBaseId": ROOT},
                    "region": _region(finding),
                }
            }
        ],
    }
    if finding.mark:
        result["partialFingerprints"] = {"litecodeMark/v1": f"{finding.mark}:{_text(finding.rule)}"}
    if finding.rule in places:
        result["ruleIndex"] = places[finding.rule]
    return result


def _region(finding: Finding) -> Json:
    """SARIF counts from 1; a finding on the file as a whole is put on its first line."""
    start = max(finding.line, 1)
    region: Json = {"startLine": start, "endLine": max(finding.end_line, start)}
    if finding.column > 0:
        region["startColumn"] = finding.column
    return region


def uri(path: str) -> str:
    """A repository path as a relative URI reference, any bytes included."""
    return quote(path.encode("utf-8", "surrogateescape"), safe="/!$&'()*+,;=@~._-")


def _text(text: str) -> str:
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
