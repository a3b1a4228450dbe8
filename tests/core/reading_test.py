"""From staged files and rules to tasks: what is looked at, and what is left alone."""

from __future__ import annotations

from typing import Any

import pytest

from litecode.core.errors import RuleError
from litecode.core.reading import Reading, plan_of, read
from litecode.core.values import SkippedFile, Task
from litecode.core.world import Options

BAD = "x = a == None\n"


def looked(scene: Any, **options: Any) -> Reading:
    return read(scene.world(), Options(**options))


def pairs(reading: Reading) -> list[tuple[str, str]]:
    return [(work.file.path, rule.rule.id) for work in reading.works for rule in work.rules]


def test_every_file_with_a_site_gets_the_rules_that_find_one(scene: Any, rules: Any) -> None:
    scene.base(rules.IS_NONE, rules.PRINT, rules.DEBUGGER)
    scene.stage({"a.py": BAD + "print(1)\n", "b.py": "print(1)\n", "c.py": "x = 1\n", "d.md": BAD})
    reading = looked(scene)
    assert pairs(reading) == [("a.py", "is-none"), ("a.py", "no-print"), ("b.py", "no-print")]
    assert (reading.files, reading.skipped) == (4, ())
    assert reading.works[0].data == (BAD + "print(1)\n").encode()


def test_the_tasks_of_a_file_follow_the_order_of_the_rules(scene: Any, rules: Any) -> None:
    scene.base(rules.PRINT, rules.IS_NONE, rules.DEBUGGER)
    scene.stage({"a.py": BAD + "print(1)\nbreakpoint()\n", "b.py": "print(1)\n"})
    plan, work_of = plan_of(looked(scene))
    assert plan.tasks == (
        Task("1", "a.py", "Replace print by logger.info.", rule="no-print"),
        Task("2", "a.py", "fix: $A is None", rule="is-none"),
        Task("3", "a.py", "report", rule="no-debugger"),
        Task("4", "b.py", "Replace print by logger.info.", rule="no-print"),
    )
    assert {name: (work.file.path, rule.rule.id) for name, (work, rule) in work_of.items()} == {
        task.id: (task.path, task.rule) for task in plan.tasks
    }


@pytest.mark.parametrize(
    ("options", "want"),
    [
        ({}, ["a.py is-none", "a.py no-print", "src/b.py is-none"]),
        ({"only": ("is-none",)}, ["a.py is-none", "src/b.py is-none"]),
        ({"skip": ("is-none",)}, ["a.py no-print"]),
        ({"only": ("is-none",), "skip": ("is-none",)}, []),
        ({"only": ("nonsense",)}, []),
        ({"paths": ("src",)}, ["src/b.py is-none"]),
        ({"paths": ("a.py",), "skip": ("no-print",)}, ["a.py is-none"]),
    ],
)
def test_only_skip_and_paths(scene: Any, rules: Any, options: dict[str, Any], want: list[str]) -> None:
    scene.base(rules.IS_NONE, rules.PRINT)
    scene.stage({"a.py": BAD + "print(1)\n", "src/b.py": BAD})
    assert [" ".join(pair) for pair in pairs(looked(scene, **options))] == want


def test_a_rule_that_is_off_is_not_looked_at(scene: Any, rules: Any) -> None:
    scene.base(rules.IS_NONE + "  severity: 'off'\n")
    scene.stage({"a.py": BAD})
    assert pairs(looked(scene)) == []


class TestWhere:
    @pytest.fixture
    def edited(self, scene: Any, rules: Any) -> Any:
        scene.base(rules.IS_NONE, a_py="x = a == None\ny = 1\n", b_py="x = b == None\n")
        scene.stage({"a.py": "x = a == None\ny = 2\n"})
        return scene

    def test_unchanged_lines_have_no_sites(self, edited: Any) -> None:
        assert pairs(looked(edited)) == []
        edited.stage({"a.py": "x = a == None\ny = 2 == None\n"})
        assert pairs(looked(edited)) == [("a.py", "is-none")]

    def test_all_files_means_all_lines(self, edited: Any) -> None:
        reading = looked(edited, all_files=True)
        assert pairs(reading) == [("a.py", "is-none"), ("b.py", "is-none")]
        assert reading.files == 3

    def test_a_rule_can_look_at_whole_files(self, edited: Any, rules: Any) -> None:
        edited.repo.write(".litecode.yaml", "rules:\n" + rules.IS_NONE + "  where: file\n")
        assert pairs(looked(edited)) == [("a.py", "is-none")]

    def test_a_range_of_commits(self, edited: Any) -> None:
        edited.repo.add({"c.py": BAD, "d.py": BAD}, commit="more")
        edited.repo.add({"d.py": None}, commit="less")
        assert pairs(looked(edited, from_ref="HEAD~2", to_ref="HEAD~1")) == [("c.py", "is-none"), ("d.py", "is-none")]
        assert pairs(looked(edited, from_ref="HEAD~2")) == [("c.py", "is-none")]


