from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from litecode.core.git.changed import changed_lines
from litecode.core.git.repository import Repository
from litecode.core.git.worklist import work_list
from litecode.core.values import StagedFile

Opened = Callable[..., Repository]

TEN = "".join(f"line {number}\n" for number in range(1, 11))
pytestmark = pytest.mark.usefixtures("settings")


def lines_of(repo: Any, opened: Opened, path: str) -> frozenset[int] | None:
    return {file.path: file.changed for file in work_list(opened(repo)).files}[path]


@pytest.mark.parametrize(
    ("new", "expected"),
    [
        (TEN.replace("line 5\n", "LINE 5\n"), {5}),
        (TEN.replace("line 5\n", "line 5\nmore\nmore\n"), {6, 7}),
        (TEN.replace("line 5\n", ""), set()),
        (TEN.replace("line 1\n", "LINE 1\n").replace("line 10\n", "LINE 10\n"), {1, 10}),
        ("first\n" + TEN, {1}),
        (TEN + "last\n", {11}),
        (TEN.removesuffix("\n"), {10}),
        (TEN.replace("line 3\n", "++ b/other\n--- a/other\n@@ -1 +1 @@\n"), {3, 4, 5}),
        (TEN.replace("line 3\n", "diff --git a/x b/x\n"), {3}),
        (TEN.replace("line 3\n", "cr\rinside\n"), {3}),
    ],
)
def test_added_and_changed_lines_have_numbers(repo: Any, opened: Opened, new: str, expected: set[int]) -> None:
    repo.add({"a": TEN, "other": TEN}, commit="base")
    repo.add({"a": new})
    assert lines_of(repo, opened, "a") == expected


def test_a_missing_newline_on_both_sides(repo: Any, opened: Opened) -> None:
    repo.add({"a": "one\ntwo"}, commit="base")
    repo.add({"a": "one\nzwei"})
    assert lines_of(repo, opened, "a") == {2}


def test_a_new_file_has_all_lines(repo: Any, opened: Opened) -> None:
    repo.add({"a": TEN}, commit="base")
    repo.add({"new": "other\ncontent\n", "empty": ""})
    assert lines_of(repo, opened, "new") is None
    assert lines_of(repo, opened, "empty") in (None, frozenset())


def test_everything_is_new_on_an_unborn_branch(repo: Any, opened: Opened) -> None:
    """The first commit, on an unborn branch."""
    repo.add({"a": TEN})
    assert lines_of(repo, opened, "a") is None


def test_a_renamed_file_counts_its_edits_only(repo: Any, opened: Opened) -> None:
    repo.add({"old": TEN, "b": "x\n"}, commit="base")
    repo.add({"old": None, "dir/new": TEN.replace("line 7\n", "LINE 7\n"), "b": "y\n"})
    assert lines_of(repo, opened, "dir/new") == {7}
    assert lines_of(repo, opened, "b") == {1}


def test_a_pure_rename_and_a_mode_change_have_no_changed_lines(repo: Any, opened: Opened) -> None:
    repo.add({"old": TEN, "script": TEN}, commit="base")
    repo.add({"old": None, "new": TEN})
    repo.git("update-index", "--chmod=+x", "script")
    assert lines_of(repo, opened, "new") == frozenset()
    assert lines_of(repo, opened, "script") == frozenset()


def test_content_that_git_does_not_compare_counts_as_changed(repo: Any, opened: Opened) -> None:
    repo.add({"a": "one\n", "b": TEN}, commit="base")
    repo.add({"a": b"one\x00\n", "b": TEN + "x\n"})
    assert lines_of(repo, opened, "a") is None
    assert lines_of(repo, opened, "b") == {11}


def test_text_conversion_is_not_used(repo: Any, opened: Opened) -> None:
    repo.config("diff.upper.textconv", "tr a-z A-Z <")
    repo.add({".gitattributes": "*.txt diff=upper\n", "a.txt": "one\ntwo\n"}, commit="base")
    repo.add({"a.txt": "ONE\ntwo\n"})
    assert lines_of(repo, opened, "a.txt") == {1}


@pytest.mark.parametrize(
    "name",
    [
        "two words",
        "tab\tname",
        'quo"te',
        "new\nline",
        "back\\slash",
        "gr\u00fcn",
        "raw\udcff",
        "a b/c\td",
        "-dash",
        "b/b",
    ],
)
def test_any_path(repo: Any, opened: Opened, name: str) -> None:
    """Names with blanks, quotes, newlines and bytes that are no UTF-8."""
    repo.add({name: TEN, "a": TEN}, commit="base")
    repo.add({name: TEN.replace("line 2\n", "LINE 2\n"), "a": TEN + "x\n"})
    assert lines_of(repo, opened, name) == {2}


def test_lines_of_a_merge_differ_from_both_sides(repo: Any, opened: Opened) -> None:
    """A merge, where all of the other side counts as staged."""
    repo.add({"a": TEN, "b": TEN}, commit="base")
    repo.git("checkout", "-q", "-b", "side")
    repo.add({"a": TEN.replace("line 2\n", "SIDE 2\n"), "b": TEN + "side\n"}, commit="side")
    repo.git("checkout", "-q", "main")
    repo.add({"a": TEN.replace("line 9\n", "MAIN 9\n")}, commit="main")
    repo.git("merge", "-q", "--no-commit", "side")
    mine = TEN.replace("line 2\n", "SIDE 2\n").replace("line 9\n", "MAIN 9\n").replace("line 5\n", "MINE 5\n")
    repo.add({"a": mine})
    assert lines_of(repo, opened, "a") == {5}


def test_no_files_no_call(repo: Any, opened: Opened) -> None:
    assert changed_lines(opened(repo), []) == {}


def test_the_default_base_is_head(repo: Any, opened: Opened) -> None:
    repo.add({"a": TEN}, commit="base")
    repo.add({"a": TEN + "x\n"})
    file = StagedFile("a", "100644", repo.oid("a"))
    assert changed_lines(opened(repo), [file]) == {"a": {11}}
    assert changed_lines(opened(repo), [StagedFile("gone", "100644", "")]) == {"gone": frozenset()}
