#!/usr/bin/env python3
"""Commit five files through the installed hook with the real model, and prove by running them that they are right.

    python tests/bench/demo.py [--keep DIR]

One rule has a `fix` (no model), one an `instruction` (the model rewrites the statement that matched). Exit 0 when all
five files are in the commit, do what they did before, and log what they printed before.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import io
import json
import logging
import os
import re
import shlex
import subprocess
import sys
import tempfile
import tokenize
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

FILES = Path(__file__).resolve().parent / "demo"
CONFIG = """\
[user]
\tname = Demo
\temail = demo@example.com
[litecode]
\tdeadline = 1800 # a machine with other work to do gets all the time it needs
"""


class Wrong(Exception):
    """A file of the commit is not right."""


class Shell:
    """Runs commands in the scratch repository and shows them as a person would have typed them."""

    def __init__(self, top: Path) -> None:
        self.top = top
        config = top.with_name(f"{top.name}.gitconfig")
        config.write_text(CONFIG, encoding="utf-8")
        clean = {key: value for key, value in os.environ.items() if not key.startswith(("GIT_", "LITECODE_"))}
        path = os.pathsep.join((str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)))
        self.env = clean | {"PATH": path, "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": str(config)}

    def show(self, *argv: str) -> None:
        print(f"\n$ {shlex.join(argv)}", flush=True)
        done = subprocess.run(argv, cwd=self.top, env=self.env, stdin=subprocess.DEVNULL, check=False)
        if done.returncode:
            raise Wrong(f"{argv[0]} exited with {done.returncode}")

    def git(self, *args: str) -> bytes:
        return subprocess.run(("git", *args), cwd=self.top, env=self.env, check=True, capture_output=True).stdout


class Log(logging.Handler):
    """Keeps what is logged, formatted: a call with wrong placeholders raises here."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(" ".join(record.getMessage().split()))


def load(path: str, content: bytes) -> ModuleType:
    module = ModuleType(path.removesuffix(".py").replace("/", "."))
    sys.modules[module.__name__] = module  # dataclasses look there
    exec(compile(content, path, "exec"), module.__dict__)
    return module


def cart(module: ModuleType) -> None:
    found = module.Cart("ann")
    expect([found.add("tea", 0), found.add("tea", 2), found.add("sand")], [False, True, True])
    expect(found.total({"tea": 350}), 700)


def stock(module: ModuleType) -> None:
    found = module.Stock({"tea": 7, "sand": 3})
    expect([found.take("tea", 2), found.take("sand", 9), found.take("gold", 1)], [2, 3, 0])
    expect(found.low(), ["sand"])


def mailer(module: ModuleType) -> None:
    sent: list[str] = []

    def fail(_: str) -> None:
        raise OSError("no route")

    expect([module.deliver([], fail), module.deliver(["tea", "sand"], sent.append)], [False, True])
    expect([module.deliver(["tea"], fail), sent], [False, ['Low:\n  tea\n  sand\n--\nprint("me") is not code here\n']])


def backup(module: ModuleType) -> None:
    with tempfile.TemporaryDirectory() as name:
        for number, suffix in enumerate(("", ".1", ".2", ".3")):
            Path(name, f"orders{suffix}").write_text(str(number), encoding="utf-8")
        expect(module.rotate(Path(name), "orders"), ["orders.1", "orders.2", "orders.3"])
        expect(module.rotate(Path(name), "orders"), ["orders.2", "orders.3"])
        expect(Path(name, "orders.2").read_text(encoding="utf-8"), "0")


def report(module: ModuleType) -> None:
    one, two, none = module.report("mon", [1, 2]), module.report("tue", [4]), module.report("wed", [])
    expect([one, two, none], [(3, 1.5), (4, 4.0), (0, None)])
    expect([module.compare(one, two), module.compare(one, none)], [2.5, None])
    expect(module.fingerprint("mon", [1]), '["mon",[1]]')


def expect(got: object, wanted: object) -> None:
    if got != wanted:
        raise Wrong(f"{got!r} instead of {wanted!r}")


# What has to be logged, in order; the words are those that were printed.
CHECKS: dict[str, tuple[Callable[[ModuleType], None], list[str]]] = {
    "shop/backup.py": (
        backup,
        ["dropping orders.3 (1 bytes)", "rotated orders", "dropping orders.3 (1 bytes)", "orders is missing"],
    ),
    "shop/cart.py": (cart, ["ann: 0 of tea ignored", "no price for sand"]),
    "shop/mailer.py": (mailer, ["nothing is low, no mail", "mail with 2 names sent", "mail failed: no route"]),
    "shop/report.py": (
        report,
        [
            "mon: 2 orders, 1.50 € on average",
            "tue: 1 orders, 4.00 € on average",
            "wed: no orders",
            "mean is up",
            "nothing to compare",
        ],
    ),
    "shop/stock.py": (stock, ["wanted 9 of sand, had 3", "unknown article gold"]),
}


