"""The languages that a rule can name: their parser, the files they are found in, and how they write comments."""

from __future__ import annotations

from typing import NamedTuple


class Language(NamedTuple):
    """`parser` is ast-grep's name, None where it has no grammar (then only `regex` rules are possible; ast-grep panics
    on names that it does not know). A file of the language has one of `tags` (of identify) and none of `not_tags`.
    `comment` starts a comment that ends with the line, `block` is the pair around a longer one.
    """

    name: str
    parser: str | None
    tags: tuple[str, ...]
    comment: str | None = None
    block: tuple[str, str] | None = None
    aliases: tuple[str, ...] = ()
    not_tags: tuple[str, ...] = ()


_C_BLOCK = ("/*", "*/")
_MARKUP_BLOCK = ("<!--", "-->")

# The first language that fits a file is its language, so the order matters: identify tags a `.h` file both c and c++.
LANGUAGES: tuple[Language, ...] = (
    Language("python", "python", ("python", "pyi"), "#", aliases=("py",)),
    Language("javascript", "javascript", ("javascript", "jsx"), "//", _C_BLOCK, ("js", "jsx")),
    Language("typescript", "typescript", ("ts",), "//", _C_BLOCK, ("ts",)),
    Language("tsx", "tsx", ("tsx",), "//", _C_BLOCK),
    Language("go", "go", ("go",), "//", _C_BLOCK, ("golang",)),
    Language("rust", "rust", ("rust",), "//", _C_BLOCK, ("rs",)),
    Language("java", "java", ("java",), "//", _C_BLOCK),
    Language("kotlin", "kotlin", ("kotlin",), "//", _C_BLOCK, ("kt",)),
    Language("c", "c", ("c",), "//", _C_BLOCK),
    Language("cpp", "cpp", ("c++",), "//", _C_BLOCK, ("c++", "cc", "cxx"), ("objective-c++",)),
    Language("csharp", "csharp", ("c#",), "//", _C_BLOCK, ("c#", "cs")),
    Language("ruby", "ruby", ("ruby",), "#", aliases=("rb",)),
    Language("php", "php", ("php",), "//", _C_BLOCK),
    Language("swift", "swift", ("swift",), "//", _C_BLOCK),
    Language("scala", "scala", ("scala",), "//", _C_BLOCK),
    Language("bash", "bash", ("shell",), "#", aliases=("sh", "shell"), not_tags=("csh", "tcsh", "zsh")),
    Language("json", "json", ("json",)),
    Language("yaml", "yaml", ("yaml",), "#", aliases=("yml",)),
    Language("html", "html", ("html",), None, _MARKUP_BLOCK, ("htm",)),
    Language("css", "css", ("css",), None, _C_BLOCK),
    Language("lua", "lua", ("lua",), "--", ("--[[", "]]")),
    Language("elixir", "elixir", ("elixir",), "#", aliases=("ex",)),
    Language("haskell", "haskell", ("haskell",), "--", ("{-", "-}"), ("hs",)),
    Language("hcl", "hcl", ("hcl", "terraform"), "#", _C_BLOCK, ("terraform", "tf")),
    Language("solidity", "solidity", ("solidity",), "//", _C_BLOCK, ("sol",)),
    Language("nix", "nix", ("nix",), "#", _C_BLOCK),
    Language("markdown", "markdown", ("markdown",), None, _MARKUP_BLOCK, ("md",)),
    Language("dart", "dart", ("dart",), "//", _C_BLOCK),
    Language("sql", None, ("sql",), "--", _C_BLOCK),
    Language("toml", None, ("toml",), "#"),
    Language("ini", None, ("ini",), ";"),
    Language("xml", None, ("xml",), None, _MARKUP_BLOCK),
    Language("scss", None, ("scss",), "//", _C_BLOCK),
    Language("less", None, ("less",), "//", _C_BLOCK),
    Language("vue", None, ("vue",), None, _MARKUP_BLOCK),
    Language("svelte", None, ("svelte",), None, _MARKUP_BLOCK),
    Language("dockerfile", None, ("dockerfile",), "#", aliases=("docker",)),
    Language("makefile", None, ("makefile",), "#", aliases=("make",)),
    Language("cmake", None, ("cmake",), "#"),
    Language("starlark", None, ("bazel",), "#", aliases=("bazel",)),
    Language("groovy", None, ("groovy",), "//", _C_BLOCK),
    Language("proto", None, ("proto",), "//", _C_BLOCK, ("protobuf",)),
    Language("graphql", None, ("graphql",), "#"),
    Language("perl", None, ("perl",), "#", aliases=("pl",)),
    Language("r", None, ("r",), "#"),
    Language("julia", None, ("julia",), "#", ("#=", "=#"), ("jl",)),
    Language("zig", None, ("zig",), "//"),
    Language("clojure", None, ("clojure",), ";", aliases=("clj",)),
    Language("erlang", None, ("erlang",), "%", aliases=("erl",)),
    Language("ocaml", None, ("ocaml",), None, ("(*", "*)"), ("ml",)),
    Language("fsharp", None, ("f#",), "//", ("(*", "*)"), ("f#", "fs")),
    Language("powershell", None, ("powershell",), "#", ("<#", "#>"), ("ps1",)),
    Language("zsh", None, ("zsh",), "#"),
    Language("fish", None, ("fish",), "#"),
    Language("rst", None, ("rst",), ".."),
    Language("tex", None, ("tex",), "%", aliases=("latex",)),
    Language("text", None, ("plain-text",), aliases=("txt",)),
)

_BY_NAME = {name: language for language in LANGUAGES for name in (language.name, *language.aliases)}

# Endings that identify has no tag for.
_BY_SUFFIX = {"mts": "typescript", "cts": "typescript", "jsonc": "json", "gql": "graphql", "tofu": "hcl"}


def find(name: str) -> Language | None:
    """The language with this name or alias."""
    return _BY_NAME.get(name)


def names() -> tuple[str, ...]:
    """Every name and alias that `find` knows."""
    return tuple(_BY_NAME)


def language_of(path: str, tags: frozenset[str]) -> str | None:
    """The name of a file's language, for a rule that names none; `tags` as `select.tags_for` gives them."""
    for language in LANGUAGES:
        if not tags.isdisjoint(language.tags) and tags.isdisjoint(language.not_tags):
            return language.name
    return _BY_SUFFIX.get(path.rpartition(".")[2].lower()) if "text" in tags else None
