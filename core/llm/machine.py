"""What this machine has for a model that runs in the process: cores and memory."""

from __future__ import annotations

import os
from pathlib import Path

SYS = Path("/sys")
PROC = Path("/proc")


def physical_cores(sys: Path = SYS) -> int:
    """Cores that this process may use, at least 1. Two threads of one core gain nothing here, and more threads than a
    container's quota make every step wait.
    """
    allowed = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else set(range(os.cpu_count() or 1))
    cores = set()
    for cpu in allowed:
        siblings = _read(sys / f"devices/system/cpu/cpu{cpu}/topology/thread_siblings_list")
        cores.add(siblings or str(cpu))
    quota = _quota(sys)
    return max(1, min(len(cores), quota) if quota else len(cores))


def _quota(sys: Path) -> int | None:
    """CPUs that the control group grants, rounded up; None without a limit."""
    words = _read(sys / "fs/cgroup/cpu.max").split()
    if not words:
        words = [_read(sys / f"fs/cgroup/cpu/cpu.cfs_{name}_us") for name in ("quota", "period")]
    try:
        share, period = int(words[0]), int(words[1])
    except (ValueError, IndexError):
        return None
    return -(-share // period) if share > 0 < period else None


def available_memory(sys: Path = SYS, proc: Path = PROC) -> int | None:
    """Bytes that can be had without swapping; None where the system does not tell."""
    free = None
    for line in _read(proc / "meminfo").splitlines():
        if line.startswith("MemAvailable:"):
            free = int(line.split()[1]) * 1024
    limit, used = _read(sys / "fs/cgroup/memory.max"), _read(sys / "fs/cgroup/memory.current")
    if free is not None and limit.isdecimal() and used.isdecimal():
        reclaimable = sum(
            int(line.split()[1])
            for line in _read(sys / "fs/cgroup/memory.stat").splitlines()
            if line.startswith(("inactive_file ", "active_file "))
        )
        free = min(free, max(0, int(limit) - int(used) + reclaimable))
    return free


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="ascii", errors="replace").strip()
    except OSError:
        return ""
