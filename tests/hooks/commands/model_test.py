from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

import msgspec
import pytest

from litecode.core.llm import models
from litecode.core.llm.models import KnownModel, known_models
from litecode.hooks.cli import main

CONTENT = bytes(range(256)) * 9000  # 2.2 MiB


@dataclass(frozen=True)
class Scene:
    """A model that is as small as a test wants it, and a place that has its bytes."""

    model: KnownModel
    source: Path
    target: Path


@pytest.fixture
def scene(hermetic: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Scene:
    real = known_models()[0]
    facts = {"name": "tiny", "file": "tiny.gguf", "size": len(CONTENT), "sha256": hashlib.sha256(CONTENT).hexdigest()}
    model = msgspec.structs.replace(real, **facts)
    for place in ("litecode.hooks.commands.model", "litecode.core.llm.files", "litecode.core.llm.models"):
        monkeypatch.setattr(f"{place}.known_models", lambda: (model,))
    source = tmp_path / "tiny.bin"
    source.write_bytes(CONTENT)
    assert models.find_model("tiny") is model
    return Scene(model, source, hermetic / ".cache/litecode/models/tiny.gguf")


@pytest.mark.parametrize("name", [[], ["tiny"], ["tiny.gguf"]])
def test_pull_fetches_once(scene: Scene, capsys: pytest.CaptureFixture[str], name: list[str]) -> None:
    assert main(["model", "pull", *name, "--from", str(scene.source)]) == 0
    assert scene.target.read_bytes() == CONTENT
    out, err = capsys.readouterr()
    assert out == f"tiny: fetched and verified: {scene.target}\n"
    assert err.splitlines()[0] == "litecode: tiny: 0 of 3 MiB"
    assert err.splitlines()[-1] == "litecode: tiny: 3 of 3 MiB"
    assert main(["model", "pull", *name, "--from", "/nowhere"]) == 0
    assert capsys.readouterr().out == f"tiny: there already, and verified: {scene.target}\n"


def test_wrong_bytes_are_refused_and_removed(scene: Scene, capsys: pytest.CaptureFixture[str]) -> None:
    scene.source.write_bytes(CONTENT[:-1] + b"x")
    assert main(["model", "pull", "--from", str(scene.source)]) == 2
    assert not list(scene.target.parent.glob("tiny.gguf*.partial"))
    assert not scene.target.exists()
    assert "SHA-256" in capsys.readouterr().err


def test_list_says_what_is_here(scene: Scene, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["model", "list"]) == 0
    out, err = capsys.readouterr()
    assert out == "tiny       2 MiB  Apache-2.0  not on this machine\n"
    assert f"git litecode model pull fetches the first one into {scene.target.parent}" in err
    main(["model", "pull", "--from", str(scene.source)])
    capsys.readouterr()
    assert main(["model", "list"]) == 0
    out, err = capsys.readouterr()
    assert out == f"tiny       2 MiB  Apache-2.0  {scene.target}\n"
    assert err == ""


def test_an_unknown_model_is_an_error_that_names_the_known_ones(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["model", "pull", "llama-70b"]) == 2
    assert "known are: qwen2.5-coder-1.5b, qwen2.5-coder-0.5b" in capsys.readouterr().err
