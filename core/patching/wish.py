"""What the words of a request say about the change that it wants: what alone may change, what must be there afterwards.

The request is the person's; it is read here as data, so that restraint does not depend on the model. Only forms that
leave no doubt are read, and what is not read is not held against a rewrite.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from litecode.core.patching.vocabulary import Vocabulary, vocabulary


class Only(StrEnum):
    """The one thing that a request is about, when it is about nothing else."""

    DOCSTRING = "docstring"
    COMMENTS = "comments"
    TYPES = "type hints"


_NAME = r"[`'\"]?(?P<name>[A-Za-z_$][\w$]*)[`'\"]?"
_SOME = (
    r"(?:(?:an?|the|some|its?|their|missing|better|short|clear|good|proper|brief|new|more|of|for|all|each|every|to)"
    r"\s+)*"
)
_DOCS = r"(?:docstrings?|doc[- ]?comments?|doc[- ]?blocks?|jsdoc|javadoc|godoc|rustdoc|docs?|documentation)"
_MAKE = (
    r"(?:add|write|give|improve|update|fix|extend|complete|correct|translate|reword|rewrite|shorten|expand|clarify|insert"
    r"|put|provide|remove|delete|drop|change)"
)
_DOCSTRING = re.compile(
    rf"^(?:please\s+)?(?:document\b(?!s)|describe\b|{_MAKE}\s+{_SOME}(?:[\w.`()]+\s+)?(?:an?\s+)?{_DOCS}\b)",
    re.IGNORECASE,
)
_COMMENT = re.compile(
    rf"^(?:please\s+)?(?:comment\b(?!\s+out)|{_MAKE}\s+{_SOME}(?:[\w`]+\s+){{0,2}}comments?\b)", re.IGNORECASE
)
_TYPES = re.compile(
    rf"^(?:please\s+)?(?:annotate\b|{_MAKE}\s+{_SOME}(?:type[- ]?(?:hints?|annotations?)|types|return\s+types?)\b)",
    re.IGNORECASE,
)
_LABEL = re.compile(r"^\s*(?:[\w./+-]+(?:\(\w*\))?!?\s*:\s+)+")
_VERBS = (
    "add adapt allow append apply avoid call cap change check convert correct define delete drop ensure extract fix "
    "handle implement introduce log make move pass raise read refactor refuse reject remove rename reorder replace "
    "reset return reuse rework rewrite round simplify skip sort split store strip swap throw trim turn use validate"
).split()
_SECOND_ORDER = re.compile(
    rf"(?:\b(?:and|then|also)|[,;.])\s+(?:also\s+|then\s+)?(?:{'|'.join(_VERBS)})\b", re.IGNORECASE
)
_REMOVES = re.compile(
    r"\b(?:remov|delet|drop|simplif|shorten|get\s+rid|strip|inlin|clean(?:ing)?\s+(?:up|out)|replac|no\s+longer|without|reduce|merge|move"
    r"|instead|extract|dedup|collaps|unify)",
    re.IGNORECASE,
)
_REWRITES = re.compile(
    r"\b(?:rewrite|refactor|simplif|convert|restructure|rework|replace|turn\b.*\binto|translate|port|async|inline"
    r"|clean(?:ing)?\s+(?:up|out))",
    re.IGNORECASE,
)
_PARAMETERS = re.compile(
    r"\b(?:param(?:eter)?s?|arg(?:ument)?s?|keyword|option(?:al)?s?|flag|signature|default|accepts?|takes?|take|swap|"
    r"reorder|callback|\*args|\*\*kwargs|rename|type\s+hints?|annotat|typed?)\b|\bwith\s+an?\s+\w+\s+of\b",
    re.IGNORECASE,
)
_REQUIRED = re.compile(r"\b(?:required|mandatory|must\s+be\s+(?:given|passed)|non-?optional)\b", re.IGNORECASE)
_NO_NAMES = "|".join(
    (
        "a an the no any its this that new old same other optional one two each every first second last another extra "
        "more keyword boolean required default positional additional second third your my our and or with of as to by"
    ).split()
)
_ADDED = re.compile(
    rf"\b(?:optional\s+|new\s+|keyword(?:-only)?\s+|boolean\s+|second\s+|third\s+)*(?:parameter|argument|param|arg|option|"
    rf"flag|keyword)\s+(?:called\s+|named\s+)?(?!and\b|that\b|which\b|to\b|for\b|of\b|is\b|with\b|in\b|or\b|so\b|from\b){_NAME}"
    rf"|(?<!\w)(?!(?:{_NO_NAMES})\b){_NAME.replace('name', 'name2')}"
    r"\s+(?:parameter|argument|param\b|arg\b|option\b|flag\b)",
    re.IGNORECASE,
)
_RAISES = re.compile(
    r"(?<!instead of )(?<!rather than )(?<!not )(?<!never )(?<!n't )"
    r"\b(?:raise|raises|raising|throw|throws|throwing)\s+(?:an?\s+|the\s+)?[`'\"]?(?P<name>[A-Z][\w.]*)",
    re.IGNORECASE,
)
_FLAG = re.compile(
    r"\b(?:add|accept|support|introduce|implement|needs?|gets?|takes?|understand|new)\s+"
    r"(?:(?:an?|the|new|optional|boolean|command[- ]line|cli|option|flag|argument|switch|called|named)\s+)*"
    r"[`'\"]?(?P<flag>--[a-z][\w-]*)",
    re.IGNORECASE,
)
_VALUE = r"(?:'[^'\n]*'|\"[^\"\n]*\"|`[^`\n]*`|\w+\([^()\n]*\)|-?\d[\w.:+-]*\w|-?\d+)"
_GIVES = re.compile(
    rf"(?P<one>{_VALUE})\s+(?:(?:must|should|has\s+to|will)\s+)?(?:gives?|becomes?|returns?|yields?|turns?\s+into|results?\s+in|->|→|=>)"
    rf"\s+(?P<two>{_VALUE}|\{{[^}}\n]*\}}|\[[^\]\n]*\])",
    re.IGNORECASE,
)
_SUCH_AS = re.compile(
    rf"\b(?:such\s+as|like|e\.g\.,?|for\s+example,?|for\s+instance,?)\s+(?P<one>{_VALUE})", re.IGNORECASE
)
_DEFAULT = re.compile(
    r"\b(?:default(?:s|ing)?(?:\s+(?:to|is|of|value))*\s*[:=]?\s*)(?P<one>-?\d[\d._]*\d|-?\d|None|True|False|null|true|false|'[^']*'|\"[^\"]*\")"
    r"|(?P<two>-?\d[\d._]*\d|-?\d|None|True|False|null|true|false|'[^']*'|\"[^\"]*\")(?:\s+\w+)?\s+(?:by|as\s+(?:the|its?|a))\s+default\b",
    re.IGNORECASE,
)
_ADDITIVE = re.compile(
    r"^(?:please\s+)?(?:add|log|count|validate|check|refuse|reject|guard|warn|let)\b"
    r"|\b(?:must|should|has\s+to|needs\s+to)\s+(?:also\s+)?(?:raise|throw|log|count|refuse|reject|validate|check|warn|accept|take)\b",
    re.IGNORECASE,
)
_NOT_ADDITIVE = re.compile(
    r"\b(?:use|using|return|instead|fix|not|no|never|change|rename|swap|ignore|only|type|default\s+of|rather|stop|avoid)\b|n't\b",
    re.IGNORECASE,
)
_TEXTS = re.compile(
    r"\b(?:message|text|string|wording|word|label|title|print|log|format|translat|spell|typo|query|sql|url|path|pattern|regex|html"
    r"|markup|template|heading|caption|prompt|error)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Wish:
    """`adds` are parameters that the request wants, `raises` errors that the code must raise afterwards. `default` is
    the value that it names as one, `flags` are options of a command line that it wants, `examples` are literals that
    only show what is meant. An `additive` request takes nothing away.
    """

    text: str
    vocabulary: Vocabulary
    only: Only | None
    removes: bool
    rewrites: bool
    about_docs: bool
    about_parameters: bool
    required: bool
    adds: tuple[str, ...]
    raises: tuple[str, ...]
    flags: tuple[str, ...]
    default: str
    examples: tuple[str, ...]
    additive: bool
    about_texts: bool

    @property
    def words(self) -> frozenset[str]:
        return self.vocabulary.words

    def about_comments(self, language: str | None) -> bool:
        """Whether comments may change; docstrings of Python are none, those of other languages are."""
        said = re.search(r"\bcomment", self.text, re.IGNORECASE) is not None
        return self.about_docs and (said or language != "python" or self.only is not Only.DOCSTRING)


@lru_cache(maxsize=256)
def wish(request: str) -> Wish:
    bare = _LABEL.sub("", request.strip())
    return Wish(
        text=request,
        vocabulary=vocabulary(request),
        only=_only(bare),
        removes=_REMOVES.search(request) is not None,
        rewrites=_REWRITES.search(request) is not None,
        about_docs=re.search(rf"\b(?:{_DOCS}|document|comments?)\b", request, re.IGNORECASE) is not None,
        about_parameters=_PARAMETERS.search(request) is not None,
        required=_REQUIRED.search(request) is not None,
        adds=_added(bare),
        flags=tuple(dict.fromkeys(m["flag"] for m in _FLAG.finditer(request))),
        default=next((m["one"] or m["two"] for m in _DEFAULT.finditer(bare)), ""),
        examples=_examples(bare),
        additive=_ADDITIVE.search(bare) is not None
        and not any(p.search(request) for p in (_NOT_ADDITIVE, _REMOVES, _REWRITES)),
        about_texts=_TEXTS.search(request) is not None,
        raises=tuple(dict.fromkeys(m["name"].rstrip(".") for m in _RAISES.finditer(request) if m["name"][0].isupper())),
    )


def _only(request: str) -> Only | None:
    """The kind of a request that asks for one kind of thing."""
    if _SECOND_ORDER.search(request):
        return None
    for only, pattern in ((Only.DOCSTRING, _DOCSTRING), (Only.TYPES, _TYPES), (Only.COMMENTS, _COMMENT)):
        if pattern.search(request):
            return only
    return None


def _examples(request: str) -> tuple[str, ...]:
    """Literals of `'a' must give 'b'` and `a text like 2024-03-01`."""
    pieces = [m[g] for m in _GIVES.finditer(request) for g in ("one", "two")]
    pieces += [m["one"] for m in _SUCH_AS.finditer(request)]
    found = []
    for piece in pieces:
        inner = re.findall(r"'([^'\n]*)'|\"([^\"\n]*)\"|`([^`\n]*)`", piece)
        values = [a or b or c for a, b, c in inner] or ([piece] if piece[:1].isdigit() else [])
        found += [v for v in values if len(v) > 3]
    return tuple(dict.fromkeys(found))


def _added(request: str) -> tuple[str, ...]:
    """Names that stand beside `argument`, `parameter` or the like in a request that takes nothing away."""
    if _REMOVES.search(request) or re.search(r"\brenam|\bswap|\breorder", request, re.IGNORECASE):
        return ()
    found = [m["name"] or m["name2"] for m in _ADDED.finditer(request)]
    return tuple(dict.fromkeys(n for n in found if n.lower() not in _NO_NAMES.split("|")))
