"""Every command line of README.md and docs/*.md works. How each is tried is told by its class:

- RUN: started as it stands, by a shell, in a fresh repository, with the installed programs and an empty HOME.
- MODEL: the same; an imitation of Ollama answers, so nothing is said about what a real model would write.
- PARSED: not started, because it reaches a network, stays, or has a word such as NAME that stands for something. The
  program's own parser reads the command and its options.
- ELSEWHERE: another test of this folder starts it, the one that is named.
- MENTIONED: a program in a sentence. `git litecode` as PARSED; git, make, pre-commit and scripts are asked whether they
  have such a command and such options.

A command in a block has to be in the table below, so a new one cannot go unseen; so does one of the table in a page.
docs/commands.md and docs/errors.md are made from the program and compared with it elsewhere; the commands in its hints
are not tried here.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree import ElementTree

import click
import pytest
import yaml

from litecode.hooks.cli import PROGRAM, group

TOP = Path(__file__).resolve().parents[2]
MADE = {"commands.md", "errors.md"}  # from the program
PAGES = [TOP / "README.md", *(page for page in sorted((TOP / "docs").glob("*.md")) if page.name not in MADE)]
FENCE = re.compile(r"^```([\w-]*)\n(.*?)^```\n", re.MULTILINE | re.DOTALL)
PROGRAMS = ("git", "git-litecode", "litecode-hook", "identify-cli", "make", "pip", "pre-commit", "python")
FAKE_ID = "7f3a"
EDITOR = "sed -i -e '1s/^$/change/'"
SARIF = (
    'git litecode check --no-model --from-ref "origin/$GITHUB_BASE_REF" --to-ref HEAD --format sarif > litecode.sarif'
)


class Row(NamedTuple):
    """`scene` is the repository, `says` a part of what is printed, `rc` the exit code."""

    how: str
    scene: str = "shop"
    says: str = ""
    rc: int = 0


TABLE = {
    # README.md
    "make demo": Row("MENTIONED"),
    "make test": Row("MENTIONED"),
    "pip install '.[embedded]'": Row("MENTIONED"),
    "git litecode model pull": Row("PARSED"),
    "cd ~/my-project": Row("RUN", "plain"),
    "git litecode init": Row("RUN", "plain", "wrote .litecode.yaml for python"),
    "git litecode install": Row("RUN", "shop", "pre-commit"),
    "git litecode doctor": Row("RUN", "shop", "problem  model       no model is on this machine", 1),
    "git litecode check": Row("MODEL", "shop", "src/cart.py:5:5: use-logger", 1),
    "git litecode run": Row("MODEL", "shop", "2 patches staged"),
    "git litecode show": Row("RUN", "ran", '+    logger.info("total %s", price)'),
    "git litecode review": Row("RUN", "held", "(1/2) Stage this hunk [y,n,a,d,j,s,e,q,?]?", 1),
    "git litecode undo": Row("RUN", "ran", "src/cart.py"),
    "git litecode test": Row("RUN", "shop", "2 rules, 0 examples: nothing to test"),
    "LITECODE_SKIP=rule-id,rule-id git commit": Row("RUN", "hooked", "LITECODE_SKIP names rule-id, which is no rule"),
    "git commit --no-verify": Row("RUN", "hooked", "2 files changed"),
    # hooks.md
    "git rev-parse --git-path hooks": Row("RUN", "shop", ".git/hooks"),
    "git litecode uninstall": Row("RUN", "hooked", "pre-commit"),
    'litecode-hook pre-commit "$@"': Row("MODEL", "shop", "2 patches staged"),
    "LITECODE_SKIP=rule-id,other-id git commit": Row("RUN", "hooked", "LITECODE_SKIP names other-id, which is no rule"),
    "SKIP=litecode git commit": Row("RUN", "hooked", "litecode: skipped, because SKIP names litecode"),
    "git litecode init --framework": Row("RUN", "framed", ".pre-commit-config.yaml"),
    # messages.md
    'git commit -m "Low-stock alerts\n\nLitecode: rename qty to quantity"': Row(
        "RUN", "message", "hint: git litecode commit --continue stages it and commits with your message", 1
    ),
    "git litecode commit --continue": Row("RUN", "stopped", "Low-stock alerts"),
    "git commit -e -F .git/litecode/commit/message": Row("RUN", "stopped", "held", 1),
    "git config litecode.trailer drop": Row("RUN"),
    "git rev-parse --git-path litecode": Row("RUN", "shop", ".git/litecode"),
    # models.md
    "git litecode connect embedded": Row("PARSED"),
    "git litecode connect ollama --model qwen2.5-coder:1.5b": Row("MODEL", "shop", "qwen2.5-coder:1.5b"),
    "git litecode connect https://api.groq.com/openai/v1 --model NAME --key-variable GROQ_API_KEY --allow-remote": Row(
        "PARSED"
    ),
    "git litecode doctor --call": Row("MODEL", "shop", "ok       call        4 tokens"),
    "git litecode model list": Row("RUN", "shop", "qwen2.5-coder-1.5b"),
    # output.md
    "git litecode check --no-model --from-ref origin/main --to-ref HEAD --format github": Row(
        "RUN", "pulled", "::error file=src/cart.py,line=5", 1
    ),
    "pip install litecode": Row("MENTIONED"),
    SARIF: Row("RUN", "pulled", '"ruleId": "use-logger"', 1),
    "git litecode check --all-files --no-model --write-baseline .litecode-baseline.json": Row("RUN", says="baseline"),
    "git litecode check --all-files --no-model --baseline .litecode-baseline.json": Row("RUN", "based", "no findings"),
    "git litecode check --no-model --stdin-filename src/cart.py < buffer": Row("RUN", says="src/cart.py:1:1", rc=1),
    "python -c 'import json; from litecode.hooks.show.json import schema; print(json.dumps(schema()))'": Row(
        "RUN", "shop", '"JsonVerdict"'
    ),
    "source <(git litecode completion bash)": Row("RUN", "plain"),
    "source <(git litecode completion zsh)": Row("ELSEWHERE", says="completion_test.py"),
    "git litecode completion fish | source": Row("ELSEWHERE", says="completion_test.py"),
    # requests.md
    'git litecode run -m "Ledger.transfer must raise LedgerError when source and target are the same account"': Row(
        "MODEL", "ledger", "+        if source == target:\n+            raise LedgerError", 1
    ),
    'git litecode ask "where is the retry limit decided?"': Row("MODEL", "ledger", "RETRIES"),
    'git litecode plan -m "rename fetch_rows() to load_rows() and adapt everything that calls it"': Row(
        "RUN", "ledger", "load_rows"
    ),
    "git litecode map shop": Row("RUN", "ledger", "- shop/ledger.py"),
    "git litecode map": Row("RUN", "ledger", "- shop/ledger.py"),
    # rules.md
    "git litecode refine no-print": Row("RUN", "noisy", "* 1  "),
    "python -m litecode.config.schema": Row("RUN", says='"$schema"'),
    "git litecode explain": Row("RUN", "shop", "use-logger"),
    "identify-cli FILE": Row("RUN", "shop", '"python"'),
    "git config litecode.apply hold": Row("RUN"),
    "git litecode trust": Row("RUN", "shop", "verify"),
    # safety.md
    "git litecode review --list": Row("RUN", "held", "src/cart.py, hunk 2, line ", 1),
    f"git litecode review {FAKE_ID} --accept src/cart.py:2 --reject src/mail.py": Row("RUN", "held", "1 hunk", 1),
    f"git litecode apply {FAKE_ID}": Row("RUN", "held", "src/mail.py: staged"),
    f"git litecode drop {FAKE_ID}": Row("RUN", "held", "src/mail.py"),
    "python tests/bench/partial_staging_bench.py --lint-staged PATH --pre-commit PATH --markdown": Row("MENTIONED"),
}


def whole(lines: Iterator[str], line: str) -> str:
    """A command with the lines that its open quotes go over, without its comment."""
    while True:
        try:
            shlex.split(line, comments=True)
        except ValueError:
            line += "\n" + next(lines)
        else:
            return re.sub(r"\s+#\s.*", "", line)


def in_blocks(text: str) -> Iterator[str]:
    """The lines of `sh` blocks, what stands behind `$ ` in the others, and the steps of workflows."""
    for language, body in FENCE.findall(text):
        lines = iter(body.splitlines())
        if language == "yaml" and "\njobs:" in body:
            jobs = yaml.safe_load(body)["jobs"].values()
            yield from (step["run"] for job in jobs for step in job["steps"] if "run" in step)
        for line in lines:
            if language == "sh" and line.strip():
                yield whole(lines, line)
            elif language == "" and line.startswith("$ "):
                yield whole(lines, line.removeprefix("$ "))


def in_prose(text: str) -> Iterator[str]:
    for span in re.findall(r"(?<!`)`([^`]+)`(?!`)", FENCE.sub("", text)):
        words = " ".join(span.split())
        named = re.sub(r"^([A-Z_]+=\S* )+", "", words).partition(" ")
        if named[0] in PROGRAMS and named[2]:
            yield words


BLOCKS = {line: page.name for page in PAGES for line in in_blocks(page.read_text("utf-8"))}
PROSE = {line: page.name for page in PAGES for line in in_prose(page.read_text("utf-8"))}


def parsed(argv: list[str], bare: bool = True) -> None:
    """The real parser reads the words of `git litecode`, and nothing is done. With `bare=False` a command may stand
    without the argument that it needs, as in "`git litecode refine` finds one".
    """
    words = [word.strip("[]") for word in argv]
    command: click.Command = group
    context = group.make_context(PROGRAM, words) if words else None
    while context is not None and isinstance(command, click.Group):
        name, found, words = command.resolve_command(context, words)
        assert found is not None, argv
        if not words and isinstance(found, click.Group):
            return
        words = words if words or bare else ["RULE"] * sum(one.required for one in found.params)
        command, context = found, found.make_context(name, words, parent=context)


def said_by(*argv: str, cwd: Path | None = None) -> str:
    clean = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    done = subprocess.run(argv, cwd=cwd, env=clean, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 129), done.stderr  # git's own exit code for -h
    return done.stdout + done.stderr


def fault_of_mention(line: str) -> str:
    """What is wrong with a command that is only named: the program has no such command, or its help or text does not
    have one of the options. Empty when all is well.
    """
    words = [word for word in shlex.split(line) if not re.match(r"[A-Z_]+=", word)]
    program, *rest = words
    if program == "git" and rest[0] == "litecode":
        parsed(rest[1:], bare=False)
        return ""
    if program == "make":
        return "" if said_by("make", "-n", *rest, cwd=TOP) else f"no target: {line}"
    if program == "pip":
        known = (TOP / "pyproject.toml").read_text("utf-8").partition("[project.optional-dependencies]")[2]
        extras = re.findall(r"\[(\w+)\]", line)
        return next((f"no extra {e}" for e in extras if not re.search(rf"^{e} = \[", known, re.MULTILINE)), "")
    if program == "python":
        text = (TOP / rest[0]).read_text("utf-8") if rest[0] not in ("-c", "-m") else " ".join(rest)
        if rest[0] == "-c":
            compile(rest[1], "docs", "exec")
    elif program not in ("git", "pre-commit"):
        return f"no program of these pages: {line}"
    else:
        text = said_by(program, rest[0], "-h") if not rest[0].startswith("-") else said_by(program, "--help")
    options = [word for word in rest[: rest.index("--") if "--" in rest else None] if word.startswith("-")]
    named = (option for option in options if not re.search(rf"(?<![\w-]){re.escape(option.partition('=')[0])}\b", text))
    return next((f"no option {option}: {line}" for option in named), "")


# The scenes.

CART = "def total(items):\n    price = sum(items)\n    return price\n"
RULES = re.search(r"```yaml\n(rules:\n.*?)```", (TOP / "README.md").read_text("utf-8"), re.DOTALL)
NOISY = """\
rules:
- id: no-print
  message: Use the logger.
  language: python
  pattern: print($$$ARGS)
  tests:
    valid: ["print(usage, file=out)", "print(text, file=sys.stderr)"]
    invalid: [print(total), "print(total, end='')"]
