"""`const` and `let` in the place of `var`: right where they reach, refused where the meaning would be another."""

from __future__ import annotations

import pytest

from litecode.core.patching.document import Cut, Document
from litecode.core.patching.gates.base import Asked, Objection
from litecode.core.patching.gates.javascript import GATES
from litecode.core.patching.judge import rewrite_of
from litecode.core.patching.regions import Area
from litecode.core.patching.vocabulary import vocabulary

BOTH = "Replace var by const, and by let if it is assigned again."
ANY = "Do not use var."


def objection(before: str, after: str, instruction: str, language: str = "javascript") -> Objection | None:
    """What the gates say when the smallest part of a file that differs is its region."""
    start = next((i for i, (a, b) in enumerate(zip(before, after, strict=False)) if a != b), 0)
    start = max(before.rfind(sign, 0, start) + 1 for sign in "\n{(;")
    tail = 0
    while tail < min(len(before), len(after)) - start and before[-1 - tail] == after[-1 - tail]:
        tail += 1
    end = min(before.find(";", len(before) - tail - 1) + 1 or len(before), len(before))
    area = Area(Cut(start, end), "statement", ())
    asked = Asked(vocabulary(instruction), None, None, None, (), certain=True)
    new = after[start : len(after) - (len(before) - end)]
    rewrite = rewrite_of(Document(before), area, new, language, asked)
    assert rewrite.after == after
    return next((found for gate in GATES if (found := gate(rewrite)) is not None), None)


@pytest.mark.parametrize(
    ("before", "after", "instruction"),
    [
        ("var x = 1;\nuse(x);\n", "const x = 1;\nuse(x);\n", BOTH),
        ("var x = 1;\nx = 2;\n", "let x = 1;\nx = 2;\n", BOTH),
        ("var x;\nx = 2;\n", "let x;\nx = 2;\n", BOTH),
        ("var x = 1;\nuse(x);\n", "let x = 1;\nuse(x);\n", ANY),
        ("var x = {};\nx.y = 1;\nx[0] = 2;\nx.y++;\n", "const x = {};\nx.y = 1;\nx[0] = 2;\nx.y++;\n", BOTH),
        ("var x = 1;\nfunction f(x) { x = 2; }\n", "const x = 1;\nfunction f(x) { x = 2; }\n", BOTH),
        ("var x = 1;\nconst f = x => { x = 2; };\n", "const x = 1;\nconst f = x => { x = 2; };\n", BOTH),
        ("var x = 1;\n{ let x = 1; x++; }\n", "const x = 1;\n{ let x = 1; x++; }\n", BOTH),
        ("var x = 1;\nfunction f() { var x; x = 2; }\n", "const x = 1;\nfunction f() { var x; x = 2; }\n", BOTH),
        ("var x = 1;\nfor (const x of y) { x; }\n", "const x = 1;\nfor (const x of y) { x; }\n", BOTH),
        ("var x = 1;\ntry { a() } catch (x) { x = 1; }\n", "const x = 1;\ntry { a() } catch (x) { x = 1; }\n", BOTH),
        ("for (var i = 0; i < 3; i++) { f(i); }\n", "for (let i = 0; i < 3; i++) { f(i); }\n", BOTH),
        (
            "for (var i = 0; i < 3; i++) { f(i); }\nfor (var i = 0; i < 3; i++) { g(i); }\n",
            "for (let i = 0; i < 3; i++) { f(i); }\nfor (var i = 0; i < 3; i++) { g(i); }\n",
            BOTH,
        ),
        ("if (a) { var x = 1; f(x); }\n", "if (a) { const x = 1; f(x); }\n", BOTH),
        (
            "if (a) { var x = 1; f(x); }\ng(y.x, { x: 2 });\n",
            "if (a) { const x = 1; f(x); }\ng(y.x, { x: 2 });\n",
            BOTH,
        ),
        ("if (a) { var x = 1; f(x); }\nh(x => x);\n", "if (a) { const x = 1; f(x); }\nh(x => x);\n", BOTH),
        ("function f() { return x; }\nvar x = 1;\n", "function f() { return x; }\nconst x = 1;\n", BOTH),
        ("function f() { var x = 1; }\nx = 2;\n", "function f() { const x = 1; }\nx = 2;\n", BOTH),
        ("var { a, b: c = 1 } = d;\nuse(a, c);\n", "const { a, b: c = 1 } = d;\nuse(a, c);\n", BOTH),
        ("let x = 1;\nf(x);\n", "let x = 1;\ng(x);\n", BOTH),  # not the rewrite's doing
        ("x = 1;\n", "const x = 1;\n", BOTH),
    ],
)
def test_accepted(before: str, after: str, instruction: str) -> None:
    assert objection(before, after, instruction) is None


