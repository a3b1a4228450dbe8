"""The page of a run: what it says, that nothing of a repository can become markup, and that it needs nothing else."""

from __future__ import annotations

import base64
import hashlib
import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from litecode.core.patching.diffs import unified
from litecode.core.values import Call, Change, Message, Patch, Plan, Prompt, Proof, Reply, Run, State, Stop, Verdict
from litecode.hooks.show.report import page, side_by_side

HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(1)>"


def call(started: float, ended: float, *, prompt: int = 100, error: str = "") -> Call:
    reply = None if error else Reply("code", Stop.END, prompt, 20, ended - started)
    sent = Prompt((Message("user", "code"),), 200)
    return Call("a.py no-print", sent, reply, prompt + 5, 1000, started, ended, error=error)


def run(
    *,
    path: str = "a.py",
    reason: str = "",
    request: str = "",
    calls: tuple[Call, ...] = (),
    diff: str | None = None,
    rule: str = "no-print",
) -> Run:
    text = unified(path, "100644", b"print(a)\nx = 1\n", b"logger.info(a)\nx = 1\n") if diff is None else diff
    change = Change(path, "100644", "0" * 40, b"logger.info(a)\nx = 1\n")
    verdicts = (
        Verdict(path, rule, State.STAGED, reason, line=1, sites=1, output_tokens=20, seconds=1.5),
        Verdict("b.py", rule, State.HELD, "two answers", Proof.DOUBTFUL, line=3),
    )
    patches = (Patch(path, text, State.STAGED, (rule,) if rule else (), change, reason),)
    command = ("git", "litecode", "run")
    return Run("7f3a", 1.7e9, command, Plan(()), verdicts, patches, calls, model="qwen", request=request, seconds=2.5)


class Outline(HTMLParser):
    """Tags, and the text of the page outside of script and style."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.text = ""
        self._inside = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs
        self._inside = tag if tag in ("script", "style") else self._inside

    def handle_endtag(self, tag: str) -> None:
        self._inside = "" if tag == self._inside else self._inside

    def handle_data(self, data: str) -> None:
        self.text += "" if self._inside else data


def test_what_it_says() -> None:
    outline = Outline(page(run(reason="proven", request="use the logger"), "1.2.3"))
    for part in ("Run 7f3a", "use the logger", "a.py:1", "no-print", "proven", "two answers", "qwen", "LiteCode 1.2.3"):
        assert part in outline.text
    assert outline.tags.count("tr") == 1 + 2 + 1 + 3  # verdicts with their header, the diff with its own


@pytest.mark.parametrize("where", ["path", "reason", "request", "rule", "error", "diff"])
def test_nothing_becomes_markup(where: str) -> None:
    diff = unified("a.py", "100644", HOSTILE.encode(), (HOSTILE + "x").encode()) if where == "diff" else None
    calls = (call(0, 1, error=HOSTILE),) if where == "error" else ()
    texts = {where: HOSTILE} if where in ("path", "reason", "request", "rule") else {}
    harmless = Outline(page(run(calls=(call(0, 1, error="bad"),) if calls else ()), "1"))
    outline = Outline(page(run(calls=calls, diff=diff, **texts), "1"))  # type: ignore[arg-type]  # names of texts only
    assert outline.tags.count("script") == 1
    assert outline.tags.count("img") == 0
    assert not [name for name, _ in outline.attributes if name.startswith("on")]
    assert set(outline.tags) - set(harmless.tags) <= {"blockquote", "p"}
    assert "alert(1)" in outline.text


def test_marks_that_cannot_be_seen_are_shown() -> None:
    text = page(run(path="a\u202eyp.exe", reason="\x1b[31mred\x00"), "1")
    assert "\u202e" not in text
    assert "\x1b" not in text
    assert "\x00" not in text
    assert "\\u202e" in text


def test_only_its_own_script_and_style_may_run() -> None:
    text = page(run(), "1")
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', text)
    assert policy is not None
    assert policy[1].startswith("default-src 'none'")
    assert "unsafe" not in policy[1]
    for tag in ("script", "style"):
        body = re.search(rf"<{tag}>(.*?)</{tag}>", text, re.DOTALL)
        assert body is not None
        assert base64.b64encode(hashlib.sha256(body[1].encode()).digest()).decode() in policy[1]
    assert not re.search(
        r"""(?:src|href)\s*=|url\(|@import|style=""", text.replace("default-src", "").replace("-src ", " ")
    )


def test_calls_that_ran_together_have_rows_of_their_own() -> None:
    text = page(run(calls=(call(10, 12), call(10.5, 11), call(11.5, 13))), "1")
    assert "Timeline of 3 calls in 2 rows" in text
    bars = re.findall(r'<rect x="([\d.]+)" y="(\d+)" width="([\d.]+)" height="18"', text)
    assert bars == [("0.0", "2", "666.7"), ("166.7", "24", "166.7"), ("500.0", "24", "500.0")]
    assert text.count("100 + 20 of 1000 tokens") == 3


def test_a_run_without_anything() -> None:
    outline = Outline(page(Run("abcd", 0.0, ("git", "litecode", "run"), Plan(())), "1"))
    assert "Nothing to do." in outline.text
    assert "No patch was made." in outline.text
    assert "svg" not in outline.tags


def words(side: list[tuple[str, bool]]) -> str:
    return "".join(f"[{text}]" if own else text for text, own in side)


@pytest.mark.parametrize(
    ("before", "after", "rows"),
    [
        ("a\nb\nc\n", "a\nB\nc\n", [(1, "a", 1, "a"), (2, "b", 2, "B"), (3, "c", 3, "c")]),
        ("x = f(a)\n", "x = g(a)\n", [(1, "x = [f](a)", 1, "x = [g](a)")]),
        ("a\n", "a\nb\n", [(1, "a", 1, "a"), (0, "", 2, "b")]),
        ("a\nb\n", "b\n", [(1, "a", 0, ""), (2, "b", 1, "b")]),
        ("a\r\nb\r\n", "a\r\nc\r\n", [(1, "a", 1, "a"), (2, "b", 2, "c")]),
        ("a\tb\n", "a\tc\n", [(1, "a\t[b]", 1, "a\t[c]")]),
        ("-- x\n", "++ x\n", [(1, "[--] x", 1, "[++] x")]),
    ],
)
def test_side_by_side(before: str, after: str, rows: list[tuple[int, str, int, str]]) -> None:
    found = list(side_by_side(unified("a", "100644", before.encode(), after.encode())))
    assert found[0].gap.startswith("@@")
    assert [(row.left, words(row.old), row.right, words(row.new)) for row in found[1:]] == rows


def test_fifty_files_stay_small() -> None:
    before = b"".join(b"line %d of a file\n" % n for n in range(60))
    after = before.replace(b"3", b"three")
    one = run(diff=unified("a.py", "100644", before, after)).patches[0]
    many = Run("abcd", 0.0, (), Plan(()), run().verdicts * 50, (one,) * 50, tuple(call(n, n + 1) for n in range(200)))
    assert len(page(many, "1").encode()) < 1_000_000


def test_a_run_without_patches_says_why() -> None:
    kept = run()
    assert "No patch was made." in page(replace(kept, patches=()), "1.0")
    gone = page(replace(kept, patches=(), verdicts=(replace(kept.verdicts[1], state=State.DROPPED),)), "1.0")
    assert "What was held was dropped." in gone
    assert "No patch was made." not in gone
