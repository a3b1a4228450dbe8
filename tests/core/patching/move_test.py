"""Symbols that move to another module: what goes with them, who follows, what is refused."""

# ruff: noqa: E501 - tables of texts

from __future__ import annotations

import re

import pytest

from litecode.core.patching.document import Document
from litecode.core.patching.impossible import Impossible
from litecode.core.patching.move import move_symbol
from litecode.core.patching.pyimports import import_line, with_imports, without_names

SOURCE = '''"""Tools."""

import json
import os
from dataclasses import dataclass

LIMIT = 3


# what a job is
@dataclass
class Job:
    """A job."""

    name: str

    def dump(self):
        return json.dumps(self.name)


def home():
    return os.getcwd()
'''


def moved(
    files: dict[str, str], name: str, source: str = "app/tools.py", target: str = "app/jobs.py"
) -> dict[str, str]:
    return move_symbol({path: Document(text) for path, text in files.items()}, name, source, target)


def test_comments_decorators_and_imports_go_along() -> None:
    out = moved({"app/tools.py": SOURCE, "app/jobs.py": '"""Jobs."""\n\nimport re\n\nWORD = re.compile("x")\n'}, "Job")
    assert out["app/tools.py"] == '"""Tools."""\n\nimport os\n\nLIMIT = 3\n\n\ndef home():\n    return os.getcwd()\n'
    assert out["app/jobs.py"] == (
        '"""Jobs."""\n\nimport json\nimport re\nfrom dataclasses import dataclass\n\nWORD = re.compile("x")\n\n\n'
        + SOURCE[SOURCE.index("# what") : SOURCE.index("\n\n\ndef home")]
        + "\n"
    )


@pytest.mark.parametrize(
    ("user", "after"),
    [
        ("from app.tools import Job\n\nJob\n", "from app.jobs import Job\n\nJob\n"),
        ("from app.tools import Job, home\n\nJob\n", "from app.jobs import Job\nfrom app.tools import home\n\nJob\n"),
        ("from app.tools import Job as J\n\nJ\n", "from app.jobs import Job as J\n\nJ\n"),
        (
            "from .tools import (\n    Job,\n    home,\n)\n",
            "from .jobs import Job\nfrom .tools import (\n    home,\n)\n",
        ),
        ("from app.jobs import other\nfrom app.tools import Job\n", "from app.jobs import Job, other\n"),
        ("from app.tools import home\n\nJob = 1\n", None),
        ("from other.place import Job\n", None),
        ('x = "app.tools Job"\n', None),
    ],
)
def test_importers_follow(user: str, after: str | None) -> None:
    out = moved({"app/tools.py": SOURCE, "app/use.py": user}, "Job")
    assert out.get("app/use.py") == after
    assert out["app/jobs.py"].startswith("import json\nfrom dataclasses import dataclass\n")


def test_the_old_home_imports_what_it_still_uses() -> None:
    text = "class A(Exception):\n    pass\n\n\ndef f():\n    raise A\n"
    out = moved({"app/tools.py": text, "app/jobs.py": "B = 1\n"}, "A")
    assert out == {
        "app/tools.py": "from app.jobs import A\n\n\ndef f():\n    raise A\n",
        "app/jobs.py": "B = 1\n\n\nclass A(Exception):\n    pass\n",
    }


@pytest.mark.parametrize(
    ("files", "name", "why"),
    [
        ({"app/tools.py": SOURCE}, "Task", "not defined at the top"),
        ({"app/tools.py": "x = 1\nx = 2\n"}, "x", "more than once"),
        ({"app/tools.py": "x, y = 1, 2\n"}, "x", "together with other names"),
        ({"app/tools.py": "x = 1; y = 2\n"}, "x", "shares its line"),
        ({"app/tools.py": SOURCE, "app/jobs.py": "Job = 1\n"}, "Job", "app/jobs.py has a `Job` already"),
        ({"app/tools.py": SOURCE, "app/jobs.py": "json = 1\n"}, "Job", "`json` means something else"),
        ({"app/tools.py": "L = 1\ndef f():\n    return L\ndef g():\n    return f()\n"}, "f", "would import each other"),
        ({"app/tools.py": SOURCE, "u.py": "import app.tools\n\napp.tools.Job\n"}, "Job", "through its module"),
        ({"app/tools.py": SOURCE, "u.py": "def f():\n    from app.tools import Job\n"}, "Job", "inside of other code"),
        ({"app/tools.py": "def f(:\n"}, "f", "does not parse"),
        ({"app/other.py": SOURCE}, "Job", "app/tools.py is not there"),
    ],
)
def test_refusals(files: dict[str, str], name: str, why: str) -> None:
    with pytest.raises(Impossible, match=re.escape(why)):
        moved(files, name)