@pytest.mark.parametrize(
    ("before", "after", "instruction", "text"),
    [
        ("var x = 1;\nx = 2;\n", "const x = 1;\nx = 2;\n", BOTH, "`x` is assigned again later, so it must be let"),
        ("var x = 1;\nx += 2;\n", "const x = 1;\nx += 2;\n", ANY, "`x` is assigned again later, so it must be let"),
        ("var x = 1;\n--x;\n", "const x = 1;\n--x;\n", ANY, "`x` is assigned again later, so it must be let"),
        (
            "var x = 1;\n[x, y] = [2, 3];\n",
            "const x = 1;\n[x, y] = [2, 3];\n",
            ANY,
            "`x` is assigned again later, so it must be let",
        ),
        (
            "var x = 1;\n({ a: x } = b);\n",
            "const x = 1;\n({ a: x } = b);\n",
            ANY,
            "`x` is assigned again later, so it must be let",
        ),
        (
            "var x = 1;\n({ x = 2 } = b);\n",
            "const x = 1;\n({ x = 2 } = b);\n",
            ANY,
            "`x` is assigned again later, so it must be let",
        ),
        (
            "var x = 1;\nfor (x of y) {}\n",
            "const x = 1;\nfor (x of y) {}\n",
            ANY,
            "`x` is assigned again later, so it must be let",
        ),
        (
            "var x = 1;\nfunction f() { x = 2; }\n",
            "const x = 1;\nfunction f() { x = 2; }\n",
            ANY,
            "`x` is assigned again later, so it must be let",
        ),
        (
            "var { x } = y;\nx = 2;\n",
            "const { x } = y;\nx = 2;\n",
            ANY,
            "`x` is assigned again later, so it must be let",
        ),
        (
            "for (var i = 0; i < 3; i++) {}\n",
            "for (const i = 0; i < 3; i++) {}\n",
            ANY,
            "`i` is assigned again later, so it must be let",
        ),
        ("var x;\nx = 1;\n", "const x;\nx = 1;\n", ANY, "`x` is assigned again later, so it must be let"),
        ("var x;\nuse(x);\n", "const x;\nuse(x);\n", ANY, "`x` has no value at first, so it must be let"),
        ("var x = 1;\nuse(x);\n", "let x = 1;\nuse(x);\n", BOTH, "`x` is never assigned again, so it must be const"),
        (
            "if (a) { var x = 1; }\nf(x);\n",
            "if (a) { const x = 1; }\nf(x);\n",
            BOTH,
            "`x` is used outside of the block that declares it, so it must stay var",
        ),
        (
            "for (var i = 0; i < 3; i++) {}\nf(i);\n",
            "for (let i = 0; i < 3; i++) {}\nf(i);\n",
            BOTH,
            "`i` is used outside of the block that declares it, so it must stay var",
        ),
        (
            "if (a) { var x = 1; }\nf({ x });\n",
            "if (a) { const x = 1; }\nf({ x });\n",
            BOTH,
            "`x` is used outside of the block that declares it, so it must stay var",
        ),
        (
            "if (a) { var x = 1; } else { var x = 2; }\nf(x);\n",
            "if (a) { const x = 1; } else { var x = 2; }\nf(x);\n",
            BOTH,
            "`x` is used outside of the block that declares it, so it must stay var",
        ),
        (
            "f(x);\nvar x = 1;\n",
            "f(x);\nconst x = 1;\n",
            BOTH,
            "`x` is used before it is declared, so it must stay var",
        ),
        (
            "var x = 1;\nvar x = 2;\n",
            "const x = 1;\nvar x = 2;\n",
            BOTH,
            "`x` is declared more than once, so it must stay var",
        ),
        (
            "var x = 1;\nif (a) { var x = 2; }\n",
            "const x = 1;\nif (a) { var x = 2; }\n",
            BOTH,
            "`x` is declared more than once, so it must stay var",
        ),
    ],
)
def test_refused(before: str, after: str, instruction: str, text: str) -> None:
    found = objection(before, after, instruction)
    assert (found.text if found else "") == text


@pytest.mark.parametrize(
    ("before", "after", "text"),
    [
        ("var x = 1;\nf();\n", "x = 1;\nf();\n", "`x` is not declared any more"),
        ("const x = g(1);\n", "x = g(1);\n", "`x` is not declared any more"),
        ("var a = 1, b = 2;\n", "var a = 1; b = 2;\n", "`b` is not declared any more"),
        ("var x = 1;\n", "y.x = 1;\n", ""),
        ("var x = 1;\n", "f(x => 1);\n", ""),
        ("var x = y == 1;\n", "const z = x == 1;\n", ""),
    ],
)
def test_declarations_stay(before: str, after: str, text: str) -> None:
    found = objection(before, after, ANY)
    assert (found.text if found else "") == text


@pytest.mark.parametrize("language", ["typescript", "tsx"])
def test_typescript(language: str) -> None:
    before = "var x: number = 1;\nx = 2;\n"
    found = objection(before, before.replace("var", "const"), BOTH, language)
    assert found is not None
    assert found.text == "`x` is assigned again later, so it must be let"
    assert objection(before, before.replace("var", "let"), BOTH, language) is None
    typed = "function f(x: number) { x = 2; }\n"
    assert objection(f"var x = 1;\n{typed}", f"const x = 1;\n{typed}", BOTH, language) is None


def test_other_languages_have_other_rules() -> None:
    assert objection("int x = 1;\nx = 2;\n", "const int x = 1;\nx = 2;\n", ANY, "c") is None