def test_what_is_staged_is_read_and_not_the_worktree(scene: Any, rules: Any) -> None:
    scene.base(rules.IS_NONE)
    scene.stage({"a.py": BAD, "b.py": "x = 1\n"})
    scene.repo.write("a.py", "x = 1\n")
    scene.repo.write("b.py", BAD)
    assert pairs(looked(scene)) == [("a.py", "is-none")]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"caf\xe9 == None\n", "not UTF-8 (byte 3)"),
        (b"x == None\r\ny\n", "mixed line ends"),
        (b"x == None\n" + b"#" * 20_001 + b"\n", "a line longer than 20000 characters"),
        (b"x == None\n" * 110_000, "larger than 1024 KiB"),
    ],
)
def test_what_cannot_be_read_is_left_alone_with_the_reason(scene: Any, rules: Any, content: bytes, reason: str) -> None:
    scene.base(rules.IS_NONE)
    scene.stage({"a.py": content, "b.py": BAD})
    reading = looked(scene)
    assert reading.skipped == (SkippedFile("a.py", reason),)
    assert pairs(reading) == [("b.py", "is-none")]
    assert reading.files == 2


def test_a_file_that_no_rule_selects_is_not_even_read(scene: Any, rules: Any) -> None:
    scene.base(rules.IS_NONE)
    scene.stage({"a.bin": b"\0\xff", "latin.txt": b"caf\xe9\n"})
    reading = looked(scene)
    assert (reading.works, reading.skipped, reading.files) == ((), (), 2)


def test_what_is_no_file_is_left_alone(scene: Any, rules: Any) -> None:
    scene.base(rules.IS_NONE)
    (scene.repo / "link.py").symlink_to("a.py")
    scene.repo.git("add", "link.py")
    assert looked(scene).skipped == (SkippedFile("link.py", "a symbolic link"),)


class TestLanguages:
    ANY = "- id: todo\n  message: Open.\n  regex: TODO\n"

    def test_the_parser_is_that_of_the_file_or_of_the_rule(self, scene: Any, rules: Any) -> None:
        tagged = rules.IS_NONE.replace("  pattern", "  types: [text]\n  pattern")
        scene.base(self.ANY, tagged)
        scene.stage({"a.py": "TODO\n", "b.js": "TODO\n", "c.unknown": "TODO\n", "d.md": BAD})
        reading = looked(scene)
        assert pairs(reading) == [("a.py", "todo"), ("b.js", "todo"), ("c.unknown", "todo"), ("d.md", "is-none")]
        assert [work.rules[0].grammar for work in reading.works] == ["python", "javascript", None, "python"]

    def test_a_rule_is_made_ready_once_for_each_language(self, scene: Any) -> None:
        scene.base(self.ANY)
        scene.stage({"a.py": "TODO\n", "b.py": "TODO\n", "c.js": "TODO\n"})
        one, two, other = (work.rules[0] for work in looked(scene).works)
        assert one is two
        assert other.rule is one.rule
        assert other is not one


