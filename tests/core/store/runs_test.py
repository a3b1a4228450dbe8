from __future__ import annotations

import dataclasses
import json
import os
import stat
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from litecode.core.errors import StateError
from litecode.core.store.records import RunRecord, plain_name
from litecode.core.store.runs import RunStore
from litecode.core.values import (
    Attempt,
    Call,
    Change,
    Finding,
    Message,
    Patch,
    Plan,
    Prompt,
    Region,
    Reply,
    Run,
    Sampling,
    Severity,
    Site,
    Span,
    State,
    Stop,
    Task,
    Verdict,
)

NOW = 1_700_000_000.0
DAY = 86_400.0


def make_run(name: str = "7f3a", started: float = NOW, **more: Any) -> Run:
    return Run(name, started, ("git", "litecode", "run"), Plan((Task("1", "a.py", "x"),)), **more)


def patch(path: str, diff: str, after: bytes) -> Patch:
    return Patch(path, diff, State.STAGED, ("no-print",), Change(path, "100644", "0" * 40, after), "why")


@pytest.fixture
def store(tmp_path: Path) -> RunStore:
    return RunStore(tmp_path / "state", clock=lambda: NOW)


def test_a_run_comes_back(store: RunStore) -> None:
    site = Site(Span(3, 9), 2, 1, "print(1)")
    region = Region(Span(0, 20), "statement", (site,))
    call = Call(
        "no-print a.py:2",
        Prompt((Message("system", "s"), Message("user", "```\nprint(1)\n```")), 128, Sampling(0.7, 3), {"enum": ["a"]}),
        Reply("log.info(1)", Stop.END, 80, 12, 1.5, 40),
        90,
        8192,
        0.5,
        2.0,
    )
    run = make_run(
        verdicts=(
            Verdict(
                "a.py",
                "no-print",
                State.STAGED,
                line=2,
                findings=(Finding("a.py", 2, 1, 2, "no-print", "No print.", Severity.ERROR),),
                sites=1,
                attempts=(Attempt(region, "rewrite", "```\nx\n```", "syntax error"), Attempt(region, "retry", "y")),
            ),
        ),
        patches=(patch("a.py", "--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-é\n+è\n", b"\xc3\xa8\n"),),
        calls=(call, dataclasses.replace(call, reply=None, error="timeout")),
        model="qwen",
        extra={"files": 6, "slots": [1, 2], "nested": {"a": None}},
    )
    store.save(run)
    assert store.load("7f3a") == run
    assert store.load() == run
    assert store.load("7f3") == run


