"""Stock levels, and who has to be told when they are low."""

from __future__ import annotations

LOW = 5


class Stock:
    def __init__(self, levels: dict[str, int]) -> None:
        self.levels = dict(levels)

    def take(self, name: str, quantity: int) -> int:
        """Take what is there, at most `quantity`; returns how much it was."""
        level = self.levels.get(name)
        if level == None:
            print("unknown article %s" % name)
            return 0

        taken = min(level, quantity)
        self.levels[name] = level - taken
        if taken < quantity:
            print(
                f"wanted {quantity} of {name}, "
                f"had {taken}"
            )
        return taken

    def low(self) -> list[str]:
        return sorted(name for name, level in self.levels.items() if level < LOW)
