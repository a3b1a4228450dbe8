"""What is called stays what the rule means; half of the rows have nothing wrong with them."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from litecode.core.patching.gates.base import Grade, Rewrite
from litecode.core.patching.gates.members import members
from litecode.core.patching.gates.owned import is_own
from litecode.core.patching.gates.wording import names, operators
from litecode.core.patching.judge import judge
from litecode.core.patching.syntax import tokens

Rewriting = Callable[..., Rewrite]

LOG = "Replace print() by logger.info() with %s placeholders (no f-string)."
LOGGER = "Replace print by the logger (no f-string)."
WITHIN = ("import logging", "logger = logging.getLogger(__name__)")


@pytest.mark.parametrize(
    ("language", "before", "new", "pattern", "instruction", "gate"),
    [
        ("python", "print(a.b, c)", 'logger.info("%s %s", a.b, c)', "print($$$A)", LOG, ""),
        ("python", "print(a.b, c)", 'logger.c("%s %s", a.b, c)', "print($$$A)", LOG, "members"),
        ("python", "print(a.b, c)", 'logger.b("%s %s", a.b, c)', "print($$$A)", LOG, "members"),
        ("python", "print(a.b, c)", 'logger.logger("%s %s", a.b, c)', "print($$$A)", LOG, "members"),
        ("python", "print(a.b, c)", 'c.info("%s %s", a.b, c)', "print($$$A)", LOG, "members"),
        ("python", "print(a.b, c)", 'logger.warning("%s %s", a.b, c)', "print($$$A)", LOGGER, ""),
        ("python", "print(a)", 'logger.a("%s", a)', "print($$$A)", LOGGER, "members"),
        ("python", 'print("%s", a)', 'logger.info("%s", a)', "print($$$A)", LOG, ""),
        ("python", 'print("%s is", a)', 'logger.info(a, "%s is")', "print($$$A)", LOG, "logging"),
        ("python", 'print("x %s", 1)', 'logger.info(1, "x %s")', "print($$$A)", LOG, "logging"),
        ("python", "x = d.iteritems()", "x = d.items()", "$D.iteritems()", "Use items() instead.", ""),
        ("python", "x = string.upper(s)", "x = s.upper()", "string.upper($S)", "Call the method of the text.", ""),
        ("python", "x = os.path.exists(p)", "x = p.exists()", "os.path.exists($P)", "Use the Path method.", ""),
        (
            "python",
            "x = a.get(u)",
            "x = a.get(u, timeout=10)",
            "/a\\.get\\((?!.*timeout)/",
            "Add timeout=10 as the last argument.",
            "",
        ),
        (
            "python",
            "x = a.get(u)",
            "x = a.u(u, timeout=10)",
            "/a\\.get\\((?!.*timeout)/",
            "Add timeout=10 as the last argument.",
            "members",
        ),
        ("css", "a { margin: 0px 4px; }", "a { margin: 0 4px; }", "/\\b0px\\b/", "Write 0 without the unit.", ""),
        ("css", "a { margin: 0px 4px; }", "a { margin: 0; }", "/\\b0px\\b/", "Write 0 without the unit.", "numbers"),
        ("python", 'x = "a " + b', 'x = f"a {b}"', '"$A" + $B', "Write an f-string.", ""),
        ("python", 'x = "a " + b', 'x = f"a {c}"', '"$A" + $B', "Write an f-string.", "names"),
        ("python", 'x = f("a") + b', 'x = f("a", b)', "$A + $B", "Pass both to f.", "values"),
        ("python", "x = 'a %s' % b", "x = f'a {b}'", "$A % $B", "Use an f-string in the place of its %s or %d.", ""),
        ("python", "x = f(a)", "x = f('a' % a)", "f($A)", "Call f with it.", "operators"),
        ("python", "x = a + b", 'x = f"{a}{b}"', "$A + $B", "Write an f-string.", ""),
        ("javascript", "f(a, b.c);", "g.h(a, b.c);", "f($$$A)", "Use g.h() instead.", ""),
        ("javascript", "f(a, b.c);", "g.a(a, b.c);", "f($$$A)", "Use g.h() instead.", "members"),
        ("bash", "rm -rf $a/.work", 'rm -rf "$a"/.work', '/(?<!")\\$a/', "Put double quotes around it.", ""),
        ("bash", "rm -rf $a/.work", 'rm -rf "$a/.work"', '/(?<!")\\$a/', "Put double quotes around it.", ""),
        ("bash", 'mv $a "$b/c.tar"', 'mv "$a" "$b/c.tar"', '/(?<!")\\$a/', 'Put double quotes around it ("$b").', ""),
        (
            "bash",
            'mv $a "$b/c.tar"',
            'mv "$a" "$a/c.tar"',
            '/(?<!")\\$a/',
            'Put double quotes around it ("$b").',
            "shell",
        ),
        (
            "bash",
            'mv $a "$b/c.tar"',
            'mv "$b" "$a/c.tar"',
            '/(?<!")\\$a/',
            'Put double quotes around it ("$b").',
            "shell",
        ),
        (
            "bash",
            'mv $a "$b/c.tar"',
            'a "$a" "$b/c.tar"',
            '/(?<!")\\$a/',
            'Put double quotes around it ("$b").',
            "names",
        ),
        (
            "bash",
            'mv $a "$b/c.tar"',
            'mv "$a" "$b/c."',
            '/(?<!")\\$a/',
            'Put double quotes around it ("$b").',
            "strings",
        ),
        ("bash", "mv $a b.tar", 'rm "$a" b.tar', "/(mv|rm) \\$a/", "Put double quotes around it.", "shell"),
        (
            "bash",
            "rm $a",
            'rm "$a"',
            "/rm \\$/",
            "Quote each variable ($name, $1, also with text such as $dir/file).",
            "",
        ),
        ("bash", "n=`date +%s`", "n=$(date +%s)", "/`[^`]+`/", "Use $(...) in place of backticks.", ""),
        ("bash", "grep -r a b", "rg a b", "/grep -r/", "Use rg in place of grep -r.", ""),
        ("bash", "rm -rf $a/.work", 'rm -rf "$a/."', '/(?<!")\\$a/', "Put double quotes around it.", "names"),
    ],
)
def test_what_is_called(
    rewriting: Rewriting, language: str, before: str, new: str, pattern: str, instruction: str, gate: str
) -> None:
    site = before.removeprefix("x = ")
    ensure = WITHIN if "logger" in instruction else ()
    judgement = judge(rewriting(language, before, site, new, pattern=pattern, instruction=instruction, ensure=ensure))
    assert (judgement.refusal.gate if judgement.refusal else "") == gate


@pytest.mark.parametrize(
    ("top", "new", "ensure", "grade"),
    [
        ("", "for (const [i, x] of rows.entries()) f(x);", (), Grade.DOUBT),
        ("import list from 'lists';\n", "for (const [i, x] of rows.entries()) f(x);", (), Grade.REFUSE),
        ("", "for (const [i, x] of rows.entries()) f(x);", ("import list from 'lists';",), Grade.REFUSE),
        ("", "for (const [i, x] of list.entries()) f(x);", (), None),
        ("", "for (const x of rows) f(x);", (), None),
        ("", "for (const [i, x] of rows.f()) f(x);", (), Grade.REFUSE),
    ],
)
def test_an_owner_in_the_instruction_that_only_stands_for_another(
    rewriting: Rewriting, top: str, new: str, ensure: tuple[str, ...], grade: Grade | None
) -> None:
    old = "rows.forEach(x => f(x));"
    instruction = "Write a for...of loop; with an index, loop over list.entries()."
    found = members(
        rewriting(
            "javascript", f"{top}{old}\n", old, new, pattern="$A.forEach($B)", instruction=instruction, ensure=ensure
        )
    )
    assert (found.grade if found else None) == grade


INDEX = "if (items.indexOf(limit) !== -1 && limit >= 1) { cb(total, items); }\n"


@pytest.mark.parametrize(
    ("test", "gate"),
    [
        ("items.includes(limit)", ""),
        ("!items.includes(limit)", "operators"),
        ("limit.includes(items)", "values"),
        ("items.includes(total)", "names"),
        ("total.includes(limit)", "names"),
    ],
)
def test_values_around_a_match_are_no_substitute(rewriting: Rewriting, test: str, gate: str) -> None:
    site = "items.indexOf(limit) !== -1"
    new = INDEX.strip().replace(site, test)
    instruction = "Replace the comparison of indexOf() with -1 by includes()."
    rewrite = rewriting("javascript", INDEX, site, new, pattern="$A.indexOf($B) !== -1", instruction=instruction)
    judgement = judge(rewrite)
    found = judgement.refusal.gate if judgement.refusal else ""
    assert (found != "") == (gate != "")
    assert gate in ("names", "values", found)


JAVA = "class A {\n  void f() {\n    System.out.println(%s);\n  }\n}\n"
PLACES = "Use log.info() with {} placeholders in place of System.out.println."


@pytest.mark.parametrize(
    ("old", "new", "gate"),
    [
        ('"count " + n + " of " + name', 'log.info("count {} of {}", n, name);', ""),
        ('"count " + n + " of " + name', 'log.info("count {} of {}", name, n);', "values"),
        ('"count " + n', 'log.info("count {}", n);', ""),
        ('"count " + (n + 1)', 'log.info("count {}", n + 1);', ""),
        ('"count " + (n + 1)', 'log.info("count {}", n);', "operators"),
        ("n + 1", "log.info(n);", "operators"),
    ],
)
def test_signs_that_join_texts(rewriting: Rewriting, old: str, new: str, gate: str) -> None:
    site = f"System.out.println({old})"
    rewrite = rewriting("java", JAVA % old, site, new, pattern="System.out.println($A)", instruction=PLACES)
    judgement = judge(rewrite)
    assert (judgement.refusal.gate if judgement.refusal else "") == gate


@pytest.mark.parametrize(
    ("handler", "gate"),
    [
        ("except ValueError:", ""),
        ("except (KeyError, OSError):", ""),
        ("except os.error:", ""),
        ("except errors:", ""),  # given to the function's file, perhaps a tuple of classes
        ("except None:", "broad"),
        ("except name:", "broad"),
        ("except found:", "broad"),
        ("except (KeyError, name):", "broad"),
        ("except Exception:", "broad"),
    ],
)
def test_what_is_caught(rewriting: Rewriting, handler: str, gate: str) -> None:
    body = "    try:\n        found = g(name)\n    except:\n        return None\n    return found\n"
    before = f"import os\n\nerrors = ()\n\n\ndef f(name):\n{body}"
    new = f"try:\n        found = g(name)\n    {handler}\n        return None"
    rewrite = rewriting(
        "python",
        before,
        "except:",
        new,
        pattern="/except\\s*:/",
        instruction="Name the exception, for example KeyError.",
    )
    judgement = judge(rewrite)
    assert (judgement.refusal.gate if judgement.refusal else "") == gate


BODY = "def f(a=[]):\n    # first\n    g(a)\n    # second\n    return a  # third\n"
NONE = 'Change the default to None, and begin the body with "if a is None:" and "a = []".'


START = "def f(a=None):\n    if a is None:\n        a = []\n"


@pytest.mark.parametrize(
    ("new", "gates"),
    [
        (START + "    # first\n    g(a)\n    # second\n    return a  # third", set()),
        (
            "def f(a=None):\n    # first\n    if a is None:\n        a = []\n    g(a)\n"
            "    # second\n    return a  # third",
            set(),
        ),
        (START + "    # first\n    g(a)\n    return a  # third\n    # second", {"comments"}),
        (START + "    g(a)\n    # first\n    # second\n    return a  # third", {"comments"}),
    ],
)
def test_a_comment_stays_with_its_code(rewriting: Rewriting, new: str, gates: set[str]) -> None:
    rewrite = rewriting("python", BODY, "def f(a=[]):", new, kind="function", pattern="/=\\[\\]/", instruction=NONE)
    judgement = judge(rewrite)
    assert judgement.refusal is None
    assert {doubt.gate for doubt in judgement.doubts} - {"far"} == gates


WRAP = "Wrap the error with fmt.Errorf and %w, with a short text that says what failed."
GO = "package m\n\nfunc f() error {\n\treturn err\n}\n"


@pytest.mark.parametrize(
    ("new", "gate"),
    [
        ('return fmt.Errorf("failed to load: %w", err)', ""),
        ('return fmt.Errorf("failed to load: %v", err)', "asked"),
        ('return fmt.Errorf("failed to load")', "asked"),
        ("return wrap(err)", "asked"),
    ],
)
def test_a_placeholder_that_is_asked_for_is_there(rewriting: Rewriting, new: str, gate: str) -> None:
    judgement = judge(rewriting("go", GO, "return err", new, pattern="/return err$/", instruction=WRAP))
    assert (judgement.refusal.gate if judgement.refusal else "") == gate


RAISE = 'Add "from err" to the raise, and name it in the except line ("except X as err:"); use a name that is there.'


@pytest.mark.parametrize(
    ("before", "new", "gate"),
    [
        (
            "try:\n    f()\nexcept E as err:\n    raise B()",
            "try:\n    f()\nexcept E as err:\n    raise B() from err",
            "",
        ),
        (
            "try:\n    f()\nexcept E as exc:\n    raise B()",
            "try:\n    f()\nexcept E as exc:\n    raise B() from exc",
            "",
        ),
        ("try:\n    f()\nexcept E:\n    raise B()", "try:\n    f()\nexcept E as err:\n    raise B() from err", ""),
        ("try:\n    f()\nexcept E:\n    raise B()", "try:\n    f()\nexcept E:\n    raise B()  ", "asked"),
        (
            "try:\n    f()\nexcept E as exc:\n    raise B()",
            "try:\n    f()\nexcept E as exc:\n    raise B(exc)",
            "asked",
        ),
    ],
)
def test_a_name_that_is_there_serves(rewriting: Rewriting, before: str, new: str, gate: str) -> None:
    judgement = judge(
        rewriting("python", before, before, new, pattern="/raise B\\(\\)$/", instruction=RAISE, certain=False)
    )
    assert (judgement.refusal.gate if judgement.refusal else "") == gate


LOOP = (
    "function f(items) {\n  let sum = 0;\n  for (let i = 0; i < items.length; i++) {\n    sum += items[i].price;\n  }\n"
)
EACH = "Write a for...of loop over the array, with the element in place of the index access."


@pytest.mark.parametrize(
    ("rest", "new", "grade"),
    [
        ("  return sum;\n}\n", "for (const item of items) {\n    sum += item.price;\n  }", Grade.AGREE),
        ("  return i;\n}\nlet i = 3;\n", "for (const item of items) {\n    sum += item.price;\n  }", Grade.REFUSE),
        ("  return sum;\n}\n", "for (const item of rows) {\n    sum += item.price;\n  }", Grade.REFUSE),
        ("  return sum;\n}\n", "for (let i = 0; i < 3; i++) {\n    sum += 1;\n  }", Grade.REFUSE),
    ],
)
def test_a_counter_may_go_with_its_loop(rewriting: Rewriting, rest: str, new: str, grade: Grade) -> None:
    site = "for (let i = 0; i < items.length; i++) {\n    sum += items[i].price;\n  }"
    pattern = "/for \\(let i = 0; i < (\\w+)\\.length; i\\+\\+\\)/"
    rewrite = rewriting("javascript", LOOP + rest, site, new, instruction=EACH, pattern=pattern)
    assert grade is Grade.REFUSE or (operators(rewrite), members(rewrite)) == (None, None)
    objection = names(rewriting("javascript", LOOP + rest, site, new, instruction=EACH, pattern=pattern))
    assert objection is not None
    assert objection.grade is grade


@pytest.mark.parametrize(
    ("language", "code", "name", "own"),
    [
        ("python", "for row in rows:\n    f(row)", "row", True),
        ("python", "for row in rows:\n    f(row)", "rows", False),
        ("python", "with open(p) as s:\n    f(s)", "s", True),
        ("python", "with open(p) as s:\n    f(s)", "p", False),
        ("python", "g(lambda a: a + b)", "a", True),
        ("python", "g(lambda a: a + b)", "b", False),
        ("python", "x = [f(n) for n in m]", "n", True),
        ("python", "x = [f(n) for n in m]", "m", False),
        ("javascript", "f(a, (err, text) => g(text));", "text", True),
        ("javascript", "f(a, (err, text) => g(text));", "a", False),
        ("javascript", "f(a, text => g(text));", "text", True),
        ("javascript", "f(a, function (text) { g(text); });", "text", True),
        ("javascript", "try { f(); } catch (err) { g(err); }", "err", True),
        ("javascript", "const x = y;", "x", True),
        ("javascript", "const x = y;", "y", False),
        ("javascript", "x = y;", "x", False),
        ("typescript", "f((a: string) => g(a));", "a", True),
        ("rust", "fn f() { g(|a| a + b); }", "a", True),
        ("rust", "fn f() { g(|a| a + b); }", "b", False),
        (None, "for row in rows", "row", False),
    ],
)
def test_what_a_region_makes_for_itself(
    rewriting: Rewriting, language: str | None, code: str, name: str, own: bool
) -> None:
    rewrite = rewriting(language, code + "\n", code, "x")
    token = next(t for t in tokens(rewrite.before, language) if t.text == name)
    assert is_own(rewrite, token) is own
