"""Real commits whose message asks for a change, through the installed hooks; renames need no model."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

CART, USE = "def total(items):\n    return sum(items)\n", "import cart\n\ncart.total([])\n"
NEW_CART, NEW_USE = CART.replace("total", "grand_total"), USE.replace("total", "grand_total")
MORE = "# more\n"
REQUEST = "Litecode: rename total to grand_total"
TEXT = f"Clean up\n\nBecause.\n\n{REQUEST}\n"


def typed(text: str) -> str:
    """An editor that writes above what is there."""
    return f'printf \'%s\' \'{text}\' | cat - "$1" > "$1.new" && mv "$1.new" "$1"'


FORMS: dict[str, tuple[Sequence[str], Mapping[str, Any]]] = {
    "-m": (("-m", "Clean up", "-m", "Because.", "-m", REQUEST), {}),
    "-F": (("-F", ".git/typed"), {}),
    "-F -": (("-F", "-"), {"stdin": TEXT}),
    "editor": ((), {"editor": typed(TEXT)}),
    "editor -v": (("-v",), {"editor": typed(TEXT)}),
    "-e": (("-m", "Clean up", "-e"), {"editor": f"printf '\\nBecause.\\n\\n{REQUEST}\\n' >> \"$1\""}),
    "-t": (("-t", ".git/typed"), {"editor": 'sed -i.old \'s/^Because/Because/; 1s/ *$/ /\' "$1"; echo >> "$1"'}),
    "scissors": (("--cleanup=scissors",), {"editor": typed(TEXT)}),
    "verbatim": (("--cleanup=verbatim", "-m", TEXT), {}),
    "comment character": ((), {"editor": typed(TEXT), "config": {"core.commentChar": ";", "commit.verbose": "true"}}),
    "automatic comment character": ((), {"editor": typed(TEXT), "config": {"core.commentChar": "auto"}}),
    "--trailer": (("-m", "Clean up", "-m", "Because.", "--trailer", REQUEST), {}),
    "subdirectory": (("-F", "../.git/typed"), {"cwd": "deep"}),
    "IDE": (("--quiet", "--allow-empty-message", "--file", "-"), {"stdin": TEXT, "env": {"TERM": ""}}),
}


def prepare(shop: Any, facts: Mapping[str, Any]) -> dict[str, Any]:
    shop.repo.write(".git/typed", TEXT)
    (shop.path / "deep").mkdir()
    for name, value in facts.get("config", {}).items():
        shop.repo.config(name, value)
    return {name: value for name, value in facts.items() if name != "config"}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_a_message(shop: Any, form: str) -> None:
    words, facts = FORMS[form]
    head, index = shop.repo.rev("HEAD"), shop.repo.index()
    facts = prepare(shop, facts)
    said = shop.run("commit", *words, rc=1, **facts)
    assert "git litecode commit --continue" in said
    assert (shop.repo.rev("HEAD"), shop.repo.index()) == (head, index)
    kept = shop.repo.read(".git/litecode/commit/message").decode()
    assert kept.split("\n\n")[1:] == ["Because.", f"{REQUEST}\n"]
    shop.run("litecode", "commit", "--continue")
    assert shop.message() == f"{kept}Litecode-Run: {shop.run_id}\n"
    assert shop.repo.rev("HEAD~1") == head
    assert (shop.repo.blob("cart.py", "HEAD"), shop.repo.blob("use.py", "HEAD")) == (
        (NEW_CART + MORE).encode(),
        (NEW_USE + MORE).encode(),
    )
    assert shop.repo.status() == []
    assert not (shop.path / ".git/litecode/commit/message").exists()
    assert list((shop.path / ".git").glob("litecode-*")) == []


@pytest.mark.parametrize("form", ["-m", "-F -", "editor -v", "-e", "automatic comment character", "--trailer"])
def test_git_litecode_commit_does_it_at_once(shop: Any, form: str) -> None:
    words, facts = FORMS[form]
    head = shop.repo.rev("HEAD")
    said = shop.run("litecode", "commit", "--yes", *words, **prepare(shop, facts))
    assert "problem with the editor" not in said
    assert shop.message() == f"{TEXT}Litecode-Run: {shop.run_id}\n"
    assert shop.repo.rev("HEAD~1") == head
    assert shop.repo.blob("use.py", "HEAD") == (NEW_USE + MORE).encode()
    assert shop.repo.status() == []
    assert list((shop.path / ".git").glob("litecode-*")) == []


@pytest.mark.parametrize("command", [("commit",), ("litecode", "commit", "--yes")])
class TestKinds:
    """What the commit is made of, and how."""

    def commit(self, shop: Any, command: Sequence[str], *words: str, **facts: Any) -> None:
        native = command == ("commit",)
        shop.run(*command, "-m", TEXT, *words, rc=int(native), **facts)
        if native:
            shop.run("litecode", "commit", "--continue")
        assert f"\nLitecode-Run: {shop.run_id}\n" in shop.message()

    @pytest.mark.parametrize("words", [("-a",), ("-i", "cart.py", "use.py")])
    def test_all(self, shop: Any, command: Sequence[str], words: Sequence[str]) -> None:
        shop.repo.git("reset", "-q")
        shop.repo.write("other.md", "untracked\n")
        self.commit(shop, command, *words)
        assert shop.repo.blob("cart.py", "HEAD") == (NEW_CART + MORE).encode() == shop.repo.read("cart.py")
        assert shop.repo.status() == ["?? other.md"]

    def test_single_paths(self, shop: Any, command: Sequence[str]) -> None:
        shop.repo.add({"notes.md": "2\n"})
        self.commit(shop, command, "--", "cart.py", "use.py")
        assert shop.repo.blob("cart.py", "HEAD") == (NEW_CART + MORE).encode() == shop.repo.read("cart.py")
        assert shop.repo.status() == ["M  notes.md"]
        assert shop.repo.blob("notes.md") == b"2\n"

    def test_amend(self, shop: Any, command: Sequence[str]) -> None:
        base = shop.repo.rev("HEAD")
        shop.repo.git("commit", "-q", "--allow-empty", "-m", "first", "--author=Z <z@z>", "--", "notes.md")
        self.commit(shop, command, "--amend", "-q")
        assert shop.repo.rev("HEAD~1") == base
        assert shop.repo.git("log", "-1", "--format=%an").decode() == "Z\n"
        assert shop.repo.blob("use.py", "HEAD") == (NEW_USE + MORE).encode()

    def test_amend_with_nothing_new(self, shop: Any, command: Sequence[str]) -> None:
        shop.repo.git("commit", "-q", "--no-verify", "-m", "first")
        self.commit(shop, command, "--amend")
        assert shop.repo.blob("use.py", "HEAD") == (NEW_USE + MORE).encode()
        assert shop.repo.git("rev-list", "--count", "HEAD") == b"2\n"

    def test_the_author(self, shop: Any, command: Sequence[str]) -> None:
        self.commit(shop, command, "--author=Z <z@z>", "--date=2001-02-03T04:05:06Z", "-s")
        assert shop.repo.git("log", "-1", "--format=%an %aI").decode() == "Z 2001-02-03T04:05:06+00:00\n"
        assert shop.message().count("Signed-off-by: A U Thor <author@example.com>") == 1

    def test_unstaged_edits_stay(self, shop: Any, command: Sequence[str]) -> None:
        shop.repo.write("use.py", USE + MORE + "\n\nmine = 1\n")
        self.commit(shop, command)
        assert shop.repo.blob("use.py", "HEAD") == (NEW_USE + MORE).encode()
        assert shop.repo.read("use.py") == (NEW_USE + MORE + "\n\nmine = 1\n").encode()
        assert shop.repo.status() == [" M use.py"]


def test_the_author_of_a_message_that_is_used_again(shop: Any) -> None:
    author = ("--author=Z <z@z>", "--date=@1000 +0000")
    shop.repo.git("commit", "-q", "--no-verify", "--allow-empty", "-m", TEXT, *author, "--", "notes.md")
    shop.run("commit", "-C", "HEAD", rc=1)
    shop.run("litecode", "commit", "--continue")
    assert shop.repo.git("log", "-1", "--format=%an %at").decode() == "Z 1000\n"
    shop.repo.add({"notes.md": "2\n"})
    shop.repo.git("reset", "-q", "--hard", "HEAD~1")
    shop.repo.add({"cart.py": CART + MORE, "use.py": USE + MORE})
    shop.run("litecode", "commit", "--yes", "-C", "HEAD")
    assert shop.repo.git("log", "-1", "--format=%an %at").decode() == "Z 1000\n"
    assert shop.repo.blob("use.py", "HEAD") == (NEW_USE + MORE).encode()


def test_the_first_commit_and_a_linked_worktree(
    shop: Any, make_repo: Callable[..., Any], open_repo: Callable[[Path], Any], tmp_path: Path
) -> None:
    shop.repo.git("worktree", "add", "-q", str(tmp_path / "linked"))
    linked = open_repo(tmp_path / "linked")
    first = make_repo("first")
    first.git("litecode", "install")
    for repo in (linked, first):
        repo.add({"cart.py": CART + MORE, "use.py": USE + MORE})
        repo.git("commit", "-m", TEXT, rc=1)
        repo.git("litecode", "commit", "--continue")
        assert repo.blob("use.py", "HEAD") == (NEW_USE + MORE).encode()
        assert repo.status() == []
    assert shop.repo.blob("use.py") == (USE + MORE).encode()


def test_several_requests_in_their_order(shop: Any) -> None:
    text = f"{TEXT}Signed-off-by: A <a@b>\nLitecode: rename grand_total to sum_of\n"
    shop.run("commit", "-m", text, rc=1)
    shop.run("litecode", "commit", "--continue")
    assert shop.repo.blob("cart.py", "HEAD") == (CART.replace("total", "sum_of") + MORE).encode()
    lines = shop.message().splitlines()[4:]
    assert [line.split(":")[0] for line in lines] == [
        "Litecode",
        "Litecode-Run",
        "Signed-off-by",
        "Litecode",
        "Litecode-Run",
    ]
    assert lines[1] != lines[4] == f"Litecode-Run: {shop.run_id}"


def test_trailers_can_be_dropped(shop: Any) -> None:
    shop.repo.config("litecode.trailer", "drop")
    shop.run("litecode", "commit", "--yes", "-m", TEXT, "-s")
    assert shop.message() == "Clean up\n\nBecause.\n\nSigned-off-by: A U Thor <author@example.com>\n"
    assert shop.repo.blob("use.py", "HEAD") == (NEW_USE + MORE).encode()


class TestUnchanged:
    """Messages that ask for nothing: the commit is what it would be without LiteCode."""

    def passes(self, shop: Any, *words: str, said: str = "", **facts: Any) -> None:
        tree = shop.repo.git("write-tree")
        told = shop.run("commit", *words, **facts)
        assert said in told
        assert ("litecode" in told) is bool(said)
        assert shop.repo.git("rev-parse", "HEAD^{tree}") == tree
        assert not (shop.path / ".git/litecode/commit").exists()

    @pytest.mark.parametrize(
        "text",
        [
            "Litecode: rename total to grand_total",
            f"Clean up\n\n{REQUEST}\n\nand more of the body\n",
            f"Clean up\n\n    {REQUEST}\n",
            f"Clean up\n\n> {REQUEST}\n",
            f"Clean up\n\n{REQUEST}\nLitecode-Run: 7f3a\n",
            "Clean up\n\nLitecode-Run: 7f3a\n",
        ],
    )
    def test_no_trailer(self, shop: Any, text: str) -> None:
        self.passes(shop, "-m", text)
        assert shop.message().strip() == text.strip()

    def test_what_is_below_the_scissors(self, shop: Any) -> None:
        cut = "# ------------------------ >8 ------------------------"
        self.passes(shop, "--cleanup=scissors", editor=typed(f"Clean up\n\n{cut}\n{REQUEST}\n"))
        assert shop.message() == "Clean up\n"

    def test_what_is_commented_out(self, shop: Any) -> None:
        self.passes(shop, editor=typed(f"Clean up\n\n#{REQUEST}\n"))

    def test_left_out_once(self, shop: Any) -> None:
        self.passes(shop, "-m", TEXT, env={"SKIP": "ruff,litecode-message"}, said="SKIP names litecode-message")

    @pytest.mark.parametrize("word", ["fixup", "squash", "amend"])
    def test_commits_that_are_going_to_be_joined(self, shop: Any, word: str) -> None:
        self.passes(shop, "-m", f"{word}! base\n\n{TEXT}", said="joined with another commit")

    def test_an_amended_message_that_is_done(self, shop: Any) -> None:
        shop.repo.git("commit", "-q", "--no-verify", "-m", f"{TEXT}Litecode-Run: 7f3a\n")
        shop.repo.add({"notes.md": "2\n"})
        self.passes(shop, "--amend", "--no-edit")
        self.passes(shop, "--amend", editor=typed("More\n\n"))

    def sides(self, repo: Any) -> None:
        """Two branches, the other one with a request in its message, that conflict."""
        repo.git("reset", "-q", "--hard")
        repo.git("checkout", "-q", "-b", "side")
        repo.add({"cart.py": CART + "side\n"}, commit=TEXT)
        repo.git("checkout", "-q", "main")
        repo.add({"cart.py": CART + "main\n"}, commit="main")

    @pytest.mark.parametrize("action", ["merge", "cherry-pick", "revert"])
    def test_in_the_middle_of_something(self, shop: Any, action: str) -> None:
        self.sides(shop.repo)
        if action == "revert":
            shop.repo.git("revert", "--no-edit", "side", rc=1)
        else:
            shop.repo.git(action, "side", rc=1)
        shop.repo.add({"cart.py": CART + "both\n"})
        self.passes(shop, "-m", TEXT, said=f"because of the {action}")

    def test_a_squashed_merge(self, shop: Any) -> None:
        self.sides(shop.repo)
        shop.repo.git("merge", "--squash", "side", rc=1)
        shop.repo.add({"cart.py": CART + "both\n"})
        self.passes(shop, "-m", TEXT, said="merge --squash")

    def test_a_clean_merge(self, shop: Any) -> None:
        shop.repo.git("reset", "-q", "--hard")
        shop.repo.git("checkout", "-q", "-b", "side")
        shop.repo.add({"use.py": USE + "side\n"}, commit=TEXT)
        shop.repo.git("checkout", "-q", "main")
        shop.repo.add({"cart.py": CART + "main\n"}, commit="main")
        said = shop.run("merge", "--no-ff", "-m", TEXT, "side")
        assert "because of the merge" in said
        assert shop.repo.blob("cart.py", "HEAD") == (CART + "main\n").encode()

    def test_a_reworded_commit(self, shop: Any) -> None:
        shop.repo.git("commit", "-q", "--no-verify", "-m", TEXT)
        sequence = "sed -i.old s/^pick/reword/"
        tree = shop.repo.git("rev-parse", "HEAD^{tree}")
        said = shop.run("rebase", "-i", "HEAD~1", env={"GIT_SEQUENCE_EDITOR": sequence}, editor=typed("Other\n"))
        assert "because of the rebase" in said
        assert shop.repo.git("rev-parse", "HEAD^{tree}") == tree
        assert shop.message().startswith("Other\n")

    def test_git_litecode_commit_is_git_commit(self, shop: Any) -> None:
        for words in (("-m", "one", "--", "cart.py"), ("-am", "two"), ("--amend", "--no-edit", "-q")):
            shop.run("litecode", "commit", *words)
        assert shop.repo.git("log", "--format=%s").decode().split() == ["two", "one", "base"]
        shop.repo.add({"notes.md": "3\n"})
        assert "M notes.md" in shop.run("litecode", "commit", "--short").replace("M  ", "M ")
        shop.run("litecode", "commit", editor=typed("three\n"))
        assert shop.message() == "three\n"
