"""Renames in Go: what means the declaration changes, and what only has the same name stays."""

from __future__ import annotations

import pytest

from litecode.core.patching.document import Document
from litecode.core.patching.impossible import Impossible
from litecode.core.patching.rename import rename_identifier

HOME = "package mail\n\n// clean lowers the case.\nfunc clean(s string) string {\n\treturn lower(s)\n}\n"
DONE = HOME.replace("clean", "fold")


def renamed(
    files: dict[str, str], old: str = "clean", new: str = "fold", *, everywhere: bool = False
) -> dict[str, str]:
    documents = {path: Document(text) for path, text in files.items()}
    return rename_identifier(documents, old, new, everywhere=everywhere, home=next(iter(files)))


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ('var x = clean("A")', 'var x = fold("A")'),
        ("var f = clean", "var f = fold"),
        ("func g() string { return clean(clean(h)) }", "func g() string { return fold(fold(h)) }"),
        ("var t = T{a: clean}", "var t = T{a: fold}"),
        ("var t = []F{clean}", "var t = []F{fold}"),
        ("func g(x T) { x.clean = clean(x.clean) }", "func g(x T) { x.clean = fold(x.clean) }"),
    ],
)
def test_uses_follow(line: str, wanted: str) -> None:
    out = renamed({"mail/a.go": HOME, "mail/b.go": f"package mail\n\n{line}\n"})
    assert out == {"mail/a.go": DONE, "mail/b.go": f"package mail\n\n{wanted}\n"}


@pytest.mark.parametrize(
    "line",
    [
        "type T struct { clean bool }",
        "func g(x T) bool { return x.clean }",
        "type T struct{ clean bool }\n\nvar t = T{clean: true}",
        "func (x T) clean() {}",
        "func g(clean bool) bool { return clean }",
        "func g() { h(func(clean int) int { return clean }) }",
        "// clean is a word\nvar x = cleanAll",
        'var x = "clean"',
        "func g(s strings.T) { s.clean() }",
    ],
)
def test_what_only_looks_alike_stays(line: str) -> None:
    assert renamed({"mail/a.go": HOME, "mail/b.go": f"package mail\n\n{line}\n"}) == {"mail/a.go": DONE}


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ('import "x.org/mail"\n\nvar a = mail.Clean(b)', 'import "x.org/mail"\n\nvar a = mail.Fold(b)'),
        ('import m "x.org/mail"\n\nvar a = m.Clean(b)', 'import m "x.org/mail"\n\nvar a = m.Fold(b)'),
        ('import "x.org/other"\n\nvar a = other.Clean(b)', ""),
        ('import "x.org/mail"\n\nvar a = b.Clean(mail.C)', ""),
        ("func Clean(b bool) bool { return b }\n\nvar a = Clean(true)", ""),
    ],
)
def test_other_packages(text: str, wanted: str) -> None:
    home = "package mail\n\n// Clean it.\nfunc Clean(s string) string { return s }\n"
    out = renamed({"mail/a.go": home, "web/b.go": f"package web\n\n{text}\n"}, "Clean", "Fold")
    assert out["mail/a.go"] == home.replace("Clean", "Fold")
    assert out.get("web/b.go", "") == (f"package web\n\n{wanted}\n" if wanted else "")


def test_a_method_is_no_function() -> None:
    text = "package a\n\ntype T struct{}\n\nfunc (t T) Clean() { Clean2() }\n\n"
    text += "func g(t T, Clean int) { t.Clean(); h(Clean) }\n"
    out = renamed({"a.go": text}, "T.Clean", "Fold")
    assert out["a.go"] == text.replace(") Clean()", ") Fold()").replace("t.Clean", "t.Fold")


@pytest.mark.parametrize(
    ("above", "wanted"),
    [
        ("// clean it.\n// It is so.\n", "// fold it.\n// It is so.\n"),
        ("// cleaned.\n", "// cleaned.\n"),
        ("// It is clean.\n", "// It is clean.\n"),
        ("// clean up\n\n", "// clean up\n\n"),
    ],
)
def test_the_comment_above_begins_with_the_name(above: str, wanted: str) -> None:
    out = renamed({"a.go": f"package a\n\n{above}func clean() {{}}\n\n// clean here\nvar x = clean()\n"})
    assert out["a.go"] == f"package a\n\n{wanted}func fold() {{}}\n\n// clean here\nvar x = fold()\n"


def test_mentions_in_comments_follow_when_asked_for() -> None:
    text = "package a\n\nfunc clean() {} // see clean(), not Clean or clean\n"
    assert renamed({"a.go": text})["a.go"].endswith("// see clean(), not Clean or clean\n")
    assert renamed({"a.go": text}, everywhere=True)["a.go"].endswith("// see fold(), not Clean or clean\n")


def test_a_local_that_hides_it_in_part() -> None:
    text = "package a\n\nfunc clean() int { return 1 }\n\nfunc g() int { clean := clean(); return clean }\n"
    with pytest.raises(Impossible, match=r"a function of a\.go has a local `clean`, too"):
        renamed({"a.go": text})