text = st.text(st.characters(codec="utf-8") | st.characters(min_codepoint=0xDC80, max_codepoint=0xDCFF), max_size=12)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False) | text,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(text, inner, max_size=3),
    max_leaves=6,
)
numbers = st.integers(0, 2**31)
seconds = st.floats(0, 1e10)
spans = st.builds(Span, numbers, numbers)
sites = st.builds(Site, spans, numbers, numbers, text)
regions = st.builds(Region, spans, text, st.lists(sites, max_size=2).map(tuple))
attempts = st.builds(Attempt, regions, text, text, text)
findings = st.builds(Finding, text, numbers, numbers, numbers, text, text, st.sampled_from(Severity))
prompts = st.builds(
    Prompt,
    st.lists(st.builds(Message, text, text), max_size=2).map(tuple),
    numbers,
    st.builds(Sampling, seconds, numbers),
    st.none() | st.dictionaries(text, json_values, max_size=2),
)
replies = st.builds(Reply, text, st.sampled_from(Stop), numbers, numbers, seconds, numbers)
runs = st.builds(
    Run,
    st.from_regex(r"[0-9a-f]{4,8}", fullmatch=True),
    seconds,
    st.lists(text, max_size=3).map(tuple),
    st.builds(Plan, st.lists(st.builds(Task, text, text, text), max_size=2).map(tuple)),
    verdicts=st.lists(
        st.builds(
            Verdict,
            text,
            text,
            st.sampled_from(State),
            text,
            findings=st.lists(findings, max_size=2).map(tuple),
            attempts=st.lists(attempts, max_size=2).map(tuple),
        ),
        max_size=2,
    ).map(tuple),
    patches=st.lists(
        st.tuples(text, text, st.sampled_from(State), text, st.binary(max_size=40), st.none() | text).map(
            lambda t: Patch(t[0], t[1], t[2], (t[3],), Change(t[0], "100644", t[5], t[4]), t[3])
        ),
        max_size=3,
    ).map(tuple),
    calls=st.lists(
        st.builds(Call, text, prompts, st.none() | replies, numbers, numbers, seconds, seconds), max_size=2
    ).map(tuple),
    notes=st.lists(text, max_size=2).map(tuple),
    extra=st.dictionaries(text, json_values, max_size=3),
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(run=runs)
def test_any_run_comes_back(tmp_path_factory: pytest.TempPathFactory, run: Run) -> None:
    store = RunStore(tmp_path_factory.mktemp("state"), clock=lambda: run.started)
    store.save(run)
    assert store.load(run.id) == run
    (record,) = store.list()
    assert record == RunRecord(
        run.id,
        run.started,
        run.command,
        run.request,
        run.model,
        run.seconds,
        len({verdict.path for verdict in run.verdicts}),
        Counter(verdict.state for verdict in run.verdicts),
        outcomes=tuple((verdict.path, verdict.state) for verdict in run.verdicts),
    )


def test_the_folder_is_for_the_owner_alone_and_made_of_these_files(store: RunStore) -> None:
    before = os.umask(0)
    try:
        folder = store.save(make_run(patches=(patch("src/ä b.py", "d1", b"1"), patch("../../etc", "d2", b"2"))))
    finally:
        os.umask(before)
    modes = {
        str(path.relative_to(store.root)): stat.S_IMODE(path.stat().st_mode)
        for path in [store.root, *store.root.rglob("*")]
    }
    assert folder == store.root / "runs" / "7f3a"
    assert modes == {
        ".": 0o700,
        "runs": 0o700,
        "runs/7f3a": 0o700,
        "runs/7f3a/001-src-b.py.patch": 0o600,
        "runs/7f3a/002-etc.patch": 0o600,
        "runs/7f3a/blobs": 0o700,
        "runs/7f3a/blobs/001": 0o600,
        "runs/7f3a/blobs/002": 0o600,
        "runs/7f3a/calls.jsonl": 0o600,
        "runs/7f3a/run.json": 0o600,
    }


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("a.py", "a.py"),
        ("src/pkg/mod.py", "src-pkg-mod.py"),
        ("-rf", "rf"),
        ("..", "file"),
        ("\udcff\udc80", "file"),
        ("日本.py", "py"),
        ("a\nb\x1b[31m.txt", "a-b-31m.txt"),
        ("x" * 300 + ".c", "x" * 58 + ".c"),
    ],
)
def test_plain_names(path: str, name: str) -> None:
    assert plain_name(path) == name


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        ("a.py", b"one\ntwo\n", b"one\n2\n"),
        ("crlf.txt", b"one\r\ntwo\r\n", b"one\r\n2\r\n"),
        ("no-newline", b"one\ntwo", b"one\n2"),
        ("latin1.txt", b"caf\xe9\n", b"caff\xe8\n"),
        ("odd \xff\n name", b"x\n", b"y\n"),
    ],
)
def test_git_applies_the_patch_file(repo: Any, store: RunStore, path: str, before: bytes, after: bytes) -> None:
    name = os.fsdecode(path.encode("latin-1"))
    repo.add({name: before}, commit="base")
    repo.write(name, after)
    diff = repo.git("diff", "--no-ext-diff").decode("utf-8", "surrogateescape")
    repo.write(name, before)
    folder = store.save(make_run(patches=(patch(name, diff, after),)))
    (file,) = folder.glob("*.patch")
    repo.git("apply", "--whitespace=nowarn", file)
    assert repo.read(name) == after


def test_new_ids_are_short_and_free(store: RunStore, monkeypatch: pytest.MonkeyPatch) -> None:
    store.save(make_run("aaaa"))
    given = iter(["aaaa", "aaaa", "bbbb"])
    monkeypatch.setattr("secrets.token_hex", lambda _size: next(given))
    assert store.new_id() == "bbbb"
    monkeypatch.setattr("secrets.token_hex", lambda size: "a" * 2 * size)
    assert store.new_id() == "aaaaaa"
    assert not (store.folder / "aaaaaa").exists()


