"""Ensured lines: at the right place, in the style of the file, once, and nothing else changes."""

from __future__ import annotations

import ast
import warnings

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from litecode.core.patching.document import Document
from litecode.core.patching.ensure import apply, ensure, missing

LOG = "import logging"
LOGGER = "logger = logging.getLogger(__name__)"


def inserted(text: str, language: str | None, *lines: str) -> str:
    """The text with the lines; checked: only insertions, and a second time there is nothing left to do."""
    edits = ensure(text, language, lines)
    assert all(edit.cut.start == edit.cut.end for edit in edits)
    new = apply(text, language, lines)
    assert apply(new, language, lines) == new
    assert missing(new, language, lines) == []
    return new


PYTHON = [
    # no imports yet
    ("", [LOG], "import logging\n"),
    ("", [LOG, LOGGER], f"import logging\n\n{LOGGER}\n"),
    ("x = 1\n", [LOG, LOGGER], f"import logging\n\n{LOGGER}\n\nx = 1\n"),
    ("x = 1", [LOG], "import logging\n\nx = 1"),
    ("\n\nx = 1\n", [LOG], "import logging\n\n\nx = 1\n"),
    ('"""Doc."""\n\nx = 1\n', [LOG, LOGGER], f'"""Doc."""\n\nimport logging\n\n{LOGGER}\n\nx = 1\n'),
    ('"""Doc."""\nx = 1\n', [LOG], '"""Doc."""\n\nimport logging\n\nx = 1\n'),
    ('"""Doc\n\nmore.\n"""\n', [LOG], '"""Doc\n\nmore.\n"""\n\nimport logging\n'),
    ('"""Doc."""', [LOG], '"""Doc."""\n\nimport logging'),
    (
        "#!/usr/bin/python\n# -*- coding: utf-8 -*-\n\nx = 1\n",
        [LOG],
        "#!/usr/bin/python\n# -*- coding: utf-8 -*-\n\nimport logging\n\nx = 1\n",
    ),
    ("#!/usr/bin/python\n\n# licence\n\nx = 1\n", [LOG], "#!/usr/bin/python\n\n# licence\n\nimport logging\n\nx = 1\n"),
    ("#!/usr/bin/python\n\n# of x\nx = 1\n", [LOG], "#!/usr/bin/python\n\nimport logging\n\n# of x\nx = 1\n"),
    (
        "# licence\n\n'''Doc.'''\n\n# of x\nx = 1\n",
        [LOG],
        "# licence\n\n'''Doc.'''\n\nimport logging\n\n# of x\nx = 1\n",
    ),
    ("def f():\n    import logging\n", [LOG], "import logging\n\ndef f():\n    import logging\n"),
    ("s = '''\nimport logging\n'''\n", [LOG], "import logging\n\ns = '''\nimport logging\n'''\n"),
    ("# import logging\nx = 1\n", [LOG], "# import logging\n\nimport logging\n\nx = 1\n"),
    # from __future__
    ("x = 1\n", ["from __future__ import annotations"], "from __future__ import annotations\n\nx = 1\n"),
    (
        '"""Doc."""\n\nimport os\n',
        ["from __future__ import annotations"],
        '"""Doc."""\n\nfrom __future__ import annotations\n\nimport os\n',
    ),
    (
        "# c\n\nimport os\n",
        ["from __future__ import annotations"],
        "# c\n\nfrom __future__ import annotations\n\nimport os\n",
    ),
    (
        "from __future__ import annotations\nimport os\n",
        ["from __future__ import division"],
        "from __future__ import annotations\nfrom __future__ import division\nimport os\n",
    ),
    (
        "from __future__ import annotations\n\nx = 1\n",
        [LOG, LOGGER],
        f"from __future__ import annotations\n\nimport logging\n\n{LOGGER}\n\nx = 1\n",
    ),
    (
        "from __future__ import annotations\nx = 1\n",
        [LOG],
        "from __future__ import annotations\n\nimport logging\n\nx = 1\n",
    ),
    # sorted groups, and groups that are not
    ("import json\nimport os\n\nx = 1\n", [LOG], "import json\nimport logging\nimport os\n\nx = 1\n"),
    ("import os\nimport re\n", ["import abc"], "import abc\nimport os\nimport re\n"),
    ("import os\nimport re\n", ["import zlib"], "import os\nimport re\nimport zlib\n"),
    ("import re\nimport os\n", ["import pathlib"], "import re\nimport os\nimport pathlib\n"),
    (
        "import os\nimport re\n",
        ["import abc", "import json", "import zlib"],
        "import abc\nimport json\nimport os\nimport re\nimport zlib\n",
    ),
    ("import os", [LOG, LOGGER], f"import logging\nimport os\n\n{LOGGER}"),
    ("import os  # noqa\nx = 1\n", [LOG], "import logging\nimport os  # noqa\nx = 1\n"),
    ("import os; import re\nx = 1\n", [LOG], "import logging\nimport os; import re\nx = 1\n"),
    # sections
    ("import os\n\nimport requests\n\nx = 1\n", [LOG], "import logging\nimport os\n\nimport requests\n\nx = 1\n"),
    (
        "import os\n\nimport requests\n\nfrom . import a\n",
        ["import yaml"],
        "import os\n\nimport requests\nimport yaml\n\nfrom . import a\n",
    ),
    ("import requests\n\nx = 1\n", [LOG], "import logging\n\nimport requests\n\nx = 1\n"),
    ("import os\n\nx = 1\n", ["import requests"], "import os\n\nimport requests\n\nx = 1\n"),
    ("import os\nx = 1\n", ["import requests"], "import os\n\nimport requests\n\nx = 1\n"),
    ("import os\nimport requests\nx = 1\n", ["import abc"], "import os\nimport requests\nimport abc\nx = 1\n"),
    ("from . import a\n\nx = 1\n", [LOG], "import logging\n\nfrom . import a\n\nx = 1\n"),
    # from-imports
    (
        "import os\nfrom typing import Any\n",
        ["from datetime import timezone"],
        "import os\nfrom datetime import timezone\nfrom typing import Any\n",
    ),
    ("from os import path\n\nfrom a import b\n", [LOG], "import logging\nfrom os import path\n\nfrom a import b\n"),
    ("import os\n\nimport b\n", ["from re import sub"], "import os\nfrom re import sub\n\nimport b\n"),
    (
        "from datetime import datetime\n",
        ["from datetime import timezone"],
        "from datetime import datetime\nfrom datetime import timezone\n",
    ),
    (
        "from datetime import (\n    datetime,\n)\n\nx = 1\n",
        ["from re import sub"],
        "from datetime import (\n    datetime,\n)\nfrom re import sub\n\nx = 1\n",
    ),
    # other statements of the head
    (
        "from typing import TYPE_CHECKING\n\nif TYPE_CHECKING:\n    import logging\n\nx = 1\n",
        [LOG, LOGGER],
        "import logging\nfrom typing import TYPE_CHECKING\n\nif TYPE_CHECKING:\n    import logging\n\n"
        f"{LOGGER}\n\nx = 1\n",
    ),
    (
        "import os\n\ntry:\n    import json\nexcept ImportError:\n    json = None\n\n\ndef f(): ...\n",
        [LOG, LOGGER],
        "import logging\nimport os\n\ntry:\n    import json\nexcept ImportError:\n    json = None\n\n"
        f"{LOGGER}\n\n\ndef f(): ...\n",
    ),
    (
        "try:\n    import a\nexcept E:\n    a = 1\n",
        [LOG],
        "import logging\n\ntry:\n    import a\nexcept E:\n    a = 1\n",
    ),
    (
        "import os\n\nx = 1\n\nimport re\n",
        [LOG, LOGGER],
        f"import logging\nimport os\n\n{LOGGER}\n\nx = 1\n\nimport re\n",
    ),
    ("import os\n\n\n# section\nx = 1\n", [LOGGER], f"import os\n\n{LOGGER}\n\n\n# section\nx = 1\n"),
    ("import os\nx = 1\n", [LOGGER], f"import os\n\n{LOGGER}\n\nx = 1\n"),
    ("import os\n", [LOGGER, "X = 1"], f"import os\n\n{LOGGER}\nX = 1\n"),
    ("x = 1\n", [LOGGER], f"{LOGGER}\n\nx = 1\n"),
    # what does not parse: an older Python, or somebody at work
    ("import os\nprint 'x'\n", [LOG], "import os\nimport logging\nprint 'x'\n"),
    ("x = (\n", [LOG], "import logging\n\nx = (\n"),
    ("s = 'é'  # 😀\nimport os\n", [LOG], "import logging\n\ns = 'é'  # 😀\nimport os\n"),
]


