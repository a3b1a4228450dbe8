"""What the words around a name say about it: whether it is a file at all, and whether it is to be created."""

from __future__ import annotations

import re
from functools import cache

from litecode.core.planning.candidates import Candidate

# Names without an ending, and names with a dot in front, that are files wherever they stand.
_SPECIAL = re.compile(
    r"(?:GNUm|M|m)akefile|(?:Docker|Container|Jenkins|Vagrant|Gem|Rake|Proc|Pip|Brew|Tilt|Fast|Guard|Just)file|justfile|"
    r"\.(?:git(?:ignore|attributes|modules)|(?:docker|npm|prettier|eslint)ignore|editorconfig|mailmap|flake8|pylintrc|"
    r"coveragerc|clang-(?:format|tidy)|pre-commit-config\.yaml|litecode\.yaml|eslintrc(?:\.\w+)?|prettierrc(?:\.\w+)?|"
    r"babelrc|bashrc|zshrc|env(?:\.\w+)?|nvmrc|npmrc|tool-versions|python-version)"
)
# Endings that attributes and methods have, too: `response.json`, `db.sql`, `self.go`.
_ALSO_ATTRIBUTES = frozenset(
    """
    ai app bat bin c class cmd cnf conf config cr cs css cue d def diff dist dll ear egg env ex exe fish fits
    fs go gz h hs html htm img in inc ini jar json key less liquid lock log m make manifest map md meson metal
    mod mm out p pas patch pdf pem pl pm png po pom pp properties props proto ps pub r raw rs s sc service sh
    so sol spec sql ss sum sv svg tac tar targets template templ text tf toml ts txt v war wav xml yaml yml zip
    """.split()
)
# Files that programs write and read rather than people edit.
_DATA = frozenset(
    """
    csv tsv txt log out tmp json jsonl xml html htm pdf png jpg jpeg gif svg webp db sqlite sqlite3 zip gz tar tgz bz2
    whl exe dll so bin dat pid sock lock map parquet xlsx xls docx ics wav mp3 mp4 ttf woff woff2
    """.split()
)
_MORE_ENDINGS = frozenset(
    "lock log mod sum config jsonl jsonc mts cts tmpl tpl service sqlite db dat parquet snap example template".split()
)
# What is called like a file but is a product or a site.
_PRODUCTS = re.compile(
    r"(?i)(?:node|io|next|vue|nuxt|express|react|angular|ember|backbone|three|d3|chart|moment|day|discord|socket|p5|"
    r"alpine|solid|preact|electron|nest|deno|bun|babylon|underscore|ethers|web3|plotly|highlight|mermaid|handlebars|core|asp|"
    r"ml|paper|tensorflow|video|fuse|lunr|polymer|knockout|require|impress|reveal|zone|pixi|phaser|matter|konva)\."
    r"(?:js|ts|net|io)"
    r"|docs\.rs|lib\.rs|crates\.io|(?:[\w-]+\.)+(?:com|org|io|net|dev|edu|gov)"
)
_DOMAIN = re.compile(r"(?:[\w-]+\.)+(?:com|org|io|net|dev|ai|co|edu|gov)")

