"""What can go wrong between a request in a message and its commit; the message is never lost."""

from __future__ import annotations

import os
import pty
import select
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from litecode.core.budget.tokens import UNKNOWN_FACTOR
from litecode.core.git.repository import Repository
from litecode.core.llm.replay import RecordingModel
from litecode.core.values import Apply, Message, Prompt, Reply, Stop
from litecode.core.world import Options
from litecode.hooks.world import build_world, make_request

REQUEST = "Litecode: rename total to grand_total"
TEXT = f"Clean up\n\n{REQUEST}\n"
CONTINUE = ("litecode", "commit", "--continue")


@pytest.fixture
def stopped(shop: Any) -> Any:
    shop.run("commit", "-m", TEXT, rc=1)
    return shop


def test_the_same_commit_again_is_stopped_by_the_same_run(stopped: Any) -> None:
    first = stopped.run_id
    said = stopped.run("commit", "-m", TEXT, rc=1)
    assert f"git litecode review {first}" in said
    assert "+def grand_total(items):" in said
    assert stopped.run_id == first
    assert len(stopped.repo.git("litecode", "log").splitlines()) == 1


@pytest.mark.parametrize("editor", [False, True])
def test_a_commit_after_a_decision_passes_and_its_trailer_is_done(stopped: Any, editor: bool) -> None:
    stopped.run("litecode", "apply")
    if editor:
        stopped.run("commit", "-v", editor=f'printf \'{TEXT}\' | cat - "$1" > "$1.new"; mv "$1.new" "$1"')
    else:
        stopped.run("commit", "-m", TEXT)
    assert stopped.message() == f"{TEXT}Litecode-Run: {stopped.run_id}\n"
    assert stopped.is_renamed
    stopped.run(*CONTINUE, rc=2)


def test_part_of_it_can_be_agreed_to(stopped: Any) -> None:
    stopped.run("litecode", "apply", stopped.run_id, "cart.py", rc=1)
    stopped.run("commit", "-m", TEXT, rc=1)
    stopped.run("litecode", "drop", stopped.run_id)
    stopped.repo.add({"notes.md": "2\n"})
    stopped.run("commit", "-m", TEXT)
    assert stopped.message() == f"{TEXT}Litecode-Run: {stopped.run_id}\n"
    assert b"grand_total" in stopped.repo.blob("cart.py", "HEAD")
    assert b"grand_total" not in stopped.repo.blob("use.py", "HEAD")


def test_what_was_dropped_or_taken_back_is_not_done(stopped: Any) -> None:
    before = stopped.repo.index()
    stopped.run(*CONTINUE)
    stopped.repo.git("reset", "-q", "--soft", "HEAD~1")
    stopped.repo.git("litecode", "undo")
    assert stopped.repo.index() == before
    stopped.run("commit", "-m", TEXT, rc=1)
    stopped.run("litecode", "drop")
    stopped.run("commit", "-m", TEXT, rc=1)
    assert stopped.repo.git("rev-list", "--count", "HEAD") == b"1\n"


def test_what_is_staged_since_belongs_to_the_commit(stopped: Any) -> None:
    stopped.repo.add({"notes.md": "2\n"})
    stopped.run(*CONTINUE)
    assert stopped.is_renamed
    assert stopped.repo.blob("notes.md", "HEAD") == b"2\n"


def test_what_touches_the_change_since_stops_it(stopped: Any) -> None:
    stopped.repo.add({"use.py": "import cart\n\ncart.total([1])\n# more\n"})
    said = stopped.run(*CONTINUE, rc=2)
    assert "use.py: what is staged by now changes the same lines" in said
    assert stopped.kept == TEXT
    assert stopped.repo.git("rev-list", "--count", "HEAD") == b"1\n"


def test_an_index_that_has_changed_is_not_overwritten(shop: Any) -> None:
    shop.repo.git("reset", "-q")
    shop.run("commit", "-am", TEXT, rc=1)
    shop.repo.add({"notes.md": "2\n"})
    before = shop.repo.index()
    said = shop.run(*CONTINUE, rc=2)
    assert "the index has changed since the commit was stopped" in said
    assert f"git commit -e -F {shop.path}/.git/litecode/commit/message" in said
    assert (shop.repo.index(), shop.kept) == (before, TEXT)


