"""What an OpenAI-compatible server tells about itself beside the routes that they all have: llama-server, vLLM and LM
Studio each have a way to ask for the window, and the first two count tokens.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from litecode.core.errors import ConfigError, LitecodeError
from litecode.core.llm.ollama_site import Site, ask
from litecode.core.values import Message

VLLM_SLOTS = 8  # it takes as many as there are and works on them together


@dataclass(frozen=True, slots=True)
class Address:
    """Where the API is: `path` begins with / and does not end with it."""

    site: Site
    path: str

    @property
    def url(self) -> str:
        return f"{self.site.url}{self.path}"


def address_of(text: str) -> Address:
    """Raises ConfigError for what is none, and for a readable connection to another machine."""
    try:
        parts = urlsplit(text)
        port = parts.port or {"http": 80, "https": 443}[parts.scheme]
        host = (parts.hostname or "").lower()
        if not host or parts.username or parts.password or parts.query or parts.fragment:
            raise ValueError(text)
    except (ValueError, KeyError) as error:
        raise ConfigError(f"{text!r} is no address of a server", "e.g. http://127.0.0.1:8080/v1") from error
    site = Site(parts.scheme, host, port)
    if parts.scheme != "https" and not site.is_here:
        raise ConfigError(
            f"code may not be sent to {host} over http, where others can read it", f"use https://{host} or a tunnel"
        )
    return Address(site, parts.path.rstrip("/") or "/v1")


@dataclass(frozen=True, slots=True)
class Told:
    """`counts` names how it counts tokens, `window` and `slots` are 0 and the texts empty when not told."""

    kind: str = ""
    counts: str = ""
    window: int = 0
    slots: int = 0
    weights: str = ""
    architecture: str = ""
    vocabulary: int = 0


class Server:
    """Asks one server. What it does not answer is not told; nobody is asked twice."""

    def __init__(self, address: Address, model: str, key: str = "") -> None:
        self._address = address
        self._model = model
        self._key = key

    def about(self) -> Told:
        if not self._ask("GET", f"{self._address.path}/models"):
            return Told()  # not there, or it wants a key; the first call will say it
        return self._llama() or self._lm_studio() or self._vllm() or Told()

    def is_answering(self) -> bool:
        try:
            ask(self._address.site, "GET", f"{self._address.path}/models", key=self._key)
        except LitecodeError:
            return False
        return True

    def count(self, told: Told, messages: Sequence[Message]) -> int | None:
        plain = [{"role": message.role, "content": message.content} for message in messages]
        if told.counts == "vllm":
            found = self._ask("POST", self._beside("/tokenize"), {"model": self._model, "messages": plain})
            return _number(found.get("count")) or None
        if told.counts == "llama":
            text = self._ask("POST", self._beside("/apply-template"), {"messages": plain}).get("prompt")
            if isinstance(text, str):
                return self.length(text)
        return None

    def length(self, text: str, *, literal: bool = False) -> int | None:
        """Tokens of a text; `literal`: what looks like a mark of the chat template is a text too."""
        question = {"content": text, "add_special": not literal, "parse_special": not literal}
        tokens = self._ask("POST", self._beside("/tokenize"), question).get("tokens")
        return len(tokens) if isinstance(tokens, list) else None

    def _beside(self, route: str) -> str:
        """Of a route that stands beside `/v1` and not below it."""
        return self._address.path.removesuffix("/v1") + route

    def _ask(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> dict[str, Any]:
        try:
            return ask(self._address.site, method, path, body, key=self._key)
        except LitecodeError:
            return {}

    def _llama(self) -> Told | None:
        props = self._ask("GET", self._beside("/props"))
        generation = props.get("default_generation_settings")
        if not isinstance(generation, dict):
            return None
        row = _first(self._ask("GET", f"{self._address.path}/models"), "")
        meta = row.get("meta")
        meta = meta if isinstance(meta, dict) else {}
        weights = [str(meta.get(name, "")) for name in ("n_params", "size", "n_vocab")]
        return Told(
            kind="llama-server",
            counts="llama",
            window=_number(generation.get("n_ctx")),
            slots=_number(props.get("total_slots")),
            weights=":".join([str(props.get("model_path", "")).rpartition("/")[2], *weights]),
            vocabulary=_number(meta.get("n_vocab")),
        )

    def _lm_studio(self) -> Told | None:
        row = _first(self._ask("GET", self._beside("/api/v0/models")), self._model)
        if not row:
            return None
        loaded = _number(row.get("loaded_context_length"))
        return Told(
            kind="LM Studio",
            window=loaded or _number(row.get("max_context_length")),
            slots=1,
            weights=f"{row.get('id', '')}:{row.get('quantization', '')}",
            architecture=str(row.get("arch", "")),
        )

    def _vllm(self) -> Told | None:
        row = _first(self._ask("GET", f"{self._address.path}/models"), self._model)
        if row.get("owned_by") != "vllm":
            return None
        window = _number(row.get("max_model_len"))
        return Told(kind="vLLM", counts="vllm", window=window, slots=VLLM_SLOTS, weights=str(row.get("root", "")))

    def models(self) -> tuple[str, ...]:
        """The names of what it serves; for a person who asks, not for a run."""
        rows = self._ask("GET", f"{self._address.path}/models").get("data")
        names = [row.get("id") for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []
        return tuple(name for name in names if isinstance(name, str))


def _first(answer: Mapping[str, Any], name: str) -> dict[str, Any]:
    """The row of that model, of any when no name is given."""
    rows = answer.get("data")
    for row in rows if isinstance(rows, list) else ():
        if isinstance(row, dict) and (not name or row.get("id") == name):
            return row
    return {}


def _number(value: object) -> int:
    return value if isinstance(value, int) and value > 0 else 0
