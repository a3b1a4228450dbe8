"""Whether a text has something in it that looks like a key or a password.

The detectors are those of detect-secrets, and some for what it does not know. Of its settings none is used: a text
can ask it to look away (`pragma: allowlist secret`), and some of its detectors would try a key they find on the
network.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, lru_cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from detect_secrets.plugins.base import BasePlugin, RegexBasedDetector


class Secret(NamedTuple):
    """What was found in which line (1-based). `digest` tells one value from another without giving it away."""

    kind: str
    line: int
    digest: str


class _Found(NamedTuple):
    kind: str
    value: str


Detector = Callable[[str], Iterable[_Found]]

# Token shapes that detect-secrets 1.5 does not have. A prefix that only a key has needs no other evidence.
_TOKENS = {
    "Google API key": r"\bAIza[0-9A-Za-z_-]{35}",
    "Google OAuth secret": r"\bGOCSPX-[0-9A-Za-z_-]{20,}",
    "Google access token": r"\bya29\.[0-9A-Za-z_-]{20,}",
    "GitHub token": r"\bgithub_pat_[0-9A-Za-z_]{22,}",
    "Anthropic or OpenAI key": r"\bsk-(?:ant|proj|or|svcacct|admin)-[0-9A-Za-z_-]{16,}",
    "Groq key": r"\bgsk_[0-9A-Za-z]{20,}",
    "Hugging Face token": r"\bhf_[0-9A-Za-z]{20,}",
    "GitLab token": r"\bgl(?:pat|dt|rt|cbt|ptt|ft|imt|agent|oas|soat)-[0-9A-Za-z_-]{20,}",
    "Slack token": r"\bxapp-\d-[0-9A-Za-z-]{20,}",
    "Slack or Discord webhook": r"https://(?:hooks\.slack\.com/services|discord(?:app)?\.com/api/webhooks)/[\w/-]{16,}",
    "DigitalOcean token": r"\bdo[opr]_v1_[0-9a-f]{32,}",
    "Stripe key": r"\b(?:sk|rk|whsec)_(?:live_|test_)?[0-9A-Za-z]{16,}",
    "Shopify token": r"\bshp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}",
    "Vault token": r"\bhv[sbr]\.[0-9A-Za-z_-]{20,}",
    "Databricks token": r"\bdapi[0-9a-f]{32}",
    "PlanetScale token": r"\bpscale_(?:tkn|pw|oauth)_[\w.-]{30,}",
    "Linear, Notion or Figma token": r"\b(?:lin_api_|secret_|ntn_|figd_)[0-9A-Za-z_-]{32,}",
    "age key": r"\bAGE-SECRET-KEY-1[0-9A-Z]{20,}",
    "Azure signature": r"[?&]sig=[0-9A-Za-z%+/]{30,}",
    "JSON Web Token": r"\beyJ[0-9A-Za-z_-]{10,}\.eyJ[0-9A-Za-z_-]{10,}\.[0-9A-Za-z_-]{10,}",
    "key material": r"-----BEGIN [A-Z0-9 ]*(?:PRIVATE KEY|SECRET)[A-Z ]*-----|^\s*PuTTY-User-Key-File-\d",
    "password in a URL": r"\b[a-z][a-z0-9+.-]*://[^\s/:@'\"<>{}$%]*:(?P<value>[^\s/@'\"<>{}$]{3,})@[\w.\[-]",
    "password in .netrc form": r"\blogin\s+\S+\s+password\s+(?P<value>\S{4,})",
    "authorization header": r"(?i)\b(?:bearer|basic)\s+(?P<value>[0-9A-Za-z+/_.-]{20,}={0,2})",
}
_NAMED = re.compile(
    r"(?i)(?:api|auth|access|account|private|priv|service|client|db|database|encryption|signing|master)[_-]?key"
    r"|passw(?:or)?d|passphrase|pwd|secret|token|credential"
)
# NAME=value and name: value without quotes, as .env files, YAML and shells have them; the value ends the line.
_BARE = re.compile(
    r"^\s*(?:export\s+|set\s+|-\s+|ENV\s+|ARG\s+)?(?P<name>[\w.-]{2,60})\s?[:=]\s?(?P<value>[^\s'\"(){}\[\]<>,;`$]{8,})\s*$"
)
_MATERIAL = re.compile(r"^[\s\"'+*#/]*(?P<value>[0-9A-Za-z+/]{60,}={0,2})[\s\"'+\\,;)]*$")
_PLACEHOLDERS = frozenset(
    "password passwd passphrase secret token changeme change_me example placeholder redacted none null true false test"
    " testing dummy string str hidden optional required username your_password default bearer basic".split()
)
_PIECE = 400  # characters; some detectors need time that grows with the square of a line
_ENTROPY = 4.0  # bits per character of key material without a name or a header


def find_secrets(text: str, known: Iterable[str] = ()) -> tuple[Secret, ...]:
    """Everything that looks like a secret, in the order of the lines; not what a digest in `known` says is none."""
    innocent = frozenset(known)
    return tuple(secret for secret in _scan(text) if secret.digest not in innocent)


def digest_of(value: str) -> str:
    return hashlib.sha256(value.encode("utf-8", "surrogatepass")).hexdigest()[:16]


@lru_cache(maxsize=1024)  # the messages of a run have much in common
def _scan(text: str) -> tuple[Secret, ...]:
    found: dict[tuple[int, str], Secret] = {}
    for number, line in enumerate(text.splitlines(), 1):
        for detector in _detectors():
            for kind, value in detector(line):
                digest = digest_of(value)
                found.setdefault((number, digest), Secret(kind, number, digest))
    return tuple(found.values())


@cache
def _detectors() -> tuple[Detector, ...]:
    """Those that say most precisely what they found come first."""
    return (_known_tokens(), *_of_library(), _bare, _material)


def _known_tokens() -> Detector:
    shapes = [(kind, re.compile(shape)) for kind, shape in _TOKENS.items()]

    def detect(line: str) -> Iterator[_Found]:
        for kind, shape in shapes:
            for match in shape.finditer(line):
                value = match.groupdict().get("value") or match.group()
                if not _is_placeholder(value):
                    yield _Found(kind, value)

    return detect


def _of_library() -> Iterator[Detector]:
    """One detector for each of detect-secrets; public IP addresses are no secrets."""
    from detect_secrets.core.plugins.util import get_mapping_from_secret_type_to_class
    from detect_secrets.plugins.base import RegexBasedDetector

    classes: Mapping[str, type[BasePlugin]] = get_mapping_from_secret_type_to_class()
    for kind in sorted(classes):
        plugin = classes[kind]()
        plain = type(plugin).analyze_string is RegexBasedDetector.analyze_string
        if plain and isinstance(plugin, RegexBasedDetector) and not kind.startswith("Public IP"):
            yield _by_shape(plugin)
        elif not plain:
            yield _by_value(plugin)


def _by_shape(plugin: RegexBasedDetector) -> Detector:
    """The whole match counts: a group can be no more than the prefix that all keys of a kind have."""
    from detect_secrets.filters.heuristic import is_templated_secret

    def detect(line: str) -> Iterator[_Found]:
        for shape in plugin.denylist:
            for match in shape.finditer(line):
                parts = [part for part in match.groups() if part and len(part) > 5]
                if not any(_is_placeholder(part) or is_templated_secret(part) for part in parts):
                    yield _Found(plugin.secret_type, match.group())

    return detect


def _by_value(plugin: BasePlugin) -> Detector:
    from detect_secrets.filters import heuristic
    from detect_secrets.plugins.high_entropy_strings import HighEntropyStringsPlugin

    def detect(line: str) -> Iterator[_Found]:
        if len(line) > _PIECE:
            for at in range(0, len(line), _PIECE // 2):
                yield from detect(line[at : at + _PIECE])
            return
        for value in plugin.analyze_string(line):
            if isinstance(plugin, HighEntropyStringsPlugin) and (
                plugin.calculate_shannon_entropy(value) <= plugin.entropy_limit or _is_words(value)
            ):
                continue
            if value and not (
                _is_placeholder(value)
                or heuristic.is_templated_secret(value)
                or heuristic.is_sequential_string(value)
                or heuristic.is_potential_uuid(value)
                or heuristic.is_likely_id_string(value, line, plugin)
                or heuristic.is_not_alphanumeric_string(value)
                or heuristic.is_prefixed_with_dollar_sign(value)
            ):
                yield _Found(plugin.secret_type, value)

    return detect


def _bare(line: str) -> Iterator[_Found]:
    match = _BARE.match(line)
    if match is None or not _NAMED.search(match["name"]):
        return
    value = match["value"]
    if not _is_placeholder(value) and re.search(r"\d", value) and re.search(r"[A-Za-z]", value):
        yield _Found("value with a secret's name", value)


def _material(line: str) -> Iterator[_Found]:
    match = _MATERIAL.match(line)
    if match is not None and _entropy(match["value"]) > _ENTROPY:
        yield _Found("key material", match["value"])


def _is_placeholder(value: str) -> bool:
    return value.lower().strip("*.:-_ ") in _PLACEHOLDERS or len(set(value)) < 3


def _is_words(value: str) -> bool:
    """Long names and paths have the entropy of a key, but not its digits; alphabets have both, but an order."""
    if re.search("abcdefgh|0123456789", value.lower()):
        return True
    return not re.search(r"\d", value) and len(re.findall(r"[_/-]|(?<=[a-z])(?=[A-Z])", value)) * 12 >= len(value)


def _entropy(value: str) -> float:
    from collections import Counter
    from math import log2

    shares = [count / len(value) for count in Counter(value).values()]
    return -sum(share * log2(share) for share in shares)
