"""Every gate on pairs that it must refuse and on pairs that it must let through.

A row is (code, its rewrite, what the rule says, the gate that speaks). No gate means that nothing at all objects;
a gate with `?` wants a second opinion or a person. The rule of a row is written as `language | pattern or /regex/ |
instruction`; the region is the whole statement or function around the match.
"""

from __future__ import annotations

import pytest

from litecode.config.rules import AstPattern, Confidence, Invalid, RegionKind, Rule, RuleTests
from litecode.core.executing.rules import compile_rule
from litecode.core.patching.document import Document
from litecode.core.patching.gates.base import Grade
from litecode.core.patching.judge import fault_of_fix, judge, rewrite_of
from litecode.core.patching.regions import regions_of

LOG = "python | print($$$A) | Replace print() by logger.info() with %s placeholders (no f-string)."
TIMEOUT = "python | /requests\\.get\\((?!.*timeout)/ | Add timeout=10 as the last keyword argument."
VAR = "javascript | var $$$D | Replace var by const, and by let if it is assigned again later (=, +=, ++)."
NONE = (
    "python | /def \\w+\\(.*=\\[\\]/ | "
    'Change the default to None, and begin the body with "if name is None:" and "name = []".'
)
GERMAN = "python | /# alt/ | Write the comment in English. | line"
LOGF = "python | print($$$A) | Use the logger (no f-string)."
EXCEPT = "python | /except\\s*:/ | Write the exception after the word except, for example KeyError."
HEAD = "import logging\nimport requests\nlogger = logging.getLogger(__name__)\n"

Row = tuple[str, str, str, str]

TEXT: list[Row] = [
    ('print("a")', "", LOG, "empty"),
    ('print("a")', 'logger.info("a")<|im_end|>', LOG, "chat-tokens"),
    ('print("a")', 'logger.info("a\u202e")', LOG, "chat-tokens"),
    ('print("a")', '```\nlogger.info("a")', LOG, "fences"),
    ('print("a")', 'logger.info("a")\n# ... rest of the code unchanged ...', LOG, "elision"),
    ('print("a")', "# existing code here\nlogger.info('a')", LOG, "elision"),
    ("print(a, b, c, d, e, f, g, h, i, j)", "logger", LOG, "size"),
    ('print("a")', "\n".join(f"logger.info({n})" for n in range(30)), LOG, "size"),
    ('print("a")', 'logger.info("a")', LOG, ""),
    ('print("<|im_end|>")', 'logger.info("<|im_end|>")', LOG, ""),
    ('print("...")', 'logger.info("...")', LOG, ""),
]

GRAMMAR: list[Row] = [
    ('print("a")', 'logger.info("a"', LOG, "syntax"),
    ('print("a")', 'logger.info("a")\nlogger.info("b")', LOG, "statements"),
    ("def f(a=[]):\n    return a", "def g(a=None):\n    if a is None:\n        a = []\n    return a", NONE, "outline"),
    ("var a = 1;", "const a = ;", VAR, "syntax"),
    ("def f(a=[]):\n    return a", "def f(a=None):\n    if a is None:\n        a = []\n    return a", NONE, "far?"),
]

