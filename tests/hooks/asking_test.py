from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from litecode.config.rules import Rule, RulesFile
from litecode.core.errors import UsageError
from litecode.core.git.repository import Repository
from litecode.core.values import Severity
from litecode.hooks.asking import check_only, check_revisions, repository_paths, skip_notes, skipped_rules

RULES = RulesFile(
    ".litecode.yaml",
    (Rule("no-print", "m"), Rule("raise-from", "m"), Rule("off", "m", severity=Severity.OFF, source=".litecode.yaml")),
)


@pytest.mark.parametrize(
    ("text", "rules"),
    [("", ()), ("a", ("a",)), ("a,b", ("a", "b")), (" a , b ,,", ("a", "b")), (",", ())],
)
def test_skipped_rules(text: str, rules: tuple[str, ...]) -> None:
    assert skipped_rules({"LITECODE_SKIP": text}) == rules
    assert skipped_rules({}) == ()


@pytest.mark.parametrize(
    ("skip", "notes"),
    [
        ((), ()),
        (("no-print", "raise-from"), ("LITECODE_SKIP skips no-print, raise-from",)),
        (("no-prnt",), ("LITECODE_SKIP names no-prnt, which is no rule",)),
        (("no-print", "x"), ("LITECODE_SKIP skips no-print", "LITECODE_SKIP names x, which is no rule")),
    ],
)
def test_skip_notes(skip: tuple[str, ...], notes: tuple[str, ...]) -> None:
    assert skip_notes(RULES, skip) == notes


@pytest.mark.parametrize(
    ("only", "message", "hint"),
    [
        ("no-prnt", "there is no rule no-prnt", "did you mean no-print?"),
        ("zzz", "there is no rule zzz", "`git litecode explain` lists the rules"),
        ("off", "the rule off is switched off", "give it a severity in .litecode.yaml"),
    ],
)
def test_only_what_is_there(only: str, message: str, hint: str) -> None:
    with pytest.raises(UsageError) as caught:
        check_only(RULES, ("no-print", only))
    assert (caught.value.message, caught.value.hint) == (message, hint)


def test_only_without_rules() -> None:
    check_only(RULES, ())
    check_only(RULES, ("no-print", "raise-from"))
    with pytest.raises(UsageError) as caught:
        check_only(RulesFile("x"), ("a",))
    assert caught.value.hint == "`git litecode explain` lists the rules"


@pytest.mark.parametrize(
    ("all_files", "from_ref", "to_ref"),
    [(False, None, None), (True, None, None), (False, "a", None), (False, "a", "b")],
)
def test_revisions_that_go_together(all_files: bool, from_ref: str | None, to_ref: str | None) -> None:
    check_revisions(all_files, from_ref, to_ref)


@pytest.mark.parametrize(
    ("all_files", "from_ref", "to_ref"), [(False, None, "b"), (True, None, "b"), (True, "a", None)]
)
def test_revisions_that_do_not(all_files: bool, from_ref: str | None, to_ref: str | None) -> None:
    with pytest.raises(UsageError):
        check_revisions(all_files, from_ref, to_ref)


class TestPaths:
    @pytest.fixture
    def opened(self, repo: Any) -> Repository:
        repo.add({"a.py": "1\n", "src/b.py": "2\n", "src/gone.py": "3\n", "[x]*.py": "4\n"}, commit="base")
        (repo / "src/gone.py").unlink()
        repo.write("new.py", "not tracked\n")
        return Repository.discover(repo.path, os.environ)

    @pytest.mark.parametrize(
        ("below", "arguments", "paths"),
        [
            ("", (), ()),
            ("", ("a.py", "src"), ("a.py", "src")),
            ("", ("src/", "./src/../a.py"), ("src", "a.py")),
            ("", (".",), ("",)),
            ("src", ("b.py", "..", "../a.py"), ("src/b.py", "", "a.py")),
            ("src", ("gone.py",), ("src/gone.py",)),
            ("", ("new.py",), ("new.py",)),
            ("", ("[x]*.py",), ("[x]*.py",)),
        ],
    )
    def test_they_are_taken_from_where_the_person_is(
        self, opened: Repository, below: str, arguments: tuple[str, ...], paths: tuple[str, ...]
    ) -> None:
        assert repository_paths(opened, arguments, opened.top / below) == paths

    def test_an_absolute_path(self, opened: Repository) -> None:
        assert repository_paths(opened, (str(opened.top / "a.py"),), Path("/")) == ("a.py",)

    @pytest.mark.parametrize(
        ("argument", "message", "hint"),
        [
            ("src/c.py", "there is no file or folder src/c.py", "did you mean src/b.py?"),
            ("zzzzzzz", "there is no file or folder zzzzzzz", "name a file or folder of this repository"),
            ("*.py", "there is no file or folder *.py", "did you mean a.py?"),
        ],
    )
    def test_what_is_nowhere(self, opened: Repository, argument: str, message: str, hint: str) -> None:
        with pytest.raises(UsageError) as caught:
            repository_paths(opened, ("a.py", argument), opened.top)
        assert (caught.value.message, caught.value.hint) == (message, hint)

    def test_outside(self, opened: Repository) -> None:
        with pytest.raises(UsageError, match="is outside of the repository"):
            repository_paths(opened, ("../x",), opened.top)