@pytest.mark.parametrize(("text", "lines", "expected"), PYTHON)
def test_python(text: str, lines: list[str], expected: str) -> None:
    assert inserted(text, "python", *lines) == expected


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("import logging\n", LOG),
        ("import os, logging\n", LOG),
        ("import logging  # why\n", LOG),
        ("x = 1\n\nimport logging\n", LOG),
        ("try:\n    import yaml\nexcept ImportError:\n    yaml = None\n", "import yaml"),
        ("import logging as log\n", "import logging as log"),
        ("from a import b, c as d\n", "from a import b"),
        ("from a import (\n    b,\n    c as d,\n)\n", "from a import c as d, b"),
        ("from . import a\n", "from . import a"),
        ("from __future__ import annotations, division\n", "from __future__ import division"),
        ("logger = logging.getLogger('x')\n", LOGGER),
        ("logger: Logger = make()\n", LOGGER),
        ("from app import logger\n", LOGGER),
        ("import structlog as logger\n", LOGGER),
        ("def logger(): ...\n", LOGGER),
        ("if DEBUG:\n    logger = a\nelse:\n    logger = b\n", LOGGER),
        ("setup( )\n", "setup()"),
    ],
)
def test_python_has_it_already(text: str, line: str) -> None:
    assert ensure(text, "python", (line,)) == []


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("import logging as log\n", LOG),
        ("import logging.handlers\n", LOG),
        ("from logging import *\n", LOG),
        ("from a import b\n", "from a import b as c"),
        ("from .a import b\n", "from a import b"),
        ("try:\n    x()\nexcept E:\n    import logging\n", LOG),
        ("def f():\n    logger = 1\n", LOGGER),
        ("x.logger = 1\n", LOGGER),
        ("# import logging\n", LOG),
        ("'import logging'\n", LOG),
    ],
)
def test_python_does_not_have_it(text: str, line: str) -> None:
    assert missing(text, "python", (line,)) == [line]


