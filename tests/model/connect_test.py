"""`git litecode connect` in a terminal with the embedded model: asked, loaded, tested, kept, and used afterwards."""

from __future__ import annotations

import json
import os
import pty
import re
import select
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.model

REQUIRED = "LITECODE_REQUIRE_MODEL" in os.environ
NAME = "qwen2.5-coder-0.5b"
FILE = f"{NAME}-instruct-q4_k_m.gguf"
SCREEN = "import fcntl, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); "  # so that Ctrl-C is a signal
MAIN = "import sys; from litecode.hooks.cli import main; sys.exit(main(sys.argv[1:]))"
RULES = """\
rules:
- id: no-print
  message: Use the logger.
  language: python
  pattern: print($$$A)
  instruction: Replace print by logger.info.
"""


@pytest.fixture
def here(repo: Any, developer_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A repository with something staged; the small model is the only one in the person's cache."""
    models = developer_home / ".cache/litecode/models"
    if not (models / FILE).exists() and not REQUIRED:
        pytest.skip(f"git litecode model pull {NAME}")
    folder = tmp_path / "cache/litecode/models"
    folder.mkdir(parents=True)
    (folder / FILE).symlink_to(models / FILE)
    stamp = models / f"{FILE}.sha256.json"
    if stamp.exists():
        (folder / stamp.name).write_bytes(stamp.read_bytes())
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    tmp_path.chmod(0o700)
    repo.git("config", "--global", "litecode.window", "1024")
    repo.add({".litecode.yaml": RULES, "a.py": "x = 1\n"}, commit="base")
    repo.add({"a.py": 'print("ready")\n'})
    return repo


def typed(folder: Path, argv: Sequence[str], answers: Sequence[tuple[str, str]]) -> tuple[int, str]:
    """Run a command in a terminal; each answer is given when its question is on the screen. Exit code and screen."""
    main, side = pty.openpty()
    command = (sys.executable, "-c", SCREEN + MAIN, *argv)
    process = subprocess.Popen(command, cwd=folder, stdin=side, stdout=side, stderr=side, start_new_session=True)
    os.close(side)
    screen, left, until = "", list(answers), time.monotonic() + 150
    while time.monotonic() < until:
        if not select.select([main], [], [], 0.2)[0]:
            continue
        try:
            screen += os.read(main, 4096).decode("utf-8", "replace")
        except OSError:  # the other side is closed
            break
        if left and left[0][0] in screen:
            os.write(main, f"{left.pop(0)[1]}\n".encode())
    process.kill()
    os.close(main)
    return process.wait(), screen.replace("\r\n", "\n")


def kept(repo: Any) -> list[str]:
    out = repo.git("config", "--global", "--get-regexp", "^litecode", rc=None).decode()
    return sorted(line for line in out.splitlines() if "window" not in line)


QUESTION = "Where does the model run?"


def test_the_choice_of_a_person_is_tested_kept_and_used(here: Any) -> None:
    code, screen = typed(here.path, ["connect"], [(QUESTION, "1")])
    assert code == 0, screen
    assert f"  1  {NAME}, in this process\n" in screen
    assert re.search(rf"{re.escape(NAME)} \(embedded\) answers: 1,024 tokens, [0-9.]+ tokens/s\n", screen)
    assert kept(here) == ["litecode.endpoint embedded", f"litecode.model {NAME}"]
    assert b"litecode" not in (here / ".git/config").read_bytes()

    def run(*argv: str) -> str:
        done = subprocess.run((sys.executable, "-c", MAIN, *argv), cwd=here.path, capture_output=True, text=True)
        assert "Traceback" not in done.stderr
        return done.stdout

    run("run")
    shown = json.loads(run("show", "--format", "json"))
    assert shown["model"] == f"{NAME} (embedded)"
    assert shown["calls"]["made"] > 0
    assert shown["calls"]["prompt_tokens"] > shown["calls"]["output_tokens"] > 0
    checks = {check["name"]: check for check in json.loads(run("doctor", "--format", "json"))}
    assert checks["endpoint"]["health"] == "ok"
    assert checks["model"]["detail"].startswith(f"{NAME} (embedded), 1,024 tokens")


@pytest.mark.parametrize(
    ("answers", "said"),
    [
        ([(QUESTION, "7"), ("The model", "")], "allowed: embedded, ollama"),
        ([(QUESTION, "http://127.0.0.1:9/v1"), ("The model", "m")], "nothing answers at http://127.0.0.1:9/v1"),
        (
            [(QUESTION, "https://models.example.com/v1"), ("The model", "m"), ("key", ""), ("Send code", "n")],
            "not sent",
        ),
        ([(QUESTION, "\x03")], ""),
        ([(QUESTION, "\x04")], ""),
    ],
    ids=["unknown", "dead", "refused", "Ctrl-C", "Ctrl-D"],
)
def test_what_does_not_come_about_is_not_kept(here: Any, answers: list[tuple[str, str]], said: str) -> None:
    code, screen = typed(here.path, ["connect"], answers)
    assert code in {2, 130}, screen
    assert said in screen
    assert "Traceback" not in screen
    assert kept(here) == []