def test_another_commit_is_not_amended(shop: Any) -> None:
    shop.run("commit", "--amend", "-m", TEXT, rc=1)
    shop.repo.commit("other", "--allow-empty", "--only", "--", "notes.md")
    said = shop.run(*CONTINUE, rc=2)
    assert "HEAD is not the commit any more that was to be amended" in said
    assert shop.kept == TEXT


def test_edits_made_after_a_commit_of_everything_stay_unstaged(shop: Any) -> None:
    shop.repo.git("reset", "-q")
    shop.run("commit", "-am", TEXT, rc=1)
    shop.repo.write("use.py", "import cart\n\ncart.total([])\n# more\n\n\nlate = 1\n")
    shop.run(*CONTINUE)
    assert shop.is_renamed
    assert shop.repo.read("use.py") == b"import cart\n\ncart.grand_total([])\n# more\n\n\nlate = 1\n"
    assert shop.repo.status() == [" M use.py"]


def test_a_hook_that_refuses_leaves_message_and_result(stopped: Any) -> None:
    chained = stopped.repo.hook("pre-commit.litecode-chained", "exit 1")
    said = stopped.run(*CONTINUE, rc=1)
    assert "your message is kept" in said
    assert stopped.kept == f"{TEXT}Litecode-Run: {stopped.run_id}\n"
    chained.unlink()
    stopped.run(*CONTINUE, "-q")
    assert stopped.message() == f"{TEXT}Litecode-Run: {stopped.run_id}\n"
    assert stopped.is_renamed


def test_more_options_for_git(stopped: Any) -> None:
    stopped.run(*CONTINUE, "--author=Z <z@z>")
    assert stopped.repo.git("log", "-1", "--format=%an") == b"Z\n"


@pytest.mark.parametrize(
    ("text", "code", "said"),
    [
        ("change nope.py", 2, "nope.py"),
        ("add a docstring to total in cart.py", 1, "git litecode model pull"),
    ],
)
def test_a_request_that_cannot_be_carried_out_stops_the_commit(shop: Any, text: str, code: int, said: str) -> None:
    message = f"Clean up\n\nLitecode: {text}\n"
    before = shop.repo.rev("HEAD"), shop.repo.index()
    told = shop.run("commit", "-m", message, rc=1)
    assert said in told
    assert "the commit is stopped" in told
    assert (shop.repo.rev("HEAD"), shop.repo.index()) == before
    assert shop.kept == message
    assert "the commit is stopped" in shop.run(*CONTINUE, rc=code)
    assert shop.kept == message
    fixed = f"sed -i.old 's/^Litecode: .*/{REQUEST}/' \"$1\""
    shop.run("commit", "-e", "-F", ".git/litecode/commit/message", rc=1, editor=fixed)
    shop.run(*CONTINUE)
    assert shop.is_renamed


def test_without_a_model_it_goes_on_when_the_person_has_said_so(shop: Any) -> None:
    shop.repo.git("config", "--global", "litecode.onUnavailable", "skip")
    message = "Clean up\n\nLitecode: add a docstring to total in cart.py\n"
    said = shop.run("commit", "-m", message)
    assert "is not carried out (litecode.onUnavailable is skip)" in said
    assert shop.message() == message


