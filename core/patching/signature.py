"""New orders and names of parameters, and new optional ones: the function and its callers are adapted by code.

Callers are found as a rename would find them. Whatever passes arguments in a way that cannot be told apart (`f(*args)`,
the function handed on as a value) is refused, because a half-done change still parses.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from litecode.core.patching.document import Document
from litecode.core.patching.edits import Edit, splice
from litecode.core.patching.impossible import Impossible
from litecode.core.patching.pymodules import is_python
from litecode.core.patching.pysignature import python_parameter, python_signature
from litecode.core.patching.scriptsignature import is_script, script_signature


def change_signature(
    files: Mapping[str, Document],
    name: str,
    after: Sequence[str],
    *,
    swapped: tuple[str, ...] = (),
    home: str = "",
) -> dict[str, str]:
    """The new texts of the files that change. `after` has the texts of the parameters in their new order, without
    `self`; a text that is only a name keeps annotation and default. New ones need a default. Instead of `after`,
    `swapped` has two names that change places; with neither, the function has just two. Raises Impossible.
    """
    python, scripts = _split(files)
    wanted = tuple(part.strip() for part in after)
    found = python_signature(python, name, wanted, swapped, home) if python else {}
    if not found and scripts:
        found = script_signature(scripts, name, wanted, swapped, home)
    if not found:
        raise Impossible(f"no function `{name}` of Python or JavaScript is in these files")
    return _texts(files, found)


def _texts(files: Mapping[str, Document], found: Mapping[str, list[Edit]]) -> dict[str, str]:
    try:
        return {path: splice(files[path].text, edits) for path, edits in found.items() if edits}
    except ValueError:
        raise Impossible("a call of it is an argument of another one") from None


def rename_parameter(files: Mapping[str, Document], name: str, old: str, new: str, *, home: str = "") -> dict[str, str]:
    """Gives a parameter of a Python function another name, in its body and in the keywords of its callers. Raises
    Impossible.
    """
    python, _ = _split(files)
    found = python_parameter(python, name, old, new, home)
    return _texts(files, found)


def _split(files: Mapping[str, Document]) -> tuple[dict[str, Document], dict[str, Document]]:
    python = {path: document for path, document in files.items() if is_python(path)}
    return python, {path: document for path, document in files.items() if is_script(path)}
