"""Ten kinds of planted secrets and more, and code that has none. Every value here is made up at run time, so that
nothing in this file looks like a key to the scanners of others.
"""

from __future__ import annotations

import random
import string
import time

import pytest

from litecode.core.trust.secrets import digest_of, find_secrets

LETTERS = string.ascii_letters + string.digits
HEX = "0123456789abcdef"
UPPER = string.ascii_uppercase + string.digits


def made(length: int, alphabet: str = LETTERS, seed: int = 7) -> str:
    """The same random-looking text each time, with a letter and a digit at least."""
    draw = random.Random(seed + length)
    return "".join(draw.choice(alphabet) for _ in range(length - 2)) + alphabet[0] + alphabet[-1]


PLANTED = {
    "aws": f"key = 'AKIA{made(16, UPPER)}'",
    "aws secret": f"aws_secret_access_key = '{made(40)}'",
    "google": f"maps = load('AIza{made(35)}')",
    "google oauth": f"client('GOCSPX-{made(28)}')",
    "github": f"headers['x'] = 'ghp_{made(36)}'",
    "github fine-grained": f"use('github_pat_{made(22)}_{made(59)}')",
    "gitlab": f"TOKEN: glpat-{made(20)}",
    "slack": f"post('xoxb-{made(12, string.digits)}-{made(12, string.digits)}-{made(24)}')",
    "slack webhook": f"post('https://hooks.slack.com/services/T{made(8, UPPER)}/B{made(8, UPPER)}/{made(24)}')",
    "stripe": f"stripe.api_key = 'sk_live_{made(24)}'",
    "openai": f"client = OpenAI('sk-proj-{made(48)}')",
    "anthropic": f"x = 'sk-ant-api03-{made(80)}'",
    "groq": f"x('gsk_{made(52)}')",
    "openrouter": f"x('sk-or-v1-{made(64, HEX)}')",
    "hugging face": f'login("hf_{made(34)}")',
    "private key": "-----BEGIN RSA PRIVATE KEY-----",
    "openssh key": "-----BEGIN OPENSSH PRIVATE KEY-----",
    "key body": f"    {made(64)}",
    "key body in code": f'    "{made(64)}\\n"',
    "jwt": f"t = 'eyJ{made(20)}.eyJ{made(40)}.{made(43)}'",
    "password": "connect(user, password='Tr0ub4dor&3')",
    "password of a call": 'client = connect(password="correct-horse-9")',
    "compared": "if 'hunter2!' == admin_password:",
    "url": "db = 'postgres://app:s3cr3tpw@db.example.com/app'",
    "redis url": "redis://:p4ssw0rd99@cache.example.com:6379",
    ".env": f"API_KEY={made(32, HEX)}",
    "exported": f"export DB_PASSWORD={made(12)}",
    "yaml": f"  client_secret: {made(24)}",
    "docker": f"ENV ACCESS_TOKEN={made(20)}",
    "netrc": "machine api.example.com login me password hunter2x",
    "bearer": f"curl -H 'Authorization: Bearer {made(40)}'",
    "npm": f"//registry.npmjs.org/:_authToken=npm_{made(36)}",
    "sendgrid": f"sg('SG.{made(22)}.{made(43)}')",
    "twilio": f"twilio('AC{made(32, HEX)}')",
    "azure": f"AccountKey={made(86)}==",
    "azure sas": f"https://x.blob.core.windows.net/c?sv=1&sig={made(43)}%3D",
    "vault": f"hvs.{made(24)}",
    "high entropy": f"SALT = '{made(44)}'",
    "hex": f"digest = '{made(40, HEX)}'",
    "in a comment": f"# old key: ghp_{made(36)}",
    "in an f-string": f'f"token={{x}} ghp_{made(36)}"',
    "allowlisted by the text": f"key = 'ghp_{made(36)}'  # pragma: allowlist secret",
    "allowlisted by the line before": f"# pragma: allowlist nextline secret\nkey = 'ghp_{made(36)}'",
    "gitleaks allow": f"key = 'ghp_{made(36)}'  # gitleaks:allow",
}

