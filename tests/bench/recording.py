#!/usr/bin/env python3
"""Make docs/recording.svg: a commit through the installed hook with the real model, at a terminal of 92 columns.

    python tests/bench/recording.py > docs/recording.svg

The rules are those of README.md. The picture needs no font and no network.
"""

from __future__ import annotations

import io
import os
import pty
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

from rich._export_format import CONSOLE_SVG_FORMAT
from rich.console import Console
from rich.terminal_theme import MONOKAI
from rich.text import Text

TOP = Path(__file__).resolve().parents[2]
WIDTH = 92
FILES = {
    "src/cart.py": (
        '"""Shopping carts."""\n\nimport math\n\n\ndef total(prices, rate):\n    return math.fsum(prices)\n',
        "    return math.fsum(prices)\n",
        "    if rate == None:\n        rate = 0.19\n    gross = math.fsum(prices) * (1 + rate)\n"
        '    print(f"{len(prices)} prices, {gross} in all")\n    return gross\n',
    ),
    "src/mail.py": (
        '"""Messages to customers."""\n\nimport smtplib\n\n\ndef send(text, to):\n    return smtplib.SMTP()\n',
        "    return smtplib.SMTP()\n",
        '    print("sending to", to)\n    return smtplib.SMTP()\n',
    ),
}
COMMANDS = (("git", "commit", "-m", "Prices with tax"), ("git", "litecode", "log"))


def environ(home: Path) -> dict[str, str]:
    """The model is that of the person; settings and identity are not."""
    config = home / "gitconfig"
    config.write_text("[user]\n\tname = A U Thor\n\temail = author@example.com\n[litecode]\n\tdeadline = 1800\n")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("GIT_", "LITECODE_", "NO_COLOR"))}
    path = os.pathsep.join((str(Path(sys.executable).parent), kept.get("PATH", os.defpath)))
    own = {"PATH": path, "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": str(config), "LITECODE_ENDPOINT": "embedded"}
    return kept | own | {"TERM": "xterm-256color", "COLUMNS": str(WIDTH)}


def at_terminal(argv: tuple[str, ...], cwd: Path, env: dict[str, str]) -> str:
    """What the program writes to a terminal, without the lines that it took away again."""
    ours, theirs = pty.openpty()
    with subprocess.Popen(argv, cwd=cwd, env=env, stdin=theirs, stdout=theirs, stderr=theirs) as started:
        os.close(theirs)
        data = b""
        while True:
            try:
                part = os.read(ours, 65536)
            except OSError:  # the other end is closed
                break
            data += part
    os.close(ours)
    if started.returncode:
        raise SystemExit(f"{argv} exited with {started.returncode}:\n{data.decode(errors='replace')}")
    text = re.sub(r"\x1b\[[0-9;?]*[A-LN-Za-ln-z]", "", data.decode().replace("\r\n", "\n"))  # all but colours
    text = re.sub(r"[^\n]*\r", "", text)
    return re.sub(r"(?m)^.*litecode: \d+ of \d+ tasks?, .*\n", "", text)  # the progress line, which had gone again


def record() -> str:
    with tempfile.TemporaryDirectory() as folder:
        repo = Path(folder) / "shop"
        repo.mkdir()
        env = environ(Path(folder))
        rules = re.search(r"```yaml\n(rules:\n.*?)```", (TOP / "README.md").read_text("utf-8"), re.DOTALL)
        assert rules is not None

        def git(*argv: str) -> None:
            subprocess.run(("git", *argv), cwd=repo, env=env, check=True, stdout=subprocess.DEVNULL)

        git("init", "-q", "-b", "main")
        (repo / ".litecode.yaml").write_text(rules[1], encoding="utf-8")
        (repo / "src").mkdir()
        for name, (before, _, _) in FILES.items():
            (repo / name).write_text(before, encoding="utf-8")
        git("add", ".")
        git("commit", "-q", "-m", "base")
        git("litecode", "install")
        for name, (before, old, new) in FILES.items():
            (repo / name).write_text(before.replace(old, new), encoding="utf-8")
        git("add", ".")
        shown = [f"\x1b[1m$ {shlex.join(argv)}\x1b[0m\n{at_terminal(argv, repo, env)}" for argv in COMMANDS]
    return svg("\n".join(shown))


def svg(text: str) -> str:
    console = Console(record=True, width=WIDTH, file=io.StringIO(), force_terminal=True)
    console.print(Text.from_ansi(text), soft_wrap=False)
    form = re.sub(r"@font-face \{\{.*?\n    \}\}", "", CONSOLE_SVG_FORMAT, flags=re.DOTALL)
    form = form.replace("Fira Code, monospace", "ui-monospace, Menlo, Consolas, monospace")
    picture = console.export_svg(title="git commit", theme=MONOKAI, code_format=form, unique_id="lc")
    return "\n".join(line.rstrip() for line in picture.splitlines() if line.strip()) + "\n"


if __name__ == "__main__":
    sys.stdout.write(record())
