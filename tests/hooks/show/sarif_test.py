from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from litecode.config.rules import Rule
from litecode.core.values import Finding, Severity
from litecode.hooks.show.sarif import sarif, uri

TEXT = {"type": "string"}
COUNT = {"type": "integer", "minimum": 1}
LEVEL = {"enum": ["none", "note", "warning", "error"]}


def closed(required: list[str], **properties: Any) -> dict[str, Any]:
    return {"type": "object", "additionalProperties": False, "required": required, "properties": properties}


# The part of the published schema that we use, word for word where it restricts: the whole may not be copied here.
MESSAGE = closed(["text"], text=TEXT, markdown=TEXT)
REGION = closed(["startLine"], startLine=COUNT, startColumn=COUNT, endLine=COUNT)
ARTIFACT = closed(["uri", "uriBaseId"], uri={"type": "string", "format": "uri-reference"}, uriBaseId=TEXT)
PLACE = closed(["artifactLocation"], artifactLocation=ARTIFACT, region=REGION)
RESULT = closed(
    ["message"],
    ruleId=TEXT,
    ruleIndex={"type": "integer", "minimum": 0},
    level=LEVEL,
    message=MESSAGE,
    locations={
        "type": "array",
        "items": closed(["physicalLocation"], physicalLocation=PLACE),
    },
)
DESCRIPTOR = closed(
    ["id"],
    id=TEXT,
    shortDescription=MESSAGE,
    help=MESSAGE,
    helpUri={"type": "string", "format": "uri"},
    defaultConfiguration=closed([], level=LEVEL),
)
RULES = {"type": "array", "uniqueItems": True, "items": DESCRIPTOR}
RUN = closed(
    ["tool", "results"],
    tool=closed(["driver"], driver=closed(["name"], name=TEXT, version=TEXT, rules=RULES)),
    columnKind={"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
    results={"type": "array", "items": RESULT},
)
LOG = closed(
    ["version", "runs"],
    **{"$schema": {"type": "string", "format": "uri"}, "version": {"const": "2.1.0"}},
    runs={"type": "array", "minItems": 1, "items": RUN},
)

PRINT = Rule("no-print", "Use the logger.", note="Because *why*.", url="https://example.com/no-print")
RAISE = Rule("raise-from", "Keep the cause.", severity=Severity.HINT)


def log(*findings: Finding) -> dict[str, Any]:
    value: dict[str, Any] = json.loads(sarif(findings, [PRINT, RAISE], "0.1.0"))
    jsonschema.Draft202012Validator(LOG).validate(value)
    return value


def test_a_log() -> None:
    value = log(
        Finding("shop/cart 1.py", 14, 5, 16, "no-print", "Use the logger.", Severity.ERROR),
        Finding("a.js", 2, 1, 2, "elsewhere", "Old.", Severity.WARNING),
    )
    (run,) = value["runs"]
    assert value["version"] == "2.1.0"
    assert run["tool"]["driver"] == {
        "name": "LiteCode",
        "version": "0.1.0",
        "rules": [
            {
                "id": "no-print",
                "shortDescription": {"text": "Use the logger."},
                "defaultConfiguration": {"level": "error"},
                "help": {"text": "Because *why*.", "markdown": "Because *why*."},
                "helpUri": "https://example.com/no-print",
            },
            {
                "id": "raise-from",
                "shortDescription": {"text": "Keep the cause."},
                "defaultConfiguration": {"level": "note"},
            },
        ],
    }
    assert run["results"] == [
        {
            "ruleId": "no-print",
            "level": "error",
            "message": {"text": "Use the logger."},
            "locations": [
                {
                    "physicalLocation": {
                        "artifactLocation": {"uri": "shop/cart%201.py", "uriBaseId": "SRCROOT"},
                        "region": {"startLine": 14, "endLine": 16, "startColumn": 5},
                    }
                }
            ],
            "ruleIndex": 0,
        },
        {
            "ruleId": "elsewhere",
            "level": "warning",
            "message": {"text": "Old."},
            "locations": [
                {
                    "physicalLocation": {
                        "artifactLocation": {"uri": "a.js", "uriBaseId": "SRCROOT"},
                        "region": {"startLine": 2, "endLine": 2, "startColumn": 1},
                    }
                }
            ],
        },
    ]


def test_no_findings_are_an_empty_list() -> None:
    assert log()["runs"][0]["results"] == []


def test_a_finding_on_the_file_as_a_whole() -> None:
    value = log(Finding("a", 0, 0, 0, "no-print", "x", Severity.INFO))
    location = value["runs"][0]["results"][0]["locations"][0]["physicalLocation"]
    assert location["region"] == {"startLine": 1, "endLine": 1}


@pytest.mark.parametrize(
    ("path", "reference"),
    [
        ("src/a.py", "src/a.py"),
        ("a b#c?d%e.py", "a%20b%23c%3Fd%25e.py"),
        ("c:d/e.py", "c%3Ad/e.py"),
        ("日本.py", "%E6%97%A5%E6%9C%AC.py"),
        ("caf\udce9.txt", "caf%E9.txt"),
        ("a\nb\\c", "a%0Ab%5Cc"),
    ],
)
def test_paths_are_relative_references(path: str, reference: str) -> None:
    assert uri(path) == reference


odd = st.text(st.characters(codec="utf-8") | st.characters(min_codepoint=0xDC80, max_codepoint=0xDCFF), min_size=1)


@settings(deadline=None)
@given(odd, odd, st.integers(0, 9), st.integers(0, 9), st.integers(0, 9), st.sampled_from(Severity))
def test_any_finding_gives_a_valid_log(
    path: str, message: str, line: int, column: int, end: int, severity: Severity
) -> None:
    value = log(Finding(path, line, column, end, message, message, severity))
    assert len(value["runs"][0]["results"]) == 1
