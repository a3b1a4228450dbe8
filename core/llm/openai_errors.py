"""What OpenAI-compatible servers answer instead of a reply, as errors of ours.

The same thing is said in many ways: `code` may be a number or a text, `error` an object or a sentence, and a request
that is too large may look like a rate limit.
"""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from litecode.core.errors import (
    ModelAuth,
    ModelBadReply,
    ModelBusy,
    ModelError,
    ModelMissing,
    ModelTooLarge,
)
from litecode.core.llm.limits import LONGEST_WAIT, wait_of

SMALLER = "name a smaller part of the file (region: in the rule), or use a model with a larger window"
LATER = "wait, or choose another model or plan"
WORDS = 200  # characters of a server's sentence that are shown

# Whole sentences of servers, not loose words: "too long" or "max_tokens" stand in other errors too.
LIMIT_REQUESTED = re.compile(r"Limit:? ([0-9]+), (?:Used:? [0-9]+, )?Requested:? ([0-9]+)")
MAXIMUM = re.compile(r"maximum context length is ([0-9]+) tokens.*?(?:requested|has|resulted in) ([0-9]+)", re.DOTALL)
LM_STUDIO = re.compile(r"Trying to keep the first ([0-9]+) tokens.*?context .*?([0-9]+) tokens", re.DOTALL)
LM_STUDIO_KEEP = re.compile(r"n_keep \(?([0-9]+)\)?.*?n_ctx \(?([0-9]+)", re.DOTALL)
SCHEMA_WORDS = re.compile(
    r"response_format|json_schema|json_object|json mode|structured output|guided|grammar", re.IGNORECASE
)


class SchemaRefused(ModelBadReply):
    """The model does not take schemas in the form in which this one was sent."""

    retry = True


@dataclass(frozen=True, slots=True)
class Answered:
    """An answer that is none: status (0 in the middle of a stream), headers with small letters, and the JSON body."""

    status: int
    headers: Mapping[str, str]
    body: object


@dataclass(frozen=True, slots=True)
class Asked:
    """Who was asked for what; `site` as a person knows it."""

    site: str
    model: str
    with_schema: bool
    with_key: bool


def error_of(answered: Answered, asked: Asked) -> ModelError:
    fields = _fields(answered.body)
    text = " ".join(str(fields.get("message", "")).split())[:WORDS]
    kind = {str(fields.get(name, "")) for name in ("type", "code")}
    status = answered.status or _status(fields.get("code"))
    too_large = _too_large(status, kind, str(fields.get("message", "")), fields)
    if too_large is not None:
        return too_large
    said = f": {text}" if text else f" ({status})"
    if (
        status == HTTPStatus.TOO_MANY_REQUESTS
        or status == HTTPStatus.SERVICE_UNAVAILABLE
        or "rate_limit_exceeded" in kind
    ):
        return _busy(answered, fields, f"{asked.site} is busy{said}", text)
    if status in {HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN}:
        hint = "check the key" if asked.with_key else "name the key: git config --global litecode.keyVariable VARIABLE"
        return ModelAuth(f"{asked.site} refuses access{said}", hint)
    if status == HTTPStatus.PAYMENT_REQUIRED:
        return ModelAuth(f"{asked.site} wants to be paid{said}", "add credit there, or choose another model")
    if status == HTTPStatus.NOT_FOUND:
        return ModelMissing(f"{asked.site} has no model {asked.model}{said}", "git config --global litecode.model NAME")
    if 300 <= status < 400:
        return not_compatible(asked.site)
    if status in {400, 422} and asked.with_schema and SCHEMA_WORDS.search(text):
        return SchemaRefused(f"{asked.model} takes no schema of this form{said}")
    found = ModelBadReply(f"{asked.site} failed{said}", "see the server's log, or its status page")
    found.retry = status >= 500 or status in {0, HTTPStatus.REQUEST_TIMEOUT}
    return found


def not_compatible(site: str) -> ModelError:
    """Something else listens there; asking again gives the same."""
    error = ModelBadReply(
        f"what answers at {site} is not an OpenAI-compatible server",
        "check litecode.endpoint, and any proxy in between",
    )
    error.retry = False
    return error


def _fields(body: object) -> dict[str, Any]:
    """The error as an object, however it was wrapped."""
    while isinstance(body, list) and body:
        body = body[0]
    if isinstance(body, Mapping):
        inner = body.get("error", body)
        if isinstance(inner, Mapping):
            return dict(inner)
        return {**body, "message": inner} if isinstance(inner, str) else dict(body)
    return {"message": body} if isinstance(body, str) else {}


def _status(code: object) -> int:
    """Some put the status into `code`, as a number or as a text."""
    text = str(code)
    return int(text) if re.fullmatch(r"[1-5][0-9][0-9]", text) else 0


def _too_large(status: int, kind: set[str], message: str, fields: Mapping[str, Any]) -> ModelTooLarge | None:
    needed, window = _integer(fields.get("n_prompt_tokens")), _integer(fields.get("n_ctx"))
    for sentence, order in (
        (LIMIT_REQUESTED, (2, 1)),
        (MAXIMUM, (2, 1)),
        (LM_STUDIO, (1, 2)),
        (LM_STUDIO_KEEP, (1, 2)),
    ):
        found = sentence.search(message)
        if found:
            needed, window = int(found[order[0]]), int(found[order[1]])
            break
    more = found is not None and needed > window if LIMIT_REQUESTED.search(message) else found is not None
    named = kind & {"exceed_context_size_error", "context_length_exceeded"}
    if not (named or more or status == HTTPStatus.REQUEST_ENTITY_TOO_LARGE):
        return None
    words = f": {needed:,} tokens were asked for, {window:,} are allowed" if needed and window else ""
    return ModelTooLarge(f"the request is too large for the server{words}", SMALLER, needed, window)


def _integer(value: object) -> int:
    return value if isinstance(value, int) else 0


def _busy(answered: Answered, fields: Mapping[str, Any], message: str, text: str) -> ModelBusy:
    headers = dict(answered.headers)
    metadata = fields.get("metadata")
    inner = metadata.get("headers") if isinstance(metadata, Mapping) else None
    if isinstance(inner, Mapping):
        headers = {str(name).lower(): str(value) for name, value in inner.items()} | headers
    wait = wait_of(headers, text, time.time())
    error = ModelBusy(message, LATER, wait)
    error.retry = wait is None or wait <= LONGEST_WAIT
    return error
