"""The page of a run in a real browser: it renders, filters, expands and has nothing to complain about."""

from __future__ import annotations

import shutil
import struct
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from litecode.core.patching.diffs import unified
from litecode.core.values import Call, Change, Message, Patch, Plan, Prompt, Proof, Reply, Run, State, Stop, Verdict
from litecode.hooks.show.report import page

if TYPE_CHECKING:
    from playwright.sync_api import Page

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
# Without them it looks for its maker's hosts at every start.
QUIET = (
    "--no-sandbox --disable-gpu --no-first-run --disable-background-networking --disable-component-update"
    " --disable-sync --disable-quic"
).split()


def sample() -> Run:
    before = b"".join(b"line %d\n" % n for n in range(40))
    after = before.replace(b"line 7\n", b"line seven\n")
    change = Change("src/a.py", "100644", "0" * 40, after)
    patch = Patch("src/a.py", unified("src/a.py", "100644", before, after), State.STAGED, ("no-print",), change)
    reply = Reply("x", Stop.END, 120, 30, 1.0)
    sent = Prompt((Message("user", "x"),), 200)
    calls = tuple(Call(f"src/a.py {n}", sent, reply, 130, 8192, n * 0.5, n * 0.5 + 1) for n in range(6))
    verdicts = (
        Verdict("src/a.py", "no-print", State.STAGED, line=7, sites=1),
        Verdict("src/b.py", "raise-from", State.HELD, "two answers", Proof.DOUBTFUL, line=9),
        Verdict("src/c.py", "raise-from", State.CONFORMS),
    )
    return Run("7f3a", 1.7e9, ("git", "litecode", "run"), Plan(()), verdicts, (patch,), calls, model="qwen")


@pytest.fixture(scope="module")
def browser_page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    if CHROMIUM is None:
        pytest.skip("no Chromium on this machine")
    sync_api = pytest.importorskip("playwright.sync_api")
    file = tmp_path_factory.mktemp("report") / "run.html"
    file.write_text(page(sample(), "1.0"), encoding="utf-8")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=QUIET)
        opened = browser.new_page(viewport={"width": 1200, "height": 900})
        said: list[str] = []
        opened.on("console", lambda message: said.append(message.text))
        opened.on("pageerror", lambda error: said.append(str(error)))
        opened.on("request", lambda request: said.append(request.url) if request.url.startswith("http") else None)
        opened.goto(Path(file).as_uri())
        yield opened
        browser.close()
        assert said == []


def colours(png: bytes) -> int:
    """How many different rows of pixels a picture has: an empty page has one."""
    at, data = 8, b""
    while at < len(png):
        size, kind = struct.unpack(">I4s", png[at : at + 8])
        data += png[at + 8 : at + 8 + size] if kind == b"IDAT" else b""
        at += 12 + size
    width = struct.unpack(">I", png[16:20])[0]
    raw = zlib.decompress(data)
    step = len(raw) // max(1, struct.unpack(">I", png[20:24])[0])
    assert width
    return len({raw[start : start + step] for start in range(0, len(raw), step)})


def test_it_renders(browser_page: Page) -> None:
    assert browser_page.title() == "LiteCode run 7f3a"
    assert browser_page.locator("h1").inner_text() == "Run 7f3a"
    assert colours(browser_page.screenshot(full_page=True)) > 100


def test_it_filters(browser_page: Page) -> None:
    rows = browser_page.locator("#table tbody tr")
    assert rows.count() == 3
    browser_page.get_by_label("held (1)").uncheck()
    assert [row.is_visible() for row in rows.all()] == [True, False, True]
    browser_page.get_by_label("held (1)").check()
    browser_page.get_by_label("Find").fill("raise")
    assert [row.is_visible() for row in rows.all()] == [False, True, True]
    assert browser_page.locator("#shown").inner_text() == "2 of 3 shown"
    browser_page.get_by_label("Find").fill("")
    assert [row.is_visible() for row in rows.all()] == [True, True, True]


def test_it_expands(browser_page: Page) -> None:
    diff = browser_page.get_by_label("Changes of src/a.py")
    assert diff.is_visible()
    browser_page.locator("summary").first.click()
    assert not diff.is_visible()
    browser_page.locator("summary").first.click()
    assert diff.is_visible()
    assert browser_page.locator("del").all_inner_texts() == ["7"]


def test_drawings_have_names(browser_page: Page) -> None:
    assert browser_page.get_by_role("img", name="Timeline of 6 calls in 2 rows").is_visible()
    assert browser_page.get_by_role("img", name="120 + 30 of 8192 tokens").count() == 6
    assert browser_page.get_by_role("list", name="Verdicts").is_visible()


@pytest.mark.parametrize("width", [360, 800, 1600])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_fits(browser_page: Page, width: int, scheme: str) -> None:
    """Nothing but tables scrolls sideways, and the page follows the scheme."""
    browser_page.set_viewport_size({"width": width, "height": 800})
    browser_page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    assert browser_page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    light = browser_page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert light == (scheme == "light")


def test_on_a_phone_a_line_stands_above_what_became_of_it(browser_page: Page) -> None:
    """Beside each other both would be half as wide as the screen; what did not change is there once."""
    diff = browser_page.get_by_label("Changes of src/a.py")
    for width, beside in ((1200, True), (360, False)):
        browser_page.set_viewport_size({"width": width, "height": 800})
        old, new = (diff.locator(f"td.{kind}").bounding_box() for kind in ("del", "ins"))
        assert old is not None
        assert new is not None
        assert (old["y"] == new["y"]) == beside
        assert (old["x"] == new["x"]) != beside
        assert sum(cell.is_visible() for cell in diff.get_by_text("line 6", exact=True).all()) == (2 if beside else 1)
        assert diff.evaluate("it => it.parentElement.scrollWidth <= it.parentElement.clientWidth")
