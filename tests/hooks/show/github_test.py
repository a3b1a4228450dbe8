from __future__ import annotations

import pytest

from litecode.core.values import Finding, Severity
from litecode.hooks.show.github import annotation, annotation_lines


def finding(path: str = "a.py", message: str = "No.", severity: Severity = Severity.ERROR, rule: str = "r") -> Finding:
    return Finding(path, 3, 5, 7, rule, message, severity)


@pytest.mark.parametrize(
    ("given", "line"),
    [
        (finding(), "::error file=a.py,line=3,endLine=7,col=5,title=r::No."),
        (finding(severity=Severity.WARNING), "::warning file=a.py,line=3,endLine=7,col=5,title=r::No."),
        (finding(severity=Severity.INFO), "::notice file=a.py,line=3,endLine=7,col=5,title=r::No."),
        (finding(severity=Severity.HINT), "::notice file=a.py,line=3,endLine=7,col=5,title=r::No."),
        (
            finding("d/a,b:c%.py", "100% of a: b,\r\nsecond"),
            "::error file=d/a%2Cb%3Ac%25.py,line=3,endLine=7,col=5,title=r::100%25 of a: b,%0D%0Asecond",
        ),
        (finding("日本.py", "naïve"), "::error file=日本.py,line=3,endLine=7,col=5,title=r::naïve"),
        (
            finding("x\n::set-output name=a::b", "\x1b[31m\u202ered\x00\udcff"),
            "::error file=x%0A%3A%3Aset-output name=a%3A%3Ab,line=3,endLine=7,col=5,title=r::[31mred",
        ),
    ],
)
def test_annotations(given: Finding, line: str) -> None:
    assert annotation(given) == line
    assert "\n" not in line


def test_a_rule_that_is_off_has_none() -> None:
    findings = [finding(severity=Severity.OFF), finding(severity=Severity.HINT)]
    assert annotation_lines(findings) == ["::notice file=a.py,line=3,endLine=7,col=5,title=r::No."]
