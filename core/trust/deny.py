"""Which files never go to another machine, by their names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase

# Without a `/`: the name of the file. With one: the end of the path, any number of folders before it.
DENIED = tuple(
    """
    .env .env.* *.env .envrc .netrc _netrc .pgpass .my.cnf .htpasswd .git-credentials .vault-token .npmrc .yarnrc.yml
    .pypirc .dockercfg .s3cfg .boto .terraformrc .ssh/* .aws/* .azure/* .gnupg/* .kube/* .docker/config.json
    .config/gcloud/* .gem/credentials .cargo/credentials*
    *.pem *.key *.p8 *.p12 *.pfx *.jks *.keystore *.kdbx *.ppk *.keytab *.ovpn *.asc *.gpg *.pgp *.age
    id_rsa* id_dsa* id_ecdsa* id_ed25519* *.tfstate *.tfstate.* *.tfvars *.tfvars.json kubeconfig
    credentials credentials.json credentials.yaml credentials.yml credentials.yml.enc credentials.ini credentials.toml
    secret.json secret.yaml secret.yml secret.toml secrets.json secrets.yaml secrets.yml secrets.toml secrets.ini
    secrets/* secrets.properties service-account*.json service_account*.json *-credentials.json client_secret*.json
    wp-config.php local_settings.py
    """.split()
)
# Patterns to be copied, which have names and no values.
_SAMPLES = (".env.example", ".env.sample", ".env.template", ".env.dist", "*.example", "*.sample", "*.template")


def denied_by(path: str, own: Iterable[str] = ()) -> str:
    """The pattern that keeps a file here, empty when none does. The case of letters makes no difference. `own`
    patterns hold for samples too.
    """
    ends = tuple(_ends(path.lower()))
    for pattern in own:
        if _fits(ends, pattern.lower().strip("/")):
            return pattern
    if any(_fits(ends, sample) for sample in _SAMPLES):
        return ""
    return next((pattern for pattern in DENIED if _fits(ends, pattern)), "")


def _ends(path: str) -> Iterator[str]:
    parts = path.split("/")
    return ("/".join(parts[at:]) for at in range(len(parts)))


def _fits(ends: Iterable[str], pattern: str) -> bool:
    """A pattern that names a folder holds for everything in it."""
    if "/" in pattern:
        return any(fnmatchcase(end, pattern) or fnmatchcase(end, f"{pattern}/*") for end in ends)
    return any(fnmatchcase(part, pattern) for end in ends for part in (end.partition("/")[0],))
