from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import Any

import msgspec
import pytest

from litecode.core.git.repository import Repository
from litecode.core.llm.models import KnownModel, known_models
from litecode.hooks import doctor
from litecode.hooks.cli import main
from litecode.hooks.doctor import Check, Health
from litecode.hooks.install import install
from litecode.hooks.place import locate

TINY = b"a model"
GOOD = "rules:\n- {id: a, message: M., language: python, pattern: print($A), fix: log($A)}\n"


@pytest.fixture
def tiny_model(monkeypatch: pytest.MonkeyPatch) -> KnownModel:
    facts = {"name": "tiny", "file": "tiny.gguf", "size": len(TINY), "sha256": hashlib.sha256(TINY).hexdigest()}
    model = msgspec.structs.replace(known_models()[0], **facts)
    for place in ("files", "models"):
        monkeypatch.setattr(f"litecode.core.llm.{place}.known_models", lambda: (model,))
    return model


def found(repo: Any) -> Repository:
    return Repository.discover(repo.path, os.environ)


@pytest.mark.parametrize(
    ("text", "health", "detail", "remedy"),
    [
        (None, Health.WARNING, "there is no .litecode.yaml", "git litecode init"),
        (GOOD, Health.OK, "1 rule, every pattern can be used", ""),
        ("rules: []\n", Health.WARNING, "no rule is switched on", "add one"),
        (GOOD.replace("fix: log($A)", "severity: 'off'"), Health.WARNING, "no rule is switched on", "add one"),
        (GOOD.replace("language: python", "language: klingon"), Health.PROBLEM, ".litecode.yaml:2:", ""),
        (
            GOOD.replace("fix: log($A)", f"instruction: {'Say it again. ' * 400}"),
            Health.WARNING,
            "rule a: the instruc",
            "few",
        ),
        (GOOD.replace("fix: log($A)", f"instruction: {'Say it again. ' * 40}"), Health.OK, "1 rule", ""),
        (GOOD.replace("print($A)", "'print('"), Health.PROBLEM, "does not parse", "brackets"),
        (
            GOOD.replace("log($A)", "'log('"),
            Health.PROBLEM,
            ".litecode.yaml:2:67: rule a: `fix` does not parse",
            "brackets",
        ),
        (
            GOOD.replace("fix: ", "ensure: ['log =('], fix: "),
            Health.PROBLEM,
            "`ensure` does not parse",
            "one statement",
        ),
        ("rules:\n\t- a\n", Health.PROBLEM, ".litecode.yaml:2:1", "spaces"),
        (b"\xff\xfe", Health.PROBLEM, ".litecode.yaml", ""),
    ],
)
def test_rules(repo: Any, text: str | bytes | None, health: Health, detail: str, remedy: str) -> None:
    if text is not None:
        repo.write(".litecode.yaml", text)
    check = doctor.check_rules(found(repo))
    assert check.health is health
    assert detail in check.detail
    assert remedy in check.remedy
    assert bool(check.remedy) is (health is not Health.OK)


SCR = "rules:\n- {id: a, message: M., language: python, pattern: x, files: ^scr/}\n"