GUARD = "/* licence */\n#ifndef A_H\n#define A_H\n"

OTHERS = [
    (
        "javascript",
        "import a from 'x';\nimport { b } from 'y';\n\nf();\n",
        ["import { c } from 'z';"],
        "import a from 'x';\nimport { b } from 'y';\nimport { c } from 'z';\n\nf();\n",
    ),
    ("javascript", "// licence\n\nf();\n", ["import x from 'x';"], "// licence\n\nimport x from 'x';\n\nf();\n"),
    (
        "javascript",
        "/* eslint */\n/**\n * Doc of f.\n */\nfunction f() {}\n",
        ["import x from 'x';"],
        "/* eslint */\n\nimport x from 'x';\n\n/**\n * Doc of f.\n */\nfunction f() {}\n",
    ),
    (
        "javascript",
        "#!/usr/bin/env node\nf();\n",
        ["import x from 'x';"],
        "#!/usr/bin/env node\n\nimport x from 'x';\n\nf();\n",
    ),
    (
        "javascript",
        "'use strict';\n\nf();\n",
        ["const fs = require('fs');"],
        "'use strict';\n\nconst fs = require('fs');\n\nf();\n",
    ),
    (
        "javascript",
        "const a = require('a');\nrequire('b').c();\n\nmodule.exports = require('z');\n",
        ["const fs = require('fs');"],
        "const a = require('a');\nrequire('b').c();\nconst fs = require('fs');\n\nmodule.exports = require('z');\n",
    ),
    (
        "javascript",
        "import a from 'a';\nf();\n",
        ["const log = make();"],
        "import a from 'a';\n\nconst log = make();\n\nf();\n",
    ),
    (
        "javascript",
        "x = `\nimport a from 'a';\n`;\n",
        ["import a from 'a';"],
        "import a from 'a';\n\nx = `\nimport a from 'a';\n`;\n",
    ),
    ("javascript", "", ["import a from 'a';"], "import a from 'a';\n"),
    (
        "typescript",
        "import type { A } from './a';\nimport b = require('b');\n\nexport const x = 1;\n",
        ["import { z } from 'zod';"],
        "import type { A } from './a';\nimport b = require('b');\nimport { z } from 'zod';\n\nexport const x = 1;\n",
    ),
    (
        "go",
        'package a\n\nimport (\n\t"fmt"\n)\n\nfunc f() {}\n',
        ['import "log"'],
        'package a\n\nimport (\n\t"fmt"\n)\nimport "log"\n\nfunc f() {}\n',
    ),
    (
        "go",
        "// Package a does.\npackage a\n\nfunc f() {}\n",
        ['import "log"', "var logger = log.Default()"],
        '// Package a does.\npackage a\n\nimport "log"\n\nvar logger = log.Default()\n\nfunc f() {}\n',
    ),
    (
        "rust",
        "//! doc\n\n#![allow(x)]\n\nuse std::fmt;\n\nfn f() {}\n",
        ["use log::info;"],
        "//! doc\n\n#![allow(x)]\n\nuse std::fmt;\nuse log::info;\n\nfn f() {}\n",
    ),
    ("rust", "//! doc\n\nfn f() {}\n", ["use log::info;"], "//! doc\n\nuse log::info;\n\nfn f() {}\n"),
    ("rust", "/// of f\nfn f() {}\n", ["use log::info;"], "use log::info;\n\n/// of f\nfn f() {}\n"),
    (
        "java",
        "package a;\n\nimport java.util.List;\n\nclass A {}\n",
        ["import java.util.Map;"],
        "package a;\n\nimport java.util.List;\nimport java.util.Map;\n\nclass A {}\n",
    ),
    (
        "java",
        "package a;\n\n/** Doc. */\nclass A {}\n",
        ["import java.util.Map;"],
        "package a;\n\nimport java.util.Map;\n\n/** Doc. */\nclass A {}\n",
    ),
    (
        "kotlin",
        "package a\n\nimport b.c\n\nfun f() {}\n",
        ["import d.e"],
        "package a\n\nimport b.c\nimport d.e\n\nfun f() {}\n",
    ),
    (
        "c",
        f"{GUARD}\n#include <a.h>\n\nint x;\n#endif\n",
        ["#include <b.h>"],
        f"{GUARD}\n#include <a.h>\n#include <b.h>\n\nint x;\n#endif\n",
    ),
    ("c", f"{GUARD}\nint x;\n\n#endif\n", ["#include <b.h>"], f"{GUARD}\n#include <b.h>\n\nint x;\n\n#endif\n"),
    ("c", "#pragma once\n\nint x;\n", ["#include <b.h>"], "#pragma once\n\n#include <b.h>\n\nint x;\n"),
    (
        "c",
        "#define _GNU_SOURCE\nint f() {}\n",
        ["#include <b.h>"],
        "#define _GNU_SOURCE\n\n#include <b.h>\n\nint f() {}\n",
    ),
    (
        "c",
        '#include <a.h>\n\nint f() {}\n#include "end.inc"\n',
        ["#include <b.h>"],
        '#include <a.h>\n#include <b.h>\n\nint f() {}\n#include "end.inc"\n',
    ),
    (
        "csharp",
        "using System;\n\nnamespace A { }\n",
        ["using System.IO;"],
        "using System;\nusing System.IO;\n\nnamespace A { }\n",
    ),
    (
        "php",
        "<?php\n\ndeclare(strict_types=1);\n\nnamespace A;\n\nclass B {}\n",
        ["use C\\D;"],
        "<?php\n\ndeclare(strict_types=1);\n\nnamespace A;\n\nuse C\\D;\n\nclass B {}\n",
    ),
    (
        "ruby",
        "# frozen_string_literal: true\n\nrequire 'a'\n\nputs 1\n",
        ["require 'b'"],
        "# frozen_string_literal: true\n\nrequire 'a'\nrequire 'b'\n\nputs 1\n",
    ),
    ("bash", "#!/bin/sh\n# About.\n\necho 1\n", ["set -eu"], "#!/bin/sh\n# About.\n\nset -eu\n\necho 1\n"),
    (
        "bash",
        "#!/bin/sh\n. ./a.sh\n\necho 1\n",
        [". ./b.sh", "set -e"],
        "#!/bin/sh\n. ./a.sh\n. ./b.sh\n\nset -e\n\necho 1\n",
    ),
    ("bash", "cat <<EOF\nset -e\nEOF\n", ["set -e"], "set -e\n\ncat <<EOF\nset -e\nEOF\n"),
    ("css", "@charset 'x';\na {}\n", ["@import 'b';"], "@charset 'x';\n\n@import 'b';\n\na {}\n"),
    (
        "lua",
        "local a = require('a')\n\nprint(1)\n",
        ["local b = require('b')"],
        "local a = require('a')\nlocal b = require('b')\n\nprint(1)\n",
    ),
    (
        "haskell",
        "module A where\n\nimport B\n\nx = 1\n",
        ["import C"],
        "module A where\n\nimport B\nimport C\n\nx = 1\n",
    ),
    ("sql", "-- about\n\nselect a\nfrom b\n", ["set x = 1;"], "-- about\n\nset x = 1;\n\nselect a\nfrom b\n"),
    (
        "sql",
        "/* about\n   this */\nuse a;\nselect a\nfrom b\n",
        ["use c;"],
        "/* about\n   this */\nuse a;\nuse c;\nselect a\nfrom b\n",
    ),
    (None, "a\n", ["b"], "b\n\na\n"),
]


