"""Symbols of texts that are read by their lines: prose, configuration, and languages without a grammar."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from litecode.core.filemap.symbols import Found, Symbol, one_line

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_HEADING = re.compile(r" {0,3}(#{1,6})\s+(.+?)(?:\s+#+)?\s*$")
_UNDERLINE = {"markdown": "=-", "rst": "=-~^\"'`:._*+#"}
_SCRIPT = re.compile(r"<script\b[^>]*>(.*?)</script>", re.DOTALL | re.IGNORECASE)
_IMPORT = re.compile(
    r"""\s*(?:import|include|use|require|from|FROM|source|\\input|\\usepackage)\b(?:[^"'<{\n]*["'<{]|\s+)([\w./:@-]+)"""
)


class _Form(NamedTuple):
    """A line that begins a symbol; the group `name` is its name."""

    pattern: re.Pattern[str]
    kind: str


def _forms(*rows: tuple[str, str]) -> tuple[_Form, ...]:
    return tuple(_Form(re.compile(pattern), kind) for pattern, kind in rows)


_MODIFIERS = r"(?:(?:pub|public|private|protected|internal|static|final|abstract|export|async|local|inline|sealed)\s+)*"
_CODE = _forms(
    (
        rf"{_MODIFIERS}(?:class|struct|trait|interface|module|package|enum|union|message|service|input)\s+(?P<name>[\w.]+)",
        "class",
    ),
    (
        rf"\s*{_MODIFIERS}(?:function|func|fn|fun|def|defn-?|sub|proc|procedure|rpc|let rec)\s+(?P<name>[\w.:?!*-]+)",
        "function",
    ),
    (r"\(def\w*\s+(?P<name>[^\s()\[\]]+)", "function"),
    (r"-?(?P<name>[a-z]\w*)\(.*\)\s*(?:when .*)?->", "function"),
    (r"(?P<name>[\w.]+)\s*<-\s*function\b", "function"),
    (rf"{_MODIFIERS}(?:type|scalar|let|val|const)\s+(?P<name>[\w.]+)", "variable"),
)
_BY_LANGUAGE = {
    "toml": _forms((r"\[\[?(?P<name>[^\]]+)\]", "section")),
    "ini": _forms((r"\[(?P<name>[^\]]+)\]", "section")),
    "makefile": _forms(
        (r"(?P<name>[\w./%-]+)(?:\s+[\w./%-]+)*\s*:(?![:=])", "target"), (r"define\s+(?P<name>\w+)", "macro")
    ),
    "dockerfile": _forms((r"(?i)FROM\s+\S+\s+AS\s+(?P<name>\S+)", "stage")),
    "cmake": _forms(
        (r"(?i)\s*(?:function|macro)\s*\(\s*(?P<name>\w+)", "function"),
        (r"(?i)\s*add_(?:executable|library|custom_target)\s*\(\s*(?P<name>\S+)", "target"),
    ),
    "starlark": _forms((r"def\s+(?P<name>\w+)", "function"), (r"\s+name\s*=\s*\"(?P<name>[^\"]+)\"", "target")),
    "sql": _forms(
        (
            r"(?i)\s*create\s+(?:or\s+replace\s+)?(?:temp\w*\s+|unique\s+|materialized\s+)*"
            r"(?:table|view|function|procedure|index|trigger|type|schema|sequence)\s+(?:if\s+not\s+exists\s+)?"
            r"(?P<name>[\w.\"`\[\]]+)",
            "definition",
        )
    ),
    "scss": _forms((r"@(?:mixin|function)\s+(?P<name>[\w-]+)", "function"), (r"(?P<name>[.#&:\w][^{};]*)\{", "rule")),
    "less": _forms((r"(?P<name>[.#&:\w@][^{};]*)\{", "rule")),
    "tex": _forms((r"\\(?:part|chapter|(?:sub)*section)\*?\{(?P<name>[^}]*)\}", "heading")),
    "html": _forms(
        (r"(?i)\s*<h[1-6][^>]*>(?P<name>[^<]+)", "heading"),
        (r"(?i)\s*<[a-z][\w-]*[^>]*\bid=[\"'](?P<name>[\w-]+)[\"']", "element"),
    ),
    "xml": _forms((r"\s*<[\w:-]+[^>]*\b(?:id|name)=[\"'](?P<name>[^\"']+)[\"']", "element")),
    "text": (),
    "markdown": (),
    "rst": (),
}


def find(text: str, language: str) -> Found:
    lines = text.split("\n")
    if lines and not lines[-1]:
        lines.pop()
    if language in _UNDERLINE:
        return Found(tuple(_sections(_headings(lines, language), len(lines))), ())
    forms = _BY_LANGUAGE.get(language, _CODE if language else ())
    symbols = tuple(_closed(list(_matches(lines, forms)), len(lines)))
    imports = [m.group(1) for line in lines if (m := _IMPORT.match(line))] if forms is _CODE else []
    return Found(symbols, tuple(dict.fromkeys(imports)))


def script_of(text: str) -> str:
    """The scripts of a component file, at the lines where they stand; all else is blank."""
    kept = [m.span(1) for m in _SCRIPT.finditer(text)]
    parts, at = [], 0
    for start, end in kept:
        parts += ["\n" * text.count("\n", at, start), text[start:end]]
        at = end
    return "".join(parts)


def _matches(lines: list[str], forms: tuple[_Form, ...]) -> Iterator[Symbol]:
    for number, line in enumerate(lines, 1):
        for form in forms:
            found = form.pattern.match(line)
            if found:
                name = one_line(found.group("name").strip("\"'`[]"), 60)
                if name:
                    yield Symbol(name, form.kind, one_line(line.rstrip(" {")), number, number)
                break


def _closed(symbols: list[Symbol], lines: int) -> Iterator[Symbol]:
    """Without a parser a symbol ends where the next begins."""
    ends = [*(following.line - 1 for following in symbols[1:]), lines]
    for symbol, end in zip(symbols, ends, strict=False):
        yield symbol._replace(end_line=max(symbol.line, end))


class _Heading(NamedTuple):
    level: int
    title: str
    line: int


def _headings(lines: list[str], language: str) -> Iterator[_Heading]:
    fence = ""
    levels: list[str] = []
    for number, line in enumerate(lines, 1):
        if language == "markdown":
            mark = _FENCE.match(line)
            if mark and not fence:
                fence = mark.group(1)
                continue
            if fence:
                if mark and mark.group(1).startswith(fence) and line.strip() == mark.group(1):
                    fence = ""
                continue
            found = _HEADING.match(line)
            if found:
                yield _Heading(len(found.group(1)), found.group(2), number)
                continue
        if number > 1 and _underlines(line, lines[number - 2], language):
            if line[0] not in levels:
                levels.append(line[0])
            level = "=-".index(line[0]) + 1 if language == "markdown" else levels.index(line[0]) + 1
            yield _Heading(level, lines[number - 2].strip(), number - 1)


def _underlines(line: str, title: str, language: str) -> bool:
    line = line.rstrip()
    if len(line) < 3 or line[0] not in _UNDERLINE[language] or set(line) != {line[0]}:
        return False
    plain = title.strip()
    if not plain or not any(map(str.isalnum, plain)) or title.startswith("    "):
        return False
    if language == "rst":
        return len(line) >= len(plain)
    return not plain.startswith(("#", "-", "*", "|", ">", "```")) and (line[0] == "=" or len(line) >= len(plain) // 2)


def _sections(headings: Iterator[_Heading], lines: int) -> Iterator[Symbol]:
    """A section reaches to the next heading of its level or above."""
    found = list(headings)
    for index, heading in enumerate(found):
        following = next((h.line for h in found[index + 1 :] if h.level <= heading.level), lines + 1)
        title = one_line(heading.title, 80)
        yield Symbol(title, "heading", f"{'#' * heading.level} {title}", heading.line, max(heading.line, following - 1))
