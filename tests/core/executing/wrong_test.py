"""Plausible wrong answers of a small model: none of them is ever taken for proven, however often it is given.

A refused answer changes nothing; a doubtful one waits for a person. The right answers beside them are proven.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

from litecode.config.rules import AstPattern, Confidence, RegionKind, Rule
from litecode.core.executing.executor import Job, Result, Steps
from litecode.core.executing.rules import Applied, FileState, apply_rule, compile_rule
from litecode.core.patching.document import Document
from litecode.core.values import Proof, Reply, Stop


class Scene(NamedTuple):
    """A rule, a file with `@` in the place of the code that is rewritten, and that code."""

    rule: Rule
    text: str
    code: str


def rule(language: str, instruction: str, **options: Any) -> Rule:
    pattern = options.pop("pattern", None)
    search = AstPattern({"pattern": pattern}) if pattern else None
    return Rule("the-rule", "Do it.", language=language, instruction=instruction, pattern=search, **options)


PRINT = Scene(
    rule(
        "python",
        "Replace the print() call by a logger.info() call that uses %s placeholders in the message and passes the"
        " values as further arguments (no f-string).",
        pattern="print($$$A)",
        ensure=("import logging", "logger = logging.getLogger(__name__)"),
    ),
    "import logging\n\nlogger = logging.getLogger(__name__)\n\n\nasync def f(a, b, c, x, g):\n    @\n    return a\n",
    "",
)
TIMEOUT = Scene(
    rule(
        "python",
        "Add timeout=10 as the last keyword argument of the requests call.",
        regex=r"\brequests\.(get|post)\((?!([^()]|\([^()]*\))*timeout=)",
    ),
    "import requests\n\n\ndef f(u, h):\n    @\n    return r\n",
    "r = requests.get(u, headers=h)",
)
DEFAULT = Scene(
    rule(
        "python",
        "Change each parameter default that is [] or {} to None, and begin the function body (after the docstring, if"
        ' there is one) with "if name is None:" and "name = []" (or {}) for that parameter.',
        regex=r"^[ \t]*(async )?def \w+\(.*=\s*(\[\]|\{\})\s*[,)]",
        region=RegionKind.FUNCTION,
    ),
    "@\n",
    "def f(a, b=[]):\n    b.append(a)\n    return a, b",
)
EQUAL = Scene(
    rule("javascript", "Replace == by ===. Exception: a comparison with null (x == null) stays.", pattern="$A == $B"),
    "function f(a, b) {\n  @\n  return 2;\n}\n",
    "if (a == b) return 1;",
)
VAR = Scene(
    rule(
        "javascript", "Replace var by const, and by let if it is assigned again later (=, +=, ++).", pattern="var $$$D"
    ),
    "function f(a) {\n  if (a) {\n    @\n    b = 2;\n  }\n  return b;\n}\n",
    "var b = 1;",
)
SQL = Scene(
    rule(
        "python",
        "Pass the values as parameters: put ? in place of each value and give the values as a tuple in the second"
        " argument.",
        regex=r"\.execute\(f\"",
    ),
    "def f(cur, name, age):\n    @\n",
    "cur.execute(f\"SELECT * FROM t WHERE name = '{name}' AND age > {age}\")",
)
PRINTLN = Scene(
    rule("go", "Replace fmt.Println by log.Print with the same arguments.", pattern="fmt.Println($$$A)"),
    'package a\n\nimport (\n\t"fmt"\n\t"log"\n)\n\nfunc f(n, m int) {\n\t@\n\tfmt.Printf("x")\n}\n',
    'fmt.Println("got", n, m)',
)
SCENES = {
    "print": PRINT,
    "timeout": TIMEOUT,
    "default": DEFAULT,
    "equal": EQUAL,
    "var": VAR,
    "sql": SQL,
    "println": PRINTLN,
}

# scene, code of the region (empty: that of the scene), answer
WRONG = [
    ("print", "print(a, b)", 'logger.info("%s %s", b, a)'),
    ("print", "print(a, a)", 'logger.info("%s", a)'),
    ("print", "print(a)", 'logger.info("%s")'),
    ("print", "print(a)", 'logger.info("%s %s", a)'),
    ("print", "print(a)", 'logger.info(f"{a}")'),
    ("print", "print(a)", "print(a)"),
    ("print", "print(a)", "pass"),
    ("print", "print(a)", 'self.logger.info("%s", a)'),
    ("print", "print(a)", 'logger.info("%s", a)\nlogger.info("%s", a)'),
    ("print", "print(a)", 'import logging\nlogging.info("%s", a); x = 1'),
    ("print", "print(a)", 'def f(a):\n    logger.info("%s", a)'),
    ("print", "print(a)", 'if a:\n    logger.info("%s", a)'),
    ("print", 'print(f"{a}: {b}")', 'logger.info("%s: %s", b, a)'),
    ("print", 'print(f"{a!r}")', 'logger.info("%s", a)'),
    ("print", 'print(f"{a:.2f}")', 'logger.info("%s", a)'),
    ("print", 'print("error 404")', 'logger.info("error 500")'),
    ("print", 'print("v1.2", a)', 'logger.info("v1.3 %s", a)'),
    ("print", 'print("x")', 'logger.info("y")'),
    ("print", r'print("done\n")', r'logger.info("done\t")'),
    ("print", 'print("Done")', 'logger.info("done")'),
    ("print", 'print("not found")', 'logger.info("found")'),
    ("print", 'print("100%")', 'logger.info("100%%")'),
    ("print", "print(b'ab')", "logger.info('ab')"),
    ("print", "print(g(x))", 'logger.info("%s %s", g, x)'),
    ("print", "print(g(x))", 'logger.info("%s", x)'),
    ("print", "print(g(a, b))", 'logger.info("%s", g(b, a))'),
    ("print", "print(x[0])", 'logger.info("%s", x[1])'),
    ("print", "print(x['k'])", "logger.info('%s', x['j'])"),
    ("print", "print(a.b.c)", 'logger.info("%s", a.c.b)'),
    ("print", "print(a - b)", 'logger.info("%s", b - a)'),
    ("print", "print(a < b)", 'logger.info("%s", a <= b)'),
    ("print", "print(a and b)", 'logger.info("%s", a or b)'),
    ("print", "print(not a)", 'logger.info("%s", a)'),
    ("print", "print(a if b else c)", 'logger.info("%s", c if b else a)'),
    ("print", "print([a for a in x])", 'logger.info("%s", [x for x in a])'),
    ("print", "print((a, b))", 'logger.info("%s %s", a, b)'),
    ("print", "print(*a)", 'logger.info("%s", a)'),
    ("print", "print(a, file=b)", 'logger.info("%s", a)'),
    ("print", "print(True)", 'logger.info("%s", False)'),
    ("print", "x = (print(a),)", 'x = (logger.info("%s", a))'),
    ("print", "x = print(a)", 'logger.info("%s", a)'),
    ("print", "await print(a)", 'logger.info("%s", a)'),
    ("print", "return print(a)", 'logger.info("%s", a)'),
    ("print", "if a: print(b)", 'if b: logger.info("%s", b)'),
    ("print", "for a in x:\n        print(a)", 'logger.info("%s", x)'),
    ("print", "print(a)  # why", 'logger.info("%s", b)'),
    ("timeout", "", "r = requests.get(u, headers=h)"),
    ("timeout", "", "r = requests.get(u, timeout=10)"),
    ("timeout", "", "r = requests.post(u, headers=h, timeout=10)"),
    ("timeout", "", "r = requests.get(h, headers=u, timeout=10)"),
    ("timeout", "", "r = requests.get(u, headers=h, timeout=100)"),
    ("timeout", "", "r = requests.get(u, headers=h, timeout=10, verify=False)"),
    ("timeout", "", "r = requests.get(u, headers=h).timeout(10)"),
    ("timeout", "", "r = u.get(requests, headers=h, timeout=10)"),
    ("timeout", "", "return requests.get(u, headers=h, timeout=10)"),
    ("timeout", "", "v = requests.get(u, headers=h, timeout=10)"),
    ("timeout", "", "r = requests.get(u, headers=h, timeout=10)\nr.raise_for_status()"),
    ("timeout", "", "try:\n    r = requests.get(u, headers=h, timeout=10)\nexcept Exception:\n    pass"),
    ("default", "", "def f(a, b=None):\n    b.append(a)\n    return a, b"),
    ("default", "", "def f(a, b=None):\n    if b is None:\n        b = []\n    return a, b"),
    ("default", "", "def f(a, b=None):\n    b.append(a)\n    if b is None:\n        b = []\n    return a, b"),
    ("default", "", "def f(a, b=None):\n    if b is not None:\n        b = []\n    b.append(a)\n    return a, b"),
    ("default", "", "def f(a, b=None):\n    if a is None:\n        b = []\n    b.append(a)\n    return a, b"),
    ("default", "", "def f(a=None, b=None):\n    if b is None:\n        b = []\n    b.append(a)\n    return a, b"),
    ("default", "", "def f(b=None, a):\n    if b is None:\n        b = []\n    b.append(a)\n    return a, b"),
    ("default", "", "def f(a, b=None):\n    if b is None:\n        b = []\n        b.append(a)\n    return a, b"),
    ("default", "", "def f(a, b=None):\n    if b is None:\n        b = []\n    b.append(a)\n    return b, a"),
    ("default", "", "def g(a, b=None):\n    if b is None:\n        b = []\n    b.append(a)\n    return a, b"),
    ("equal", "", "if (a == b) return 1;"),
    ("equal", "", "if (a !== b) return 1;"),
    ("equal", "", "if (b === a) return 1;"),
    ("equal", "", "if (a === a) return 1;"),
    ("equal", "", "if (a === b) return 2;"),
    ("equal", "", "if (a === b) { return 1; }"),
    ("equal", "", "if (a === b) return 1; else return 2;"),
    ("equal", "", "return a === b;"),
    ("equal", "if (a == b || b == null) return 1;", "if (a === b || b === null) return 1;"),
    ("var", "", "const b = 1;"),
    ("var", "", "let b = 1;"),
    ("var", "", "b = 1;"),
    ("var", "", "const b = 2;"),
    ("sql", "", 'cur.execute("SELECT * FROM t WHERE name = ? AND age > ?", (age, name))'),
    ("sql", "", 'cur.execute("SELECT * FROM t WHERE name = ? AND age < ?", (name, age))'),
    ("sql", "", 'cur.execute("SELECT * FROM t WHERE name = ?", (name,))'),
    ("sql", "", 'cur.execute("SELECT * FROM t WHERE name = ? AND age > ?", (name))'),
    ("sql", "", 'cur.execute("SELECT * FROM t WHERE age > ? AND name = ?", (name, age))'),
    ("sql", "", "cur.execute(\"SELECT * FROM t WHERE name = '?' AND age > ?\", (name, age))"),
    ("sql", "", 'cur.execute("DELETE FROM t WHERE name = ? AND age > ?", (name, age))'),
    ("println", "", 'log.Print("got", m, n)'),
    ("println", "", 'log.Print("got", n)'),
    ("println", "", 'log.Print("put", n, m)'),
    ("println", "", 'log.Fatal("got", n, m)\nreturn'),
    ("println", "", 'log.Print("got", n, m'),
]
RIGHT = [
    ("print", "print(a, b)", 'logger.info("%s %s", a, b)'),
    ("print", 'print(f"{a}: {b:.2f}")', 'logger.info("%s: %.2f", a, b)'),
    ("print", 'print("error 404", g(a, b)[0])', 'logger.info("error 404 %s", g(a, b)[0])'),
    ("print", "x = (print(a),)", 'x = (logger.info("%s", a),)'),
    ("print", "for a in x:\n        print(a)", 'logger.info("%s", a)'),
    ("timeout", "", "r = requests.get(u, headers=h, timeout=10)"),
    ("default", "", "def f(a, b=None):\n    if b is None:\n        b = []\n    b.append(a)\n    return a, b"),
    ("equal", "", "if (a === b) return 1;"),
    ("sql", "", 'cur.execute("SELECT * FROM t WHERE name = ? AND age > ?", (name, age))'),
    ("println", "", 'log.Print("got", n, m)'),
]


def applied(scene: Scene, code: str, answer: str) -> tuple[Applied, str]:
    """What comes of a file when every try is given the same answer, and the file before."""

    def run(job: Job, steps: Callable[[Job], Steps]) -> Result:
        running = steps(job)
        try:
            next(running)
            while True:
                running.send(Reply(f"```\n{answer}\n```", Stop.END, 1, 1, 0.0))
        except StopIteration as end:
            result: Result = end.value
            return result

    before = scene.text.replace("@", code or scene.code)
    state = FileState("f", Document.decode(before.encode()), None)
    return apply_rule(compile_rule(scene.rule, scene.rule.language), state, run, lambda _: 100), before


@pytest.mark.parametrize(("name", "code", "answer"), WRONG)
def test_wrong(name: str, code: str, answer: str) -> None:
    result, before = applied(SCENES[name], code, answer)
    assert result.proof is not Proof.PROVEN
    assert result.reason
    if result.proof is Proof.REFUSED:
        assert result.state.document.text == before


@pytest.mark.parametrize(("name", "code", "answer"), RIGHT)
def test_right(name: str, code: str, answer: str) -> None:
    result, before = applied(SCENES[name], code, answer)
    assert (result.proof, result.reason) == (Proof.PROVEN, "")
    place = answer if "\n" not in code else code.replace("print(a)", answer)
    assert result.state.document.text == before.replace(code or SCENES[name].code, place)


def test_a_candidate_that_is_left_alone_conforms() -> None:
    low = EQUAL._replace(rule=rule("javascript", "Use ===.", pattern="$A == $B", confidence=Confidence.LOW))
    result, before = applied(low, "", "if (a == b) return 1;")
    assert (result.proof, result.state.document.text) == (Proof.PROVEN, before)
