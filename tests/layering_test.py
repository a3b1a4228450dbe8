"""The shape of the code: who may import whom, how long things get, and that what the README says exists."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path

import pytest
import yaml

CHECKOUT = Path(__file__).resolve().parent.parent
ROOMS = ("config", "core", "hooks")

# Values in, values out: no disk, clock, network, environment. `core/values.py` and the like are the words they use.
PURE = tuple(f"core/{room}/" for room in ("budget", "executing", "filemap", "patching", "planning"))
IMPURE = {
    *("litecode.core.git", "litecode.core.llm", "litecode.core.store", "litecode.core.world", "litecode.hooks"),
    *("asyncio", "http", "logging", "multiprocessing", "random", "shutil", "socket", "subprocess", "tempfile", "time"),
    *("click", "httpx", "ollama", "openai", "pygit2", "requests", "rich", "xllamacpp"),
}
HEAVY_DOORS = {  # the only modules that may know these libraries
    "pygit2": "core/git/",
    "ollama": "core/llm/",
    "openai": "core/llm/",
    "xllamacpp": "core/llm/",
    "click": "hooks/",
    "rich": "hooks/",
}


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_bytes())


def modules(*below: str) -> list[str]:
    found = [path for room in ROOMS for path in sorted((CHECKOUT / room).rglob("*.py"))]
    names = [path.relative_to(CHECKOUT).as_posix() for path in found]
    return [name for name in names if not below or name.startswith(below)]


def imports(name: str) -> Iterator[tuple[int, str]]:
    """Line and full name of everything that a module imports, inside functions too."""
    for node in ast.walk(tree_of(CHECKOUT / name)):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.lineno, node.module or ""
            yield from ((node.lineno, f"{node.module}.{alias.name}") for alias in node.names)


def is_below(imported: str, packages: set[str]) -> bool:
    return any(imported == package or imported.startswith(f"{package}.") for package in packages)


def offences(names: list[str], packages: set[str]) -> list[str]:
    return [f"{name}:{line} {what}" for name in names for line, what in imports(name) if is_below(what, packages)]


def test_the_shell_knows_the_core_and_nobody_knows_the_shell() -> None:
    assert offences(modules("core/", "config/"), {"litecode.hooks"}) == []


def test_config_knows_only_the_words_of_the_core() -> None:
    words = {"litecode.core.values", "litecode.core.errors"}
    found = [
        f"{name}:{line} {what}"
        for name in modules("config/")
        for line, what in imports(name)
        if is_below(what, {"litecode.core"}) and not is_below(what, words)
    ]
    assert found == []


def test_pure_rooms_touch_nothing() -> None:
    assert offences(modules(*PURE), IMPURE) == []


def test_pure_rooms_do_not_read_the_process_or_the_disk() -> None:
    found = []
    for name in modules(*PURE):
        for node in ast.walk(tree_of(CHECKOUT / name)):
            if isinstance(node, ast.Attribute) and ast.unparse(node) in {
                "os.environ",
                "os.getenv",
                "sys.argv",
                "sys.stdin",
            }:
                found.append(f"{name}:{node.lineno} {ast.unparse(node)}")
            if isinstance(node, ast.Call) and ast.unparse(node.func) in {"open", "print", "input"}:
                found.append(f"{name}:{node.lineno} {ast.unparse(node.func)}()")
    assert found == []


@pytest.mark.parametrize(("library", "room"), HEAVY_DOORS.items())
def test_a_heavy_library_has_one_door(library: str, room: str) -> None:
    assert [line for line in offences(modules(), {library}) if not line.startswith(room)] == []


def test_imports_are_absolute() -> None:
    found = [
        f"{name}:{node.lineno}"
        for name in modules()
        for node in ast.walk(tree_of(CHECKOUT / name))
        if isinstance(node, ast.ImportFrom) and node.level
    ]
    assert found == []


def test_modules_are_short() -> None:
    lengths = {name: len((CHECKOUT / name).read_bytes().splitlines()) for name in modules()}
    assert {name: length for name, length in lengths.items() if length >= 300} == {}


def test_functions_are_short() -> None:
    found = []
    for name in modules():
        for node in ast.walk(tree_of(CHECKOUT / name)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                length = (node.end_lineno or node.lineno) - node.lineno + 1
                if length >= 45:
                    found.append(f"{name}:{node.lineno} {node.name} has {length} lines")
    assert found == []


def test_modules_say_what_they_are_for() -> None:
    assert [
        name for name in modules() if tree_of(CHECKOUT / name).body and not ast.get_docstring(tree_of(CHECKOUT / name))
    ] == []


def test_every_package_is_in_the_wheel() -> None:
    """A folder that is missing from pyproject.toml's list works in a checkout and not in the wheel."""
    packages = {Path(name).parent.as_posix().replace("/", ".") for name in modules()}
    assert [package for package in sorted(packages) if find_spec(f"litecode.{package}") is None] == []
    written = (CHECKOUT / "pyproject.toml").read_text(encoding="utf-8")
    assert [package for package in sorted(packages) if f'"litecode.{package}"' not in written] == []


@pytest.fixture(scope="module")
def readme() -> str:
    return (CHECKOUT / "README.md").read_text(encoding="utf-8")


class TestReadme:
    def test_framework_hooks_are_described_and_start_an_installed_script(self, readme: str) -> None:
        hooks = yaml.safe_load((CHECKOUT / ".pre-commit-hooks.yaml").read_bytes())
        scripts = {
            script.name for script in entry_points(group="console_scripts") if script.value.startswith("litecode.")
        }
        assert [hook["id"] for hook in hooks if f"`{hook['id']}`" not in readme] == []
        assert {hook["entry"].split()[0] for hook in hooks} <= scripts
        assert all(hook["require_serial"] for hook in hooks)

    def test_its_make_targets_exist(self, readme: str) -> None:
        targets = set(re.findall(r"^([a-z]+):", (CHECKOUT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
        named = set(re.findall(r"\bmake ([a-z]+)", readme))
        assert {"demo", "test"} <= named <= targets

    def test_its_commands_exist(self, readme: str) -> None:
        from litecode.hooks.cli import group

        named = set(re.findall(r"^(?:\$ )?git litecode ([a-z]+)|`git litecode ([a-z]+)", readme, re.MULTILINE))
        commands = {first or second for first, second in named}
        assert commands
        assert {name for name in commands if group.get_command(None, name) is None} == set()

    def test_its_links_lead_somewhere(self, readme: str) -> None:
        links = [link for link in re.findall(r"\]\(([^)#]+)[^)]*\)", readme) if "://" not in link]
        assert [link for link in links if not (CHECKOUT / link).exists()] == []
