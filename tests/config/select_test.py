"""Selection has pre-commit's meaning, and the tags of an index entry are those of the file checked out."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from identify.extensions import EXTENSIONS, EXTENSIONS_NEED_BINARY_CHECK, NAMES
from identify.identify import tags_from_path
from identify.interpreters import INTERPRETERS

from litecode.config.rules import Rule, RulesFile
from litecode.config.select import CACHE_VERSION, HEAD_BYTES, Filter, Selection, from_cache, selects, tags_for, to_cache
from litecode.core.values import Severity

PY = frozenset({"file", "non-executable", "text", "python"})


def asked(tags: frozenset[str]) -> tuple[Callable[[], frozenset[str]], list[int]]:
    """A source of tags, and the record of how often it was asked."""
    calls: list[int] = []

    def source() -> frozenset[str]:
        calls.append(1)
        return tags

    return source, calls


@pytest.mark.parametrize(
    ("chosen", "path", "tags", "selected", "questions"),
    [
        (Filter(), "a.py", PY, True, 1),
        (Filter(), "a.png", frozenset({"file", "binary", "png"}), False, 1),
        (Filter(), "link", frozenset({"symlink"}), False, 1),
        (Filter(types=("file",)), "a.png", frozenset({"file", "binary"}), True, 1),
        (Filter(types=()), "link", frozenset({"symlink"}), True, 1),
        (Filter(files="^src/"), "src/a.py", PY, True, 1),
        (Filter(files="^src/"), "lib/src/a.py", PY, False, 0),
        (Filter(files="src/"), "lib/src/a.py", PY, True, 1),
        (Filter(files=r"\.py$"), "a.pyi", PY, False, 0),
        (Filter(files="(?x)^(\n  a|\n  b\n)\\.py$"), "b.py", PY, True, 1),
        (Filter(files="A"), "a", PY, False, 0),
        (Filter(exclude="^vendor/"), "vendor/a.py", PY, False, 0),
        (Filter(exclude="^vendor/"), "src/vendor/a.py", PY, True, 1),
        (Filter(exclude=""), "a.py", PY, False, 0),
        (Filter(files="py", exclude="test"), "py/test.py", PY, False, 0),
        (Filter(types=("text", "python")), "a.py", PY, True, 1),
        (Filter(types=("python", "executable")), "a.py", PY, False, 1),
        (Filter(types_or=("python", "pyi")), "a.py", PY, True, 1),
        (Filter(types_or=("yaml", "pyi")), "a.py", PY, False, 1),
        (Filter(types=("python",), types_or=("executable", "symlink")), "a.py", PY, False, 1),
        (Filter(exclude_types=("executable",)), "a.py", PY, True, 1),
        (Filter(exclude_types=("executable", "python")), "a.py", PY, False, 1),
        (Filter(types_or=("python",), exclude_types=("python",)), "a.py", PY, False, 1),
        (Filter(files="\udce9"), "caf\udce9.py", PY, True, 1),
    ],
)
def test_selects(chosen: Filter, path: str, tags: frozenset[str], selected: bool, questions: int) -> None:
    source, calls = asked(tags)
    assert selects(chosen, path, source) is selected
    assert len(calls) == questions


tag_lists = st.lists(st.sampled_from(["file", "text", "binary", "python", "executable", "non-executable"]), max_size=2)


@settings(deadline=None)
@given(
    files=st.sampled_from(["", "^a", "b$", "."]),
    exclude=st.sampled_from(["^$", "", "a", "^b"]),
    types=tag_lists,
    types_or=tag_lists,
    exclude_types=tag_lists,
    path=st.sampled_from(["a", "b", "ab", "b.py"]),
)
def test_selects_as_the_code_of_pre_commit_does(
    files: str, exclude: str, types: list[str], types_or: list[str], exclude_types: list[str], path: str
) -> None:
    run = pytest.importorskip("pre_commit.commands.run")
    classifier = run.Classifier([])
    classifier._types_for_file = lambda _: set(PY)  # instead of looking at the disk
    paths = run.filter_by_include_exclude([path], files, exclude)
    theirs = classifier.by_types(paths, types, types_or, exclude_types)
    chosen = Filter(files, exclude, tuple(types), tuple(types_or), tuple(exclude_types))
    assert selects(chosen, path, lambda: PY) is (list(theirs) == [path])


CONTENTS = [
    b"",
    b"text\n",
    b"no newline",
    "ünïcode\n".encode(),
    b"\xff\xfe",
    b"\x00",
    b"text\x00",
    b"\x1b[0m",
    b"x" * 1023 + b"\x00",
    b"x" * 1024 + b"\x00",
    b"PNG\x89\r\n\x1a\n",
    b"#!",
    b"#!\n",
    b"#!/bin/sh\n",
    b"#! /bin/bash -e\n",
    b"#!/usr/bin/env python3.12\n",
    b"#!/usr/bin/env -S python3 -u\n",
    b"#!/usr/bin/env\n",
    b"#!/usr/bin/env -S\n",
    b"#!'/usr/bin/python' x\n",
    b"#!/bin/sh 'x\n",
    b"#!/usr/bin/\xff\n",
    "#!/bin/é\n".encode(),
    b"#!/bin/unknown\n",
    b"#!/bin/sh\r\nx\r\n",
    b"#!/usr/bin/env nix-shell\n#! nix-shell -i bash -p x\n",
    b"#!/usr/bin/env nix-shell\n#! nix-shell -p \xff\n",
    b"\xef\xbb\xbf#!/bin/sh\n",
    b" #!/bin/sh\n",
    b"#!/bin/sh\x00\n",
]
NAMES_OF_FILES = [
    *("script", "a.py", "A.PY", "a.pyi", "Makefile", "Makefile.am", "Dockerfile.xenial", "x.Dockerfile"),
    *("a.b.tar.gz", ".bashrc", ".gitignore", ".hidden", "a.", "a.unknown", "Info.plist", "x.ppm", "setup.cfg"),
    *("CMakeLists.txt", "no ext", "ü.py", "x.PLIST", "README", "readme", "a.html.j2", "BUILD", "..a", "a..py"),
]  # fmt: skip

names = st.one_of(
    st.sampled_from(NAMES_OF_FILES),
    st.sampled_from([*NAMES, *(f"x.{ending}" for ending in (*EXTENSIONS, *EXTENSIONS_NEED_BINARY_CHECK))]),
    st.text("abA.-_ é", min_size=1, max_size=8).filter(lambda name: name.strip(".")),
)
contents = st.one_of(
    st.sampled_from(CONTENTS),
    st.binary(max_size=40),
    st.builds(
        lambda start, name, end: start + name.encode() + end,
        st.sampled_from([b"#!", b"#! ", b"#!/bin/", b"#!/usr/bin/env ", b"#!/usr/bin/env -S "]),
        st.sampled_from([*INTERPRETERS, "python3.12.1", "sh5"]),
        st.sampled_from([b"", b"\n", b" -x\n", b"\r\n", b"\x00"]),
    ),
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=300, deadline=None)
@given(name=names, content=contents, executable=st.booleans(), folder=st.sampled_from(["", "sub.py/", "Makefile.d/"]))
@example(name="script", content=b"#!/usr/bin/env python3\n", executable=True, folder="")
@example(name="script", content=b"#!/usr/bin/env python3\n", executable=False, folder="")
def test_tags_are_those_of_the_file_on_disk(
    tmp_path: Path, name: str, content: bytes, executable: bool, folder: str
) -> None:
    file = tmp_path / "tree" / folder / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(content)
    file.chmod(0o755 if executable else 0o644)
    try:
        expected = tags_from_path(str(file))
    finally:
        file.unlink()
    mode = "100755" if executable else "100644"
    assert tags_for(folder + name, mode, lambda: content) == expected
    assert tags_for(folder + name, mode, lambda: content[:HEAD_BYTES]) == expected


@pytest.mark.parametrize("content", CONTENTS)
@pytest.mark.parametrize("mode", [0o644, 0o755])
def test_each_content_in_a_file_without_an_ending(tmp_path: Path, content: bytes, mode: int) -> None:
    file = tmp_path / "script"
    file.write_bytes(content)
    file.chmod(mode)
    assert tags_for("bin/script", f"100{mode:o}", lambda: content) == tags_from_path(str(file))


@pytest.mark.parametrize(
    ("mode", "tags"), [("120000", {"symlink"}), ("160000", {"directory"}), ("040000", {"directory"})]
)
def test_entries_that_are_no_files(tmp_path: Path, mode: str, tags: set[str]) -> None:
    def never() -> bytes:
        raise AssertionError("nobody reads a link or a submodule")

    entry = tmp_path / "a.py"
    if mode == "120000":
        entry.symlink_to("b.py")
    else:
        entry.mkdir()
    assert tags_for("a.py", mode, never) == tags == tags_from_path(str(entry))


def test_content_is_read_only_when_the_name_says_nothing() -> None:
    reads: list[str] = []
    for path in ("a.py", "a.png", "Makefile", "a.plist", "script"):
        tags_for(path, "100755", lambda path=path: reads.append(path) or b"")  # type: ignore[misc,func-returns-value]  # a recorder
    assert reads == ["a.plist", "script"]


def test_tags_from_git_are_those_of_the_checkout(tmp_path: Path) -> None:
    files = {"a.py": b"x", "run": b"#!/bin/sh\n", "data": b"\x00", "sub/Makefile": b"", "x.plist": b"<plist>"}
    for name, content in files.items():
        file = tmp_path / name
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(content)
    (tmp_path / "run").chmod(0o755)
    (tmp_path / "link").symlink_to("a.py")

    def git(*argv: str) -> bytes:
        return subprocess.run(("git", *argv), cwd=tmp_path, check=True, stdout=subprocess.PIPE).stdout

    git("init", "-q")
    git("add", "-A")
    seen = {}
    for entry in git("ls-files", "-s", "-z").decode().split("\0")[:-1]:
        (mode, oid, _), path = entry.split("\t")[0].split(), entry.split("\t")[1]
        seen[path] = tags_for(path, mode, lambda oid=oid: git("cat-file", "blob", oid))  # type: ignore[misc]  # oid is text
    assert seen == {path: tags_from_path(str(tmp_path / path)) for path in (*files, "link")}


RULES = RulesFile(
    ".litecode.yaml",
    (
        Rule("py", "M.", filter=Filter(types_or=("python", "pyi"))),
        Rule("gone", "M.", severity=Severity.OFF),
        Rule("src", "M.", filter=Filter("^src/", "_test", ("file",), (), ("symlink",))),
    ),
    files="[a-z]",
    exclude="^vendor/",
)


@pytest.mark.parametrize(
    ("path", "tags", "ids", "questions"),
    [
        ("src/a.py", PY, ("py", "src"), 1),
        ("lib/a.py", PY, ("py",), 1),
        ("src/a_test.py", PY, ("py",), 1),
        ("src/a.txt", frozenset({"file", "text"}), ("src",), 1),
        ("vendor/src/a.py", PY, (), 0),
        ("1", PY, (), 0),
        (".litecode-replies.jsonl", PY, (), 0),
        (".litecode.yaml", PY, (), 0),
        ("src/.litecode.yaml", PY, ("py", "src"), 1),
        ("src/.litecode-replies.jsonl", PY, ("py", "src"), 1),
        ("src/link", frozenset({"symlink"}), (), 1),
    ],
)
def test_ids_of_a_path(path: str, tags: frozenset[str], ids: tuple[str, ...], questions: int) -> None:
    source, calls = asked(tags)
    assert Selection.of(RULES).ids(path, source) == ids
    assert len(calls) == questions


def test_the_cache_says_the_same_through_json() -> None:
    data = to_cache(RULES)
    assert data == {
        "version": CACHE_VERSION,
        "files": "[a-z]",
        "exclude": "^vendor/",
        "rules": [
            ["py", "", "^$", ("text",), ("python", "pyi"), ()],
            ["src", "^src/", "_test", ("file",), (), ("symlink",)],
        ],
    }
    assert from_cache(json.loads(json.dumps(data))) == Selection.of(RULES)
    assert from_cache(to_cache(RulesFile("f"))) == Selection("", "^$", ())


@pytest.mark.parametrize(
    "data",
    [
        {},
        {"version": CACHE_VERSION},
        to_cache(RULES) | {"version": CACHE_VERSION + 1},
        to_cache(RULES) | {"version": str(CACHE_VERSION)},
        to_cache(RULES) | {"rules": None},
        to_cache(RULES) | {"rules": [[]]},
        to_cache(RULES) | {"rules": [["a", "", ""]]},
        to_cache(RULES) | {"rules": [["a", "", "", [], [], [], []]]},
        to_cache(RULES) | {"rules": [["a", "", "", 1, 2, 3]]},
        [],
        None,
    ],
)
def test_a_cache_of_another_kind_is_not_used(data: dict[str, object]) -> None:
    assert from_cache(data) is None


def test_the_import_is_cheap() -> None:
    code = "from __future__ import annotations; import re, sys, typing; before = set(sys.modules)"
    code += "; import litecode.config.select; print(*set(sys.modules) - before)"
    out = subprocess.run((sys.executable, "-c", code), check=True, capture_output=True, text=True).stdout
    assert set(out.split()) == {"litecode", "litecode.config", "litecode.config.select"}


def test_reading_a_rules_file_loads_no_heavy_module() -> None:
    code = "import sys, litecode.config.load, litecode.config.settings; print(*sys.modules)"
    out = subprocess.run((sys.executable, "-c", code), check=True, capture_output=True, text=True).stdout
    heavy = {
        "msgspec",
        "click",
        "rich",
        "pygit2",
        "ollama",
        "tiktoken",
        "ast_grep_py",
        "identify",
        "importlib.metadata",
    }
    assert not heavy & set(out.split())
