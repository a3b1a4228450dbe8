"""Moving a symbol from one module to another by code: its comments and decorators, the imports that it needs, and the
imports of those who use it.
"""

from __future__ import annotations

from collections.abc import Mapping

from litecode.core.patching.document import Document
from litecode.core.patching.impossible import Impossible
from litecode.core.patching.pymodules import is_python
from litecode.core.patching.pymove import move_python
from litecode.core.patching.scriptmove import move_script
from litecode.core.patching.scriptsignature import is_script


def move_symbol(files: Mapping[str, Document], name: str, source: str, target: str) -> dict[str, str]:
    """The new texts of the files that change; a `target` that is not in `files` is made. Importers that name the old
    module are led to the new one, and the old module imports the symbol where it still uses it. Raises Impossible.
    """
    if source == target:
        raise Impossible(f"`{name}` is in {target} already")
    if source not in files:
        raise Impossible(f"{source} is not there")
    if is_python(source) and is_python(target):
        return move_python(files, name, source, target)
    if is_script(source) and is_script(target):
        return move_script(files, name, source, target)
    raise Impossible(f"code cannot move a symbol from {source} to {target}; it knows Python and JavaScript")