CLEAN = {
    "nothing": "",
    "a call": "token = parser.next_token()",
    "the environment": "password = os.environ['DB_PASSWORD']",
    "a variable": "connect(user, password=password)",
    "a template": "password = '${DB_PASSWORD}'",
    "another template": "url = 'postgres://{user}:{password}@{host}/db'",
    "a placeholder": "password = 'changeme'",
    "stars": "password: '********'",
    "an uuid": "run_id = '0e984725-c51c-4bf4-9960-e1c80e27aba0'",
    "an id": "user_id = 'b27e31b0f2d6483e83a3a5f4f3f3f2d1'",
    "a path": "path = 'src/very/long/path/to/some/module/with/names.py'",
    "a dotted name": "secret_manager.client.get_default_settings()",
    "words": "message = 'The password must have at least eight characters'",
    "a sentence": "token is the next word of the text and nothing else",
    "a type": "api_key: Optional[str] = None",
    "a key of a dict": "config['secret']",
    "a media type": "'application/vnd.openxmlformats-officedocument.wordprocessingml.document'",
    "a url": "https://docs.example.com:8080/guide?page=2#top",
    "an e-mail address": "mailto:someone@example.com",
    "an ip address": "server = '8.8.8.8'",
    "a class name": "raise SecretNotFoundErrorForTheGivenAccount(name)",
    "a rule": "x" * 70,
    "a ruler": "=" * 80,
    "digits": "n = 12345678901234567890",
    "a css selector": ".btn-primary-large-with-icon:hover",
    "an import": "from app.security.tokens import issue_access_token",
    "yaml without a value": "token:",
    "yaml with a word": "secret: optional",
    "a python annotation": "    token: TokenType",
    "an alphabet": "ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'",
}


@pytest.mark.parametrize("text", PLANTED.values(), ids=PLANTED.keys())
def test_planted_secrets_are_found(text: str) -> None:
    lines = ["def f():", "    pass", *text.split("\n"), "x = 1"]
    found = find_secrets("\n".join(lines))
    assert {secret.line for secret in found} == {2 + len(text.split("\n"))}
    assert all(len(secret.digest) == 16 and secret.kind for secret in found)


@pytest.mark.parametrize("text", CLEAN.values(), ids=CLEAN.keys())
def test_ordinary_code_has_none(text: str) -> None:
    assert find_secrets(f"def f():\n    {text}\n{text}\n") == ()


def test_nothing_that_is_found_is_given_away() -> None:
    value = f"ghp_{made(36)}"
    assert value not in repr(find_secrets(f"key = '{value}'"))


@pytest.mark.parametrize("kind", ["aws", "github", "gitlab", "slack", "stripe", "openai", "jwt", "sendgrid", "twilio"])
def test_one_key_is_told_from_another(kind: str) -> None:
    """Else a person who clears one of them would clear all."""
    text = PLANTED[kind]
    at = len(text) - 8
    other = text[:at] + ("3" if text[at] != "3" else "4") + text[at + 1 :]
    assert {s.digest for s in find_secrets(text)}.isdisjoint(s.digest for s in find_secrets(other))


def test_what_a_person_knows_to_be_none_is_none() -> None:
    value = f"ghp_{made(36)}"
    other = f"ghp_{made(36, seed=8)}"
    known = [secret.digest for secret in find_secrets(f"key = '{value}'")]
    assert digest_of(value) in known
    assert find_secrets(f"key = '{value}'", known) == ()
    assert [s.digest for s in find_secrets(f"key = '{value}'\nkey = '{other}'", known)] == [digest_of(other)]


def test_long_lines_are_searched_to_the_end() -> None:
    found = find_secrets("x = 1; " * 500 + "password='Tr0ub4dor&3'" + "; y = 2" * 500)
    assert [secret.digest for secret in found] == [digest_of("Tr0ub4dor&3")]


@pytest.mark.parametrize(
    "line",
    [
        "a" * 30_000,
        "password" * 3_000,
        "'" + "ab" * 15_000,
        "secret='" * 3_000,
        "x=" * 15_000,
        "eyJ" * 10_000,
        "://:" * 8000,
    ],
    ids=lambda line: line[:8],
)
def test_no_line_takes_long(line: str) -> None:
    began = time.process_time()
    find_secrets(line)
    assert time.process_time() - began < 8