@pytest.mark.parametrize(
    ("text", "files", "lost"),
    [
        (SCR, {"src/a.py": "x\n"}, "a"),
        (SCR, {"scr/a.py": "x\n"}, None),
        (SCR, {}, None),  # nothing is tracked
        (SCR.replace("language: python, pattern", "types: [shell], regex"), {"scr/a.py": "x\n"}, "a"),
        (SCR.replace("language: python, pattern", "types: [shell], regex"), {"scr/a": "x\n"}, "a"),
        (SCR.replace("language: python, pattern", "regex"), {"scr/a": "x\n"}, None),
        (SCR.replace("message: M.,", "message: M., severity: 'off',"), {"src/a.py": "x\n"}, None),
        ("extends: [litecode:javascript-modern]\n" + SCR, {"scr/a.py": "x\n"}, None),
        ("extends: [litecode:javascript-modern]\n" + SCR, {"src/a.js": "x\n"}, "a"),
        ("files: ^scr/\nextends: [litecode:javascript-promises]\n", {"src/a.js": "x\n"}, "and 2 more"),
        ("rules: 1\n", {"src/a.js": "x\n"}, None),
    ],
)
def test_rules_without_a_file(repo: Any, text: str, files: dict[str, str], lost: str | None) -> None:
    repo.write(".litecode.yaml", text)
    if files:
        repo.add(files)
    checks = list(doctor.check_reach(found(repo)))
    if lost is None:
        assert checks == []
        return
    (check,) = checks
    assert (check.name, check.health) == ("rules", Health.WARNING)
    assert check.detail.startswith("no file of this repository comes under ")
    assert check.detail.endswith(lost)
    assert "`files`, `exclude` and `types`" in check.remedy


def test_a_program_without_an_ending_may_be_whatever_a_rule_wants(repo: Any) -> None:
    repo.write(".litecode.yaml", SCR.replace("language: python, pattern", "types: [shell], regex"))
    repo.add({"scr/a": "#!/bin/sh\n"})
    repo.git("update-index", "--chmod=+x", "scr/a")
    assert list(doctor.check_reach(found(repo))) == []
    repo.git("mv", "scr", "src")
    assert len(list(doctor.check_reach(found(repo)))) == 1


def test_hook_of_our_own(repo: Any) -> None:
    assert doctor.check_hooks(found(repo))[:2] == ("hook", Health.WARNING)
    repo.hook("pre-commit", "exit 0")
    install(locate(found(repo)))
    check = doctor.check_hooks(found(repo))
    assert check.health is Health.OK
    assert check.detail.endswith("after pre-commit.litecode-chained")
    hook = repo / ".git/hooks/pre-commit"
    hook.write_bytes(hook.read_bytes() + b"echo mine\n")
    assert doctor.check_hooks(found(repo)).health is Health.WARNING


