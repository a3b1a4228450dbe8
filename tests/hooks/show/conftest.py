from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import pytest

from litecode.core.values import Change, Finding, Patch, Plan, Run, Severity, State, Verdict
from litecode.hooks.show.terminal import Terminal

DOUBT = "two answers: OSError, (OSError, ValueError)"
DIFF = """\
--- a/shop/cart.py
+++ b/shop/cart.py
@@ -12,3 +12,3 @@ def total(items):
     price = 1
-    print("total", price)
+    logger.info("total %s", price)
     return price
"""


class Screen(Terminal):
    """A terminal in memory."""

    @property
    def stdout(self) -> str:
        return self.out.getvalue()  # type: ignore[attr-defined]  # a StringIO

    @property
    def stderr(self) -> str:
        return self.err.getvalue()  # type: ignore[attr-defined]  # a StringIO


@pytest.fixture
def screen() -> Callable[..., Screen]:
    def make(colour: bool = False, width: int = 80, live: bool = False) -> Screen:
        return Screen(io.StringIO(), io.StringIO(), colour, colour, live, width)

    return make


def found(path: str, line: int, rule: str, message: str, severity: Severity = Severity.ERROR) -> Finding:
    return Finding(path, line, 5, line, rule, message, severity)


@pytest.fixture
def shop_run() -> Run:
    """The run of the transcript in the README: three patches staged, one held."""
    verdicts = (
        Verdict("shop/auth.py", "narrow-except", State.HELD, DOUBT, line=52,
                severity=Severity.WARNING, sites=2,
                findings=(found("shop/auth.py", 52, "narrow-except", "Too broad."),)),
        Verdict("shop/cart.py", "no-print", State.STAGED, line=14, sites=2, calls=2, output_tokens=41, seconds=1.84,
                findings=(found("shop/cart.py", 14, "no-print", "No print."),)),
        Verdict("shop/mail.py", "no-print", State.STAGED, line=9, sites=1, cached=True),
        Verdict("shop/stock.py", "raise-from", State.STAGED, line=31, sites=4, calls=4, output_tokens=88, seconds=3.9),
        Verdict("shop/util.py", "no-print", State.CONFORMS),
    )  # fmt: skip
    patches = tuple(
        Patch(path, DIFF.replace("shop/cart.py", path), state, (rule,), Change(path, "100644", "0" * 40, b""), reason)
        for path, rule, state, reason in (
            ("shop/auth.py", "narrow-except", State.HELD, DOUBT),
            ("shop/cart.py", "no-print", State.STAGED, ""),
            ("shop/mail.py", "no-print", State.STAGED, ""),
            ("shop/stock.py", "raise-from", State.STAGED, ""),
        )
    )
    return make_run(verdicts=verdicts, patches=patches, extra={"files": 6})


def make_run(**more: Any) -> Run:
    return Run("7f3a", 1_700_000_000.0, ("git", "litecode", "run"), Plan(()), **more)


@pytest.fixture(name="make_run")
def make_run_fixture() -> Callable[..., Run]:
    return make_run


@pytest.fixture(name="found")
def found_fixture() -> Callable[..., Finding]:
    return found