class Plain(ast.NodeTransformer):
    """Code without what the two rules are about, so that before and after can be compared."""

    def visit_Import(self, node: ast.Import) -> ast.Import | None:
        return None if [name.name for name in node.names] == ["logging"] else node

    def visit_Assign(self, node: ast.Assign) -> ast.AST | None:
        return None if ast.unparse(node) == "logger = logging.getLogger(__name__)" else self.generic_visit(node)

    def visit_Expr(self, node: ast.Expr) -> ast.AST:
        call = isinstance(node.value, ast.Call) and ast.unparse(node.value.func)
        return ast.Pass() if call in {"print", "logger.info"} else self.generic_visit(node)

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        node.ops = [
            ast.Is() if isinstance(op, ast.Eq) and _none(to) else op
            for op, to in zip(node.ops, node.comparators, strict=True)
        ]
        return self.generic_visit(node)


def _none(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def comments(content: bytes) -> list[str]:
    return [token.string for token in tokenize.tokenize(io.BytesIO(content).readline) if token.type == tokenize.COMMENT]


def check(path: str, before: bytes, after: bytes) -> None:
    """Raise Wrong unless `after` does what `before` did and logs what that printed, with no other change."""
    old, new = ast.parse(before), ast.parse(after)
    if [
        ast.unparse(node) for node in ast.walk(new) if isinstance(node, ast.Call) and ast.unparse(node.func) == "print"
    ]:
        raise Wrong("print() is left")
    if re.search(rb"== None", after):
        raise Wrong("== None is left")
    if ast.dump(Plain().visit(old)) != ast.dump(Plain().visit(new)):
        raise Wrong("more was changed than the rules are about")
    if comments(before) != comments(after):
        raise Wrong("a comment was lost")
    if (before.endswith(b"\n"), before.count(b"\t")) != (after.endswith(b"\n"), after.count(b"\t")):
        raise Wrong("the final newline or the tabs were lost")
    run, wanted = CHECKS[path]
    log, printed, root = Log(), io.StringIO(), logging.getLogger()
    root.addHandler(log)
    root.setLevel(logging.DEBUG)
    try:
        with contextlib.redirect_stdout(printed):
            run(load(path, after))
    finally:
        root.removeHandler(log)
    expect(log.lines, wanted)
    expect(printed.getvalue(), "")


def commit_the_shop(shell: Shell) -> None:
    shell.git("init", "-q", "-b", "main")
    (shell.top / ".litecode.yaml").write_bytes((FILES / "litecode.yaml").read_bytes())
    shell.git("add", ".litecode.yaml")
    shell.git("commit", "-q", "-m", "House rules")
    (shell.top / "shop").mkdir()
    for path in CHECKS:
        (shell.top / path).write_bytes((FILES / path).read_bytes())
    shell.show("git", "--no-pager", "log", "--oneline", "--stat")
    shell.show("cat", ".litecode.yaml")
    shell.show("git", "litecode", "install")
    shell.show("git", "add", "shop")
    shell.show("git", "commit", "-m", "The shop")
    shell.show("git", "litecode", "log")
    run = json.loads(shell.git("litecode", "show", "--format", "json"))
    calls = run["calls"]
    print(f"{calls['made']} calls of {run['model']}: {calls['prompt_tokens']} + {calls['output_tokens']} tokens")
    print(f"{run['seconds']:.1f} s from the start of the hook to the last file staged")


def judge(shell: Shell) -> int:
    """Check every file of the commit; returns how many are right."""
    print()
    right = 0
    for path in CHECKS:
        try:
            check(path, (FILES / path).read_bytes(), shell.git("cat-file", "blob", f"HEAD:{path}"))
        except Exception as error:  # whatever the committed code raises is the result
            print(f"{path}: WRONG: {error or type(error).__name__}")
        else:
            right += 1
            print(f"{path}: right (committed, runs as before, logs what it printed)")
    if dirty := shell.git("status", "--porcelain").decode():
        raise Wrong(f"index and worktree differ from the commit:\n{dirty}")
    print(f"{right} of {len(CHECKS)} files right")
    return right


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--keep", type=Path, metavar="DIR", help="make the scratch repository here and keep it")
    keep = parser.parse_args().keep
    with contextlib.ExitStack() as stack:
        parent = keep or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="litecode-demo-")))
        top = parent.resolve() / "shop"
        top.mkdir(parents=True)
        shell = Shell(top)
        try:
            commit_the_shop(shell)
            return 0 if judge(shell) == len(CHECKS) else 1
        except Wrong as error:
            print(f"demo failed: {error}", file=sys.stderr)
            return 1


if __name__ == "__main__":
    sys.exit(main())
