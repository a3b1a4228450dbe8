"""What the setting litecode.trailer says."""

from __future__ import annotations

from enum import StrEnum


class Trailer(StrEnum):
    """What becomes of a `Litecode:` trailer when its request is carried out."""

    KEEP = "keep"
    DROP = "drop"