@pytest.mark.parametrize("trouble", ["setting", "folder", "defect", "import"])
def test_trouble_in_the_hook_says_where_the_message_is(shop: Any, trouble: str) -> None:
    if trouble == "setting":
        shop.repo.git("config", "--global", "litecode.trailer", "nonsense")
    elif trouble == "folder":
        shop.repo.write(".git/litecode/commit", "a file in the place of the folder")
    else:
        broken = {
            "defect": "from litecode.hooks import commit_msg; commit_msg.written = None",
            "import": 'sys.modules["litecode.hooks.entries"] = None',
        }
        hook = shop.path / ".git/hooks/commit-msg"
        text = hook.read_text(encoding="utf-8")
        hook.write_text(text.replace("sys.exit(main())", f"{broken[trouble]}; sys.exit(main())"), encoding="utf-8")
    said = shop.run("commit", "-m", TEXT, rc=1)
    assert f"your message is in {shop.path}/.git/" in said or f"-F {shop.path}/.git/" in said
    assert "hint: " in said
    assert (shop.path / ".git/COMMIT_EDITMSG").read_text(encoding="utf-8") == TEXT
    assert shop.repo.git("rev-list", "--count", "HEAD") == b"1\n"


@pytest.mark.parametrize("damage", ["{", '{"format": 2}', '{"format": 1, "value": {"texts": 1}}'])
def test_a_damaged_state_is_an_error_with_a_remedy(stopped: Any, damage: str) -> None:
    (stopped.path / ".git/litecode/commit/waiting.json").write_text(damage, encoding="utf-8")
    (stopped.path / ".git/litecode/commit/results.json").write_text(damage, encoding="utf-8")
    said = stopped.run(*CONTINUE, rc=2)
    assert "delete it, and commit again" in said
    stopped.run("commit", "-m", TEXT, rc=1)
    stopped.run(*CONTINUE)
    assert stopped.is_renamed


def test_nothing_waits(shop: Any) -> None:
    assert "no commit waits for its request" in shop.run(*CONTINUE, rc=2)


def test_a_commit_waits_until_a_merge_is_finished(stopped: Any) -> None:
    stopped.repo.write(".git/MERGE_HEAD", stopped.repo.rev("HEAD") + "\n")
    assert "a merge is going on" in stopped.run(*CONTINUE, rc=2)


@pytest.mark.parametrize("words", [("-pm", TEXT), ("-m", TEXT, "--pathspec-from-file=paths")])
def test_what_cannot_be_seen_before_is_refused(shop: Any, words: Sequence[str]) -> None:
    assert "stage it first" in shop.run("litecode", "commit", *words, rc=2)


@pytest.mark.parametrize("words", [("-m", TEXT, "-F", "x"), ("-F", "nope"), ("-C", "nope"), ("--nonsense",)])
def test_what_git_refuses_is_refused(shop: Any, words: Sequence[str]) -> None:
    code = 2 if words == ("--nonsense",) else 128
    shop.run("litecode", "commit", *words, rc=code)


def test_a_program_that_is_not_git(shop: Any) -> None:
    """It writes the message and starts the hook, and has no command line that could be read."""
    shop.repo.write(".git/GITGUI_MSG", TEXT)
    env = {**os.environ, "GIT_INDEX_FILE": ".git/index", "GIT_EDITOR": ":"}
    argv = (".git/hooks/commit-msg", ".git/GITGUI_MSG")
    done = subprocess.run(argv, cwd=shop.path, env=env, capture_output=True, check=False)
    assert done.returncode == 1
    assert "the options of that commit are not known" in shop.run(*CONTINUE)
    assert shop.is_renamed


class TestConsent:
    def test_without_a_terminal_it_is_held(self, shop: Any) -> None:
        before = shop.repo.index()
        said = shop.run("litecode", "commit", "-m", TEXT, rc=1)
        assert "git litecode commit --continue" in said
        assert (shop.repo.index(), shop.kept) == (before, TEXT)
        shop.run(*CONTINUE)
        assert shop.is_renamed

    @pytest.mark.parametrize(("answer", "rc"), [("y", 0), ("n", 1)])
    def test_at_a_terminal_the_person_is_asked(self, shop: Any, answer: str, rc: int) -> None:
        before = shop.repo.index()
        code, said = self.at_terminal(shop, ("litecode", "commit", "-m", TEXT), answer)
        assert code == rc, said
        assert "Stage 2 files" in said
        if rc:
            assert (shop.repo.index(), shop.kept) == (before, TEXT)
            shop.run(*CONTINUE, "--yes")
        assert shop.is_renamed

    def at_terminal(self, shop: Any, words: Sequence[str], answer: str) -> tuple[int, str]:
        main, other = pty.openpty()
        process = subprocess.Popen(("git", *words), cwd=shop.path, stdin=other, stdout=other, stderr=other)
        os.close(other)
        said, limit = b"", time.monotonic() + 60
        while time.monotonic() < limit:
            if select.select([main], [], [], 1)[0]:
                try:
                    said += os.read(main, 4096)
                except OSError:
                    break
                if b"]? " in said and answer:
                    os.write(main, answer.encode() + b"\n")
                    answer = ""
        os.close(main)
        return process.wait(timeout=30), said.decode(errors="replace")


