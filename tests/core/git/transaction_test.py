"""What a transaction makes of index and worktree, in every state that a path can be in."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from litecode.core.errors import GitError, StateError
from litecode.core.git.journal import Phase, journals
from litecode.core.git.moves import Applied, Outcome
from litecode.core.git.repository import Repository
from litecode.core.git.transaction import apply
from litecode.core.values import Apply, Change

Opened = Callable[..., Repository]

TWENTY = "".join(f"{number}\n" for number in range(1, 21))
BAD = TWENTY.replace("5\n", "5 BAD\n", 1)
GOOD = TWENTY.replace("5\n", "5 GOOD\n", 1)


@pytest.fixture
def scene(repo: Any) -> Any:
    """`a` and `b` of twenty numbered lines, committed; BAD on line 5 of `a` staged."""
    repo.add({"a": TWENTY, "b": TWENTY}, commit="base")
    repo.add({"a": BAD})
    return repo


def change(repo: Any, path: str = "a", after: str | bytes = GOOD, mode: str = "100644") -> Change:
    return Change(path, mode, repo.oid(path), after.encode() if isinstance(after, str) else after)


def outcomes(applied: Applied) -> dict[str, str]:
    return {result.path: result.outcome.value for result in applied.results}


def stage(repo: Any, opened: Opened, *changes: Change, mode: Apply = Apply.STAGE, **options: Any) -> Applied:
    applied = apply(opened(repo), changes or (change(repo),), mode, "7f3a", **options)
    assert_tidy(repo)
    return applied


def facts(file: Path) -> tuple[int, ...]:
    """What tells whether a file was replaced or written to."""
    found = file.stat()
    return found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_mode


def assert_tidy(repo: Any) -> None:
    """No lock, no temporary file, no open journal, in the git directory or beside the files."""
    left = [
        str(path.relative_to(repo.path))
        for path in repo.path.rglob("*")
        if path.name.endswith(".lock") or ".litecode-" in path.name or path.name == "prepared.json"
    ]
    assert left == []


@pytest.mark.usefixtures("settings")
class TestStaging:
    def test_a_fully_staged_file(self, scene: Any, opened: Opened) -> None:
        applied = stage(scene, opened)
        assert outcomes(applied) == {"a": "applied"}
        assert applied.txn == "7f3a.1"
        assert scene.blob("a").decode() == scene.read("a").decode() == GOOD
        assert scene.status() == ["M  a"]
        scene.commit("done", hooks=True)
        assert scene.blob("a", "HEAD").decode() == GOOD

    def test_hunks_left_out_stay_out(self, scene: Any, opened: Opened) -> None:
        """A hunk that was left out of `git add -p`."""
        scene.write("a", BAD.replace("15\n", "15 MINE\n"))
        stage(scene, opened)
        assert scene.blob("a").decode() == GOOD
        assert scene.read("a").decode() == GOOD.replace("15\n", "15 MINE\n")
        assert scene.status() == ["MM a"]

    def test_an_edit_on_the_same_line_rejects_that_file_only(self, scene: Any, opened: Opened) -> None:
        """An unstaged edit on the very line of the fix."""
        scene.add({"b": BAD})
        mine = BAD.replace("5 BAD\n", "5 BAD USER\n")
        scene.write("a", mine)
        old = scene.oid("a")
        applied = stage(scene, opened, change(scene, "a"), change(scene, "b"))
        assert outcomes(applied) == {"a": "rejected", "b": "applied"}
        assert applied.rejected[0].reason == "unstaged edits are in the way (worktree line 5)"
        assert (scene.oid("a"), scene.read("a").decode()) == (old, mine)
        assert scene.blob("b").decode() == scene.read("b").decode() == GOOD

    def test_unstaged_edits_of_other_files_are_not_touched(self, scene: Any, opened: Opened) -> None:
        """Unstaged edits, also in other files, when a hook stages what it changed."""
        scene.write("a", BAD.replace("6\n", "6 USER\n", 1))
        scene.write("b", TWENTY + "UB\n")
        before = facts(scene / "a"), facts(scene / "b")
        applied = stage(scene, opened)
        assert outcomes(applied) == {"a": "rejected"}
        assert (facts(scene / "a"), facts(scene / "b")) == before
        assert scene.read("b").decode() == TWENTY + "UB\n"

    def test_identical_lines_do_not_drift(self, repo: Any, opened: Opened) -> None:
        """Equal lines around an unstaged edit."""
        same = ["dup\n"] * 10
        repo.add({"a": "".join(same)}, commit="dup")
        staged = [*same]
        staged[1] = "dup BAD\n"
        repo.add({"a": "".join(staged)})
        mine = [*staged]
        mine[7] = "dup USER\n"
        repo.write("a", "".join(mine))
        fixed = ["header\n", *staged]
        stage(repo, opened, change(repo, "a", "".join(fixed)))
        assert repo.blob("a").decode() == "".join(fixed)
        assert repo.read("a").decode() == "".join(["header\n", *mine])

    def test_touching_edits_conflict_and_one_line_between_is_enough(self, scene: Any, opened: Opened) -> None:
        """An unstaged edit that touches the fix, and one a line away."""
        scene.write("a", BAD.replace("6\n", "6 USER\n", 1))
        applied = stage(scene, opened)
        assert applied.rejected[0].reason == "unstaged edits are in the way (worktree line 6)"
        mine = BAD.replace("7\n", "7 USER\n", 1)
        scene.write("a", mine)
        assert outcomes(stage(scene, opened)) == {"a": "applied"}
        assert scene.read("a").decode() == mine.replace("BAD", "GOOD")

    def test_only_the_index_on_request(self, scene: Any, opened: Opened) -> None:
        """A fix that goes into the index alone."""
        mine = BAD.replace("6\n", "6 USER\n", 1)
        scene.write("a", mine)
        applied = stage(scene, opened, index_only=True)
        assert outcomes(applied) == {"a": "applied"}
        assert applied.results[0].reason.startswith("only the index was changed")
        assert scene.blob("a").decode() == GOOD
        assert scene.read("a").decode() == mine

    def test_untouched_files_keep_inode_and_time(self, scene: Any, opened: Opened) -> None:
        """A file that nothing concerns."""
        scene.write("b", TWENTY + "UB\n")
        os.utime(scene / "b", (978307200, 978307200))
        before = facts(scene / "b")
        stage(scene, opened)
        assert facts(scene / "b") == before

    def test_the_same_change_made_already_leaves_the_worktree_alone(self, scene: Any, opened: Opened) -> None:
        scene.write("a", GOOD.replace("15\n", "15 MINE\n"))
        before = facts(scene / "a")
        assert outcomes(stage(scene, opened)) == {"a": "applied"}
        assert scene.blob("a").decode() == GOOD
        assert facts(scene / "a") == before

    def test_intent_to_add_entries_keep_their_flag(self, scene: Any, opened: Opened) -> None:
        """`git add -N`."""
        scene.write("n", "n\n")
        scene.git("add", "-N", "n")
        stage(scene, opened)
        assert " A n" in scene.status()
        assert b"n" not in scene.git("diff", "--cached", "--name-only").split()

    @pytest.mark.parametrize("flag", ["--skip-worktree", "--assume-unchanged"])
    def test_flagged_entries_are_refused_and_keep_their_flag(self, scene: Any, opened: Opened, flag: str) -> None:
        """`--skip-worktree`, as in a sparse checkout. `--assume-unchanged` with a local edit."""
        scene.add({"b": BAD})
        scene.git("update-index", flag, "a")
        scene.write("a", "local\n")
        tags = scene.git("ls-files", "-v")
        applied = stage(scene, opened, change(scene, "a"), change(scene, "b"))
        assert outcomes(applied) == {"a": "rejected", "b": "applied"}
        assert scene.git("ls-files", "-v") == tags
        assert scene.read("a") == b"local\n"
        assert scene.blob("a").decode() == BAD

    def test_a_local_edit_under_assume_unchanged_elsewhere_survives(self, scene: Any, opened: Opened) -> None:
        """`--assume-unchanged` with a local edit."""
        scene.git("update-index", "--assume-unchanged", "b")
        scene.write("b", "local\n")
        stage(scene, opened)
        assert scene.read("b") == b"local\n"
        assert b"h b" in scene.git("ls-files", "-v").splitlines()

    def test_a_deleted_file_is_not_made_again(self, scene: Any, opened: Opened) -> None:
        """A staged file that is deleted in the worktree."""
        (scene / "a").unlink()
        assert outcomes(stage(scene, opened)) == {"a": "applied"}
        assert scene.blob("a").decode() == GOOD
        assert not (scene / "a").exists()

    def test_a_directory_in_place_of_the_file_is_not_touched(self, scene: Any, opened: Opened) -> None:
        """A directory with an untracked file in place of a file."""
        (scene / "a").unlink()
        scene.write("a/untracked", "inner\n")
        assert outcomes(stage(scene, opened)) == {"a": "applied"}
        assert scene.blob("a").decode() == GOOD
        assert scene.read("a/untracked") == b"inner\n"

    def test_links_are_not_followed(self, scene: Any, opened: Opened, tmp_path: Path) -> None:
        """Symbolic links and executable bits."""
        outside = tmp_path / "outside"
        outside.write_text(BAD)
        (scene / "a").unlink()
        (scene / "a").symlink_to(outside)
        stage(scene, opened)
        assert scene.blob("a").decode() == GOOD
        assert (scene / "a").is_symlink()
        assert outside.read_text() == BAD

    def test_nor_links_among_the_directories(self, repo: Any, opened: Opened, tmp_path: Path) -> None:
        """Symbolic links and executable bits."""
        repo.add({"dir/a": BAD})
        (tmp_path / "away").mkdir()
        (repo / "dir").rename(tmp_path / "away/dir")
        (repo / "dir").symlink_to(tmp_path / "away/dir")
        stage(repo, opened, change(repo, "dir/a"))
        assert repo.blob("dir/a").decode() == GOOD
        assert (tmp_path / "away/dir/a").read_text() == BAD

    @pytest.mark.parametrize("bits", [0o755, 0o700, 0o444, 0o640])
    def test_modes_are_kept(self, scene: Any, opened: Opened, bits: int) -> None:
        """Symbolic links and executable bits."""
        scene.config("core.fileMode", "true")
        (scene / "a").chmod(bits)
        scene.git("add", "a")
        mode = scene.index()["a"][0]
        stage(scene, opened, change(scene, "a", mode=mode))
        assert scene.index()["a"][0] == mode == ("100755" if bits & 0o100 else "100644")
        assert (scene / "a").stat().st_mode & 0o777 == bits
        assert scene.read("a").decode() == GOOD

    def test_index_and_worktree_may_differ_in_mode(self, scene: Any, opened: Opened) -> None:
        """Symbolic links and executable bits."""
        (scene / "a").chmod(0o755)
        stage(scene, opened)
        assert scene.index()["a"][0] == "100644"
        assert (scene / "a").stat().st_mode & 0o777 == 0o755
        assert scene.status() == ["MM a"]

    def test_names_are_no_patterns(self, repo: Any, opened: Opened) -> None:
        """Names that look like patterns."""
        repo.add({"a*.txt": BAD, "ab.txt": BAD})
        stage(repo, opened, change(repo, "a*.txt"))
        assert repo.blob("a*.txt").decode() == GOOD
        assert repo.blob("ab.txt").decode() == repo.read("ab.txt").decode() == BAD

    @pytest.mark.parametrize(
        "name",
        [
            *("two words", " x ", "tab\t", 'q"', "new\nline", "gr\u00fcn", "\udcff", "-x", "a,b"),
            *("\\x", "a\\b", "end\\", "d\\d/x", "\\\\host\\share", "..\\x"),
        ],
    )
    def test_any_path(self, repo: Any, opened: Opened, name: str) -> None:
        """Names with blanks, quotes, newlines and bytes that are no UTF-8."""
        repo.add({name: BAD, "decoy": BAD})
        repo.write(name, BAD + "mine\n")
        assert outcomes(stage(repo, opened, change(repo, name))) == {name: "applied"}
        assert repo.blob(name).decode() == GOOD
        assert repo.read(name).decode() == GOOD + "mine\n"

    def test_unborn(self, repo: Any, opened: Opened) -> None:
        """The first commit, on an unborn branch."""
        repo.add({"a": BAD})
        stage(repo, opened)
        assert repo.blob("a").decode() == repo.read("a").decode() == GOOD
        assert opened(repo).head() is None

    def test_conflicts_are_refused_not_resolved(self, repo: Any, opened: Opened) -> None:
        """Unresolved conflicts in the index."""
        repo.add({"a": "base\n", "c": "base\n"}, commit="base")
        repo.git("checkout", "-q", "-b", "side")
        repo.add({"a": "side\n"}, commit="side")
        repo.git("checkout", "-q", "main")
        repo.add({"a": "main\n"}, commit="main")
        repo.git("merge", "side", rc=1)
        entries = repo.git("ls-files", "-s")
        with pytest.raises(GitError, match="unresolved conflicts"):
            apply(opened(repo), [Change("a", "100644", "1" * 40, b"x\n")], Apply.STAGE, "7f3a")
        assert repo.git("ls-files", "-s") == entries

    def test_git_status_needs_no_refresh_afterwards(self, scene: Any, opened: Opened) -> None:
        stage(scene, opened)
        assert scene.git("diff-files", "--name-only") == b""


@pytest.mark.parametrize(
    ("state", "reason"),
    [
        ("unstaged", "it is not in the index any more"),
        ("restaged", "what is staged has changed since the run began"),
        ("chmod", "what is staged has changed since the run began"),
        ("link", "it is not a regular file"),
        ("filter", "converted by the filter x"),
        ("binary", "marked as binary by an attribute"),
    ],
)
def test_what_has_changed_since_the_run_began_is_refused(scene: Any, opened: Opened, state: str, reason: str) -> None:
    wanted = change(scene)
    if state == "unstaged":
        scene.git("rm", "-q", "--cached", "a")
    elif state == "restaged":
        scene.add({"a": BAD + "more\n"})
    elif state == "chmod":
        scene.git("update-index", "--chmod=+x", "a")
    elif state == "link":
        (scene / "a").unlink()
        (scene / "a").symlink_to("b")
        scene.git("add", "a")
    elif state == "filter":
        scene.write(".gitattributes", "a filter=x\n")
    else:
        scene.add({".gitattributes": "a -diff\n"})
    before = scene.snapshot()
    applied = stage(scene, opened, wanted)
    assert outcomes(applied) == {"a": "rejected"}
    assert applied.rejected[0].reason == reason
    assert applied.txn == ""
    assert scene.snapshot() == before


def test_an_empty_change_is_refused(scene: Any, opened: Opened) -> None:
    applied = stage(scene, opened, change(scene, after=BAD))
    assert applied.rejected[0].reason == "the change is empty"


def test_two_changes_of_one_path_are_a_mistake_of_the_caller(scene: Any, opened: Opened) -> None:
    with pytest.raises(ValueError, match="two changes"):
        apply(opened(scene), [change(scene), change(scene)], Apply.STAGE, "7f3a")


def test_results_keep_the_order_of_the_changes(repo: Any, opened: Opened) -> None:
    repo.add(dict.fromkeys("dcba", BAD))
    repo.write("c", BAD.replace("5 BAD", "5 BAD mine"))
    applied = stage(repo, opened, *(change(repo, name) for name in "dcba"))
    assert [(result.path, result.outcome.value) for result in applied.results] == [
        ("d", "applied"),
        ("c", "rejected"),
        ("b", "applied"),
        ("a", "applied"),
    ]


class TestConversion:
    def test_crlf_in_the_worktree(self, scene: Any, opened: Opened) -> None:
        """CRLF in the worktree, LF in the blob."""
        scene.config("core.autocrlf", "true")
        mine = BAD.replace("15\n", "15 MINE\n").replace("\n", "\r\n")
        scene.write("a", mine)
        assert outcomes(stage(scene, opened)) == {"a": "applied"}
        assert scene.blob("a").decode() == GOOD
        assert scene.read("a").decode() == mine.replace("BAD", "GOOD")
        assert scene.status() == ["MM a"]

    def test_a_fully_staged_file_gets_its_line_endings(self, scene: Any, opened: Opened) -> None:
        """CRLF in the worktree, LF in the blob."""
        scene.config("core.autocrlf", "true")
        scene.write("a", BAD.replace("\n", "\r\n"))
        stage(scene, opened)
        assert scene.read("a").decode() == GOOD.replace("\n", "\r\n")
        assert scene.status() == ["M  a"]

    @pytest.mark.parametrize("mine", ["", "mine\n"])
    def test_a_file_that_is_canonical_already_stays_so(self, scene: Any, opened: Opened, mine: str) -> None:
        """CRLF in the worktree, LF in the blob."""
        scene.config("core.autocrlf", "true")
        scene.write("a", BAD + mine)
        stage(scene, opened)
        assert scene.blob("a").decode() == GOOD
        assert scene.read("a").decode() == GOOD + mine

    @pytest.mark.parametrize("eol", ["crlf", "lf"])
    def test_by_attribute(self, scene: Any, opened: Opened, eol: str) -> None:
        """CRLF in the worktree, LF in the blob."""
        scene.add({".gitattributes": f"* text eol={eol}\n"})
        ending = {"crlf": "\r\n", "lf": "\n"}[eol]
        scene.write("a", BAD.replace("\n", ending) + "mine" + ending)
        stage(scene, opened)
        assert scene.blob("a").decode() == GOOD
        assert scene.read("a").decode() == GOOD.replace("\n", ending) + "mine" + ending

    def test_mixed_line_endings_are_not_normalised(self, repo: Any, opened: Opened) -> None:
        """Mixed line endings under core.autocrlf=input."""
        repo.config("core.autocrlf", "input")
        repo.add({"w": b"l1\r\nl2\nl3\r\nBAD\n"}, commit="w")
        repo.add({"w": b"l1\r\nl2\nl3\r\nBAD\nmore\n"})
        mine = b"l1\r\nl2\nl3\r\nBAD\nmore\nU\r\n"
        repo.write("w", mine)
        applied = stage(repo, opened, change(repo, "w", b"l1\nl2\nl3\nGOOD\nmore\n"))
        assert applied.rejected[0].reason == (
            "its unstaged edits would not survive the conversion of line endings or filters"
        )
        assert repo.read("w") == mine
        assert repo.blob("w") == b"l1\nl2\nl3\nBAD\nmore\n"

    def test_a_lossy_filter_is_never_run_on_the_worktree(self, repo: Any, opened: Opened) -> None:
        """A clean filter that throws something away."""
        repo.config("filter.st.clean", "sed 's/ SECRET=.*//'")
        repo.add({"b": "x\ny\n"}, commit="b")
        repo.write(".gitattributes", "b filter=st\n")
        repo.add({"b": "x BAD\ny\n"})
        repo.write("b", "x BAD SECRET=1\ny\n")
        applied = stage(repo, opened, change(repo, "b", "x GOOD\ny\n"))
        assert applied.rejected[0].reason == "converted by the filter st"
        assert repo.read("b") == b"x BAD SECRET=1\ny\n"
        assert repo.blob("b") == b"x BAD\ny\n"

    def test_ident_is_expanded_as_git_does(self, repo: Any, opened: Opened) -> None:
        repo.add({".gitattributes": "a ident\n", "a": "$Id$\nBAD\n"}, commit="a")
        (repo / "a").unlink()
        repo.git("checkout", "a")
        assert b"$Id: " in repo.read("a")
        stage(repo, opened, change(repo, "a", "$Id$\nGOOD\n"))
        assert repo.blob("a") == b"$Id$\nGOOD\n"
        assert repo.read("a") == f"$Id: {repo.oid('a')} $\nGOOD\n".encode()
        assert repo.status() == ["M  a"]

    def test_nothing_of_the_worktree_goes_into_the_object_database(self, scene: Any, opened: Opened) -> None:
        scene.config("core.autocrlf", "true")
        scene.write("a", BAD.replace("15\n", "15 SECRET\n").replace("\n", "\r\n"))
        stage(scene, opened)
        for oid in scene.git("cat-file", "--batch-check=%(objectname) %(objecttype)", "--batch-all-objects").split(
            b"\n"
        ):
            if oid.endswith(b" blob"):
                assert b"SECRET" not in scene.git("cat-file", "blob", oid.split()[0])

    def test_latin_1_and_a_missing_last_newline(self, repo: Any, opened: Opened) -> None:
        repo.add({"a": b"gr\xfcn\nBAD\n1\n2\n3"})
        repo.write("a", b"gr\xfcn\nBAD\n1\n2\n3\nmine\xff")
        stage(repo, opened, change(repo, "a", b"gr\xfcn\nGOOD\n1\n2\n3"))
        assert repo.read("a") == b"gr\xfcn\nGOOD\n1\n2\n3\nmine\xff"

    def test_a_binary_merge_is_refused(self, repo: Any, opened: Opened) -> None:
        repo.add({"a": b"\x00BAD\n1\n2\n3\n"})
        repo.write("a", b"\x00BAD\n1\n2\n3\nmine\n")
        applied = stage(repo, opened, change(repo, "a", b"\x00GOOD\n1\n2\n3\n"))
        assert applied.rejected[0].reason == "unstaged edits conflict"


class TestModes:
    def test_worktree_leaves_the_index_alone(self, scene: Any, opened: Opened) -> None:
        index = (scene / ".git/index").read_bytes()
        scene.write("a", BAD + "mine\n")
        assert outcomes(stage(scene, opened, mode=Apply.WORKTREE)) == {"a": "applied"}
        assert (scene / ".git/index").read_bytes() == index
        assert scene.read("a").decode() == GOOD + "mine\n"

    def test_worktree_has_the_change_already(self, scene: Any, opened: Opened) -> None:
        scene.write("a", GOOD + "mine\n")
        before = scene.snapshot()
        applied = stage(scene, opened, mode=Apply.WORKTREE)
        assert outcomes(applied) == {"a": "applied"}
        assert (applied.results[0].reason, applied.txn) == ("it was so already", "")
        assert scene.snapshot() == before

    def test_worktree_needs_a_file(self, scene: Any, opened: Opened) -> None:
        (scene / "a").unlink()
        applied = stage(scene, opened, mode=Apply.WORKTREE)
        assert applied.rejected[0].reason == "there is no regular file in the worktree"
        assert not (scene / "a").exists()

    def test_hold_writes_nothing_and_tells_what_would_happen(self, scene: Any, opened: Opened) -> None:
        """Looking only, at a partially staged file."""
        scene.config("core.autocrlf", "true")
        scene.add({"b": BAD, "c": BAD})
        scene.write("b", BAD.replace("BAD", "BAD mine"))
        scene.write("c", BAD.replace("\n", "\r\n") + "mine\r\n")
        before = scene.snapshot()
        applied = apply(opened(scene), [change(scene, name) for name in ("a", "b", "c")], Apply.HOLD, "7f3a")
        assert outcomes(applied) == {"a": "held", "b": "rejected", "c": "held"}
        assert applied.txn == ""
        assert scene.snapshot() == before

    @pytest.mark.parametrize("mode", list(Apply))
    def test_nothing_to_do_leaves_no_trace(self, scene: Any, opened: Opened, mode: Apply) -> None:
        before = scene.snapshot()
        assert apply(opened(scene), [], mode, "7f3a") == Applied((), "")
        assert scene.snapshot() == before


def new(path: str, after: str = "new\n", mode: str = "100644") -> Change:
    return Change(path, mode, None, after.encode())


class TestNewFiles:
    def test_a_new_file_with_its_directories(self, scene: Any, opened: Opened) -> None:
        applied = stage(scene, opened, change(scene), new("dir/sub/x"), new("dir/sub/run.sh", mode="100755"))
        assert outcomes(applied) == {"a": "applied", "dir/sub/x": "applied", "dir/sub/run.sh": "applied"}
        assert scene.read("dir/sub/x") == scene.blob("dir/sub/x") == b"new\n"
        assert scene.index()["dir/sub/run.sh"][0] == "100755"
        assert (scene / "dir/sub/run.sh").stat().st_mode & 0o111
        assert scene.status() == ["M  a", "A  dir/sub/run.sh", "A  dir/sub/x"]

    def test_in_an_empty_repository(self, repo: Any, opened: Opened) -> None:
        assert outcomes(stage(repo, opened, new("x"))) == {"x": "applied"}
        assert repo.status() == ["A  x"]

    def test_in_the_worktree_only(self, scene: Any, opened: Opened) -> None:
        stage(scene, opened, new("x"), mode=Apply.WORKTREE)
        assert scene.status() == ["M  a", "?? x"]

    @pytest.mark.parametrize(
        ("path", "reason"),
        [
            ("a", "there is a file of that name in the index"),
            ("dir", "there is a directory of that name"),
            ("a/x", "a directory of its path is a file or a submodule"),
            ("untracked", "there is something of that name in the worktree"),
            ("dangling", "there is something of that name in the worktree"),
            ("link/x", "a directory of its path is a symbolic link or a file"),
            ("untracked/x", "a directory of its path is a symbolic link or a file"),
            ("../x", "its name is not that of a file below the top"),
            ("/x", "its name is not that of a file below the top"),
            ("dir//x", "its name is not that of a file below the top"),
            ("./x", "its name is not that of a file below the top"),
            ("", "its name is not that of a file below the top"),
            ("a\\b", "its name is not that of a file below the top"),
            ("x\0y", "its name is not that of a file below the top"),
            (".git/hooks/pre-commit", "its name belongs to git"),
            ("dir/.GIT/config", "its name belongs to git"),
            (".g\u200cit/config", "its name belongs to git"),
            (".git./config", "its name belongs to git"),
            ("git~1/config", "its name belongs to git"),
        ],
    )
    def test_names_that_are_refused(self, scene: Any, opened: Opened, tmp_path: Path, path: str, reason: str) -> None:
        scene.add({"dir/y": "1\n"})
        scene.write("untracked", "mine\n")
        (scene / "dangling").symlink_to("nowhere")
        (tmp_path / "outside").mkdir()
        (scene / "link").symlink_to(tmp_path / "outside")
        before = scene.snapshot()
        applied = stage(scene, opened, new(path))
        assert applied.rejected[0].reason == reason
        assert scene.snapshot() == before
        assert list((tmp_path / "outside").iterdir()) == []

    @pytest.mark.parametrize("path", [".gitignore", ".github/x.yml", "git", "x.git/y", ".gitattributes"])
    def test_names_that_only_look_like_it(self, scene: Any, opened: Opened, path: str) -> None:
        assert outcomes(stage(scene, opened, new(path))) == {path: "applied"}

    def test_a_submodule_is_no_directory(self, scene: Any, opened: Opened, make_repo: Callable[..., Any]) -> None:
        inner = make_repo("inner")
        inner.add({"x": "1\n"}, commit="base")
        scene.git("submodule", "--quiet", "add", inner.path, "mod")
        applied = stage(scene, opened, new("mod/y"))
        assert applied.rejected[0].reason == "a directory of its path is a file or a submodule"
        assert not (scene / "mod/y").exists()

    def test_line_endings_of_a_new_file(self, scene: Any, opened: Opened) -> None:
        scene.config("core.autocrlf", "true")
        stage(scene, opened, new("x", "1\n2\n"))
        assert scene.read("x") == b"1\r\n2\r\n"
        assert scene.blob("x") == b"1\n2\n"


@pytest.mark.parametrize(
    "shape", ["split", "v4", "sparse", "untracked-cache", "sha256", "linked", "reftable", "partial"]
)
def test_other_kinds_of_repositories(
    make_repo: Callable[..., Any], open_repo: Callable[[Path], Any], opened: Opened, tmp_path: Path, shape: str
) -> None:
    options = {"sha256": ["--object-format=sha256"], "reftable": ["--ref-format=reftable"]}.get(shape, [])
    if shape == "reftable":
        try:
            make_repo("probe", *options)
        except AssertionError:
            pytest.skip("this git has no reftable")
    repo = make_repo("r", *options)
    repo.add({"a": TWENTY, "in/b": TWENTY, "out/c": TWENTY}, commit="base")
    if shape == "split":
        repo.git("update-index", "--split-index")
    elif shape == "v4":
        repo.git("update-index", "--index-version=4")
    elif shape == "untracked-cache":
        repo.git("update-index", "--untracked-cache")
    elif shape == "sparse":
        repo.git("sparse-checkout", "set", "--cone", "--sparse-index", "in")
    elif shape == "linked":
        repo.git("worktree", "add", "-q", tmp_path / "linked")
        repo = open_repo(tmp_path / "linked")
    elif shape == "partial":
        repo.config("uploadpack.allowFilter", "true")
        repo.git("clone", "-q", "--filter=blob:none", f"file://{repo.path}", tmp_path / "partial")
        repo = open_repo(tmp_path / "partial")
    repo.add({"a": BAD, "in/b": BAD})
    repo.write("a", BAD + "mine\n")
    stage(repo, opened, change(repo, "a"), change(repo, "in/b"))
    assert repo.status() == ["MM a", "M  in/b"]
    assert repo.blob("a").decode() == repo.blob("in/b").decode() == GOOD
    assert repo.read("a").decode() == GOOD + "mine\n"
    repo.commit("done")
    assert repo.git("fsck", "--no-dangling") == b""  # not before: a sparse index names trees that git writes later
    assert repo.blob("out/c", "HEAD").decode() == TWENTY
    if shape == "v4":
        assert (repo / ".git/index").read_bytes()[4:8] == b"\0\0\0\4"
    if shape == "untracked-cache":
        assert b"UNTR" in (repo / ".git/index").read_bytes()
    if shape == "sparse":
        assert b"sdir" in (repo / ".git/index").read_bytes()


def test_a_submodule_is_a_repository_of_its_own(make_repo: Callable[..., Any], open_repo: Any, opened: Opened) -> None:
    inner, outer = make_repo("inner"), make_repo("outer")
    inner.add({"a": TWENTY}, commit="base")
    outer.git("submodule", "--quiet", "add", inner.path, "mod")
    mod = open_repo(outer / "mod")
    mod.add({"a": BAD})
    stage(mod, opened)
    assert mod.blob("a").decode() == mod.read("a").decode() == GOOD
    assert (outer / ".git/modules/mod/litecode/txn-7f3a.1/done.json").exists()
    assert not (outer / ".git/litecode").exists()


def test_git_dir_and_work_tree_apart(scene: Any, opened: Opened, tmp_path: Path) -> None:
    away = tmp_path / "away"
    away.mkdir()
    (scene / "a").rename(away / "a")
    repo = opened(away, GIT_DIR=str(scene / ".git"), GIT_WORK_TREE=".")
    assert outcomes(apply(repo, [change(scene)], Apply.STAGE, "7f3a")) == {"a": "applied"}
    assert (away / "a").read_text() == scene.blob("a").decode() == GOOD


@pytest.mark.skipif(not Path("/dev/shm").is_dir(), reason="needs a second file system")
def test_a_git_directory_on_another_file_system(repo: Any, opened: Opened) -> None:
    import tempfile

    with tempfile.TemporaryDirectory(dir="/dev/shm") as elsewhere:
        if Path(elsewhere).stat().st_dev == repo.path.stat().st_dev:
            pytest.skip("needs a second file system")
        (repo / ".git/HEAD").parent.rename(repo.path.with_name("unused"))
        repo.git("init", "-q", "--separate-git-dir", f"{elsewhere}/git")
        repo.add({"a": BAD, "dir/b": BAD})
        repo.write("a", BAD + "mine\n")
        stage(repo, opened, change(repo, "a"), change(repo, "dir/b"), new("made/x"))
        assert repo.read("a").decode() == GOOD + "mine\n"
        assert repo.read("dir/b").decode() == repo.blob("dir/b").decode() == GOOD
        assert sorted(file.name for file in repo.path.iterdir()) == [".git", "a", "dir", "made"]
        assert [file.name for file in (repo / "dir").iterdir()] == ["b"]


class TestJournal:
    def test_it_keeps_every_content(self, scene: Any, opened: Opened) -> None:
        scene.write("a", BAD + "mine\n")
        stage(scene, opened)
        (journal,) = journals(opened(scene))
        assert journal.phase() is Phase.DONE
        assert (journal.id, journal.header.run, journal.header.kind) == ("7f3a.1", "7f3a", "apply")
        (move,) = journal.moves()
        assert (move.blob_old, move.blob_new) == (BAD.encode(), GOOD.encode())
        assert (move.file_old, move.file_new) == ((BAD + "mine\n").encode(), (GOOD + "mine\n").encode())

    def test_it_is_private(self, scene: Any, opened: Opened) -> None:
        stage(scene, opened)
        assert (scene / ".git/litecode/txn-7f3a.1").stat().st_mode & 0o777 == 0o700
        assert (scene / ".git/litecode/txn-7f3a.1/contents.tar").stat().st_mode & 0o777 == 0o600

    def test_tar_can_read_it(self, scene: Any, opened: Opened) -> None:
        import tarfile

        stage(scene, opened)
        with tarfile.open(scene / ".git/litecode/txn-7f3a.1/contents.tar") as archive:
            contents = {archive.extractfile(name).read().decode() for name in archive.getnames()}
        assert contents == {BAD, GOOD}

    def test_there_is_no_ref_and_no_stash(self, scene: Any, opened: Opened) -> None:
        """No stash and no ref, which all worktrees would share."""
        refs = scene.git("for-each-ref")
        stage(scene, opened)
        assert scene.git("for-each-ref") == refs
        assert scene.git("stash", "list") == b""

    def test_old_ones_are_pruned(self, scene: Any, opened: Opened) -> None:
        for number in range(25):
            scene.add({"a": BAD + f"{number}\n"})
            apply(opened(scene), [change(scene)], Apply.STAGE, f"{number:04x}")
        names = sorted(path.name for path in (scene / ".git/litecode").glob("txn-*"))
        assert names == sorted(f"txn-{number:04x}.1" for number in range(5, 25))
        stale = scene / ".git/litecode/txn-0010.1/done.json"
        os.utime(stale, (stale.stat().st_mtime - 15 * 86400,) * 2)
        stage(scene, opened, change(scene, after="more\n"))
        assert not stale.exists()

    def test_a_damaged_journal_does_not_disturb(self, scene: Any, opened: Opened) -> None:
        stage(scene, opened)
        (scene / ".git/litecode/txn-7f3a.1/done.json").write_text("{")
        assert journals(opened(scene)) == []
        scene.add({"a": BAD})
        assert stage(scene, opened).txn == "7f3a.2"

    def test_damaged_contents_are_noticed(self, scene: Any, opened: Opened) -> None:
        stage(scene, opened)
        tar = scene / ".git/litecode/txn-7f3a.1/contents.tar"
        tar.write_bytes(tar.read_bytes().replace(b"GOOD", b"EVIL"))
        with pytest.raises(StateError, match="is damaged"):
            journals(opened(scene))[0].moves()


def test_a_thousand_files_are_one_index_write(repo: Any, opened: Opened) -> None:
    repo.add({f"d{number % 20}/f{number}": f"{number}\nBAD\n" for number in range(1000)}, commit="base")
    repo.hook("post-index-change", f"echo x >> {repo / '.git/writes'}")
    index = repo.index()
    changes = [Change(path, mode, oid, b"GOOD\n") for path, (mode, oid, _) in index.items()]
    assert {result.outcome for result in stage(repo, opened, *changes).results} == {Outcome.APPLIED}
    assert {oid for _, oid, _ in repo.index().values()} == {repo.oid("d0/f0")}
    assert not (repo / ".git/writes").exists()
