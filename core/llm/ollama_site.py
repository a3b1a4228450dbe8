"""What an Ollama server tells about itself and its models; read without the client library, which is slow to import and
leaves out the field that says where a model really runs.
"""

from __future__ import annotations

import contextlib
import http.client
import ipaddress
import json
import re
import socket
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from litecode.core.errors import (
    ConfigError,
    ModelAuth,
    ModelBadReply,
    ModelError,
    ModelMissing,
    ModelNotRunning,
    ModelTimeout,
)

PORT = 11434
CONNECT = 3.0  # seconds
LIMIT = 8 << 20  # bytes of an answer that are read
LONGEST = 3  # times the time-out: for a whole answer
VOCABULARY = 10.0  # seconds for a vocabulary, which has some megabytes
MARKS = (3, 4)  # kinds of tokens in a GGUF file: control, and defined by the user

START = "start it with: ollama serve"
NO_KEY = "use its OpenAI-compatible address with a key: git litecode connect URL/v1 --key-variable NAME"


@dataclass(frozen=True, slots=True)
class Site:
    """Where a server is; `host` without brackets."""

    scheme: str
    host: str
    port: int

    @property
    def url(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.scheme}://{host}:{self.port}"

    @property
    def is_here(self) -> bool:
        """Whether it is this machine, by its address or as `localhost`."""
        if self.host == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False


def site_of(text: str) -> Site:
    """The site that OLLAMA_HOST names: a host, a port, both, or an address; empty for the default one.

    The address to listen on everywhere means this machine. Raises ConfigError for what is none.
    """
    text = text.strip()
    scheme, _, rest = text.rpartition("://")
    try:
        if scheme not in {"", "http", "https"}:
            raise ValueError(scheme)
        bare = rest.count(":") > 1 and not rest.startswith("[")
        parts = urlsplit(f"//[{rest}]" if bare else f"//{rest}")
        if parts.username or parts.password or parts.path.strip("/") or parts.query:
            raise ValueError(rest)
        port = parts.port or {"http": 80, "https": 443}.get(scheme, PORT)
        host = (parts.hostname or "127.0.0.1").lower()
    except ValueError as error:
        raise ConfigError(f"OLLAMA_HOST is {text!r}, which is no address", "e.g. 127.0.0.1:11434") from error
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
    return Site(scheme or "http", host, port)


def check_consent(site: Site, allowed: tuple[str, ...]) -> None:
    """Raises ModelAuth for another machine that the person has not named in `litecode.remote`."""
    if not site.is_here and site.host not in allowed:
        raise ModelAuth(
            f"{site.host} is not this machine, and code may not be sent there",
            f"to allow it: git config --global --add litecode.remote {site.host}",
        )


def is_answering(site: Site, timeout: float = 0.5) -> bool:
    """Whether an Ollama runs there now."""
    try:
        return "version" in ask(site, "GET", "/api/version", timeout=timeout)
    except (ModelNotRunning, ModelBadReply, ModelTimeout, ModelMissing, ModelAuth):
        return False


def ask(
    site: Site,
    method: str,
    path: str,
    body: Mapping[str, Any] | None = None,
    timeout: float = CONNECT,
    key: str = "",
    limit: int = LIMIT,
) -> dict[str, Any]:
    """The answer to a short question. Never goes anywhere else: no proxy, no redirect, no key but the one given."""
    headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {key}"} if key else {})
    kind = http.client.HTTPSConnection if site.scheme == "https" else http.client.HTTPConnection
    connection = kind(site.host, site.port, timeout=timeout)
    late = threading.Event()
    try:
        connection.connect()
        watch = threading.Timer(LONGEST * timeout, _hang_up, (connection.sock, late))
        watch.daemon = True
        watch.start()
        try:
            connection.request(method, path, None if body is None else json.dumps(body), headers)
            answer = connection.getresponse()
            data = answer.read(limit)
        finally:
            watch.cancel()
        if late.is_set():
            raise TimeoutError
    except (OSError, http.client.HTTPException) as error:
        if late.is_set() or isinstance(error, TimeoutError):
            raise ModelTimeout(f"Ollama at {site.url} did not answer within {timeout:g} s", START) from error
        raise (not_running(site) if isinstance(error, OSError) else not_ollama(site)) from error
    finally:
        connection.close()
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        found = None
    if answer.status == http.HTTPStatus.NOT_FOUND and isinstance(found, dict):
        raise ModelMissing(str(found.get("error", "not found")))
    if answer.status in {http.HTTPStatus.UNAUTHORIZED, http.HTTPStatus.FORBIDDEN}:
        raise ModelAuth(f"{site.url} refuses access ({answer.status})", NO_KEY)
    if answer.status != http.HTTPStatus.OK or not isinstance(found, dict):
        raise not_ollama(site)
    return found


def _hang_up(line: socket.socket, late: threading.Event) -> None:
    """A time-out of a socket is for each piece; this one is for the whole answer."""
    late.set()
    with contextlib.suppress(OSError):
        line.shutdown(socket.SHUT_RDWR)


def not_running(site: Site) -> ModelNotRunning:
    return ModelNotRunning(f"no Ollama answers at {site.url}", START)


