"""The hooks as people get them from the pre-commit framework: it clones the repository, builds the package with pip and
runs what came out of that. Nothing is fetched: what the package needs is taken from the environment of the tests.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pre_commit")
pytest.importorskip("setuptools", minversion="77")

CHECKOUT = Path(__file__).resolve().parents[2]
PACKAGED = ("core", "hooks", "config", "docs", "pyproject.toml", "README.md", "LICENSE", ".pre-commit-hooks.yaml")
NOT_LENT = re.compile(r"(?i)(__editable__.*|.*litecode.*|.*\.pth|__pycache__|pip(-.*)?)\Z")

RULES = """\
rules:
- id: is-none
  message: Compare with None by identity.
  language: python
  pattern: $VALUE == None
  fix: $VALUE is None
"""
BASE = "".join(f"line_{number} = {number}\n" for number in range(20))
BAD, GOOD = BASE.replace("line_5 = 5", "line_5 == None"), BASE.replace("line_5 = 5", "line_5 is None")
FORMATTED = ("line_0 = 0", "line_0 = 'formatted'")
FORMATTER = """\
import pathlib, sys
code = 0
for name in sys.argv[1:]:
    path = pathlib.Path(name)
    text = path.read_text()
    new = text.replace("line_0 = 0", "line_0 = 'formatted'")
    code |= new != text
    path.write_text(new)