_NOUN = (
    r"(?:file|module|script|test|tests|page|document|doc|package|component|helper|class|header|stylesheet|template|"
    r"view|hook|utility|config|configuration|workflow|migration|fixture|note|notes|guide|example|changelog|readme)"
)
_MAKE = (
    r"(?:create|add|make(?=\s+(?:me\s+|us\s+)?(?:an?|the|another|one)\b)|write|generate|introduce|start|scaffold|touch|"
    r"provide|set\s+up)"
)
_DIRECT = re.compile(
    rf"(?i)\b{_MAKE}\s+(?:me\s+|us\s+)?"
    rf"(?:(?:a|an|the|another|one|new|empty|small|short|simple|separate|missing|little|blank|basic|minimal|python|"
    rf"javascript|typescript|go|rust|java|c|shell|bash|sql|markdown|yaml|json|unit|test|helper)\s+){{0,5}}"
    rf"(?:{_NOUN}\s+)*(?:(?:called|named|at|in|under|as)\s+)?$"
)
_MADE_THING = re.compile(
    rf"(?i)\b{_MAKE}\s+(?:(?:a|an|the|some|new|more|small|unit|missing|\w+)\s+){{0,3}}{_NOUN}\b"
    rf"(?:\s+(?!in\b|into\b|to\b|called\b|named\b)[\w.()`'/-]+){{0,8}}\s+(?:in|into|at|under|called|named|as)\s+"
    rf"(?:the\s+)?(?:new\s+)?(?:file\s+)?$"
)
_NEW = re.compile(rf"(?i)\bnew\s+(?:[\w-]+\s+){{0,2}}?(?:{_NOUN}\s*)?(?:(?:called|named|at|in)\s+)?:?\s*$")
_INTO = rf"\s+(?:(?:a|an|the|its|their|own|new|separate|common|shared)\s+)*(?:{_NOUN}\s+)*(?:(?:called|named|at)\s+)?$"
_MOVED = re.compile(
    rf"(?i)\b(?:move|pull|copy|turn)\b.*\b(?:to|into|as){_INTO}"
    rf"|\b(?:extract|split|factor|put|separate|break)\b.*\b(?:to|into|in|as){_INTO}"
    rf"|\brename\b.*\b(?:to|into|as)\s+$"
)
# What may stand behind a file that is to be added; `add express.json tests` is about something else.
_AFTER_ADDED = re.compile(
    r"[\"'`)\]]*(?:\s*$|\s*[.,;:(\n]|\s+(?:with|that|which|containing|holding|listing|for|in|and|from|under|as|so|to|"
    r"where|whose|next|beside|based|like|defining|describing|explaining|using|at|on)\b)"
)
_CONTINUES = re.compile(r"(?i)^[\s\"'`]*(?:,|and|,\s*and|&|\+|plus|as\s+well\s+as)[\s\"'`]*$")
_FILE_PLACE = re.compile(
    r"(?i)\b(?:files?|modules?|scripts?|edit|change|fix|update|modify|refactor|rewrite|delete|remove|drop|rename|move|open|"
    r"clean\s+up|format|document|simplify|extend|review|touch|adapt|shorten|translate)\s+(?:the\s+)?(?:files?\s+)?$"
)
_IN_SPECIAL = re.compile(r"(?i)\b(?:in|of|from|to)\s+(?:the\s+)?$")
_CLAUSE_IN = re.compile(
    r"(?i)^\W*(?:and\s+|then\s+|please\s+)?(?:in|inside|at)\s+(?:the\s+)?(?:files?\s+)?$|\b(?:defined|everything|all|lines?|function|method|class|docstrings?|comments?|\w+\(\))\s+(?:in|of|from)\s+$"
)


@cache
def endings() -> frozenset[str]:
    """The endings that files of text or of code have, without dots."""
    from identify import extensions

    return frozenset(extensions.EXTENSIONS) | frozenset(extensions.EXTENSIONS_NEED_BINARY_CHECK) | _MORE_ENDINGS


def ending(path: str) -> str:
    """The ending of a path when it is a known one, lower case; else empty."""
    name, dot, last = path.rpartition("/")[2].rpartition(".")
    return last.lower() if dot and name and last.lower() in endings() else ""


def is_special(name: str) -> bool:
    return _SPECIAL.fullmatch(name) is not None


def is_domain(text: str) -> bool:
    return _DOMAIN.fullmatch(text.split("/")[0]) is not None


def creates(found: Candidate, after_created: str | None) -> bool:
    """Whether the words before a name ask for a new file. `after_created` is the text between it and a name that is to
    be created, when one comes before.
    """
    if after_created is not None and _CONTINUES.match(after_created):
        return True
    before = found.before
    added = _DIRECT.search(before) and (creates_surely(found) or _AFTER_ADDED.match(found.after))
    return bool(added or re.match(r"\W{0,3}\((?:a\s+)?new\b", found.after)) or any(
        form.search(before) for form in (_MADE_THING, _NEW, _MOVED)
    )


def creates_surely(found: Candidate) -> bool:
    """Whether the name stands right behind `create` or `new`, so that no other file can be meant."""
    return bool(
        re.search(r"(?i)\b(?:create|generate|scaffold|touch)\b", found.before) and _DIRECT.search(found.before)
    ) or bool(_NEW.search(found.before))


def names_a_file(found: Candidate, shaped: str) -> bool:
    """Whether a name that no file has is meant as a file. `shaped` is the name as a path of the repository."""
    last = ending(shaped)
    name = shaped.rpartition("/")[2]
    if is_special(name):
        return is_placed(found) or bool(_IN_SPECIAL.search(found.before))
    if not last or is_domain(found.text) or _PRODUCTS.fullmatch(found.text) or found.after.startswith("("):
        return False
    if " " in found.text and not re.fullmatch(r"[\w./@+-]+(?: [\w./@+&()-]+){1,6}", found.text):
        return False
    placed = is_placed(found)
    if "/" in shaped:
        return placed or last not in _DATA
    return placed or not (last in _DATA or last in _ALSO_ATTRIBUTES)


def is_edited(found: Candidate) -> bool:
    """Whether the request asks for a change of that very file: `edit X`, or `X: ...` at its start."""
    starts = found.opens and found.after.lstrip("\"'`").startswith(":")
    return starts or bool(_FILE_PLACE.search(found.before))


def is_placed(found: Candidate) -> bool:
    """Whether a name stands where a file would: as what is edited, or as the place of the work."""
    return is_edited(found) or bool(_CLAUSE_IN.search(found.before))
