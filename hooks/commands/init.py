"""`git litecode init`"""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

import click

from litecode.config import presets
from litecode.config.languages import language_of
from litecode.config.load import load_rules
from litecode.core.errors import ConfigError, GitError, UsageError
from litecode.core.git.process import to_text
from litecode.core.git.repository import Repository
from litecode.hooks.editor import write_schema
from litecode.hooks.fast import RULES_FILE
from litecode.hooks.framework_config import CONFIG_FILE, ENTRY, ByHand, with_litecode
from litecode.hooks.starter import starter

DECISIONS = frozenset({"licence-headers"})


@click.command()
@click.option("--framework", is_flag=True, help=f"Also add LiteCode to {CONFIG_FILE}.")
def command(framework: bool) -> None:
    """Write a first .litecode.yaml with presets for the languages of this repository."""
    repository = Repository.discover(Path.cwd(), os.environ)
    change = _framework_change(repository) if framework else None
    if change is None or not (repository.top / RULES_FILE).exists():
        found = languages(repository)
        _write_new(repository.top / RULES_FILE, starter(found, preset_languages()))
        click.echo(f"wrote {RULES_FILE} for {', '.join(found[:5]) or 'a repository without code so far'}")
    write_schema(repository)
    if change is not None:
        (repository.top / CONFIG_FILE).write_text(change, encoding="utf-8", newline="")
        click.echo(f"added litecode to {CONFIG_FILE}; `pre-commit install` sets its hook up")
    click.echo("next:")
    click.echo(f"  git add {RULES_FILE}                      after a look at it")
    click.echo("  git litecode check --all-files --no-model   what the rules say today")
    if change is None:
        click.echo("  git litecode install                        keep them on every commit")
        if (repository.top / CONFIG_FILE).exists():
            click.echo("  git litecode init --framework               or through pre-commit, in place of install")


def languages(repository: Repository) -> list[str]:
    """Languages of the files that git knows or would add, the most frequent first."""
    from identify.identify import tags_from_filename

    listed = repository.git.read("ls-files", "-z", "--cached", "--others", "--exclude-standard").out
    paths = map(to_text, listed.split(b"\0")[:-1])
    names = (language_of(path, frozenset(tags_from_filename(path.rpartition("/")[2]))) for path in paths)
    return [name for name, _ in Counter(name for name in names if name).most_common()]


def preset_languages() -> dict[str, frozenset[str]]:
    """The languages that each preset has rules for, those left out that only a decision of the project fits."""
    names = [name for name in presets.names() if name not in DECISIONS]
    loaded = {name: load_rules(presets.read(name), f"litecode:{name}").rules for name in names}
    return {name: frozenset(rule.language for rule in rules) for name, rules in loaded.items()}


def _framework_change(repository: Repository) -> str:
    try:
        text = (repository.top / CONFIG_FILE).read_bytes().decode()
    except FileNotFoundError:
        text = ""
    except UnicodeDecodeError as error:
        raise ConfigError("is no UTF-8 text", "save it as UTF-8", CONFIG_FILE) from error
    try:
        return with_litecode(text)
    except ByHand:
        click.echo(ENTRY, nl=False)
        raise


def _write_new(path: Path, text: str) -> None:
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise UsageError(f"{path.name} is there already", "edit it; `git litecode doctor` checks it") from None
    except OSError as error:
        raise GitError(f"cannot write {path}: {error.strerror}", "look at the owner and mode of that folder") from error