sys.exit(code)
"""


class Framework:
    """The framework with a cache of its own, in which the package stays built for all tests of this module."""

    def __init__(self, place: Path) -> None:
        self.package, self.cache, self.lent = place / "package", place / "cache", place / "lent"

    def build(self, make: Any) -> None:
        """Make the repository with the package, and the folder with what it needs."""
        for name in PACKAGED:
            source, target = CHECKOUT / name, self.package / name
            if source.is_dir():
                shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copyfile(source, target)
        make(self.package)
        self.lent.mkdir()
        for folder in {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}:
            for entry in Path(folder).iterdir():
                if not NOT_LENT.match(entry.name) and not (self.lent / entry.name).exists():
                    (self.lent / entry.name).symlink_to(entry)

    @property
    def environ(self) -> dict[str, str]:
        """pip reads 0 for no-build-isolation as: no isolation. The folder of the tests' own commands is not on the
        PATH, so that no other LiteCode is found.
        """
        own = str(Path(sys.executable).parent)
        return {
            **os.environ,
            "PATH": os.pathsep.join(part for part in os.environ["PATH"].split(os.pathsep) if part != own),
            "PRE_COMMIT_HOME": str(self.cache),
            "PYTHONPATH": str(self.lent),
            "PIP_NO_INDEX": "1",
            "PIP_NO_DEPS": "1",
            "PIP_NO_BUILD_ISOLATION": "0",
            "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        }

    @property
    def command(self) -> Path:
        """The `git-litecode` that was built."""
        (found,) = self.cache.glob("repo*/py_env-*/bin/git-litecode")
        return found


class Scene:
    def __init__(self, repo: Any, framework: Framework) -> None:
        self.repo, self.framework = repo, framework

    def start(self, *argv: str | Path, rc: int = 0) -> str:
        done = subprocess.run(
            argv,
            cwd=self.repo.path,
            env=self.framework.environ,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
        )
        said = done.stdout + done.stderr
        assert done.returncode == rc, said
        assert "Traceback" not in said
        assert "Rolling back" not in said
        return said

    def pre_commit(self, *words: str, rc: int = 0) -> str:
        return self.start(sys.executable, "-m", "pre_commit", *words, rc=rc)

    def configure(self, hooks: Sequence[str], *, local: str = "", kinds: Sequence[str] = ("pre-commit",)) -> None:
        listed = "".join(f"  - {hook}\n" for hook in hooks)
        config = f"repos:\n{local}- repo: {self.framework.package}\n  rev: v1\n  hooks:\n{listed}"
        self.repo.add({".pre-commit-config.yaml": config}, commit="config")
        self.pre_commit("install", "--install-hooks", *(word for kind in kinds for word in ("-t", kind)))

    def agree(self, path: str, content: str) -> None:
        assert self.repo.blob(path, "HEAD").decode() == self.repo.blob(path).decode() == content
        assert self.repo.read(path).decode() == content


_built: list[Framework] = []


@pytest.fixture
def scene(repo: Any, open_repo: Any, tmp_path_factory: pytest.TempPathFactory) -> Scene:
    if not _built:
        framework = Framework(tmp_path_factory.mktemp("framework"))

        def make(place: Path) -> None:
            subprocess.run(("git", "init", "-q", place), check=True)
            package = open_repo(place)
            package.git("add", "-A")
            package.commit("package")
            package.git("tag", "v1")

        framework.build(make)
        _built.append(framework)
    repo.add({".litecode.yaml": RULES, "a.py": BASE, "b.py": BASE}, commit="base")
    return Scene(repo, _built[0])


def test_it_is_held_and_the_hook_says_how_to_stage_it(scene: Scene) -> None:
    """Nobody but the framework has installed LiteCode, so git does not know the command that the hook recommends."""
    scene.configure(["id: litecode", "id: litecode-check"])
    scene.repo.add({"a.py": BAD})
    scene.repo.write("b.py", "unstaged\n")
    said = scene.start("git", "commit", "-m", "change", rc=1)
    assert "+line_5 is None" in said
    assert "held, not staged: proven; `git litecode apply` stages it" in said
    assert "a.py:6:1: is-none Compare with None by identity." in said
    own = scene.framework.command
    assert f"git knows no `git litecode` yet: install litecode with pip or pipx, or use {own} in its place" in said
    assert (scene.repo.blob("a.py").decode(), scene.repo.read("b.py")) == (BAD, b"unstaged\n")
    scene.start(own, "apply")
    scene.start("git", "commit", "-m", "change")
    scene.agree("a.py", GOOD)
    assert scene.repo.status() == [" M b.py"]
    where = scene.start(own.with_name("python"), "-c", "import litecode.core.git as git; print(*git.__path__)")
    assert Path(where.strip()).is_relative_to(scene.framework.cache)


def test_staged_beside_a_formatter_of_the_same_file(scene: Scene) -> None:
    scene.repo.write("../formatter.py", FORMATTER)
    local = (
        "- repo: local\n  hooks:\n  - {id: formatter, name: formatter, language: system, types: [python],"
        f" entry: {sys.executable} ../formatter.py}}\n"
    )
    scene.configure(["{id: litecode, args: [--stage], verbose: true}"], local=local)
    scene.repo.add({"a.py": BAD})
    said = scene.start("git", "commit", "-m", "change", rc=1)
    assert re.search(r"a\.py:6 +is-none +staged", said)
    assert scene.repo.blob("a.py").decode() == GOOD
    assert scene.repo.read("a.py").decode() == GOOD.replace(*FORMATTED)
    scene.repo.git("add", "a.py")
    assert "given up" not in scene.start("git", "commit", "-m", "change")
    scene.agree("a.py", GOOD.replace(*FORMATTED))


def test_all_files_and_a_range_of_commits(scene: Scene) -> None:
    scene.repo.add({"a.py": BAD}, commit="bad")
    scene.configure(["id: litecode"])
    assert "+line_5 is None" in scene.pre_commit("run", "--all-files", rc=1)
    scene.pre_commit("run", "--from-ref", "HEAD~1", "--to-ref", "HEAD")
    said = scene.pre_commit("run", "--from-ref", "HEAD~2", "--to-ref", "HEAD~1", rc=1)
    assert "a.py:6  is-none  held      proven; nothing is staged of commits that are made" in said
    assert scene.repo.status() == []


def test_a_request_in_the_message(scene: Scene) -> None:
    scene.configure(["id: litecode-message"], kinds=["commit-msg"])
    scene.repo.add({"a.py": BAD})
    scene.start("git", "commit", "-m", "plain")
    scene.repo.add({"a.py": BASE})
    request = "change\n\nLitecode: rename line_1 to line_one in a.py"
    said = scene.start("git", "commit", "-m", request, rc=1)
    assert "+line_one = 1" in said
    assert f"or use {scene.framework.command} in its place" in said
    scene.start(scene.framework.command, "commit", "--continue")
    scene.agree("a.py", BASE.replace("line_1 =", "line_one ="))


def test_try_repo(scene: Scene) -> None:
    scene.repo.add({"a.py": BAD})
    said = scene.pre_commit("try-repo", str(scene.framework.package), "litecode", rc=1)
    assert "+line_5 is None" in said
    assert scene.repo.blob("a.py").decode() == BAD
    assert scene.repo.status() == ["M  a.py"]