def test_only_languages_that_are_known() -> None:
    with pytest.raises(Impossible, match="it knows Python and JavaScript"):
        moved({"a.go": "func f() {}\n"}, "f", "a.go", "b.go")
    with pytest.raises(Impossible, match=r"is in a\.py already"):
        moved({"a.py": SOURCE}, "Job", "a.py", "a.py")


SCRIPT = "import { join } from 'path';\n\n// how many\nexport const MOST = 3;\n\n/** Joins. */\nexport function glue(a) {\n  return join(a);\n}\n\nexport function twice(a) {\n  return glue(a) + glue(a);\n}\n"


def test_scripts() -> None:
    files = {"src/a.js": SCRIPT, "src/use.js": "import { glue, twice } from './a.js';\n\nglue(1);\n"}
    out = moved(files, "glue", "src/a.js", "src/lib/b.js")
    assert (
        out["src/lib/b.js"]
        == "import { join } from 'path';\n\n/** Joins. */\nexport function glue(a) {\n  return join(a);\n}\n"
    )
    assert "import { glue } from './lib/b.js';" in out["src/a.js"]
    assert out["src/use.js"] == "import { twice } from './a.js';\nimport { glue } from './lib/b.js';\n\nglue(1);\n"


@pytest.mark.parametrize(
    ("files", "name"),
    [
        ({"a.js": "function f() {}\n"}, "f"),
        ({"a.js": "const k = 1;\nexport function f() { return k; }\n"}, "f"),
        ({"a.js": SCRIPT, "b.js": "export const glue = 1;\n"}, "glue"),
        ({"a.js": SCRIPT, "c.js": "import * as a from './a';\na.glue();\n"}, "glue"),
        ({"a.js": SCRIPT, "c.js": "import { glue as g } from './a';\n"}, "glue"),
    ],
)
def test_scripts_that_stay(files: dict[str, str], name: str) -> None:
    with pytest.raises(Impossible):
        moved(files, name, "a.js", "b.js")


@pytest.mark.parametrize(
    ("importer", "provider", "neighbour", "line"),
    [
        ("src/tally/journal.py", "src/tally/clock.py", "", "from tally.clock import f"),
        ("src/tally/journal.py", "src/tally/clock.py", "from .x import y\n", "from .clock import f"),
        ("src/tally/a/b.py", "src/tally/clock.py", "from ..x import y\n", "from ..clock import f"),
        ("app/a.py", "app/b.py", "from app.c import d\n", "from app.b import f"),
        ("account.py", "validators.py", "", "from validators import f"),
    ],
)
def test_import_lines(importer: str, provider: str, neighbour: str, line: str) -> None:
    files = {importer: Document(neighbour), "app/c.py": Document("")}
    assert import_line(importer, provider, "f", files) == line


@pytest.mark.parametrize(
    ("before", "line", "after"),
    [
        ("from a import b\n", "from a import c", "from a import b, c\n"),
        ("from a import d, c\n", "from a import b", "from a import d, c, b\n"),
        ("from a import b\n", "from a import b", "from a import b\n"),
        ("import os\n", "import os", "import os\n"),
        ("from a import (\n    b,\n)\n", "from a import b", "from a import (\n    b,\n)\n"),
        ("from .a import b\n", "from a import c", "from .a import b\nfrom a import c\n"),
    ],
)
def test_names_join_an_import(before: str, line: str, after: str) -> None:
    assert with_imports(before, [line]) == after


@pytest.mark.parametrize(
    ("before", "names", "after"),
    [
        ("import os, re\n", {"re"}, "import os\n"),
        ("import os, re\n", {"os"}, "import re\n"),
        ("import os\n\nx = 1\n", {"os"}, "\nx = 1\n"),
        ("from a import b as c\n", {"b"}, "from a import b as c\n"),
        ("def f():\n    import os\n", {"os"}, "def f():\n    import os\n"),
        ("x = (\n", {"x"}, "x = (\n"),
    ],
)
def test_names_leave_imports(before: str, names: set[str], after: str) -> None:
    assert without_names(before, names).lstrip("\n") == after.lstrip("\n")
