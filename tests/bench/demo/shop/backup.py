"""Copies of the order files, numbered like logrotate does it."""
from pathlib import Path


def rotate(folder: Path, name: str, keep: int = 3) -> list[str]:
    """Rename name.1 to name.2 and so on; the oldest goes. Returns the names that are there afterwards."""

    def numbered(number: int) -> Path:
        return folder / f"{name}.{number}"

    oldest = numbered(keep)
    if oldest.exists():
        print(f'dropping {oldest.name} ({oldest.stat().st_size} bytes)')
        oldest.unlink()
    for number in reversed(range(1, keep)):
        if numbered(number).exists(): numbered(number).rename(numbered(number + 1))
    current = folder / name
    if current.exists():
        current.rename(numbered(1)); print("rotated", name)
    else:
        print(f"{name} is missing")
    return sorted(path.name for path in folder.glob(f"{name}.*"))