@pytest.mark.parametrize(("language", "text", "lines", "expected"), OTHERS)
def test_other_languages(language: str | None, text: str, lines: list[str], expected: str) -> None:
    assert inserted(text, language, *lines) == expected


@pytest.mark.parametrize(
    ("language", "text", "line"),
    [
        ("javascript", 'import x from "x"\n', "import x from 'x';"),
        ("javascript", "import { a, c as d } from 'x';\n", "import { a } from 'x';"),
        ("javascript", "import x, * as y from 'x';\n", "import * as y from 'x';"),
        ("javascript", "const { a, b: c } = require('x');\n", "const { c } = require('x');"),
        ("javascript", "const fs = require('node:fs');\n", "const fs = require('fs');"),
        ("javascript", "export const log = 1;\n", "const log = make();"),
        ("javascript", "function log() {}\n", "import log from './log';"),
        ("javascript", "'use strict'\n", "'use strict';"),
        ("typescript", "import fs = require('fs');\n", "import fs from 'fs';"),
        ("go", 'package a\n\nimport (\n\t"fmt"\n\tl "log"\n)\n', 'import "fmt"'),
        ("go", 'package a\n\nimport (\n\t"fmt"\n\tl "log"\n)\n', 'import l  "log"'),
        ("rust", "use std::{fmt, io::{self, Read as R}, net::*};\n", "use std::fmt;"),
        ("rust", "use std::{fmt, io::{self, Read as R}, net::*};\n", "use std::io;"),
        ("rust", "use std::{fmt, io::{self, Read as R}, net::*};\n", "use std::io::Read as R;"),
        ("rust", "pub use a::b;\n", "use a::b;"),
        ("java", "package a;\nimport  java.util.List;\n", "import java.util.List;"),
        ("kotlin", "import a.b\nimport c.d\n", "import a.b"),
        ("c", "#ifndef A\n#define A\n#  include <a.h>\nint x;\n#endif\n", "#include <a.h>"),
        ("ruby", 'require "a"\n', "require 'a'"),
        ("bash", "#!/bin/sh\nset -eu\n", "set -eu"),
        ("sql", "use a;\n", "use a;"),
        (None, "x\ny\n", "y"),
    ],
)
def test_other_languages_have_it_already(language: str | None, text: str, line: str) -> None:
    assert ensure(text, language, (line,)) == []