class Scripted:
    """Answers every prompt with the same text."""

    name = "scripted"
    digest = "1" * 64
    window = 8192
    slots = 1
    factor = UNKNOWN_FACTOR

    def __init__(self, text: str) -> None:
        self.text = text

    def complete(self, prompt: Prompt) -> Reply:  # noqa: ARG002 - the port's signature
        return Reply(self.text, Stop.END, 100, 20, 0.01)

    def count(self, messages: tuple[Message, ...]) -> int | None:  # noqa: ARG002 - the port's signature
        return None

    def close(self) -> None: ...


@pytest.fixture
def recorded(shop: Any, tmp_path: Path) -> Callable[[str, str], Mapping[str, str]]:
    """The environment in which a request gets this reply, recorded from a run that only holds."""

    def record(request: str, reply: str) -> Mapping[str, str]:
        place = tmp_path / "replies.jsonl"
        repo = Repository.discover(shop.path, os.environ)
        world = build_world(repo, os.environ, with_rules=False)
        world = replace(world, model=lambda: RecordingModel(Scripted(reply), place, "scripted"))
        make_request(world, Options(apply=Apply.HOLD), request)
        return {"LITECODE_ENDPOINT": f"replay:{place}"}

    return record


def test_a_change_by_the_model(shop: Any, recorded: Callable[[str, str], Mapping[str, str]]) -> None:
    request = "add a docstring to total in cart.py"
    reply = '```python\ndef total(items):\n    """Return the sum of the items."""\n    return sum(items)\n```'
    env = recorded(request, reply)
    message = f"Clean up\n\nLitecode: {request}\n"
    shop.run("commit", "-m", message, rc=1, env=env)
    shop.run(*CONTINUE, env=env)
    assert shop.repo.blob("cart.py", "HEAD") == (
        b'def total(items):\n    """Return the sum of the items."""\n    return sum(items)\n# more\n'
    )
    assert shop.message() == f"{message}Litecode-Run: {shop.run_id}\n"
    assert request.encode() in shop.repo.git("litecode", "show", shop.run_id)


def test_a_file_that_is_made_for_single_paths(shop: Any, recorded: Callable[[str, str], Mapping[str, str]]) -> None:
    request = "create prices.py with a function price that returns 1"
    env = recorded(request, "```python\ndef price():\n    return 1\n```")
    shop.run("commit", "-m", f"Clean up\n\nLitecode: {request}\n", "--", "cart.py", rc=1, env=env)
    assert not (shop.path / "prices.py").exists()
    shop.run(*CONTINUE, env=env)
    assert shop.repo.blob("prices.py", "HEAD") == b"def price():\n    return 1\n" == shop.repo.read("prices.py")
    assert shop.repo.status() == ["M  use.py"]


def test_a_question_is_answered_and_changes_nothing(
    shop: Any, recorded: Callable[[str, str], Mapping[str, str]]
) -> None:
    request = "what does total do?"
    env = recorded(request, "It sums up the items.")
    said = shop.run("commit", "-m", f"Clean up\n\nLitecode: {request}\n", env=env)
    assert "It sums up the items." in said
    assert shop.message() == f"Clean up\n\nLitecode: {request}\n"
    assert shop.repo.blob("cart.py", "HEAD") == b"def total(items):\n    return sum(items)\n# more\n"
