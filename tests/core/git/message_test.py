"""What git makes of a message file, compared with what it really commits, and the trailers in it."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import pytest

from litecode.core.git.commit_line import parse
from litecode.core.git.message import Asked, Cleanup, Manner, final_text, manner_of, trailers, with_runs
from litecode.core.git.process import GitEnv
from litecode.core.git.repository import Repository

CUT = "# ------------------------ >8 ------------------------\n"
TYPED = "Subject  \n\n\nBody\n# a remark\n\nLitecode: rename a to b\nSigned-off-by: A <a@b>\n\n\n"


def open_repository(repo: Any) -> Repository:
    return Repository.discover(repo.path, os.environ)


@pytest.fixture
def git(tmp_path: Path) -> GitEnv:
    """Trailers need no repository."""
    return GitEnv.of(tmp_path, os.environ)


@pytest.fixture
def logged(repo: Any, tmp_path: Path) -> Any:
    """The commit-msg hook keeps the file that it got, and the editor puts TYPED above what is there."""
    repo.hook("commit-msg", f'cp "$1" {tmp_path}/raw')
    (tmp_path / "typed").write_text(TYPED, encoding="utf-8")
    editor = f'{sys.executable} -c "import sys; p = sys.argv[1]; t = open(p).read(); '
    editor += f"open(p, 'w').write(open('{tmp_path}/typed').read() + t)\""
    repo.config("core.editor", editor)
    repo.add({"a.txt": "1\n"})
    return repo


@pytest.mark.parametrize(
    ("words", "config"),
    [
        (["-m", TYPED], {}),
        (["-F", "{typed}"], {}),
        (["-m", TYPED, "--cleanup=strip"], {}),
        (["-m", TYPED, "--cleanup=verbatim"], {}),
        (["-m", TYPED, "--cleanup=scissors"], {}),
        (["-m", TYPED + CUT + "Litecode: cut\n"], {}),
        (["-v", "-m", TYPED + CUT + "Litecode: cut\n"], {}),
        ([], {}),
        (["-v"], {}),
        ([], {"commit.verbose": "true"}),
        (["--no-verbose"], {"commit.verbose": "2"}),
        ([], {"core.commentChar": ";"}),
        (["-v"], {"core.commentChar": ";"}),
        ([], {"core.commentChar": "auto"}),
        (["-v"], {"core.commentChar": "auto"}),
        (["--no-status"], {"core.commentChar": "auto"}),
        (["--cleanup=scissors"], {}),
        ([], {"commit.cleanup": "scissors", "core.commentChar": "%"}),
        (["--cleanup=whitespace"], {"commit.cleanup": "scissors"}),
        (["--cleanup=verbatim"], {}),
        (["-m", "Given", "-e"], {}),
    ],
)
def test_the_message_is_what_git_commits(logged: Any, tmp_path: Path, words: list[str], config: dict[str, str]) -> None:
    for name, value in config.items():
        logged.config(name, value)
    words = [word.format(typed=tmp_path / "typed") for word in words]
    environ = {name: value for name, value in os.environ.items() if name != "GIT_EDITOR"}
    os.environ.pop("GIT_EDITOR")
    try:
        logged.git("commit", *words)
    finally:
        os.environ.update(GIT_EDITOR=":", **environ)
    repo = open_repository(logged)
    line = parse(words)
    manner = manner_of(repo.config_entries(), editor=line.editor, cleanup=line.value("cleanup"), verbose=line.verbose)
    committed = logged.git("cat-file", "commit", "HEAD").partition(b"\n\n")[2]
    assert final_text(repo.git, (tmp_path / "raw").read_bytes(), manner) == committed


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("S\n\nLitecode: do it\n", [("do it", "")]),
        ("S\n\nlitecode:do it\n", [("do it", "")]),
        ("S\n\nLITECODE : do it\n", [("do it", "")]),
        ("S\n\nLitecode: one\n  and more\nLitecode: two\n", [("one and more", ""), ("two", "")]),
        ("S\n\nLitecode: one\nLitecode-Run: 7f3a\nLitecode: two\n", [("one", "7f3a"), ("two", "")]),
        ("S\n\nLitecode: one\nSigned-off-by: A\nLitecode-Run: 7f3a\n", [("one", "7f3a")]),
        ("S\n\nFixes: 1\nLitecode: a: b\n", [("a: b", "")]),
        ("S\n\nLitecode: \xfcber\n", [("\xfcber", "")]),
        # No trailers: not at the end, not alone in its paragraph, the subject, another key, quoted.
        ("S\n\nLitecode: one\n\nand a paragraph more\n", []),
        ("S\n\nThis says\nLitecode: one\nwhich is prose\nand prose\nand prose\n", []),
        ("Litecode: one\n", []),
        ("S\n\nLitecoder: one\n", []),
        ("S\n\nLitecode-Run: 7f3a\n", []),
        ("S\n\n    Litecode: one\n", []),
        ("S\n\n> Litecode: one\n", []),
        ("S\n\nlitecode is used here\n", []),
        ("", []),
    ],
)
def test_trailers(git: GitEnv, text: str, expected: list[tuple[str, str]]) -> None:
    assert trailers(git, text.encode()) == tuple(Asked(*pair) for pair in expected)


def test_a_divider_and_configured_trailers_do_not_change_what_is_read(repo: Any) -> None:
    repo.config("trailer.separators", "=:")
    repo.config("trailer.litecode.cmd", "echo replaced")
    repo.config("trailer.litecode.ifexists", "replace")
    git = open_repository(repo).git
    text = b"S\n\nabove\n---\nbelow\n\nLitecode= one\nLitecode: two\n"
    assert trailers(git, text) == (Asked("one"), Asked("two"))


RAW = b"S\n\nLitecode: in the body\n\nLitecode: one\n  folded\nSigned-off-by: A\nLitecode: two"
EDITED = Manner(editor=True, verbose=True)


@pytest.mark.parametrize(
    ("raw", "runs", "manner", "keep", "expected"),
    [
        (
            RAW,
            ("a1", "b2"),
            Manner(),
            True,
            b"S\n\nLitecode: in the body\n\nLitecode: one\n  folded\nLitecode-Run: a1\nSigned-off-by: A\n"
            b"Litecode: two\nLitecode-Run: b2\n",
        ),
        (RAW, ("a1", "b2"), Manner(), False, b"S\n\nLitecode: in the body\n\nSigned-off-by: A\n"),
        (
            b"S\n\nLitecode: one\nLitecode-Run: old\nLitecode: two\n",
            ("old", "new"),
            Manner(),
            True,
            b"S\n\nLitecode: one\nLitecode-Run: old\nLitecode: two\nLitecode-Run: new\n",
        ),
        (
            b"S\n\nLitecode: one\n# a remark\n" + CUT.encode() + b"Litecode: diff\n",
            ("a1",),
            EDITED,
            True,
            b"S\n\nLitecode: one\nLitecode-Run: a1\n# a remark\n" + CUT.encode() + b"Litecode: diff\n",
        ),
        (b"S\n\nLitecode: body\n\nmore\n", (), Manner(), True, b"S\n\nLitecode: body\n\nmore\n"),
        (b"S\r\n\r\nLitecode: one\r\n", ("a1",), Manner(), True, b"S\r\n\r\nLitecode: one\nLitecode-Run: a1\n"),
        (b"", (), Manner(), False, b""),
    ],
)
def test_the_run_beside_its_trailer(
    git: GitEnv, raw: bytes, runs: tuple[str, ...], manner: Manner, keep: bool, expected: bytes
) -> None:
    assert with_runs(git, raw, runs, manner, keep=keep) == expected
    found = trailers(git, final_text(git, expected, manner))
    assert [asked.run for asked in found] == (list(runs) if keep else [])


def test_a_manner_from_configuration(repo: Any) -> None:
    repo.config("commit.cleanup", "nonsense")
    repo.config("core.commentString", "//")
    manner = manner_of(open_repository(repo).config_entries(), editor=True)
    assert manner == Manner(editor=True, cleanup=Cleanup.DEFAULT, comment="//")
    assert manner_of([], editor=False, cleanup="strip", verbose=True) == Manner(False, Cleanup.STRIP, True)
