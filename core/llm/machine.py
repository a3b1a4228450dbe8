"""What this machine has for a model that runs in the process: cores and memory."""

from __future__ import annotations

import os
import platform
import sys
from pathlib import Path

SYS = Path("/sys")
PROC = Path("/proc")
CORES_PER_SLOT = 4
MOST_SLOTS = 4
NEEDED_FLAGS = ("avx2", "fma", "f16c", "bmi2")  # what the wheels of xllamacpp are built for on x86-64


def physical_cores(root: Path = SYS) -> int:
    """Cores that this process may use, at least 1. Two threads of one core gain nothing here, and more threads than a
    container's quota make every step wait.
    """
    allowed = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else set(range(os.cpu_count() or 1))
    cores = set()
    for cpu in allowed:
        siblings = _read(root / f"devices/system/cpu/cpu{cpu}/topology/thread_siblings_list")
        cores.add(siblings or str(cpu))
    quota = _quota(root)
    return max(1, min(len(cores), quota) if quota else len(cores))


def _quota(root: Path) -> int | None:
    """CPUs that the control group grants, rounded up; None without a limit."""
    words = _read(root / "fs/cgroup/cpu.max").split()
    if not words:
        words = [_read(root / f"fs/cgroup/cpu/cpu.cfs_{name}_us") for name in ("quota", "period")]
    try:
        share, period = int(words[0]), int(words[1])
    except (ValueError, IndexError):
        return None
    return -(-share // period) if share > 0 < period else None


def available_memory(root: Path = SYS, proc: Path = PROC) -> int | None:
    """Bytes that can be had without swapping; None where the system does not tell."""
    free = None
    for line in _read(proc / "meminfo").splitlines():
        if line.startswith("MemAvailable:"):
            free = int(line.split()[1]) * 1024
    limit, used = _read(root / "fs/cgroup/memory.max"), _read(root / "fs/cgroup/memory.current")
    if free is not None and limit.isdecimal() and used.isdecimal():
        reclaimable = sum(
            int(line.split()[1])
            for line in _read(root / "fs/cgroup/memory.stat").splitlines()
            if line.startswith(("inactive_file ", "active_file "))
        )
        free = min(free, max(0, int(limit) - int(used) + reclaimable))
    return free


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="ascii", errors="replace").strip()
    except OSError:
        return ""


def slots_by_cores(cores: int) -> int:
    """Calls at the same time that gain something: measured, two cores gain nothing from a second one, and each slot
    reads the common beginning of the prompts anew.
    """
    return max(1, min(MOST_SLOTS, cores // CORES_PER_SLOT))


def missing_for_engine(proc: Path = PROC) -> str:
    """What the embedded engine needs and this machine has not, in words; empty when it can run, or nobody can tell.

    Its code would end the process with an illegal instruction.
    """
    if sys.maxsize <= 2**32 or sys.byteorder != "little":
        return "it needs a 64-bit little-endian system"
    flags = next((line for line in _read(proc / "cpuinfo").splitlines() if line.startswith("flags")), "")
    if platform.machine() not in {"x86_64", "AMD64"} or not flags:
        return ""
    missing = [name.upper() for name in NEEDED_FLAGS if name not in flags.split()]
    return f"its processor has no {', '.join(missing)}" if missing else ""
