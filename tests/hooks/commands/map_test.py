"""`git litecode map` as it is typed."""

from __future__ import annotations

import json
from typing import Any

import pytest

from litecode.hooks.cli import main

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def shop(repo: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    repo.add({"README.md": "# Shop\n", "lib/old.py": "def old(): ...\n"}, "first")
    repo.add(
        {
            "shop/cart.py": '"""Carts."""\n\nclass Cart:\n    def total(self, tax=0): ...\n',
            "shop/mail.py": "def send_mail(to): ...\n",
            "big.lock": "x\n",
        }
    )
    monkeypatch.chdir(repo.path)
    return repo


CART = "- shop/cart.py (4 lines): Carts\n  class Cart: total(self, tax=0)\n"
MAIL = "- shop/mail.py (1 line)\n  def send_mail(to)\n"


def test_the_staged_files(shop: Any, capsys: Capture) -> None:
    before = shop.snapshot()
    assert not main(["map", "shop"])
    shown = capsys.readouterr()
    assert shown.out == CART + MAIL
    assert shown.err.startswith("litecode: 2 files, at least with their methods; about ")
    assert shown.err.endswith(" of 2500 tokens; nothing left out\n")
    after = {path: state for path, state in shop.snapshot().items() if "litecode" not in path}
    assert after | {".git": ()} == before | {".git": ()}  # but for the time of the folder


@pytest.mark.usefixtures("shop")
def test_all_files(capsys: Capture) -> None:
    assert not main(["map", "--all-files"])
    shown = capsys.readouterr()
    assert "- README.md (1 line): Shop\n" in shown.out
    assert "- lib/old.py (1 line)\n" in shown.out


@pytest.mark.usefixtures("shop")
def test_a_small_budget_leaves_files_out(capsys: Capture) -> None:
    assert not main(["map", "shop", "--tokens", "24", "-v"])
    shown = capsys.readouterr()
    assert shown.out == "2 files are not shown by name:\n- shop/ 2 files\n"
    assert "2 left out\n" in shown.err
    assert "  left out: shop/cart.py\n" in shown.err


@pytest.mark.usefixtures("shop")
def test_a_request_ranks_the_files(capsys: Capture) -> None:
    assert not main(["map", "shop", "-m", "send the mail twice"])
    shown = capsys.readouterr()
    assert shown.out == CART + MAIL
    assert [line.split()[1] for line in shown.err.splitlines()[2:]] == ["shop/mail.py"]


@pytest.mark.usefixtures("shop")
def test_json(capsys: Capture) -> None:
    assert not main(["map", "shop", "-m", "cart", "--format", "json"])
    shown = capsys.readouterr()
    found = json.loads(shown.out)
    assert (found["files"], found["detail"], found["text"], found["left_out"]) == (2, "methods", CART + MAIL, [])
    assert [ranked["path"] for ranked in found["ranked"]] == ["shop/cart.py"]
    assert shown.err == ""


def test_nothing_is_staged(repo: Any, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    repo.add({"a.py": "1\n"}, "first")
    monkeypatch.chdir(repo.path)
    assert not main(["map"])
    shown = capsys.readouterr()
    assert (shown.out, shown.err) == ("", "litecode: no files are staged; --all-files shows every tracked one\n")


@pytest.mark.parametrize("argv", [["map", "gone.py"], ["map", "--tokens", "0"], ["map", "--format", "yaml"]])
@pytest.mark.usefixtures("shop")
def test_refused(argv: list[str], capsys: Capture) -> None:
    assert main(argv) == 2
    assert capsys.readouterr().out == ""


def test_names_of_files_cannot_move_the_cursor(shop: Any, capsys: Capture) -> None:
    shop.add({"a\x1b[31m.py": "def f(): ...\n"})
    assert not main(["map"])
    assert "\x1b" not in capsys.readouterr().out
