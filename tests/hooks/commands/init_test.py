from __future__ import annotations

from typing import Any

import pytest
import yaml

from litecode.config.load import load_rules
from litecode.hooks.cli import main


@pytest.fixture
def here(repo: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.chdir(repo.path)
    return repo


def test_it_writes_a_file_that_fits_and_says_how_to_go_on(here: Any, capsys: pytest.CaptureFixture[str]) -> None:
    here.add({"src/a.py": "1\n", "src/b.py": "1\n", "web/c.js": "1\n", "web/d.js": "1\n", "web/e.js": "1\n"})
    here.write("README.md", "untracked, but not ignored\n")
    assert main(["init"]) == 0
    rules = load_rules(here.read(".litecode.yaml"), ".litecode.yaml")
    assert {rule.language for rule in rules.rules} == {"python", "javascript", ""}
    assert b"licence-headers" not in here.read(".litecode.yaml")
    assert (here / ".git/litecode/litecode.schema.json").read_bytes().startswith(b"{")
    out, err = capsys.readouterr()
    assert out.splitlines()[0] == "wrote .litecode.yaml for javascript, python, markdown"
    assert "git litecode install" in out
    assert "--framework" not in out
    assert err == ""


def test_it_looks_at_the_whole_repository_from_a_subdirectory(here: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    here.add({"src/a.py": "1\n", "docs/b.md": "1\n"})
    monkeypatch.chdir(here.path / "docs")
    assert main(["init"]) == 0
    assert b"litecode:python-logging" in here.read(".litecode.yaml")


def test_an_empty_repository_gets_a_file_without_presets(here: Any) -> None:
    assert main(["init"]) == 0
    assert load_rules(here.read(".litecode.yaml"), ".litecode.yaml").rules == ()


@pytest.mark.parametrize("content", ["", "rules: []\n"])
def test_it_never_overwrites(here: Any, capsys: pytest.CaptureFixture[str], content: str) -> None:
    here.write(".litecode.yaml", content)
    before = here.snapshot()
    assert main(["init"]) == 2
    assert here.snapshot() == before
    assert ".litecode.yaml is there already" in capsys.readouterr().err


def test_the_framework_gets_an_entry_on_request(here: Any, capsys: pytest.CaptureFixture[str]) -> None:
    config = b"# mine\r\nrepos:\r\n- repo: meta\r\n  hooks:\r\n  - id: identity\r\n"
    here.write(".pre-commit-config.yaml", config)
    assert main(["init"]) == 0
    assert here.read(".pre-commit-config.yaml") == config
    assert "git litecode init --framework" in capsys.readouterr().out
    rules = here.read(".litecode.yaml")
    assert main(["init", "--framework"]) == 0  # the rules are there already, and stay
    assert here.read(".litecode.yaml") == rules
    assert here.read(".pre-commit-config.yaml").startswith(config)
    assert b"    entry: litecode-hook framework\r\n" in here.read(".pre-commit-config.yaml")
    assert main(["init", "--framework"]) == 2
    assert "already" in capsys.readouterr().err


def test_without_a_framework_configuration_one_is_written(here: Any, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["init", "--framework"]) == 0
    assert here.read(".pre-commit-config.yaml").startswith(b"repos:\n- repo: local\n  hooks:\n  - id: litecode\n")
    out = capsys.readouterr().out
    assert "added litecode to .pre-commit-config.yaml; `pre-commit install` sets its hook up\n" in out
    assert "git litecode install" not in out


@pytest.mark.parametrize("text", ["repos: [{repo: meta, hooks: []}]\n", "ci: {}\n"])
def test_where_it_cannot_be_added_it_is_printed_to_be_pasted(
    here: Any, capsys: pytest.CaptureFixture[str], text: str
) -> None:
    here.write(".pre-commit-config.yaml", text)
    before = here.snapshot()
    assert main(["init", "--framework"]) == 2
    assert here.snapshot() == before
    out, err = capsys.readouterr()
    assert yaml.safe_load(out)[0]["hooks"][0]["entry"] == "litecode-hook framework"
    assert "hint: add the lines on standard output by hand, as one more item under `repos:`" in err


def test_install_and_uninstall_leave_the_git_directory_as_it_was(here: Any, capsys: pytest.CaptureFixture[str]) -> None:
    here.hook("pre-commit", "exit 0")
    before = {path: facts[::2] for path, facts in here.snapshot().items()}
    assert main(["install"]) == 0
    assert (here / ".git/litecode/litecode.schema.json").is_file()
    assert main(["install"]) == 0
    assert "is installed already" in capsys.readouterr().out
    assert main(["uninstall"]) == 0
    assert {path: facts[::2] for path, facts in here.snapshot().items()} == before
    assert main(["uninstall"]) == 0
    assert "no hook of LiteCode is installed here" in capsys.readouterr().out


@pytest.mark.parametrize("command", ["init", "install", "uninstall"])
def test_outside_a_worktree_they_say_what_to_do(
    make_repo: Any, tmp_path: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    bare = make_repo("bare", "--bare")
    for place in (tmp_path, bare.path):
        monkeypatch.chdir(place)
        assert main([command]) == 2
        assert "hint: " in capsys.readouterr().err
