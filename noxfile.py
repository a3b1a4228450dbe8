"""The checks of `make test`, one session each, in environments that nox keeps: `nox -s tests -- tests/config`."""

from __future__ import annotations

import nox

nox.options.sessions = ["lint", "types", "tests"]
nox.options.reuse_existing_virtualenvs = True

PYTHONS = ("3.11", "3.12", "3.13")


@nox.session(python=PYTHONS)
def tests(session: nox.Session) -> None:
    """The suite against the installed wheel; tests that need the model file are skipped where it is missing."""
    session.install(".[embedded,dev]")
    session.run("coverage", "run", "-m", "pytest", *session.posargs)
    if not session.posargs:
        session.run("coverage", "report")


@nox.session
def lint(session: nox.Session) -> None:
    session.install("ruff>=0.6")
    session.run("ruff", "format", "--check", ".")
    session.run("ruff", "check", ".")


@nox.session
def types(session: nox.Session) -> None:
    """Strict types of the wheel as a user gets it, `py.typed` included."""
    session.install(".[embedded,openai,dev]")
    session.run("mypy", "--strict", "-p", "litecode.core", "-p", "litecode.hooks", "-p", "litecode.config")


@nox.session
def bench(session: nox.Session) -> None:
    """Figures of docs/benchmarks.md that need no model."""
    session.install(".")
    session.run("python", "tests/bench/hook_bench.py", *session.posargs)