@pytest.mark.parametrize(
    ("language", "text", "line"),
    [
        ("javascript", "import { a } from 'x';\n", "import { b } from 'x';"),
        ("javascript", "{ const log = 1; }\nfunction f() { const fs = 1; }\n", "const log = 2;"),
        ("go", 'package a\n\nimport l "log"\n', 'import "log"'),
        ("rust", "use std::io::Read as R;\n", "use std::io::Read;"),
        ("c", "/* #include <a.h> */\n", "#include <a.h>"),
        ("bash", "f() {\n  set -eu\n}\n", "set -eu"),
        (None, "  y\n", "y"),
    ],
)
def test_other_languages_do_not_have_it(language: str | None, text: str, line: str) -> None:
    assert missing(text, language, (line,)) == [line]


def test_line_ends_and_mark_are_those_of_the_file() -> None:
    document = Document.decode(b"\xef\xbb\xbfimport os\r\n\r\nx = 1\r\n")
    assert document.encode(apply(document.text, "python", (LOG, LOGGER))) == (
        b"\xef\xbb\xbfimport logging\r\nimport os\r\n\r\nlogger = logging.getLogger(__name__)\r\n\r\nx = 1\r\n"
    )


def test_nothing_to_ensure() -> None:
    assert ensure("x = 1\n", "python", ()) == []