class TestBrokenRules:
    BROKEN = "- id: broken\n  message: Broken.\n  language: javascript\n  pattern: 'f('\n"

    def test_one_that_is_needed_stops_everything(self, scene: Any, rules: Any) -> None:
        scene.base(rules.IS_NONE, self.BROKEN)
        scene.stage({"a.js": "f()\n"})
        with pytest.raises(RuleError) as caught:
            looked(scene)
        assert str(caught.value) == ".litecode.yaml:10:12: rule broken: `pattern` does not parse as javascript: f("

    def test_one_that_no_file_needs_is_not_looked_at(self, scene: Any, rules: Any) -> None:
        scene.base(rules.IS_NONE, self.BROKEN)
        scene.stage({"a.py": BAD})
        assert pairs(looked(scene)) == [("a.py", "is-none")]

    def test_a_regex_that_takes_too_long_is_named_with_the_file(
        self, scene: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("litecode.core.patching.match.REGEX_SECONDS", 0.05)
        scene.base("- {id: slow, message: Slow., regex: '(a|aa)+b'}\n")
        scene.stage({"a.txt": "a" * 60 + "c\n"})
        with pytest.raises(RuleError) as caught:
            looked(scene)
        where, rest = str(caught.value).split(": ", 1)
        assert where == ".litecode.yaml:2:37"
        assert rest.startswith("rule slow on a.txt: the regex needs more than ")
        assert caught.value.hint == "avoid nested repetition such as (a+)+ in it"


UNSEEN = "unstaged edits of {} were not looked at"
NOTHING = "nothing{} is staged, so nothing was looked at (`git add` it, or --all-files)"


class TestWhatWasNotLookedAt:
    """`a.py` has edits beside what is staged, `b.py` has nothing but edits, `c.py` none."""

    @pytest.fixture
    def scene(self, scene: Any, rules: Any) -> Any:
        scene.base(rules.IS_NONE, a_py="x = 1\n", b_py="x = 1\n", c_py="x = 1\n")
        scene.stage({"a.py": "x = 2\n"})
        scene.repo.write("a.py", "x = 3\n")
        scene.repo.write("b.py", "x = 3\n")
        scene.repo.write("new.py", "x = 3\n")
        return scene

    @pytest.mark.parametrize(
        ("options", "want"),
        [
            ({}, ()),  # whoever stages a part of a file knows it
            ({"paths": ("a.py",)}, (UNSEEN.format("a.py"),)),
            ({"paths": ("b.py",)}, (UNSEEN.format("b.py"),)),
            ({"paths": ("",)}, (UNSEEN.format("a.py, b.py"),)),
            ({"paths": ("c.py",)}, (NOTHING.format(" of what was named"),)),
            ({"paths": ("new.py",)}, (NOTHING.format(" of what was named"),)),
            ({"all_files": True}, (UNSEEN.format("a.py, b.py"),)),
            ({"all_files": True, "paths": ("b.py",)}, (UNSEEN.format("b.py"),)),
            ({"all_files": True, "paths": ("c.py",)}, ()),
            ({"paths": ("b.py",), "hook": True}, ()),
            ({"paths": ("b.py",), "from_ref": "HEAD"}, ()),
            ({"content": ("b.py", b"x = 3\n")}, ()),
        ],
    )
    def test_notes(self, scene: Any, options: dict[str, Any], want: tuple[str, ...]) -> None:
        assert looked(scene, check=True, **options).notes == want

    @pytest.mark.parametrize(
        ("options", "want"),
        [
            ({"check": True}, (NOTHING.format(""),)),
            ({}, ()),  # the first line of a run says so
            ({"paths": ("b.py",)}, (UNSEEN.format("b.py"),)),
            ({"check": True, "all_files": True}, (UNSEEN.format("a.py, b.py"),)),
            ({"check": True, "hook": True}, ()),
        ],
    )
    def test_nothing_is_staged(self, scene: Any, options: dict[str, Any], want: tuple[str, ...]) -> None:
        scene.repo.git("reset", "-q")
        assert looked(scene, **options).notes == want

    def test_a_deletion_is_staged(self, scene: Any) -> None:
        scene.repo.git("reset", "-q")
        scene.repo.git("rm", "-q", "c.py")
        assert looked(scene, check=True).notes == looked(scene, check=True, paths=("c.py",)).notes == ()

    def test_edits_of_the_rules_file_count(self, scene: Any, rules: Any) -> None:
        scene.repo.write(".litecode.yaml", "rules:\n" + rules.PRINT)
        scene.stage({"a.py": "x = 2\n"})
        assert looked(scene, check=True, paths=(".litecode.yaml", "a.py")).notes == ()

    def test_what_git_does_not_look_at(self, scene: Any) -> None:
        scene.repo.git("update-index", "--assume-unchanged", "b.py")
        assert looked(scene, paths=("b.py",)).notes == ()


@pytest.mark.parametrize(("times", "count"), [(1, 0), (40, 0), (400, 1)])
def test_an_instruction_that_is_too_long(scene: Any, rules: Any, times: int, count: int) -> None:
    scene.base(rules.PRINT.replace("Replace print by logger.info.", "Replace print by logger.info. " * times))
    scene.stage({"a.py": "print(1)\n", "b.py": "print(2)\n", "c.py": "x = 1\n"})
    notes = looked(scene).notes
    assert len(notes) == count
    assert all(note.startswith("rule no-print: the instruction is too long: ") for note in notes)