@pytest.mark.parametrize("name", ["", "zz", "../x", "AAAA", "7f3", "7f3a\n"])
def test_no_other_names_are_saved(store: RunStore, name: str) -> None:
    with pytest.raises(StateError, match="no name for a run"):
        store.save(make_run(name))
    assert not store.root.exists()


def test_saving_again_replaces_the_folder(store: RunStore) -> None:
    store.save(make_run(patches=(patch("a", "d", b"x"), patch("b", "d", b"x"))))
    later = make_run(patches=(patch("a", "d", b"x"),), notes=("dropped b",))
    store.save(later)
    assert store.load("7f3a") == later
    assert sorted(path.name for path in store.folder.iterdir()) == ["7f3a"]
    assert not (store.folder / "7f3a" / "002-b.patch").exists()


def test_another_run_of_the_same_name_is_never_overwritten(store: RunStore) -> None:
    first = make_run()
    store.save(first)
    with pytest.raises(StateError) as caught:
        store.save(make_run(started=NOW + 1))
    assert str(caught.value) == "another run took the name 7f3a at the same moment"
    assert store.load("7f3a") == first
    assert sorted(path.name for path in store.folder.iterdir()) == ["7f3a"]


@pytest.mark.parametrize(
    ("name", "message", "hint"),
    [
        ("7f3b", "there is no run 7f3b", "`git litecode log` lists the runs that are kept"),
        ("", "there is no run ", "`git litecode log` lists the runs that are kept"),
        ("../7f3a", "there is no run ../7f3a", "`git litecode log` lists the runs that are kept"),
        ("*", "there is no run *", "`git litecode log` lists the runs that are kept"),
        ("7f", "2 runs begin with 7f: 7f3a, 7f3a0", "type more of it"),
    ],
)
def test_names_that_do_not_name_one_run(store: RunStore, name: str, message: str, hint: str) -> None:
    store.save(make_run("7f3a"))
    store.save(make_run("7f3a0"))
    with pytest.raises(StateError) as caught:
        store.load(name)
    assert (str(caught.value), caught.value.hint) == (message, hint)
    assert store.load("7f3a").id == "7f3a"  # a whole name wins over a longer one


def test_no_run_at_all(store: RunStore) -> None:
    assert store.list() == ()
    with pytest.raises(StateError, match="there is no run yet"):
        store.load()
    assert not store.root.exists()


def test_the_newest_comes_first(store: RunStore) -> None:
    for name, started in (("aaaa", NOW - 5), ("bbbb", NOW), ("cccc", NOW - 9)):
        store.save(make_run(name, started))
    assert [record.id for record in store.list()] == ["bbbb", "aaaa", "cccc"]
    assert store.load().id == "bbbb"


def test_old_and_surplus_runs_are_forgotten(store: RunStore) -> None:
    for number in range(55):
        store.save(make_run(f"{number:04x}", NOW - number))
    assert [record.id for record in store.list()] == [f"{number:04x}" for number in range(50)]
    store.prune(keep=3)
    assert [record.id for record in store.list()] == ["0000", "0001", "0002"]
    later = RunStore(store.root, clock=lambda: NOW + 31 * DAY)
    later.prune()
    assert [record.id for record in later.list()] == ["0000"]  # the last run stays, however old


def test_leftovers_of_a_killed_process_go_after_a_day(store: RunStore) -> None:
    store.save(make_run())
    leftover = store.folder / ".tmp-7f3a-1-00"
    leftover.mkdir()
    (leftover / "run.json").write_text("half")
    os.utime(leftover, (NOW, NOW))
    store.prune()
    assert leftover.exists()
    assert [record.id for record in store.list()] == ["7f3a"]
    RunStore(store.root, clock=lambda: NOW + 2 * DAY).prune()
    assert not leftover.exists()


def rewrite(path: Path, change: Callable[[dict[str, Any]], None]) -> None:
    value = json.loads(path.read_bytes())
    change(value)
    path.write_text(json.dumps(value))


