#!/usr/bin/env python3
"""What loading the model costs a commit, and how much of the prompts need not be read again.

    python tests/bench/loads_bench.py [--model NAME] [--rows late,ahead,served]

The five files of the demo, one process for each run, the weights in the system's file cache: the model loaded by the
first call, loaded ahead while files are read, and served by another process (`git litecode model serve`).
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import demo

RUN = """
import json, os, sys, time
from pathlib import Path
begun = time.monotonic()
from litecode.core.git.repository import Repository
from litecode.core import calls
from litecode.core.world import Options
from litecode.hooks.world import build_world, make_run
if sys.argv[1] == "late":
    calls.Caller.warm = lambda self: None
run = make_run(build_world(Repository.discover(Path.cwd(), os.environ), os.environ), Options(check=True))
print(json.dumps({
    "wall": time.monotonic() - begun,
    "states": sorted(verdict.state.value for verdict in run.verdicts),
    "calls": [[c.reply.prompt_tokens, c.reply.cached_tokens, c.estimate, c.window, c.prompt.reserve]
              for c in run.calls if c.reply is not None],
    "errors": [c.error for c in run.calls if c.error],
    "seconds": sum(c.reply.seconds for c in run.calls if c.reply is not None),
}))
"""
SERVE = "import sys; from litecode.hooks.cli import main; sys.exit(main(['model', 'serve']))"


def prepare(top: Path) -> dict[str, str]:
    """A repository with the five files staged; the environment for it."""
    (top / "config").write_text("[user]\n\tname = B\n\temail = b@example.com\n", encoding="utf-8")
    (top / "runtime").mkdir(mode=0o700)
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("GIT_", "LITECODE_", "OLLAMA_"))}
    environ = clean | {
        "GIT_CONFIG_GLOBAL": str(top / "config"),
        "GIT_CONFIG_NOSYSTEM": "1",
        "LITECODE_ENDPOINT": "embedded",
        "XDG_RUNTIME_DIR": str(top / "runtime"),
    }
    repo = top / "repo"
    subprocess.run(("git", "init", "-q", str(repo)), check=True, env=environ)
    (repo / ".litecode.yaml").write_bytes((demo.FILES / "litecode.yaml").read_bytes())
    for path in demo.CHECKS:
        (repo / path).parent.mkdir(parents=True, exist_ok=True)
        (repo / path).write_bytes((demo.FILES / path).read_bytes())
    subprocess.run(("git", "add", "-A"), check=True, env=environ, cwd=repo)
    return environ


def run(way: str, top: Path, environ: dict[str, str]) -> None:
    done = subprocess.run(
        (sys.executable, "-c", RUN, way), cwd=top / "repo", env=environ, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise SystemExit(done.stderr)
    found = json.loads(done.stdout)
    if found["errors"]:
        print(f"{way}: {found['errors']}", file=sys.stderr)
    prompt, cached = (sum(call[at] for call in found["calls"]) for at in (0, 1))
    hits = sum(call[1] > 0 for call in found["calls"])
    within = all(call[0] + call[4] <= call[3] and call[0] <= call[2] for call in found["calls"])
    rest = found["wall"] - found["seconds"]
    print(
        f"| {way} | {found['wall']:.1f} | {rest:.1f} | {len(found['calls'])} | {prompt} | {cached} | "
        f"{hits} of {len(found['calls'])} | {'yes' if within else 'NO'} |"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", default="", help="a name of `git litecode model list`, or the path of a GGUF file")
    parser.add_argument(
        "--rows", default="late,ahead,served", help="which of them, for a machine that is not free long"
    )
    arguments = parser.parse_args()
    name, rows = arguments.model, arguments.rows.split(",")
    with tempfile.TemporaryDirectory() as folder:
        top = Path(folder)
        environ = prepare(top) | ({"LITECODE_MODEL": name} if name else {})
        print("| model | seconds | outside of calls | calls | prompt tokens | not read again | hits | in the window |")
        print("| --- | --: | --: | --: | --: | --: | --: | --- |")
        for way in ("late", "ahead"):
            if way in rows:
                run(way, top, environ)
        if "served" not in rows:
            return
        serving = subprocess.Popen(
            (sys.executable, "-c", SERVE), cwd=top / "repo", env=environ, stderr=subprocess.PIPE, text=True
        )
        assert serving.stderr is not None
        serving.stderr.readline()
        serving.stderr.readline()
        try:
            run("served", top, environ)
            run("served", top, environ)
        finally:
            serving.terminate()
            serving.wait()


if __name__ == "__main__":
    main()