WORDING: list[Row] = [
    ("x = requests.get(u)[1]", "x = requests.get(u, timeout=10)[1]", TIMEOUT, ""),
    ("x = requests.get(u)[0]", "x = requests.get(u, timeout=10)[1]", TIMEOUT, "outside"),
    (
        "x = requests.get(u)",
        "x = requests.get(u, timeout=100)",
        "python | requests.get($$$A) | Add timeout=10.",
        "inventions",
    ),
    (
        "x = requests.get(u)",
        "x = requests.get(u, timeout=10)",
        "python | requests.get($$$A) | Add timeout=10.",
        "proof",
    ),
    (
        "x = requests.get(u)",
        "x = requests.get(u, timeout=100)",
        "python | requests.get($$$A) | Add a timeout.",
        "proof",
    ),
    (
        "x = requests.get(u, 5)",
        "x = requests.get(u, 5, timeout=10)",
        "python | requests.get($$$A) | Add timeout=10.",
        "proof",
    ),
    (
        "with requests.get(u) as r:\n    use(r.iter(3))",
        "with requests.get(u, timeout=10) as r:\n    use(r.iter(3, timeout=10))",
        TIMEOUT,
        "beside",
    ),
    (
        "def f(a=[]):\n    return a",
        "def f(a=None):\n    if a is None:\n        a = []\n    sys(a)\n    return a",
        NONE,
        "beside",
    ),
    ("def f(a=[]):\n    return a", "def f(a=None):\n    return a", NONE, "asked"),
    ("print(a, b)", 'logger.info("%s", a)', LOG, "names"),
    ("print(a)", 'logger.info("%s", a, one, two, three)', LOG, "inventions"),
    ('print("got", 12)', 'logger.info("got 13")', LOG, "numbers"),
    ('print("was lost")', 'logger.info("is lost")', LOG, "strings"),
    ('print("a -> b", c)', 'logger.info("a b %s", c)', LOG, "strings"),
    ('print("a", b)', 'logger.info("a %s happened", b)', LOG, "strings?"),
    ('print(f"{a!r}")', 'logger.info("%s", a)', LOG, "formats"),
    ('print(f"{a:.2f}")', 'logger.info("%s", a)', LOG, "formats"),
    ('print(f"{a:.2f}")', 'logger.info("%.2f", a)', LOG, ""),
    ('print(f"{a!r}")', 'logger.info("%r", a)', LOG, ""),
    ("print(a < b)", 'logger.info("%s", a <= b)', LOG, "operators"),
    ("print(a + b)", 'logger.info("%s", a + b)', LOG, ""),
    ("print(a)", 'logger.info("%s", a if a else a)', LOG, "keywords?"),
    ("print(a < b)", 'logger.info("%s", a <= b)', f"{LOG} | shown", "values"),
    ("print(a < b)", 'logger.info("%s", a > b)', f"{LOG} | shown", "operators"),
    ("print(a)", 'logger.info("%s", a if a else a)', f"{LOG} | shown", ""),
    ("print(a)", 'logger.info("%s", [a for a in a])', f"{LOG} | shown", "operators"),
    ("print(a)", 'logger.info("%s", helper(a))', LOG, "python"),
    ("print(a)", 'logger.info("%s", str(a).strip())', LOG, "invented?"),
    ("print(a)", "raise logger", "python | print($$$A) | Write code that raises the logger (no print).", "names"),
    ("print(a)", "raise a", "python | print($$$A) | Write code that raises it.", ""),
    ("print(a)", "assert a", "python | print($$$A) | Write code that raises it.", "keywords?"),
    ("try:\n    a()\nexcept:\n    b()", "try:\n    a()\nexcept KeyError:\n    b()", EXCEPT, "invented?"),
    ("try:\n    a()\nexcept:\n    b()", "try:\n    a()\nexcept OSError:\n    b()", EXCEPT, "invented?"),
    ("print(TABLE, TABLE)", 'logger.info("%s", TABLE)', LOG + " Exception: TABLE stays.", "stays"),
    ("print(TABLE, a)", 'logger.info("%s %s", TABLE, a)', LOG + " Exception: TABLE stays.", ""),
    ('print("page", n, "failed:", err)', 'logger.info("page %s failed: %s", n, err)', LOG, ""),
    ('print("{}: {}".format(a, b))', 'logger.info("%s: %s", a, b)', LOG, ""),
    ('print("double", row["sku"], "in", p)', 'logger.info("double %s in %s", row["sku"], p)', LOG, ""),
]

COMMENTS: list[Row] = [
    ("print(\n    a,  # why\n)", 'logger.info("%s", a)', LOG, "comments"),
    ("print(a)", '# now a log\nlogger.info("%s", a)', LOG, "comments"),
    ("print(\n    a,  # why\n)", 'logger.info(\n    "%s", a,  # why\n)', LOG, ""),
    ("x = 1  # alt", "x = 2  # old", GERMAN, "comments"),
    ("x = 1  # alt", "x = 1", GERMAN, "comments"),
    ("x = 1  # alt", "x = 1  # old", GERMAN, ""),
]

PYTHON: list[Row] = [
    ("print(a)", 'log.info("%s", a)', LOG, "python"),
    ("print(a)", 'logger.info("%s %s", a)', LOG, "logging"),
    ("print(a)", 'logger.info(f"%s {a}", a)', LOG, "logging"),
    ("print(a)", 'logger.info(f"{a}")', LOGF, "wording"),
    ('print("a")', 'logger.info("%s")', LOG, "logging"),
    ("print(a)", 'logger.log(20, "%s", a)', LOG + " or logger.log(20, x)", ""),
    ("print(a)", 'logger.info("%(x)s", {"x": a})', LOGF, "invented?"),
    ("print(*a)", 'logger.info("%s", *a)', LOG, ""),
    ("try:\n    a()\nexcept:\n    b()", "try:\n    a()\nexcept Exception:\n    b()", EXCEPT, "broad"),
    (
        "def f(a=[], b=[]):\n    a.pop()\n    b.pop()",
        "def f(a=None, b=None):\n    if a is None:\n        a = []\n        b = []\n    a.pop()\n    b.pop()",
        NONE,
        "none-default",
    ),
    (
        "def f(a=[]):\n    for x in a:\n        g(x)",
        "def f(a=None):\n    a = a or []\n    for x in a:\n        g(x)",
        NONE.replace("if name is None:", "name or").replace("name = []", "or []"),
        "far?",
    ),
]

