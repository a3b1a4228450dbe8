"""The command line of git commit, as git reads it."""

from __future__ import annotations

import pytest

from litecode.core.errors import UsageError
from litecode.core.git.commit_line import Option, commit_words, parse


@pytest.mark.parametrize(
    ("words", "options", "paths"),
    [
        ([], [], ()),
        (["-m", "x"], ["--message=x"], ()),
        (["-mx y"], ["--message=x y"], ()),
        (["-am", "x", "a.py"], ["--all", "--message=x"], ("a.py",)),
        (["-vam", "-a"], ["--verbose", "--all", "--message=-a"], ()),
        (["--message=a=b"], ["--message=a=b"], ()),
        (["--mess", "x", "--am", "--no-ed"], ["--message=x", "--amend", "--no-edit"], ()),
        (["-F", "-", "-s"], ["--file=-", "--signoff"], ()),
        (["-S", "a", "-Skey", "--gpg-sign", "b"], ["--gpg-sign", "--gpg-sign=key", "--gpg-sign"], ("a", "b")),
        (["-uno", "-u", "-n"], ["--untracked-files=no", "--untracked-files", "--no-verify"], ()),
        (["a", "-o", "--", "-m", "b"], ["--only"], ("a", "-m", "b")),
        (["-m", "--amend"], ["--message=--amend"], ()),
        (["-", "--trailer", "Litecode: x"], ["--trailer=Litecode: x"], ("-",)),
    ],
)
def test_reading(words: list[str], options: list[str], paths: tuple[str, ...]) -> None:
    line = parse(words)
    assert [option.word for option in line.options] == options
    assert line.paths == paths


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--a"], "ambiguous option --a "),
        (["--nonsense"], "unknown option --nonsense"),
        (["-Y"], "unknown option -Y"),
        (["-m"], "-m needs a value"),
        (["-am"], "-m needs a value"),
        (["--author"], "--author needs a value"),
        (["--amend=x"], "--amend takes no value"),
        (["--no-message=x"], "takes no value"),
        (["--=x"], "unknown option"),
    ],
)
def test_what_git_refuses_is_refused(words: list[str], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        parse(words)


@pytest.mark.parametrize(
    ("words", "editor"),
    [
        ([], True),
        (["--amend"], True),
        (["-c", "HEAD"], True),
        (["-t", "file"], True),
        (["--squash=HEAD"], True),
        (["--fixup=amend:HEAD"], True),
        (["-m", "x", "-e"], True),
        (["--no-edit", "--edit"], True),
        (["-m", "x"], False),
        (["-F", "file"], False),
        (["-C", "HEAD"], False),
        (["--fixup=HEAD"], False),
        (["--amend", "--no-edit"], False),
        (["-e", "--no-edit"], False),
    ],
)
def test_whether_git_opens_an_editor(words: list[str], editor: bool) -> None:
    assert parse(words).editor is editor


def test_what_lasts_when_message_and_content_come_from_elsewhere() -> None:
    words = ["-qsavm", "x", "--amend", "--author=Z <z>", "-Skey", "--date=now", "--no-post-rewrite", "--allow-empty"]
    line = parse([*words, "-C", "HEAD", "--trailer", "A: b", "--cleanup=strip", "-n", "a.py"])
    assert sorted(line.lasting) == sorted(
        (
            "--allow-empty",
            "--amend",
            "--author=Z <z>",
            "--date=now",
            "--gpg-sign=key",
            "--no-post-rewrite",
            "--no-verify",
            "--quiet",
        )
    )
    assert line.author_elsewhere
    assert not parse(["-C", "HEAD", "--reset-author"]).author_elsewhere
    assert line.message_sources() == {"message", "reuse-message", "trailer"}
    assert parse(["--amend", "--no-amend", "-S", "--no-gpg-sign"]).lasting == ("--no-amend", "--no-gpg-sign")


def test_values() -> None:
    line = parse(["-m", "a", "--no-message", "-m", "b", "-mc", "--cleanup=strip", "--no-verbose", "-p"])
    assert line.values("message") == ("b", "c")
    assert line.value("cleanup") == "strip"
    assert line.value("author") is None
    assert line.verbose is False
    assert parse([]).verbose is None
    assert parse(["-v"]).verbose is True
    assert line.interactive
    assert not parse(["-a"]).interactive
    assert parse(["--short"]).shows_only
    assert not line.shows_only
    assert Option("edit", None, True).word == "--no-edit"


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (["git", "commit", "-m", "x"], ("-m", "x")),
        (["/usr/lib/git-core/git", "-c", "a.b=commit", "--no-pager", "-C", "there", "commit"], ()),
        (["/usr/lib/git-core/git-commit", "-a"], ("-a",)),
        ([], None),
        (["git"], None),
        (["git", "-C", "commit", "status"], None),
        (["git", "rebase", "commit"], None),
        (["git-gui", "commit"], None),
        (["sh", "-c", "git commit"], None),
    ],
)
def test_the_words_of_a_process(argv: list[str], words: tuple[str, ...] | None) -> None:
    assert commit_words(argv) == words