def test_hook_whose_python_is_gone(repo: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("litecode.hooks.install.sys.executable", str(tmp_path / "python of mine"))
    monkeypatch.setattr("litecode.hooks.install.interpreter_flags", lambda: "-I")
    install(locate(found(repo)))
    check = doctor.check_hooks(found(repo))
    assert check.health is Health.PROBLEM
    assert "git litecode install" in check.remedy
    (tmp_path / "python of mine").write_text("", encoding="utf-8")
    (tmp_path / "python of mine").chmod(0o755)
    assert doctor.check_hooks(found(repo)).health is Health.OK


@pytest.mark.parametrize(
    ("hook", "config", "health"),
    [
        ("exec litecode-hook pre-commit", None, Health.OK),
        ("exec something-else", None, Health.WARNING),
        (None, "repos:\n- repo: local\n  hooks: [{id: litecode}]\n", Health.OK),
        (None, "repos: []\n", Health.WARNING),
        ("exec pre-commit hook-impl", "repos:\n- repo: local\n  hooks: [{id: litecode-check}]\n", Health.OK),
    ],
)
def test_hooks_of_others(repo: Any, hook: str | None, config: str | None, health: Health) -> None:
    if hook:
        repo.hook("pre-commit", hook)
    if config:
        repo.write(".pre-commit-config.yaml", config)
    assert doctor.check_hooks(found(repo)).health is health


def last_checks(repo: Any) -> dict[str, Check]:
    return {check.name: check for check in doctor.examine(repo.path, os.environ)}


def test_settings(repo: Any) -> None:
    assert last_checks(repo)["settings"].health is Health.OK
    repo.config("litecode.endpoint", "embedded")
    check = last_checks(repo)["settings"]
    assert (check.health, "endpoint" in check.detail) == (Health.WARNING, True)
    repo.config("litecode.deadline", "soon")
    assert last_checks(repo)["settings"].health is Health.PROBLEM
    assert "model" not in last_checks(repo)  # it depends on the settings


def test_model(repo: Any, hermetic: Path, tiny_model: KnownModel) -> None:
    check = last_checks(repo)["model"]
    assert check.health is Health.PROBLEM
    assert "git litecode model pull" in check.remedy
    path = hermetic / ".cache/litecode/models" / tiny_model.file
    path.parent.mkdir(parents=True)
    path.write_bytes(b"x" * tiny_model.size)
    check = last_checks(repo)["model"]
    assert check.health is Health.PROBLEM
    assert "SHA-256" in check.detail
    assert "fetch it again" in check.remedy
    path.write_bytes(TINY)
    check = last_checks(repo)["model"]
    assert (check.health, check.remedy) == (Health.OK, "")
    assert check.detail == f"tiny (embedded), 8,192 tokens, digest {tiny_model.sha256[:12]}"


def test_models_beside_the_first(repo: Any, hermetic: Path, tiny_model: KnownModel) -> None:
    assert not {"fallback", "judge"} & last_checks(repo).keys()
    home = hermetic / ".gitconfig"
    before = home.read_text() if home.exists() else ""
    home.write_text(f'{before}[litecode]\n\tfallback = tiny\n\tjudge = "https://gpu.invalid/v1#m"\n')
    path = hermetic / ".cache/litecode/models" / tiny_model.file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(TINY)
    checks = last_checks(repo)
    home.write_text(before)
    assert (checks["fallback"].health, checks["fallback"].detail[:15]) == (Health.WARNING, "tiny (embedded)")
    assert checks["fallback"].detail.endswith("the model of the run itself, which gives the same answers again")
    assert checks["fallback"].remedy == "name another model in litecode.fallback"
    assert (checks["judge"].health, "gpu.invalid is not this machine" in checks["judge"].detail) == (
        Health.PROBLEM,
        True,
    )


@pytest.mark.parametrize(
    ("said", "health"),
    [
        (b"git version 2.30.9\n", Health.PROBLEM),
        (b"git version 1.99\n", Health.PROBLEM),
        (b"no git at all\n", Health.PROBLEM),
        (b"git version 2.31.0\n", Health.OK),
        (b"git version 2.39.5 (Apple Git-154)\n", Health.OK),
        (b"git version 3.0.1\n", Health.OK),
    ],
)
def test_git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: bytes, health: Health) -> None:
    fake = tmp_path / "bin/git"
    fake.parent.mkdir()
    fake.write_bytes(b"#!/bin/sh\ncat <<END\n" + said + b"END\n")
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", f"{fake.parent}:/usr/bin:/bin")
    assert doctor.check_git(tmp_path, os.environ).health is health


def test_the_command(repo: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    repo.write(".litecode.yaml", GOOD)
    monkeypatch.chdir(repo.path)
    before = repo.snapshot()
    main(["doctor"])
    out = capsys.readouterr().out.splitlines()
    assert out[1] == f"ok       repository  {repo.path}"
    assert out[2].startswith("warning  hook        not installed")
    assert out[3] == f"{'':21}-> run `git litecode install`, if commits are to be checked here"
    main(["doctor", "--format", "json"])
    checks = json.loads(capsys.readouterr().out)
    assert [set(check) for check in checks] == [{"name", "health", "detail", "remedy"}] * len(checks)
    assert [check["name"] for check in checks] == [
        *("git", "repository", "hook", "rules", "settings", "trust", "runs", "endpoint", "model")
    ]
    assert repo.snapshot() == before
    repo.write(".litecode.yaml", "rules: 1\n")
    assert main(["doctor"]) == 1


def test_outside_a_repository_it_is_a_finding_not_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["doctor"]) == 1
    assert capsys.readouterr().out.splitlines()[1].startswith("problem  repository")


def test_without_git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert main(["doctor"]) == 1
    assert "install git" in capsys.readouterr().out
