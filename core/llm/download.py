"""Reads a file from an address that the person has named, from any byte on."""

from __future__ import annotations

import http.client
import urllib.error
import urllib.request
from collections.abc import Iterator
from urllib.parse import urlsplit

from litecode.core.errors import ConfigError, ModelMissing
from litecode.core.llm.files import BLOCK

LOOPBACK = frozenset(("localhost", "127.0.0.1", "::1"))
TIMEOUT = 60.0


def url_blocks(url: str, start: int) -> Iterator[bytes]:
    """The bytes of the resource from `start` on. Raises ModelMissing when it cannot be had, ConfigError for plain http
    to another machine.
    """
    where = urlsplit(url)
    if where.scheme != "https" and where.hostname not in LOOPBACK:
        raise ConfigError(
            f"{where.hostname} can only be asked through https", "give an address that begins with https://"
        )
    request = urllib.request.Request(url, headers={"Range": f"bytes={start}-"} if start else {})
    try:
        with urllib.request.urlopen(request, timeout=TIMEOUT) as answer:
            skip = start if answer.status != http.HTTPStatus.PARTIAL_CONTENT else 0
            while block := answer.read(BLOCK):
                if skip < len(block):
                    yield block[skip:]
                skip = max(0, skip - len(block))
    except urllib.error.HTTPError as error:
        error.close()
        raise _failed(where.hostname, f"{error.code} {error.reason}") from error
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise _failed(where.hostname, str(getattr(error, "reason", "") or error)) from error


def _failed(host: str | None, why: str) -> ModelMissing:
    return ModelMissing(f"{host} did not give the model: {why}", "try again: what has arrived is kept")