DAMAGE: list[tuple[str, Callable[[Path], object], str]] = [
    ("no run.json", lambda f: (f / "run.json").unlink(), "cannot be read: no such file or directory"),
    ("empty", lambda f: (f / "run.json").write_bytes(b""), "is damaged: run.json is no JSON"),
    ("half", lambda f: (f / "run.json").write_bytes((f / "run.json").read_bytes()[:90]), "run.json is no JSON"),
    ("bytes", lambda f: (f / "run.json").write_bytes(b"\xff\xfe\0"), "run.json is no JSON"),
    ("deep", lambda f: (f / "run.json").write_bytes(b"[" * 100_000), "run.json is no JSON"),
    ("list", lambda f: (f / "run.json").write_bytes(b"[]"), "run.json: Expected `object`, got `array`"),
    ("format", lambda f: rewrite(f / "run.json", lambda v: v.update(format=9)), "has the format 9, which this version"),
    ("type", lambda f: rewrite(f / "run.json", lambda v: v["run"].update(started="x")), "Expected `float`, got `str`"),
    ("other id", lambda f: rewrite(f / "run.json", lambda v: v["run"].update(id="0000")), "that of the run 0000"),
    ("no patch", lambda f: (f / "001-a.patch").unlink(), "cannot be read: no such file or directory"),
    ("edited patch", lambda f: (f / "001-a.patch").write_bytes(b"+evil\n"), "is damaged: 001-a.patch was changed"),
    ("edited blob", lambda f: (f / "blobs/001").write_bytes(b"evil\n"), "is damaged: blobs/001 was changed"),
    (
        "outside",
        lambda f: rewrite(f / "run.json", lambda v: v["patches"][0].update(after_file="../../../etc/passwd")),
        "names a file outside of the folder",
    ),
    ("lost calls", lambda f: (f / "calls.jsonl").write_bytes(b""), "is damaged: calls.jsonl has 0 of 1 calls"),
    ("broken calls", lambda f: (f / "calls.jsonl").write_bytes(b"{\n"), "is damaged: calls.jsonl is no JSON"),
]


@pytest.mark.parametrize(("harm", "message"), [row[1:] for row in DAMAGE], ids=[row[0] for row in DAMAGE])
def test_a_damaged_folder_is_an_error_with_a_remedy(
    store: RunStore, harm: Callable[[Path], object], message: str
) -> None:
    call = Call("p", Prompt((), 1), None, 1, 1, 0.0, 0.0)
    folder = store.save(make_run(patches=(patch("a", "d", b"x"),), calls=(call,)))
    harm(folder)
    with pytest.raises(StateError) as caught:
        store.load("7f3a")
    assert message in str(caught.value)
    assert caught.value.hint == f"delete the folder {folder}; nothing else needs it"
    assert len(store.list()) == 1
    store.save(make_run("bbbb", 4e9))  # the others are not in its way
    assert store.load().id == "bbbb"


def test_the_log_says_which_run_is_damaged(store: RunStore) -> None:
    folder = store.save(make_run())
    (folder / "run.json").write_bytes(b"{")
    (record,) = store.list()
    assert (record.id, record.damage) == ("7f3a", "run.json is no JSON")
    store.save(make_run())  # and it can be written anew
    assert store.list()[0].damage == ""


def test_a_place_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    root = tmp_path / "file" / "state"
    store = RunStore(root, clock=lambda: NOW)
    with pytest.raises(StateError) as caught:
        store.save(make_run())
    assert str(caught.value) == f"the run 7f3a cannot be kept in {root / 'runs'}: not a directory"
    assert caught.value.hint == f"make room, or make {root} writable for you, and try again"


def test_a_save_that_fails_leaves_what_was_there(store: RunStore, monkeypatch: pytest.MonkeyPatch) -> None:
    first = make_run()
    store.save(first)

    def full(_descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(StateError, match="no space left on device"):
        store.save(make_run(notes=("second",)))
    assert store.load("7f3a") == first
    assert sorted(path.name for path in store.folder.iterdir()) == ["7f3a"]
