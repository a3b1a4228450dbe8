"""Annotations for GitHub Actions: workflow commands on stdout, which its runner turns into notes beside the code.

It shows ten errors and ten warnings of a step, so the finding lines are printed as well, for the log.
"""

from __future__ import annotations

from collections.abc import Iterable

from litecode.core.values import Finding, Severity

_COMMANDS = {
    Severity.ERROR: "error",
    Severity.WARNING: "warning",
    Severity.INFO: "notice",
    Severity.HINT: "notice",
}


def annotation(finding: Finding) -> str:
    """`::error file=a.py,line=2,endLine=2,col=5,title=no-print::Use the logger.`"""
    properties = {
        "file": finding.path,
        "line": str(finding.line),
        "endLine": str(finding.end_line),
        "col": str(finding.column),
        "title": finding.rule,
    }
    given = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
    return f"::{_COMMANDS[finding.severity]} {given}::{_data(finding.message)}"


def annotation_lines(findings: Iterable[Finding]) -> list[str]:
    """One line each; findings of rules that are off have none."""
    return [annotation(finding) for finding in findings if finding.severity in _COMMANDS]


def _data(text: str) -> str:
    """What the runner decodes in a message. Other control characters would be somebody's attempt at a second command
    or at the log's colours; they are dropped.
    """
    kept = "".join(char for char in text if char in "\r\n\t" or char.isprintable())
    return kept.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