def not_ollama(site: Site) -> ModelBadReply:
    """Something else listens there; asking again gives the same."""
    error = ModelBadReply(f"what answers at {site.url} is not Ollama", "check OLLAMA_HOST, and any proxy in between")
    error.retry = False
    return error


@dataclass(frozen=True, slots=True)
class Listed:
    """A model that the server has. `elsewhere` is the host that really runs it, empty for the server itself."""

    name: str
    digest: str
    elsewhere: str


def list_models(site: Site) -> tuple[Listed, ...]:
    """Models in the order of the server, the latest first."""
    rows = ask(site, "GET", "/api/tags").get("models")
    rows = [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []
    return tuple(
        Listed(str(row.get("model") or row.get("name")), str(row.get("digest", "")), where_of(row)) for row in rows
    )


def where_of(facts: Mapping[str, Any]) -> str:
    """The other host that a model of the server runs on, by what the server says or by its name."""
    told = facts.get("remote_host")
    if told:
        return str(told)
    name = str(facts.get("model") or facts.get("name") or "")
    return "a cloud" if name.endswith(("-cloud", ":cloud")) else ""


def same_name(listed: str, asked: str) -> bool:
    """`qwen` means `qwen:latest`."""
    return listed == (asked if ":" in asked.rsplit("/", 1)[-1] else f"{asked}:latest")


@dataclass(frozen=True, slots=True)
class About:
    """One model: its weights, its family and vocabulary, the window that it was trained for (0 when not told), whether
    it thinks, and the (role, content) pairs that its own configuration puts before every conversation.
    """

    digest: str
    architecture: str
    vocabulary: int
    window: int
    thinks: bool
    preset: tuple[tuple[str, str], ...]


def about(site: Site, model: str) -> About:
    """Raises ModelMissing with the command that fetches it, also for one that would not be told what to do; ModelAuth
    when it runs on another machine.
    """
    try:
        shown = ask(site, "POST", "/api/show", {"model": model})
    except ModelMissing as error:
        raise missing(site, model) from error
    listed = next((row for row in list_models(site) if same_name(row.name, model)), None)
    elsewhere = where_of({"remote_host": shown.get("remote_host"), "model": model}) or (
        listed.elsewhere if listed else ""
    )
    if elsewhere:
        raise ModelAuth(
            f"Ollama runs {model} not here but on {elsewhere}",
            "choose a model that runs on this machine: git config --global litecode.model NAME",
        )
    if _loses_instructions(shown):
        raise ModelMissing(
            f"Ollama's {model} has no place for a system message in its template: what a rule says would be lost",
            f"fetch one that has: ollama pull {model}; or put a TEMPLATE with .Messages into its Modelfile",
        )
    info = shown.get("model_info")
    info = info if isinstance(info, dict) else {}
    architecture = str(info.get("general.architecture", ""))
    preset = shown.get("messages")
    return About(
        digest=listed.digest if listed else "",
        architecture=architecture,
        vocabulary=_number(info.get(f"{architecture}.vocab_size")),
        window=_number(info.get(f"{architecture}.context_length")),
        thinks="thinking" in (shown.get("capabilities") or ()),
        preset=tuple(
            (str(row.get("role", "")), str(row.get("content", "")))
            for row in (preset if isinstance(preset, list) else ())
            if isinstance(row, dict)
        ),
    )


def _loses_instructions(shown: Mapping[str, Any]) -> bool:
    """So it is for weights whose own template Ollama does not know: it then sends the last message and nothing else."""
    template = shown.get("template")
    if not isinstance(template, str) or not template.strip() or shown.get("renderer"):
        return False
    return re.search(r"\.(?:System|Messages)\b", template) is None


def missing(site: Site, model: str) -> ModelMissing:
    return ModelMissing(f"Ollama at {site.url} has no model {model}", f"fetch it with: ollama pull {model}")


def allocated_window(site: Site, model: str) -> int:
    """Tokens that are really set up for the loaded model; 0 when the server does not tell."""
    rows = ask(site, "GET", "/api/ps").get("models")
    for row in rows if isinstance(rows, list) else ():
        if isinstance(row, dict) and same_name(str(row.get("model") or row.get("name")), model):
            return _number(row.get("context_length"))
    return 0


def marks_of(site: Site, model: str) -> frozenset[str] | None:
    """The texts that the model's vocabulary has for something else than text; None when the server does not tell."""
    try:
        shown = ask(site, "POST", "/api/show", {"model": model, "verbose": True}, timeout=VOCABULARY, limit=LIMIT << 3)
    except ModelError:
        return None
    info = shown.get("model_info")
    info = info if isinstance(info, dict) else {}
    tokens, kinds = info.get("tokenizer.ggml.tokens"), info.get("tokenizer.ggml.token_type")
    if not isinstance(tokens, list) or not isinstance(kinds, list) or len(tokens) != len(kinds):
        return None
    return frozenset(token for token, kind in zip(tokens, kinds, strict=True) if kind in MARKS and token)


def _number(value: object) -> int:
    return value if isinstance(value, int) else 0
