"""How OpenAI-compatible servers are asked: a client that goes only where it is told, and the form of a request."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from litecode.core.errors import ModelNotRunning, ModelTimeout
from litecode.core.llm.bounded import bound
from litecode.core.llm.openai_server import Address
from litecode.core.llm.providers import Provider
from litecode.core.llm.streaming import FIRST_TOKEN
from litecode.core.values import Prompt

if TYPE_CHECKING:
    import openai

EXTRA = "pip install 'litecode[openai]'"
CONNECT = 3.0  # seconds
THERE = 5.0  # seconds for the answer to a question that is no call
LOG = "see the server's log, or its status page"
NOT_THERE = "start the server, or check its address: git config --get-regexp ^litecode"
LADDER = ("schema", "object", "text")
"""How an answer in JSON is asked for, the strictest way first."""

KEPT_HEADERS = frozenset(
    ("host", "content-type", "content-length", "accept", "accept-encoding", "connection", "user-agent", "authorization")
)
OWN: dict[str, Any] = {  # what servers of one's own understand; services may refuse it
    "top_k": 1,
    "repeat_penalty": 1.0,
    "cache_prompt": True,
    "chat_template_kwargs": {"enable_thinking": False},
}
SAMPLED_TOP_K = 40


def make_client(address: Address, key: str) -> openai.OpenAI:
    """No redirect, no proxy for this machine, no key or account of the environment, no repetition of its own."""
    try:
        import openai
    except ModuleNotFoundError as error:
        raise ModelNotRunning("the openai package is not installed", EXTRA) from error

    def strip(request: Any) -> None:
        for name in [name for name in request.headers if name.lower() not in KEPT_HEADERS]:
            del request.headers[name]
        if not key:
            request.headers.pop("authorization", None)
        request.headers["accept-encoding"] = "identity"

    http_client = openai.DefaultHttpxClient(
        follow_redirects=False,
        trust_env=not address.site.is_here,
        timeout=openai.Timeout(FIRST_TOKEN, connect=CONNECT),
        event_hooks={"request": [strip], "response": [bound]},
    )
    return openai.OpenAI(api_key=key or "none", base_url=address.url, max_retries=0, http_client=http_client)


def no_answer(error: openai.APIConnectionError, url: str) -> ModelNotRunning | ModelTimeout:
    """The error for a connection on which nothing came."""
    import openai

    if isinstance(error, openai.APITimeoutError):
        return ModelTimeout(f"{url} does not answer", LOG)
    return ModelNotRunning(f"nothing answers at {url}", NOT_THERE)


def knock(client: openai.OpenAI, url: str, seconds: float = THERE) -> None:
    """Raises ModelNotRunning or ModelTimeout when no answer begins within `seconds`; one with any status will do.

    It is asked as calls are made, with their certificates and through their proxy.
    """
    import openai

    found: list[ModelNotRunning | ModelTimeout] = []
    patient = client.with_options(timeout=openai.Timeout(seconds, connect=CONNECT))

    def ask() -> None:
        try:
            with patient.models.with_streaming_response.list():
                pass
        except openai.APIConnectionError as error:
            found.append(no_answer(error, url))
        except Exception:  # whoever answers is there; a call says what is wrong
            return

    asking = threading.Thread(target=ask, daemon=True)  # a time-out of the client is for each piece of an answer
    asking.start()
    asking.join(seconds)
    if asking.is_alive():
        raise ModelTimeout(f"{url} does not answer within {seconds:g} s", LOG)
    if found:
        raise found[0]


def request_of(model: str, prompt: Prompt, rung: str, provider: Provider | None, *, own: bool) -> dict[str, Any]:
    """The arguments of `chat.completions.create`. `rung` is one of LADDER; `own`: a server that knows OWN."""
    extra: dict[str, Any] = {}
    if provider is not None:
        extra = dict(provider.extra) | (provider.extra_schema if prompt.schema is not None else {})
    elif own:
        extra = OWN | ({"top_k": SAMPLED_TOP_K} if prompt.sampling.temperature > 0 else {})
    request: dict[str, Any] = {
        "model": model,
        "messages": [{"role": message.role, "content": message.content} for message in prompt.messages],
        "max_tokens": prompt.reserve,
        "temperature": prompt.sampling.temperature,
        "seed": prompt.sampling.seed,
        "stream": True,
        "stream_options": {"include_usage": True},
        "extra_body": extra,
    }
    if prompt.schema is not None and rung == "schema":
        wrapped = {"name": "answer", "schema": dict(prompt.schema)}
        request["response_format"] = {"type": "json_schema", "json_schema": wrapped}
    elif prompt.schema is not None and rung == "object":
        request["response_format"] = {"type": "json_object"}
    return request
