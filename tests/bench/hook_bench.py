#!/usr/bin/env python3
"""How long the installed hook takes when it has nothing to do, against the least that a hook in Python can take.

    python tests/bench/hook_bench.py [--runs N] [--limit RATIO]

The floor is `python -c "import yaml"` and `git diff-index --cached HEAD` by the same interpreter. Floor and hook take
turns, so that other work on the machine slows both. The console script `litecode-hook` is for those who call it from a
hook of their own; pip's wrapper costs it a little. Exit 1 when a median ratio is above the limit. Run it with the
interpreter of an environment that has the wheel installed, not an editable checkout.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

RULES = """\
rules:
- id: no-print
  message: Use the module logger, not print.
  language: python
  files: ^src/
  pattern: print($$$ARGS)
- id: no-todo
  message: No open ends.
  types_or: [python, pyi, c]
  regex: TODO
"""
SITUATIONS = {
    "nothing staged": (RULES, {}),
    "no rules file": (None, {"src/a.py": "print(1)\n"}),
    "no rule selects a staged file": (RULES, {"README.md": "# TODO\n", "LICENSE": "free\n", "notes": "print(1)\n"}),
}


def environment(home: Path) -> dict[str, str]:
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("GIT_", "LITECODE_", "PYTHON"))}
    who = {"NAME": "Bench", "EMAIL": "bench@example.com"}
    return clean | {
        **{f"GIT_{role}_{key}": value for role in ("AUTHOR", "COMMITTER") for key, value in who.items()},
        "PATH": os.pathsep.join((str(Path(sys.executable).parent), clean.get("PATH", os.defpath))),
        "HOME": str(home),
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
    }


class Scene:
    """A repository with the hook installed and a commit prepared."""

    def __init__(self, top: Path, rules: str | None, staged: dict[str, str]) -> None:
        self.top, self.env = top, environment(top.parent)
        top.mkdir()
        self.run("git", "init", "-q")
        for number in range(200):
            self.write(f"docs/page{number}.md", f"page {number}\n")
        if rules is not None:
            self.write(".litecode.yaml", rules)
        self.run("git", "add", "-A")
        self.run("git", "commit", "-q", "-m", "base")
        self.run("git", "litecode", "install")
        for path, content in staged.items():
            self.write(path, content)
            self.run("git", "add", path)
        self.hook()  # the first run loads the rules and leaves the cache

    def write(self, path: str, content: str) -> None:
        (self.top / path).parent.mkdir(parents=True, exist_ok=True)
        (self.top / path).write_text(content, encoding="utf-8")

    def run(self, *argv: str) -> float:
        started = time.perf_counter()
        done = subprocess.run(
            argv, cwd=self.top, env=self.env, stdin=subprocess.DEVNULL, capture_output=True, check=False
        )
        seconds = time.perf_counter() - started
        if done.returncode:
            raise SystemExit(f"{argv} exited with {done.returncode}:\n{(done.stdout + done.stderr).decode()}")
        return seconds

    def hook(self) -> float:
        return self.run(".git/hooks/pre-commit")

    def message(self) -> float:
        """The commit-msg hook, by the file and by the console script; neither finds a request."""
        return self.run(".git/hooks/commit-msg", "docs/page1.md")

    def message_script(self) -> float:
        return self.run("litecode-hook", "commit-msg", "docs/page1.md")

    def script(self) -> float:
        return self.run("litecode-hook", "pre-commit")

    def floor(self) -> float:
        return self.run(sys.executable, "-c", "import yaml") + self.run("git", "diff-index", "--cached", "HEAD")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--limit", type=float, default=1.5)
    options = parser.parse_args()
    worst = 0.0
    with tempfile.TemporaryDirectory(prefix="litecode-bench-") as name:
        for number, (situation, (rules, staged)) in enumerate(SITUATIONS.items()):
            scene = Scene(Path(name, f"repo{number}"), rules, staged)
            rounds = [(scene.floor(), scene.hook(), scene.script()) for _ in range(options.runs)]
            floor, hook, script = (statistics.median(column) * 1000 for column in zip(*rounds, strict=True))
            ratio = statistics.median(hook / floor for floor, hook, _ in rounds)
            worst = max(worst, ratio)
            times = f"hook {hook:5.1f} ms  console script {script:5.1f} ms  floor {floor:5.1f} ms"
            print(f"{situation:30} {times}  ratio {ratio:.2f}", flush=True)
        rounds = [(scene.floor(), scene.message(), scene.message_script()) for _ in range(options.runs)]
        floor, hook, script = (statistics.median(column) * 1000 for column in zip(*rounds, strict=True))
        ratio = statistics.median(hook / floor for floor, hook, _ in rounds)
        worst = max(worst, ratio)
        times = f"hook {hook:5.1f} ms  console script {script:5.1f} ms  floor {floor:5.1f} ms"
        print(f"{'a message without a request':30} {times}  ratio {ratio:.2f}", flush=True)
    print(f"worst median ratio of {options.runs} runs: {worst:.2f} (limit {options.limit:.2f})")
    return 0 if worst <= options.limit else 1


if __name__ == "__main__":
    sys.exit(main())
