"""What the parts that change code without a model raise when they cannot be sure."""

from __future__ import annotations


class Impossible(Exception):
    """The change cannot be made by code alone; the argument says why in one clause."""