def test_deep_code() -> None:
    text = "import os\n\nx = " + " + ".join(["a"] * 3000) + "\n"
    assert inserted(text, "python", LOG) == text.replace("import os\n", "import os\nimport logging\n")


def test_a_warning_about_the_code_is_nobodys_business() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert inserted('x = "\\d"\n', "python", LOG) == 'import logging\n\nx = "\\d"\n'


BLOCKS = st.lists(
    st.sampled_from(
        [
            '"""Doc."""\n',
            "# comment\n",
            "\n",
            "from __future__ import annotations\n",
            "import os\n",
            "import os, re\n",
            "import yaml\n",
            "from . import a\n",
            "from typing import (\n    Any,\n)\n",
            "if TYPE_CHECKING:\n    import logging\n",
            "try:\n    import b\nexcept E:\n    b = None\n",
            "x = 1\n",
            "logger = 2\n",
            "def f():\n    '''é😀'''\n",
        ]
    ),
    max_size=6,
).map("".join)
LINES = st.lists(
    st.sampled_from(
        [LOG, LOGGER, "import re", "import requests", "from typing import Any", "from datetime import UTC"]
    ),
    max_size=4,
    unique=True,
)


@settings(deadline=None, max_examples=150)
@given(BLOCKS, LINES, st.booleans())
def test_any_file(text: str, lines: list[str], final_newline: bool) -> None:
    text = text if final_newline else text.rstrip("\n")
    new = inserted(text, "python", *lines)
    assert new.endswith("\n") == (text.endswith("\n") or (not text and bool(lines)))
    kept = iter(new.split("\n"))
    assert all(any(row == line for line in kept) for row in text.split("\n") if row)
    try:
        compile(text, "text", "exec")
    except SyntaxError:
        return
    compile(new, "new", "exec")
    assert ast.get_docstring(ast.parse(new)) == ast.get_docstring(ast.parse(text))
