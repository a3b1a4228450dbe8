"""Which paths stay on this machine."""

from __future__ import annotations

import pytest

from litecode.core.trust.deny import denied_by


@pytest.mark.parametrize(
    ("path", "pattern"),
    [
        (".env", ".env"),
        ("deploy/.env.production", ".env.*"),
        ("prod.env", "*.env"),
        ("a/b/server.PEM", "*.pem"),
        ("home/.ssh/config", ".ssh/*"),
        ("x/.aws/credentials", ".aws/*"),
        (".docker/config.json", ".docker/config.json"),
        ("id_ed25519", "id_ed25519*"),
        ("infra/terraform.tfstate", "*.tfstate"),
        ("infra/terraform.tfstate.backup", "*.tfstate.*"),
        ("config/Secrets.yml", "secrets.yml"),
        ("k8s/secrets/db.txt", "secrets/*"),
        ("config/credentials.yml.enc", "credentials.yml.enc"),
        ("service-account-prod.json", "service-account*.json"),
        (".npmrc", ".npmrc"),
        ("web/.netrc", ".netrc"),
        (".kube/config", ".kube/*"),
        ("backup.kdbx", "*.kdbx"),
        ("a.py", ""),
        ("environment.py", ""),
        ("src/secrets.py", ""),
        ("docs/credentials.md", ""),
        (".env.example", ""),
        ("deploy/.env.sample", ""),
        ("secrets.yaml.template", ""),
        ("keys.py", ""),
        ("monkey.key.py", ""),
        ("config.json", ""),
        ("docker/config.json", ""),
        ("src/env/main.py", ""),
        ("public.html", ""),
        ("", ""),
    ],
)
def test_by_name(path: str, pattern: str) -> None:
    assert denied_by(path) == pattern


@pytest.mark.parametrize(
    ("path", "own", "pattern"),
    [
        ("db/dump.sql", ("*.sql",), "*.sql"),
        ("private/a/b.py", ("private",), "private"),
        ("x/private/a/b.py", ("private/",), "private/"),
        ("a/legal/terms.md", ("legal/*.md",), "legal/*.md"),
        (".env.example", (".env*",), ".env*"),
        ("A.SQL", ("*.sql",), "*.sql"),
        ("sql.py", ("*.sql",), ""),
        ("privateer/a.py", ("private",), ""),
        ("a/legal.md", ("legal/*.md",), ""),
    ],
)
def test_by_patterns_of_ones_own(path: str, own: tuple[str, ...], pattern: str) -> None:
    assert denied_by(path, own) == pattern