"""
LEDGER = '''\
"""Accounts and what is moved between them."""

RETRIES = 3


class LedgerError(Exception):
    """Something does not add up."""


class Ledger:
    """Balances by account."""

    def __init__(self):
        self.balances = {}

    def transfer(self, source, target, amount):
        self.balances[source] -= amount
        self.balances[target] += amount


def fetch_rows():
    return []
'''
STAGED = {
    "src/cart.py": CART.replace(
        "    return", '    if price == None:\n        return 0\n    print("total", price)\n    return'
    ),
    "src/mail.py": 'def send(text):\n    print("sent", text)\n',
}


def scene_plain(repo: Any, _server: Any) -> None:
    repo.add({"src/cart.py": CART, "src/mail.py": "def send(text):\n    pass\n"}, commit="base")


def scene_shop(repo: Any, server: Any) -> None:
    assert RULES is not None
    scene_plain(repo, server)
    repo.add({".litecode.yaml": RULES[1]}, commit="rules")
    repo.write("buffer", "x == None\n")
    repo.add(STAGED)


def scene_hooked(repo: Any, server: Any) -> None:
    scene_shop(repo, server)
    repo.git("litecode", "install")
    repo.config("litecode.onUnavailable", "skip")


def scene_ran(repo: Any, server: Any) -> None:
    scene_shop(repo, server)
    repo.git("litecode", "run", env={"OLLAMA_HOST": server.address})


def scene_held(repo: Any, server: Any) -> None:
    scene_shop(repo, server)
    repo.add({"src/cart.py": STAGED["src/cart.py"] + "\n\n" + "# -\n" * 9 + '\n\ndef show():\n    print("shown")\n'})
    repo.git("litecode", "run", "--apply", "hold", env={"OLLAMA_HOST": server.address}, rc=1)


def scene_pulled(repo: Any, server: Any) -> None:
    scene_shop(repo, server)
    repo.git("update-ref", "refs/remotes/origin/main", "HEAD")
    repo.commit("a branch")


def scene_based(repo: Any, server: Any) -> None:
    scene_shop(repo, server)
    repo.git("litecode", "check", "--all-files", "--no-model", "--write-baseline", ".litecode-baseline.json")


def scene_framed(repo: Any, server: Any) -> None:
    scene_shop(repo, server)
    repo.write(
        ".pre-commit-config.yaml", "repos:\n- repo: local\n  hooks:\n  - {id: x, name: x, entry: x, language: system}\n"
    )


def scene_noisy(repo: Any, server: Any) -> None:
    scene_plain(repo, server)
    repo.add({".litecode.yaml": NOISY}, commit="rules")


def scene_ledger(repo: Any, server: Any) -> None:
    body = '        if source == target:\n            raise LedgerError("source and target are the same account")\n'

    def answer(messages: list[dict[str, str]]) -> str:
        if "where is the retry limit" in messages[-1]["content"]:
            return "RETRIES in shop/ledger.py decides it."
        return re.sub(r"(def transfer.*?:\n)", lambda m: m[1] + body, LEDGER[LEDGER.index("    def transfer") :])[:-34]

    server.answer = answer
    repo.add({"shop/ledger.py": LEDGER, "shop/use.py": "from shop.ledger import fetch_rows\n\nfetch_rows()\n"})


def scene_message(repo: Any, _server: Any) -> None:
    repo.add({"stock.py": "qty = 3\n"}, commit="base")
    repo.git("litecode", "install")
    repo.add({"stock.py": "qty = 3\n\n\ndef is_low(limit):\n    return qty < limit\n"})


def scene_stopped(repo: Any, server: Any) -> None:
    scene_message(repo, server)
    repo.git("commit", "-m", "Low-stock alerts\n\nLitecode: rename qty to quantity", rc=1)


SCENES: dict[str, Callable[[Any, Any], None]] = {
    name.removeprefix("scene_"): made for name, made in globals().items() if name.startswith("scene_")
}
_built: dict[str, Path] = {}


@pytest.fixture
def at_scene(
    make_repo: Callable[..., Any], imitation: Any, tmp_path_factory: pytest.TempPathFactory
) -> Callable[[str], Any]:
    """The repository of a scene: made once, then copied."""

    def make(name: str) -> Any:
        repo = make_repo("project")
        if name in _built:
            shutil.rmtree(repo.path)
            shutil.copytree(_built[name], repo.path, symlinks=True)
            repo.git("update-index", "-q", "--refresh")
        else:
            SCENES[name](repo, imitation)
            _built[name] = tmp_path_factory.mktemp("scene") / "repo"
            shutil.copytree(repo.path, _built[name], symlinks=True)
        return repo

    return make


STARTED = [line for line, row in TABLE.items() if row.how in ("RUN", "MODEL")]


@pytest.mark.parametrize("line", STARTED)
def test_a_command_that_is_started(line: str, at_scene: Callable[[str], Any], imitation: Any, hermetic: Path) -> None:
    row = TABLE[line]
    repo = at_scene(row.scene)
    if row.scene == "ledger":
        scene_ledger(repo, imitation)
    (hermetic / "my-project").symlink_to(repo.path)
    runs = sorted(path.name.partition(".")[0] for path in (repo / ".git/litecode/runs").glob("*"))
    typed = line.replace("FILE", "src/cart.py").replace(FAKE_ID, runs[-1] if runs else FAKE_ID)
    host = imitation.address if row.how == "MODEL" else os.environ["OLLAMA_HOST"]
    done = subprocess.run(
        ("bash", "-c", typed),
        cwd=repo.path,
        env=os.environ | {"OLLAMA_HOST": host, "GIT_EDITOR": EDITOR, "GITHUB_BASE_REF": "main"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    said = done.stdout + done.stderr
    if ">" in line:
        said += repo.read(line.rpartition("> ")[2]).decode()
    assert done.returncode == row.rc, said
    assert row.says in said
    assert "Traceback" not in said
    assert (imitation.chats > 0) == (row.how == "MODEL") or row.scene in ("ran", "held")


@pytest.mark.parametrize("line", [line for line, row in TABLE.items() if row.how == "PARSED"])
def test_a_command_that_is_parsed(line: str) -> None:
    program, name, *argv = shlex.split(line)
    assert (program, name) == ("git", "litecode")
    parsed(argv)


@pytest.mark.parametrize("line", [line for line, row in TABLE.items() if row.how == "ELSEWHERE"])
def test_a_command_that_another_test_starts(line: str) -> None:
    assert line in Path(__file__).with_name(TABLE[line].says).read_text("utf-8")


@pytest.mark.parametrize("line", sorted(set(PROSE) - set(STARTED)))
def test_a_command_in_a_sentence(line: str) -> None:
    assert fault_of_mention(line) == ""


@pytest.mark.parametrize("line", [line for line, row in TABLE.items() if row.how == "MENTIONED"])
def test_a_command_that_is_too_long_for_a_test(line: str) -> None:
    assert fault_of_mention(line) == ""


def test_nothing_is_left_out() -> None:
    assert [f"{page}: {line}" for line, page in BLOCKS.items() if line not in TABLE] == []
    assert [line for line in TABLE if line not in BLOCKS and line not in PROSE] == []


@pytest.mark.parametrize(
    "argv",
    [
        ["chekc"],
        ["check", "--from"],
        ["check", "--format", "xml"],
        ["model", "fetch"],
        ["log", "one", "two"],
        ["review", "7f3a", "--accept"],
    ],
)
def test_what_the_parser_refuses(argv: list[str]) -> None:
    from litecode.core.errors import UsageError

    with pytest.raises((click.UsageError, UsageError)):
        parsed(argv)


@pytest.mark.parametrize("line", ["git comit", "git commit --no-verfy", "make dmeo", "pip install '.[embeded]'"])
def test_a_mention_that_is_wrong(line: str) -> None:
    with pytest.raises(AssertionError):
        assert fault_of_mention(line) == ""


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("```sh\ngit litecode run   # all\n\nmake demo\n```\n", ["git litecode run", "make demo"]),
        ('```\n$ git commit -m "a\n\nb"\n...\n```\n', ['git commit -m "a\n\nb"']),
        ("```yaml\ngit: litecode\n```\n", []),
        ("```python\nprint(x)\n```\n", []),
        ("```\ngit litecode run\n```\n", []),
    ],
)
def test_what_is_a_command_in_a_block(text: str, found: list[str]) -> None:
    assert list(in_blocks(text)) == found


def test_the_python_of_the_commands_is_the_one_that_runs_the_tests() -> None:
    assert Path(said_by("python", "-c", "import sys; print(sys.prefix)").strip()) == Path(sys.prefix)


def test_the_recording_needs_nothing_else() -> None:
    """It is made by tests/bench/recording.py; a browser must not load anything for it."""
    picture = (TOP / "docs" / "recording.svg").read_text("utf-8")
    assert "](docs/recording.svg)" in (TOP / "README.md").read_text("utf-8")
    assert len(picture) < 40_000
    root = ElementTree.fromstring(picture)
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    tags = {element.tag.partition("}")[2] for element in root.iter()}
    assert tags <= {"svg", "style", "defs", "clipPath", "rect", "text", "g", "circle"}
    assert set(re.findall(r"url\(([^)]{1,4})", picture)) == {"#lc-"}
    assert "@" not in picture.replace("@@", "")  # no font, no import
    said = "".join(root.itertext()).replace("\xa0", " ")
    assert "$ git commit -m 'Prices with tax'" in said
    assert "2 patches staged" in said
