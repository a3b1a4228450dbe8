"""Which model a run uses: the one that was asked for, else the first one that is on this machine."""

from __future__ import annotations

from collections.abc import Mapping

from litecode.config.settings import Settings
from litecode.core.errors import ModelNotRunning
from litecode.core.llm.embedded import EmbeddedModel
from litecode.core.llm.files import installed, locate
from litecode.core.ports import ModelPort


def choose(settings: Settings, environ: Mapping[str, str]) -> ModelPort:
    """Opens nothing: the port loads its weights at its first call. LITECODE_MODEL goes before `litecode.model`.

    Raises ModelNotRunning with the ways to get a model, ModelMissing for one that was asked for and is not here.
    """
    name = environ.get("LITECODE_MODEL", "") or settings.model
    if name:
        return EmbeddedModel(locate(name, environ), settings.window, settings.slots or 1)
    found = installed(environ)
    if not found:
        raise ModelNotRunning(
            "no model is on this machine",
            "fetch one: git litecode model pull; or name a GGUF file: git config --global litecode.model /path/to.gguf",
        )
    return EmbeddedModel(found[0], settings.window, settings.slots or 1)
