"""Cores and memory as the system tells them, in trees like those of Linux."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from litecode.core.errors import ModelNotRunning
from litecode.core.llm import engine
from litecode.core.llm.machine import available_memory, missing_for_engine, physical_cores, slots_by_cores


def tree(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text + "\n")
    return root


def siblings(*groups: str) -> dict[str, str]:
    """thread_siblings_list of cpu 0, 1, …"""
    return {f"devices/system/cpu/cpu{n}/topology/thread_siblings_list": group for n, group in enumerate(groups)}


@pytest.mark.parametrize(
    ("allowed", "files", "cores"),
    [
        ({0, 1}, siblings("0", "1"), 2),
        ({0, 1, 2, 3}, siblings("0,2", "1,3", "0,2", "1,3"), 2),
        ({0, 1, 2, 3}, siblings("0-1", "0-1", "2-3", "2-3"), 2),
        ({1}, siblings("0", "1"), 1),
        ({0, 1, 2}, {}, 3),
        ({0, 1, 2, 3}, siblings("0", "1", "2", "3") | {"fs/cgroup/cpu.max": "150000 100000"}, 2),
        ({0, 1}, siblings("0", "1") | {"fs/cgroup/cpu.max": "max 100000"}, 2),
        ({0, 1}, siblings("0", "1") | {"fs/cgroup/cpu.max": "50000 100000"}, 1),
        ({0, 1}, {"fs/cgroup/cpu/cpu.cfs_quota_us": "-1", "fs/cgroup/cpu/cpu.cfs_period_us": "100000"}, 2),
        ({0, 1, 2}, {"fs/cgroup/cpu/cpu.cfs_quota_us": "100000", "fs/cgroup/cpu/cpu.cfs_period_us": "100000"}, 1),
    ],
)
def test_cores(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, allowed: set[int], files: dict[str, str], cores: int
) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _pid: allowed)
    assert physical_cores(tree(tmp_path, files)) == cores


MEMINFO = {"meminfo": "MemTotal: 8000000 kB\nMemAvailable: 4000000 kB"}


@pytest.mark.parametrize(
    ("proc", "sys", "free"),
    [
        (MEMINFO, {}, 4_096_000_000),
        ({}, {}, None),
        ({"meminfo": "MemTotal: 8000000 kB"}, {}, None),
        (MEMINFO, {"fs/cgroup/memory.max": "max", "fs/cgroup/memory.current": "5"}, 4_096_000_000),
        (MEMINFO, {"fs/cgroup/memory.max": "1000", "fs/cgroup/memory.current": "400"}, 600),
        (
            MEMINFO,
            {
                "fs/cgroup/memory.max": "1000",
                "fs/cgroup/memory.current": "900",
                "fs/cgroup/memory.stat": "anon 100\ninactive_file 300\nactive_file 200",
            },
            600,
        ),
        (MEMINFO, {"fs/cgroup/memory.max": "100", "fs/cgroup/memory.current": "400"}, 0),
    ],
)
def test_memory(tmp_path: Path, proc: dict[str, str], sys: dict[str, str], free: int | None) -> None:
    assert available_memory(tree(tmp_path / "sys", sys), tree(tmp_path / "proc", proc)) == free


def test_this_machine() -> None:
    assert 1 <= physical_cores() <= (os.cpu_count() or 1)
    found = available_memory()
    assert found is None or found > 0


@pytest.mark.parametrize(("cores", "slots"), [(1, 1), (2, 1), (4, 1), (7, 1), (8, 2), (12, 3), (16, 4), (64, 4)])
def test_slots_follow_the_cores(cores: int, slots: int) -> None:
    assert slots_by_cores(cores) == slots


@pytest.mark.parametrize(
    ("machine", "flags", "missing"),
    [
        ("x86_64", "flags\t\t: fpu avx avx2 fma f16c bmi1 bmi2", ""),
        ("x86_64", "flags\t\t: fpu avx sse4_2", "its processor has no AVX2, FMA, F16C, BMI2"),
        ("AMD64", "flags\t\t: avx2 fma bmi2", "its processor has no F16C"),
        ("x86_64", "", ""),
        ("aarch64", "flags\t\t: fpu", ""),
    ],
)
def test_what_a_machine_lacks_for_the_engine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, machine: str, flags: str, missing: str
) -> None:
    (tmp_path / "cpuinfo").write_text(f"processor\t: 0\n{flags}\n", encoding="utf-8")
    monkeypatch.setattr("platform.machine", lambda: machine)
    assert missing_for_engine(tmp_path) == missing
    monkeypatch.setattr("sys.maxsize", 2**31 - 1)
    assert missing_for_engine(tmp_path) == "it needs a 64-bit little-endian system"


def test_an_unsupported_machine_is_told_before_anything_is_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "missing_for_engine", lambda: "its processor has no AVX2")
    with pytest.raises(ModelNotRunning, match="cannot run on this machine: its processor has no AVX2") as caught:
        engine.Engine(engine.Load(tmp_path / "x", 1, 1, 1))
    assert caught.value.hint == "use Ollama or another server instead"