JAVASCRIPT: list[Row] = [
    ("var a = 1;\na = 2;", "const a = 1;", VAR, "constants"),
    ("var a;\na = 2;", "const a;", VAR, "constants"),
    ("var a = 1;\nuse(a);", "let a = 1;", VAR, "constants"),
    ("var a = 1;\nuse(a);", "const a = 1;", VAR, ""),
    ("var a = 1;\na += 2;", "let a = 1;", VAR, ""),
    ("for (var i = 0; i < 3; i++) {}", "const i = 0;", VAR, "constants"),
    ("for (var i = 0; i < 3; i++) {}", "let i = 0;", VAR, ""),
]

PROOF: list[Row] = [
    ("print(print(a))", 'logger.info("%s", print(a))', LOG, "proof"),
    ("print(a)", 'logger.info("%s", a)', LOG + " | low", "proof?"),
    ("print(a)", 'logger.info("%s", a)', LOG + " | low | reject", ""),
    ("print(a)", 'logger.info("%s", a)', LOG + " | low | expect", "proof"),
]


def objections(code: str, new: str, rule: str) -> str:
    language, trigger, instruction, *more = (part.strip() for part in rule.split(" | "))
    regex = trigger[1:-1] if trigger.startswith("/") else None
    compiled = compile_rule(
        Rule(
            "r",
            "Broken.",
            language=language,
            pattern=None if regex else AstPattern({"pattern": trigger}),
            regex=regex,
            instruction=instruction,
            confidence=Confidence.LOW if "low" in more else Confidence.HIGH,
            region=RegionKind.LINE
            if "line" in more
            else RegionKind.FUNCTION
            if code.startswith("def ")
            else RegionKind.STATEMENT,
            reject=AstPattern({"pattern": "print($$$A)"}) if "reject" in more else None,
            expect=AstPattern({"pattern": "log($$$A)"}) if "expect" in more else None,
            tests=RuleTests(invalid=(Invalid("print(x)", "log(x if x else y)"), Invalid("print(x < y)", "log(x <= y)")))
            if "shown" in more
            else RuleTests(),
        ),
        language,
    )
    names = "".join(f"{name} = None\n" for name in "abcdefghijknpu") + "err = row = TABLE = None\n"
    document = Document.decode(((HEAD + names if language == "python" else "") + code + "\n").encode())
    assert compiled.asked.matcher is not None
    sites = [match.cut for match in compiled.asked.matcher.find(document.text)]
    (area,) = regions_of(document, sites, compiled.kind, language)
    judgement = judge(rewrite_of(document, area, new, language, compiled.asked))
    if judgement.refusal is not None:
        assert judgement.refusal.grade is Grade.REFUSE
        return judgement.refusal.gate
    return judgement.doubts[0].gate + "?" if judgement.doubts else ""


@pytest.mark.parametrize(
    ("code", "new", "rule", "gate"), [*TEXT, *GRAMMAR, *WORDING, *COMMENTS, *PYTHON, *JAVASCRIPT, *PROOF]
)
def test_gates(code: str, new: str, rule: str, gate: str) -> None:
    assert objections(code, new, rule) == gate


@pytest.mark.parametrize(
    ("before", "after", "may_go", "fault"),
    [
        ("import os\nos.getcwd()\n", "import os\nos.getcwd(x)\n", False, "undefined name 'x'"),
        ("f(1)  # why\n", "f(2)\n", False, "the comment `# why` would be lost"),
        ("f = open\nf(1)  # why\n", "f = open\nf(2)\n", True, ""),
        ("f = open\nf(1)\n", "f = open\nf(\n", False, "the code does not parse: '(' was never closed (line 2)"),
        ("f = open\nf(1)\n", "f = open\nf(2)\n", False, ""),
    ],
)
def test_whole_files(before: str, after: str, may_go: bool, fault: str) -> None:
    assert fault_of_fix(before, after, "python", comments_may_go=may_go).startswith(fault)
    assert bool(fault) == bool(fault_of_fix(before, after, "python", comments_may_go=may_go))


@pytest.mark.parametrize(
    ("language", "before", "after", "bad"),
    [
        ("json", '{"a": 1}', '{"a": 1,}', True),
        ("json", '{"a": 1}', '{"a": 2}', False),
        ("yaml", "a: 1\n", "a: [1\n", True),
        ("yaml", "a: 1\n", "a: 2\n", False),
        ("toml", "a = 1\n", "a = \n", True),
        ("toml", "a = 1\n", "a = 2\n", False),
        ("json", "{not json", "{nor this", False),
    ],
)
def test_formats_with_a_parser_of_their_own(language: str, before: str, after: str, bad: bool) -> None:
    assert bool(fault_of_fix(before, after, language, comments_may_go=True)) == bad
