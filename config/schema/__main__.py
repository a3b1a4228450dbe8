"""`python -m litecode.config.schema` prints the JSON Schema of the rules file."""

from __future__ import annotations

import sys

from litecode.config.schema import generate

if __name__ == "__main__":
    sys.stdout.write(generate.text())
