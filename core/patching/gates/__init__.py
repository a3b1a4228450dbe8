"""Checks in code that every rewritten region must pass, cheap ones first."""
