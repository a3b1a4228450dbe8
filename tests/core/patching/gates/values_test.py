"""Values of a match are kept whole and in order, whatever is made of the text around them."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from litecode.core.patching.gates.base import Grade, Rewrite
from litecode.core.patching.gates.literals import formats, strings
from litecode.core.patching.gates.values import texts, values

Rewriting = Callable[..., Rewrite]

PRINT = "print($$$A)"
LOG = "console.log($$$A)"


@pytest.mark.parametrize(
    ("language", "pattern", "old", "new"),
    [
        ("python", PRINT, "print(a, b)", 'logger.info("%s %s", a, b)'),
        ("python", PRINT, "print(a, b,)", 'logger.info("%s %s", a, b)'),
        ("python", PRINT, "print(a, a)", 'logger.info("%s %s", a, a)'),
        ("python", PRINT, "print(f(a, b)[0].c)", 'logger.info("%s", f(a, b)[0].c)'),
        ("python", PRINT, "print(f(\n    a,\n    b,\n))", 'logger.info("%s", f(a, b))'),
        ("python", PRINT, 'print(f"{a}: {b!r:>8} {c.d[0]}")', 'logger.info("%s: %8r %s", a, b, c.d[0])'),
        ("python", PRINT, "print(f\"{a['k']}\")", "logger.info('%s', a[\"k\"])"),
        ("python", PRINT, 'print("a" + str(b) + c)', 'logger.info("a%s%s", b, c)'),
        ("python", PRINT, 'print("%s %s" % (a, b))', 'logger.info("%s %s", a, b)'),
        ("python", PRINT, 'print("%s" % a)', 'logger.info("%s", a)'),
        ("python", PRINT, 'print("{} {}".format(a, b + 1))', 'logger.info("%s %s", a, b + 1)'),
        ("python", PRINT, 'print("{1} {0}".format(a, b))', 'logger.info("%s %s", b, a)'),
        ("python", PRINT, 'print("{x}".format(x=a))', 'logger.info("%s", a)'),
        ("python", PRINT, 'print("a", "b")', 'logger.info("a b")'),
        ("python", PRINT, "print()", 'logger.info("")'),
        ("python", PRINT, "print((a))", 'logger.info("%s", a)'),
        ("python", PRINT, "print(a if b else c, lambda: d)", 'logger.info("%s %s", a if b else c, lambda: d)'),
        ("python", PRINT, "print(a, end=b)", 'logger.info("%s%s", a, b)'),
        ("python", PRINT, "print(a, print(b))", 'logger.info("%s %s", a, logger.info(b))'),
        ("javascript", "throw { $$$K }", "throw { status: 4, message: a + b };", "throw new E(4, a + b);"),
        ("typescript", "throw { $$$K }", "throw { status: n ? 4 : 5 };", "throw new E(n ? 4 : 5);"),
        ("python", "open($F)", "open(a / b)", "(a / b).open()"),
        ("python", "assertEqual($A, $B)", "assertEqual(f(x), y)", "assert f(x) == y"),
        ("python", "dict($$$A)", "dict(a=1, b=f(2))", '{"a": 1, "b": f(2)}'),
        ("python", "$A % $B", '"%s is %d" % (a, b.c)', 'f"{a} is {b.c}"'),
        ("python", "$A % $B", "a % b", "mod(a, b)"),
        ("python", "$A.has_key($K)", "d.has_key(k)", "k in d"),
        ("python", "if $A: $$$B", "if a.b:\n    f(1)", "if not a.b:\n    g(2)"),
        ("javascript", LOG, "console.log('a', b, c.length)", "logger.debug('a', b, c.length)"),
        ("javascript", LOG, "console.log(`${a} of ${b + 1}`)", "logger.debug('%s of %s', a, b + 1)"),
        ("javascript", LOG, "console.log('a' + b)", "logger.debug(`a${b}`)"),
        ("javascript", LOG, "console.log(String(a))", "logger.debug(a)"),
        ("javascript", "f($A, $B)", "f(a, (err, b) => { g(b); })", "const b = await f(a); g(b);"),
        ("typescript", "$A as any", "x.y as any", "x.y as unknown"),
        ("go", "fmt.Println($$$A)", 'fmt.Println("a", n, m[0])', 'log.Printf("a %v %v", n, m[0])'),
        ("rust", "$A.unwrap()", "a.b(c).unwrap()", "a.b(c)?"),
        ("java", "System.out.println($$$A)", 'System.out.println("a" + b)', 'log.info("a{}", b)'),
        ("ruby", "puts $A", 'puts "a #{b.c}"', 'log.info("a #{b.c}")'),
        ("bash", "echo $A", 'echo "$a"', 'printf "%s" "$a"'),
    ],
)
def test_kept(rewriting: Rewriting, language: str, pattern: str, old: str, new: str) -> None:
    before = f"package p\n\nfunc f() {{\n\t{old}\n}}\n" if language == "go" else f"{old}\n"
    instruction = "Use the in operator (reversed order)." if "has_key" in pattern else ""
    assert values(rewriting(language, before, old, new, pattern=pattern, instruction=instruction)) is None


ORDER = "is not in its place; keep the order"
LOST = "was changed, taken apart or lost"


@pytest.mark.parametrize(
    ("language", "pattern", "old", "new", "said"),
    [
        ("python", PRINT, "print(a, b)", 'logger.info("%s %s", b, a)', f"the value `b` {ORDER}"),
        ("python", PRINT, 'print(f"{a}: {b}")', 'logger.info("%s: %s", b, a)', f"the value `b` {ORDER}"),
        ("python", PRINT, 'print("a", b, c)', 'logger.info("a %s %s", c, b)', f"the value `c` {ORDER}"),
        ("python", PRINT, "print(a, b.c)", 'logger.info("%s %s", b.c, a)', f"the value `b.c` {ORDER}"),
        ("python", PRINT, "print(a, a)", 'logger.info("%s", a)', f"the value `a` {LOST}"),
        ("python", PRINT, "print(f(x))", 'logger.info("%s %s", f, x)', f"the value `f(x)` {LOST}"),
        ("python", PRINT, "print(x[i])", 'logger.info("%s %s", x, i)', f"the value `x[i]` {LOST}"),
        ("python", PRINT, "print(f(a, b))", 'logger.info("%s", f(b, a))', f"the value `f(a, b)` {LOST}"),
        ("python", PRINT, "print(a.b.c)", 'logger.info("%s", a.c.b)', f"the value `a.b.c` {LOST}"),
        ("python", PRINT, "print(a - b)", 'logger.info("%s", b - a)', f"the value `a - b` {LOST}"),
        (
            "python",
            PRINT,
            "print(a if b else c)",
            'logger.info("%s", b if a else c)',
            f"the value `a if b else c` {LOST}",
        ),
        ("python", PRINT, "print(x[1:2])", 'logger.info("%s", x[2:1])', f"the value `x[1:2]` {LOST}"),
        ("python", PRINT, "print({a: b})", 'logger.info("%s", {b: a})', f"the value `{{a: b}}` {LOST}"),
        (
            "python",
            PRINT,
            "print([a for a in x])",
            'logger.info("%s", [x for x in a])',
            f"the value `[a for a in x]` {LOST}",
        ),
        ("python", PRINT, "print(lambda: a)", 'logger.info("%s", a)', f"the value `lambda: a` {LOST}"),
        ("python", PRINT, "print((a, b))", 'logger.info("%s %s", a, b)', f"the value `(a, b)` {LOST}"),
        ("python", PRINT, "print(f(a)(b))", 'logger.info("%s", f(a, b))', f"the value `f(a)(b)` {LOST}"),
        ("python", PRINT, "print(a['k'])", "logger.info('%s', a['j'])", f"the value `a['k']` {LOST}"),
        ("python", PRINT, 'print("{} {}".format(a, b))', 'logger.info("%s %s", b, a)', f"the value `b` {ORDER}"),
        ("python", PRINT, 'print("%s %s" % (a, b))', 'logger.info("%s %s", b, a)', f"the value `b` {ORDER}"),
        ("python", "$A % $B", '"%s is %d" % (a, b)', 'f"{b} is {a}"', f"the value `b` {ORDER}"),
        ("python", "$A.has_key($K)", "d.has_key(k)", "k in d", f"the value `k` {ORDER}"),
        ("python", "print($A, $$$)", "print(a, b, c)", "log(a, c)", f"the value `b` {LOST}"),
        ("javascript", "throw { $$$K }", "throw { a: b + c };", "throw new E(c + b);", f"the value `b + c` {LOST}"),
        ("javascript", "throw { $$$K }", "throw { a: b, c: d };", "throw new E(d, b);", f"the value `d` {ORDER}"),
        (
            "javascript",
            LOG,
            "console.log('a', b, c.length)",
            "logger.debug('a', c.length, b)",
            f"the value `c.length` {ORDER}",
        ),
        ("javascript", LOG, "console.log(`${a} of ${b}`)", "logger.debug('%s of %s', b, a)", f"the value `b` {ORDER}"),
        ("javascript", LOG, "console.log(a?.b ?? c)", "logger.debug(a.b ?? c)", f"the value `a?.b ?? c` {LOST}"),
        ("go", "fmt.Println($$$A)", "fmt.Println(n, m)", 'log.Printf("%v %v", m, n)', f"the value `m` {ORDER}"),
        ("rust", "$A.unwrap()", "a.b(c).unwrap()", "a.c(b)?", f"the value `a.b(c)` {LOST}"),
        ("ruby", "puts $A", 'puts "a #{b.c}"', 'log.info("a #{c.b}")', f"the value `b.c` {LOST}"),
    ],
)
def test_not_kept(rewriting: Rewriting, language: str, pattern: str, old: str, new: str, said: str) -> None:
    before = f"package p\n\nfunc f() {{\n\t{old}\n}}\n" if language == "go" else f"{old}\n"
    found = values(rewriting(language, before, old, new, pattern=pattern))
    assert found is not None
    assert (found.gate, found.grade, found.text) == ("values", Grade.REFUSE, said)


def test_what_the_instruction_names_may_become_something_else(rewriting: Rewriting) -> None:
    options = {"pattern": "open($$$A)", "instruction": "Use `Path.read_text` in the place of `open(name, mode)`."}
    assert values(rewriting("python", "open(name, mode)\n", "open(name, mode)", "Path.read_text()", **options)) is None
    found = values(rewriting("python", "open(name, other)\n", "open(name, other)", "Path.read_text()", **options))
    assert found is not None


def test_a_regex_holds_no_values(rewriting: Rewriting) -> None:
    assert values(rewriting("python", "print(a, b)\n", "print(a, b)", "log(b)", pattern="/print/")) is None


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('print("error 404")', 'log("error 404")', ""),
        ('print("error 404", a)', 'log("error 404 %s", a)', ""),
        ('print("50% done")', 'log("50% done")', ""),
        ('print("{0} of {1:02d}".format(a, b))', 'log("%s of %02d", a, b)', ""),
        ('print("%5.1f" % a)', 'log("%5.1f", a)', ""),
        (r'print("a\n")', r"log('a\n')", ""),
        ("print('it\\'s')", 'log("it\'s")', ""),
        ('print(r"\\d")', 'log(r"\\d")', ""),
        ('print(r"a")', 'log("a")', ""),
        ('print(b"a")', 'log(b"a")', ""),
        ('print("a", "b")', 'log("a b")', ""),
        ("print(404)", "log(405)", ""),  # no text
        ('print("error 404")', 'log("error 500")', "`404` was changed or lost in a text"),
        ('print("v1.2")', 'log("v1.3")', "`2` was changed or lost in a text"),
        ('print("code:404")', 'log("code:405")', "`404` was changed or lost in a text"),
        ('print("x")', 'log("y")', "`x` was changed or lost in a text"),
        (r'print("a\n")', r'log("a\t")', "`\\n` was changed or lost in a text"),
        (r'print("a\n")', r'log("a")', "`\\n` was changed or lost in a text"),
        ('print(b"ab")', 'log("ab")', "a text was written with b'', and is not any more"),
        ('print(r"\\n")', 'log("\\n")', "a text was written with r'', and is not any more"),
    ],
)
def test_texts(rewriting: Rewriting, old: str, new: str, said: str) -> None:
    found = texts(rewriting("python", f"{old}\n", old, new, pattern=PRINT))
    assert (found.text if found else "") == said


@pytest.mark.parametrize(
    ("language", "old", "new", "gate"),
    [
        ("go", 'errors.New(fmt.Sprintf("no %v: %v", a, e))', 'fmt.Errorf("no %v: %w", a, e)', ""),
        ("go", 'errors.New(fmt.Sprintf("no %+v", a))', 'fmt.Errorf("no %+v", a)', ""),
        ("go", 'errors.New(fmt.Sprintf("no %d%%", a))', 'fmt.Errorf("no %d%%", a)', ""),
        ("go", 'errors.New(fmt.Sprintf("no %q", a))', 'fmt.Errorf("no %s", a)', "formats"),
        ("go", 'errors.New(fmt.Sprintf("no %d", a))', 'fmt.Errorf("no %v", a)', "formats"),
        ("go", 'errors.New(fmt.Sprintf("no v"))', 'fmt.Errorf("no w")', "texts"),
        ("c", 'errors.New(fmt.Sprintf("no %u", a))', 'fmt.Errorf("no %d", a)', "formats"),
        ("c", 'errors.New(fmt.Sprintf("no %lu", a))', 'fmt.Errorf("no %lu", a)', ""),
        ("python", 'errors.New(fmt.Sprintf("%A %j", a))', 'fmt.Errorf("%B %j", a)', "texts"),
        ("python", 'errors.New(fmt.Sprintf("%d", a))', 'fmt.Errorf("%s", a)', ""),
    ],
)
def test_formats_of_a_language(rewriting: Rewriting, language: str, old: str, new: str, gate: str) -> None:
    head = {"go": "package a\n\nfunc f() {\n\tx(%s)\n}\n", "c": "void f() {\n  x(%s);\n}\n"}.get(language, "x(%s)\n")
    rewrite = rewriting(
        language,
        head.replace("%s", old),
        old,
        new,
        kind="expression",
        pattern="/errors\\.New/",
        instruction="Use fmt.Errorf(...), and %w for an error.",
    )
    found = texts(rewrite) or formats(rewrite)
    assert (found.gate if found else "") == gate


@pytest.mark.parametrize(
    ("regex", "new", "lost"),
    [
        ("/(?i): (on|off)$/", "a: false", ""),
        ("/: (On|Off)$/", "a: false", ""),
        ("/: (on|off|Off)$/", "a: false", ""),
        ("/: (on|off|O..)$/", "a: false", "Off"),
        ("/(?i): (yes|[a-z]+)$/", "a: false", "Off"),
    ],
)
def test_a_regex_may_say_that_case_does_not_count(rewriting: Rewriting, regex: str, new: str, lost: str) -> None:
    rewrite = rewriting(
        "yaml", "a: Off\n", "a: Off", new, kind="line", pattern=regex, instruction="Write true or false."
    )
    found = strings(rewrite)
    assert (found is not None) == bool(lost)
    assert found is None or f"`{lost}` was changed or lost" in found.text
