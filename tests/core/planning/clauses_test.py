"""Which words of a request are about which file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from litecode.core.planning.clauses import Share, shares

CLOCK = {"src/clock.py": ["src/clock.py", "clock.py"], "src/journal.py": ["src/journal.py", "Journal.stamp"]}
TWO = {"cli.py": ["cli.py"], "main.py": ["main.py"]}

STOCK = {"stock.py": ["stock.py", "Item"], "report.py": ["report.py", "report"]}

CASES: list[tuple[str, Mapping[str, Sequence[str]], Sequence[str], list[Share]]] = [
    (
        "create src/clock.py with a function utc_stamp() like 2024-03-01T12:30:00Z, and use it in Journal.stamp",
        CLOCK,
        ["src/clock.py"],
        [
            Share("src/clock.py", "create src/clock.py with a function utc_stamp() like 2024-03-01T12:30:00Z"),
            Share("src/journal.py", "use `utc_stamp` in Journal.stamp", ("src/clock.py",)),
        ],
    ),
    (
        "cli.py should refuse negative ports, and main.py must log them and go on",
        TWO,
        [],
        [
            Share("cli.py", "cli.py should refuse negative ports"),
            Share("main.py", "main.py must log them and go on"),
        ],
    ),
    (
        "Item gets a method label() like 'pen: 2', and report in report.py uses it for its lines",
        STOCK,
        [],
        [
            Share("stock.py", "Item gets a method label() like 'pen: 2'"),
            Share("report.py", "report in report.py uses `label` for its lines", ("stock.py",)),
        ],
    ),
    (
        "Item gets a label, and report in report.py uses it for its lines",
        STOCK,
        [],
        [Share("stock.py", "Item gets a label"), Share("report.py", "report in report.py uses it for its lines")],
    ),
    (
        "Keep it short. cli.py: remove the banner. main.py: call run()",
        TWO,
        [],
        [
            Share("cli.py", "Keep it short. cli.py: remove the banner."),
            Share("main.py", "Keep it short.; main.py: call run()"),
        ],
    ),
    (
        "In cli.py and main.py, replace exit(1) by exit(2)",
        TWO,
        [],
        [
            Share("cli.py", "In cli.py and main.py, replace exit(1) by exit(2)"),
            Share("main.py", "In cli.py and main.py, replace exit(1) by exit(2)"),
        ],
    ),
    (
        "validate the port in cli.py as in main.py. Log the error too.",
        TWO,
        [],
        [Share("cli.py", "validate the port in cli.py as in main.py. Log the error too.")],
    ),
    (
        "add a --quiet option to cli.py and document it in main.py",
        TWO,
        [],
        [
            Share("cli.py", "add a --quiet option to cli.py"),
            Share("main.py", "add a --quiet option to cli.py and document it in main.py"),
        ],
    ),
    (
        "create cli.py, add a parser and let main.py use the one from cli.py",
        TWO,
        ["cli.py"],
        [
            Share("cli.py", "create cli.py, add a parser"),
            Share("main.py", "let main.py use the one from cli.py", ("cli.py",)),
        ],
    ),
    ("make it like in main.py", TWO, [], []),
    ("be quicker", TWO, [], []),
    ("mycli.py and domain.pyx are others", TWO, [], []),
    ("", TWO, [], []),
]


@pytest.mark.parametrize(("request_text", "names", "creates", "expected"), CASES)
def test_shares(
    request_text: str, names: Mapping[str, Sequence[str]], creates: Sequence[str], expected: list[Share]
) -> None:
    assert list(shares(request_text, names, creates)) == expected
