"""docs/errors.md is what the sources say; and that is fit for people: what happened, then what to type or do."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from litecode.hooks.show.catalogue import Said, collect, markdown, sources

TOP = Path(__file__).resolve().parents[3]
SAID = collect(sources())
HINTS = sorted({said.hint for said in SAID if said.hint})
MESSAGES = sorted({said.message for said in SAID if said.message})
BLAME = r"your (?:mistake|fault|error)|you (?:must|should|have to|failed|forgot)|illegal|invalid|bad|wrong|oops|sorry"
# Words of those who write such programs. What is not here is a word of git, or of docs/architecture.md, rules.md,
# models.md.
JARGON = r"""ast(?!-) callback context.length daemon deserial\w+ enum exception inference kv llm logits? mutex
null num_ctx oid payload stack stderr stdin stdout thread traceback utf8""".split()
# What a hint may begin with: something to type, something to do, or what there is to choose from.
TYPED = r"`|git |pip |ollama |litecode-hook |[A-Z_]+=|\.\.\.|⟨"
DO = """abort add apply ask avoid be begin change check choose commit connect copy decide define delete did
drop edit exclude export fetch finish fix free give go import indent install join keep leave look
make move name one open pass permit press put raise read remove rename replace report resolve
restore restrict rewrite run save say see send set shorten stage start stop store take then try turn
type undo unlock unset update upgrade use wait widen write""".split()
CHOICES = (
    r"allowed|known are|there (?:is|are)|the rules are|it holds|it has|e\.g\.|for example|endpoints are|is this|PATH or"
)
BEGIN = re.compile(rf"{TYPED}|(?:{'|'.join(DO)})\b|{CHOICES}|to \w+ it:")


def plain(text: str) -> str:
    """Without what is quoted or put in."""
    return re.sub(r"`[^`]*`|⟨[^⟩]*⟩|'[^']*'|\"[^\"]*\"|--[\w-]+", "x", text)


def test_the_page_is_up_to_date() -> None:
    """Made again by `python -m litecode.hooks.show.catalogue > docs/errors.md`."""
    assert (TOP / "docs" / "errors.md").read_text("utf-8") == markdown(SAID)


def test_there_is_enough_to_look_at() -> None:
    assert len(MESSAGES) > 250
    assert len(HINTS) > 200
    one = "there is no .litecode.yaml at the top of ⟨top⟩", "`git litecode init` writes a first one"
    assert Said("NoRules", *one, "hooks/rules_file.py") in SAID


@pytest.mark.parametrize("texts", [MESSAGES, HINTS], ids=["messages", "hints"])
def test_tone(texts: list[str]) -> None:
    def having(pattern: str) -> list[str]:
        return [text for text in texts if re.search(pattern, plain(text))]

    assert having(r"!") == []
    assert having(rf"(?i)\b(?:{BLAME})\b") == ["rule ⟨id⟩ does not find invalid ⟨str⟩"] * (texts is MESSAGES)  # a key
    assert having(rf"(?i)\b(?:{'|'.join(JARGON)})\b") == []
    assert having(r"(?<!\.\.)\.$") == []
    assert having(r"\b[A-Z][a-z]+ [a-z]+ [a-z]+.*\. [A-Z]") == []  # one sentence


def test_messages_begin_small_and_say_what_happened() -> None:
    names = ("LiteCode", "Ollama", "HEAD", "YAML", "OLLAMA_HOST")
    assert [text for text in MESSAGES if text[0].isupper() and not text.startswith(names)] == []
    assert [text for text in MESSAGES if text.endswith(("?", ":"))] == []


def test_hints_begin_with_what_to_type_or_do() -> None:
    assert [hint for hint in HINTS if not BEGIN.match(hint)] == []


def test_width() -> None:
    """Two lines of a terminal for what happened, three for what to do; a block to copy has lines of its own."""
    assert [text for text in MESSAGES if len(text) > 160] == []
    assert [line for hint in HINTS for line in hint.splitlines() if len(line) > 240] == []


def test_every_error_has_a_remedy() -> None:
    """But one that ends what a person has ended, or that another part of the program catches."""
    bare = {said.kind for said in SAID if said.message and not said.hint}
    assert bare <= {"Interrupted", "ModelCancelled", "SchemaRefused"}


SOURCE = '''
from litecode.core.errors import UsageError
REMEDY = "try again"

class Odd(UsageError):
    """An error."""

def made(path, hint):
    return Odd(f"{path} is odd", hint)

def first(self, count):
    message, hint = f"{count} of {self._all}", "a" if count else "b"
    raise Odd(message, hint)

def second(error):
    raise made(error.name, hint=REMEDY + " soon") from error

def third(words):
    raise ValueError("not one of ours", "x")

def fourth(terminal):
    terminal.tell("hint: look")
    terminal.tell("note: hint: no")

def fifth(text, hint):
    raise Odd(text, hint)
'''


def test_what_is_found() -> None:
    errors = "class LitecodeError(Exception):\n    def __init__(self, message, hint=''): ...\n"
    modules = {
        "core/errors.py": ast.parse(errors + "class UsageError(LitecodeError): ..."),
        "hooks/x.py": ast.parse(SOURCE),
    }
    assert [said[:3] for said in ((s.kind, s.message, s.hint) for s in collect(modules))] == [
        ("", "", "look"),
        ("Odd", "", "try again soon"),
        ("Odd", "⟨count⟩ of ⟨all⟩", "a"),
        ("Odd", "⟨count⟩ of ⟨all⟩", "b"),
        ("Odd", "⟨path⟩ is odd", "⟨hint⟩"),
    ]


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        ("a | b", "a \\| b"),
        ("`a_b` and c_d", "`a_b` and c\\_d"),
        (r"\g<name>", r"\g\<name>"),
        ("one\n  two\n", "one<br>  two"),
        ("plain", "plain"),
    ],
)
def test_cells(text: str, cell: str) -> None:
    assert f"| {cell} |" in markdown([Said("UsageError", "m", text, "x.py")])
