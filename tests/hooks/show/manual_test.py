"""The manual is that of the commands as they are, and roff has nothing against it."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from litecode.hooks.cli import COMMANDS, main
from litecode.hooks.show.manual import man, markdown, pages

DOCS = Path(__file__).resolve().parents[3] / "docs"


@pytest.mark.parametrize(("name", "made"), [("git-litecode.1", man), ("commands.md", markdown)])
def test_the_files_are_up_to_date(name: str, made: object) -> None:
    assert callable(made)
    assert (DOCS / name).read_text(encoding="utf-8") == made()


def test_every_command_has_a_page() -> None:
    names = [page.name for page in pages()]
    assert [name for name in names if " " not in name] == list(COMMANDS)
    assert {"model pull", "model list"} <= set(names)


@pytest.mark.parametrize("name", list(COMMANDS))
def test_a_page_says_what_the_help_says(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([name, "-h"]) == 0
    help_text = " ".join(capsys.readouterr().out.split())
    page = next(page for page in pages() if page.name == name)
    assert page.usage in help_text
    assert page.paragraphs
    for paragraph in page.paragraphs:
        assert paragraph in help_text
    for option, does in page.options:
        assert option.split()[0].rstrip(",") in help_text
        assert does.split("  ")[0] in help_text


def test_no_line_is_a_request_by_accident() -> None:
    known = {".TH", ".SH", ".SS", ".B", ".I", ".PP", ".TP", ".nf", ".fi"}
    starts = {line.split()[0] for line in man().split("\n") if line.startswith((".", "'"))}
    assert starts <= known


@pytest.mark.skipif(shutil.which("groff") is None, reason="no groff on this machine")
def test_groff_takes_it() -> None:
    done = subprocess.run(("groff", "-man", "-Tutf8", "-ww"), input=man().encode(), capture_output=True, check=True)
    assert done.stderr == b""
    assert "git litecode run" in done.stdout.decode()
