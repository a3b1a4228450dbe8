"""What an instruction says in code: the words it asks for, the words it only gives as an example, the code that must
stay.

The instruction is the rule author's; it is read here as data, so that restraint does not depend on the model.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

_SENTENCE_END = re.compile(r"(?<=[.;!?:])\s+(?=[A-Z\"'`(])|\n\s*\n")
_EXAMPLE = re.compile(r"(?:for example|for instance|e\.g\.|such as)\s*:?,?(?P<rest>.*)", re.IGNORECASE | re.DOTALL)
_STAYS = re.compile(
    r"^exception\b|\bexcept(?:ion)? (?:for|when)\b|\b(?:must|should|may) stay\b|\bstays?\b|\b(?:is|are) allowed\b"
    r"|\bkeeps? (?:its|their|all)\b|\bnever change\b|\bdo not (?:change|touch)\b|\bleave\b",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"`([^`\n]+)`|\"([^\"\n]+)\"|\(([^()\n]*(?:\([^()\n]*\)[^()\n]*)*)\)")
_CODE_SIGN = re.compile(r"[=<>!]=|[\w)\]]\.\w|\w\(|[=+*/%{}\[\]<>]|::|->|=>|\w_\w|\$\w")
# Keywords that are English words too: they are asked for only where the instruction has them as code.
_ENGLISH = frozenset(
    "if else for while do in is as and or not with from import try new return break continue case this pass".split()
)
_OPERATOR = re.compile(r"\b(?:(?:in|is|not|and|or)(?=[`\"']? (?:operator|keyword)s?\b)|is (?:not )?(?=None\b))")
_IDENTIFIER = re.compile(r"[^\W\d]\w*")
_CONDITION = re.compile(r"(?:^|;\s+)(?:if|when|where|unless|in case)\s[^;\n]*", re.IGNORECASE)
_RAISES = re.compile(
    r"(?<!instead of )(?<!rather than )(?<!not )(?<!never )(?<!n't )"
    r"\b(?:[Rr]aises?|[Rr]aising|[Tt]hrows?|[Tt]hrowing)\s+(?:an?\s+|the\s+|new\s+)*[`'\"]?([A-Z]\w*[a-z]\w*)"
)
_ORDER = re.compile(
    r"\b(?:swap|reorder|revers|exchang)|(?<!keep the )(?<!the same )(?<!same )(?<!their )\border\b", re.IGNORECASE
)
_CALL = re.compile(r"(?:\b(?:new|await)\s+)?[^\W\d][\w.$]*\((?:[^()\n]|\([^()\n]*\))*\)")
_CALLED = re.compile(r"[^\W\d][\w.]*(?:[(=]\S*)?")  # `a.b`, `f(x)`, `x=1`; `$name` only stands for a name
_NAME_LIKE = re.compile(r"\b(?:[A-Z][A-Z0-9]{2,}(?:_[A-Z0-9]+)*|\w+_\w+|[a-z]+[A-Z]\w*)\b")


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """`text`: the instruction; `words`: every identifier-like word asked for; `code`: the words of its code fragments;
    `examples`: words that stand only in an example; `plain`: words less those English words that are keywords;
    `stays`: code fragments that a sentence says must stay; `kept_names`: names in such sentences.
    """

    text: str
    words: frozenset[str]
    code: frozenset[str]
    signs: str
    examples: frozenset[str]
    plain: frozenset[str]
    numbers: frozenset[str]
    stays: tuple[str, ...]
    kept_names: frozenset[str]
    pairs: tuple[tuple[str, str], ...]
    quoted: frozenset[str]
    conditional: frozenset[str]
    choices: tuple[str, ...]
    raises: frozenset[str]
    about_order: bool
    reverses: bool
    about_comments: bool
    about_case: bool
    bans_fstrings: bool


@lru_cache(maxsize=256)
def vocabulary(instruction: str) -> Vocabulary:
    sentences = [s.strip() for s in _SENTENCE_END.split(instruction) if s.strip()]
    sentences = _with_exception(sentences)
    examples = " ".join(m["rest"] for s in sentences if (m := _EXAMPLE.search(s)))
    asked = " ".join(_EXAMPLE.sub(" ", s) for s in sentences)
    staying = [s for s in sentences if _STAYS.search(s)]
    stays = tuple(dict.fromkeys(f for s in staying for f in fragments(s) if _CODE_SIGN.search(f)))
    code = fragments(asked)
    orders = [_EXAMPLE.sub(" ", s) for s in sentences if s not in staying]
    words = frozenset(_IDENTIFIER.findall(asked))
    prose = frozenset(re.findall(r"\b[a-z]+\b", _QUOTED.sub(" ", asked))) - _ENGLISH
    return Vocabulary(
        text=instruction,
        words=words,
        code=frozenset(w for f in code for w in _IDENTIFIER.findall(f)),
        signs=" ".join((*code, *re.findall(r"(?<!\S)[^\w\s]{1,3}(?!\S)", asked), *_OPERATOR.findall(asked))),
        examples=frozenset(w for w in _IDENTIFIER.findall(examples) if w[:1].isupper() or "_" in w) - words,
        plain=words - _ENGLISH,
        numbers=frozenset(re.findall(r"\b\d[\w.]*\b", asked)),
        stays=stays,
        kept_names=frozenset(n for s in staying for n in _NAME_LIKE.findall(s)),
        quoted=frozenset(w for s in orders for w in _asked_words(s, prose)),
        conditional=_conditional(orders, prose),
        choices=tuple(m.group().strip("; ") for found in map(_clauses, range(len(orders)), orders) for m in found),
        raises=frozenset(_RAISES.findall(asked)),
        about_order=_ORDER.search(asked) is not None,
        reverses=re.search(r"\b(?:revers|swap|exchang)", asked, re.IGNORECASE) is not None,
        pairs=tuple(p for s in sentences if (p := _pair(s)) is not None),
        about_comments=re.search(r"\b(comment|docstring|document)", instruction, re.IGNORECASE) is not None,
        about_case=re.search(r"\b(?:lower|upper)[ -]?case\b|\bcapitals?\b", instruction, re.IGNORECASE) is not None,
        bans_fstrings=re.search(r"\b(no|not an?|without|never) f-?strings?\b", instruction, re.IGNORECASE) is not None,
    )


def _conditional(orders: list[str], prose: frozenset[str]) -> frozenset[str]:
    """Words of code that only clauses with a condition have, beside an order that holds everywhere."""
    somewhere: set[str] = set()
    everywhere: set[str] = set()
    for number, order in enumerate(orders):
        clauses = _clauses(number, order)
        somewhere.update(w for m in clauses for w in _asked_words(m.group(), prose))
        everywhere.update(_asked_words(" ".join(_outside(order, clauses)), prose))
    return frozenset(somewhere - everywhere)


def _clauses(number: int, order: str) -> list[re.Match[str]]:
    """Those that begin with a condition; the first order holds everywhere that the pattern finds."""
    return [match for match in _CONDITION.finditer(order) if number or match.start()]


def _outside(text: str, pieces: list[re.Match[str]]) -> list[str]:
    ends = [0, *(m.end() for m in pieces)]
    starts = [*(m.start() for m in pieces), len(text)]
    return [text[a:b] for a, b in zip(ends, starts, strict=True)]


def _asked_words(sentence: str, prose: frozenset[str]) -> set[str]:
    """Words and placeholders of code that stands in quotes or backticks, and placeholders that stand alone."""
    found = {m[1] or m[2] for m in _QUOTED.finditer(sentence) if m[1] or m[2]}
    words = {w for text in found for w in re.findall(r"[^\W\d]\w*", text) if _CODE_SIGN.search(text) or " " in text}
    bare = [f for f in fragments(_QUOTED.sub(" ", sentence)) if _CODE_SIGN.search(f) and _CALLED.fullmatch(f)]
    words |= {w for text in bare for w in _IDENTIFIER.findall(text)}
    words |= {
        w
        for call in _CALL.findall(sentence)
        if " " in call
        for w in _IDENTIFIER.findall(call.partition("(")[0].split()[-1])
    }
    words -= _standing_for(found, prose)
    return words | set(re.findall(r"(?<!\S)(\?|%[a-z])(?![^\s,;.])", sentence))


def _standing_for(quoted: set[str], prose: frozenset[str]) -> set[str]:
    """Words in quoted statements that the instruction speaks of as things: in `make the command the condition, "if
    command;
    then"` the code has another one in the place of `command`. What is called, set or a member stands for itself.
    """
    quoted = {text for text in quoted if _ENGLISH.intersection(text.split()) and " " in text.strip()}
    named = {w for text in quoted for w in re.findall(r"([^\W\d]\w*)(?=\s*[=(.\[:])|(?<=[.$])[^\W\d]\w*", text)}
    return {w for text in quoted for w in _IDENTIFIER.findall(text) if w in prose and w not in named}


def _pair(sentence: str) -> tuple[str, str] | None:
    """`old(x) becomes new(x)`: an example in the instruction itself."""
    match = re.search(
        r"(?:^|[:,] |\bexample |\be\.g\. )(?P<old>\S.*?) becomes (?P<new>.+?)[.;,]?$", sentence, re.DOTALL
    )
    if match is None:
        return None
    old, new = (match[side].strip().strip("`").strip() for side in ("old", "new"))
    old = old.rsplit(": ", 1)[-1] if "(" not in old.rsplit(": ", 1)[0] else old
    return (old, new) if _CODE_SIGN.search(old) and _CODE_SIGN.search(new) else None


def _with_exception(sentences: list[str]) -> list[str]:
    """`Exception:` belongs to the sentence after it."""
    joined: list[str] = []
    for sentence in sentences:
        if joined and re.fullmatch(r"exceptions?:", joined[-1], re.IGNORECASE):
            joined[-1] = f"{joined[-1]} {sentence}"
        else:
            joined.append(sentence)
    return joined


def fragments(text: str) -> list[str]:
    """The pieces of an instruction that are code: quoted, in backticks, in parentheses with code signs, or words such
    as `f(x)`.
    """
    found: list[str] = []
    for match in _QUOTED.finditer(text):
        quoted = match[1] or match[2]
        if quoted:
            found.append(quoted.strip())
        elif match[3] and _CODE_SIGN.search(match[3]):
            found.append(match[3].strip())
    bare = _QUOTED.sub(lambda m: m.group() if m.group().startswith("(") else " ", text)
    found += [call for call in _CALL.findall(bare) if re.search(r"\s", call)]
    found += [w.strip(".,;:") for w in bare.split() if _CODE_SIGN.search(w.strip(".,;:")) and len(w.strip(".,;:")) > 1]
    return found


def stay_pattern(fragment: str) -> str | None:
    """The ast-grep pattern of a fragment that must stay: its one-letter names stand for anything (`x == null` is `$X ==
    null`).
    """
    pattern = re.sub(r"(?<![\w.$'\"])([a-z])(?![\w'\"(])", lambda m: f"${m[1].upper()}", fragment)
    return pattern if pattern != fragment and re.search(r"[^\W\d]|[<>=!]", pattern.replace("$", "")) else None
