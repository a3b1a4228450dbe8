"""The checks of Python: new faults count, old ones and matters of taste do not."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from litecode.core.patching.gates import python
from litecode.core.patching.gates.base import Rewrite

Rewriting = Callable[..., Rewrite]
HEAD = "import logging\n\nlogger = logging.getLogger(__name__)\na = b = 1\n"


@pytest.mark.parametrize(
    ("before", "site", "new", "said"),
    [
        ("x = 1\n", "x", "x = y", "undefined name 'y' in `x = y`"),
        ("def f():\n    g = 1\n    return g\n", "g = 1", "h = 1", "undefined name 'g'"),
        (
            "def f(x):\n    return x\n",
            "return",
            "y = 1\n    return x",
            "local variable 'y' is assigned to but never used in `y = 1`",
        ),
        (
            "x = 'a'\n",
            "x",
            "x = '%s %s' % (1,)",
            "'...' % ... has 2 placeholder(s) but 1 substitution(s) in `x = '%s %s' % (1,)`",
        ),
        (
            "x = 'a'\n",
            "x",
            "x = '{} {}'.format(1)",
            "'...'.format(...) is missing argument(s) for placeholder(s): 1 in `x = '{} {}'.format(1)`",
        ),
        ("x = 'a'\n", "x", "x = f'a'", "f-string is missing placeholders in `x = f'a'`"),
        (
            "x = 1\n",
            "x",
            "x is 'a'",
            "use ==/!= to compare constant literals (str, bytes, int, float, tuple) in `x is 'a'`",
        ),
        (
            "raise ValueError\n",
            "raise",
            "raise NotImplemented",
            "'raise NotImplemented' should be 'raise NotImplementedError' in `raise NotImplemented`",
        ),
        (
            "x = {'a': 1}\n",
            "x",
            "x = {'a': 1, 'a': 2}",
            "dictionary key 'a' repeated with different values in `x = {'a': 1, 'a': 2}`",
        ),
        (
            "assert 1\n",
            "assert",
            "assert (1, 'm')",
            "assertion is always true, perhaps remove parentheses? in `assert (1, 'm')`",
        ),
    ],
)
def test_new_faults(rewriting: Rewriting, before: str, site: str, new: str, said: str) -> None:
    found = python.flakes(rewriting("python", before, site, new))
    assert (found.text if found else "") == said


@pytest.mark.parametrize(
    ("language", "before", "site", "new", "ensure"),
    [
        ("python", "x = y\n", "x", "x = [y]", ()),  # it was undefined before
        ("python", "import os\nos.getcwd()\n", "os.getcwd", "print(1)", ()),  # a use less is no fault
        ("python", "from a import *\nx = y\n", "x", "x = z", ()),
        ("python", "x = 1\n", "x", "x = os.sep", ("import os",)),
        ("python", "x = 1\n", "x", "x = log", ("import logging", "log = logging.getLogger(__name__)")),
        ("python", "x = 1\n", "x", "x = 2", ("import os",)),
        ("python", "x = (\n", "x", "x = y", ()),
        ("python", "x = 1\n", "x", "x = " + " + ".join(["1"] * 3000), ()),
        ("python", "x = '\\d'\n", "x", "x = '\\w'", ()),
        ("javascript", "x = 1\n", "x", "x = y", ()),
    ],
)
def test_no_new_faults(
    rewriting: Rewriting, language: str, before: str, site: str, new: str, ensure: tuple[str, ...]
) -> None:
    assert python.flakes(rewriting(language, before, site, new, ensure=ensure)) is None


@pytest.mark.parametrize(
    ("new", "said"),
    [
        ('logger.info("%s", a)', ""),
        ('logger.info("%s %d", a, b)', ""),
        ('logger.info("%s", a, exc_info=True)', ""),
        ('logger.info("%(a)s %(b)s", {"a": a, "b": b})', ""),
        ('logger.info("100%")', ""),
        ('logger.info("50% done")', ""),
        ('logger.info("%d%%", a)', ""),
        ('logger.info("100%%")', "`100%%` has no values, so that both signs of `%%` would be written"),
        ('logger.info("%*d", a, b)', ""),
        ('logger.info("%s", *a)', ""),
        ("logger.info(a)", ""),
        ('logger.info("%s" % a)', ""),
        ('logger.info(f"{a}")', ""),
        ('logger.info("no values")', ""),
        ('logger.log(10, "%s", a)', ""),
        ('self.logger.info("%s", a)', ""),
        ('catalog.info("%s")', ""),
        ('dialog.error("%s")', ""),
        ("math.log(a, b)", ""),
        ('print("%s", a, b)', ""),
        ('logger.info("%s")', "`%s` has 1 placeholders and no values"),
        ('logger.info("%s", a, b)', "`%s` has 1 placeholders for 2 values"),
        ('logger.info("a", a)', "`a` has 0 placeholders for 1 values"),
        ('logger.info("%s %s", a)', "`%s %s` has 2 placeholders for 1 values"),
        ('logger.info("{}", a)', "`{}` has 0 placeholders for 1 values"),
        ('logger.info("50% done %s", a)', "`50% done %s` has 2 placeholders for 1 values"),
        ('logger.info(f"{a}", b)', "a logging call with values needs a plain string as its message"),
        ('logger.log(10, "%s")', "`%s` has 1 placeholders and no values"),
        ('logging.warning("%s %s", a)', "`%s %s` has 2 placeholders for 1 values"),
        ('self._log.error("%s", a, b)', "`%s` has 1 placeholders for 2 values"),
        ('myLogger.debug("%s")', "`%s` has 1 placeholders and no values"),
    ],
)
def test_logging_calls(rewriting: Rewriting, new: str, said: str) -> None:
    found = python.logging_calls(rewriting("python", f"{HEAD}print(1)\n", "print", new))
    assert (found.text if found else "") == said


def test_old_logging_faults_do_not_count(rewriting: Rewriting) -> None:
    before = f'{HEAD}logger.info("%s")\nprint(1)\n'
    assert python.logging_calls(rewriting("python", before, "print", "print(2)")) is None
    assert python.logging_calls(rewriting("python", before, "print", 'logger.info("%s")')) is not None


@pytest.mark.parametrize(
    ("new", "instruction", "refused"),
    [
        ('logger.info(f"{a}")', "Use the logger (no f-string).", True),
        ("logger.info(rf'{a}')", "Use the logger, not an f-string.", True),
        ('logger.info(f"{a}")', "Use the logger.", False),
        ('logger.info("%s", a)', "Use the logger (no f-string).", False),
        ('logger.info("f-string")', "Use the logger (no f-string).", False),
    ],
)
def test_no_fstring_means_none(rewriting: Rewriting, new: str, instruction: str, refused: bool) -> None:
    found = python.wording(rewriting("python", f"{HEAD}print(a)\n", "print", new, instruction=instruction))
    assert (found is not None) == refused


@pytest.mark.parametrize(
    ("old", "new", "refused"),
    [
        ("x = (a,)", "x = (b,)", False),
        ("x = (a,)", "x = (a, b)", True),
        ("x = (a,)", "x = (a)", True),
        ("x = a,", "x = a", True),
        ("x = f(a,)", "x = f(a)", False),
        ("x = [a,]", "x = [a]", False),
        ("x = (a, b,)", "x = (a, b)", False),
        ("x = a", "x = (a,)", False),
    ],
)
def test_tuples_of_one_element(rewriting: Rewriting, old: str, new: str, refused: bool) -> None:
    assert (python.tuples(rewriting("python", f"{old}\n", old, new)) is not None) == refused


TRY = "try:\n    f()\nexcept:\n    g()\n"


@pytest.mark.parametrize(
    ("before", "new", "instruction", "refused"),
    [
        (TRY, TRY.replace("except", "except Exception").rstrip(), "", True),
        (TRY, TRY.replace("except", "except (KeyError, BaseException)").rstrip(), "", True),
        (TRY, TRY.replace("except", "except KeyError").rstrip(), "", False),
        (TRY, TRY.replace("except", "except Exception").rstrip(), "Catch Exception.", False),
        (
            TRY.replace("except", "except Exception"),
            TRY.replace("except", "except Exception as err").rstrip(),
            "",
            False,
        ),
    ],
)
def test_broad(rewriting: Rewriting, before: str, new: str, instruction: str, refused: bool) -> None:
    assert (python.broad(rewriting("python", before, "try", new, instruction=instruction)) is not None) == refused


@pytest.mark.parametrize(
    ("new", "refused"),
    [
        ("def f(a=None):\n    return a.b", True),
        ("def f(a=None):\n    return a[0]", True),
        ("def f(a=None):\n    for x in a: g(x)", True),
        ("def f(*, a=None):\n    return a.b", True),
        ("async def f(a=None):\n    return [x for x in a]", True),
        ("def f(a=None):\n    return 1 in a", True),
        ("def f(a=None):\n    if a is None:\n        a = []\n    return a[0]", False),
        ("def f(a=None):\n    a = a or []\n    return a[0]", False),
        ("def f(a=None):\n    if not a:\n        return 1\n    return a[0]", False),
        ("def f(a=None):\n    return g(a)", True),  # it was never None before
        ("def f(a=None):\n    g(a)\n    if a is None:\n        a = []", True),
        ("def f(a=None):\n    return 1", False),
        ("def f(a=1):\n    return a[0]", False),
    ],
)
def test_none_defaults(rewriting: Rewriting, new: str, refused: bool) -> None:
    before = "def f(a=[]):\n    return a[0]\n"
    assert (python.none_defaults(rewriting("python", before, "def", new, kind="function")) is not None) == refused
    assert python.none_defaults(rewriting("python", f"{new}\n", "def", new, kind="function")) is None


@pytest.mark.parametrize(
    ("old", "new", "instruction", "said"),
    [
        ("def f(a, b=1): pass", "def f(a, b=2): pass", "", ""),
        ("def f(a, b=1): pass", "def f(a, *, b=1): pass", "", ""),
        ("def f(a): pass", "def f(a, b=None): pass", "", ""),
        ("def f(a): pass", "def f(a=None): pass", "Give a the default None.", ""),
        ("def f(a, b=[]): pass", "def f(a=None, b=None): pass", "", "`a` of `f` had no default"),
        ("async def f(*, a): pass", "async def f(*, a=1): pass", "", "`a` of `f` had no default"),
        ("class K:\n    def f(self, a): pass", "class K:\n    def f(self, a=1): pass", "", "`a` of `f` had no default"),
    ],
)
def test_no_new_defaults(rewriting: Rewriting, old: str, new: str, instruction: str, said: str) -> None:
    found = python.none_defaults(rewriting("python", f"{old}\n", old, new, instruction=instruction))
    assert (found.text if found else "") == said


@pytest.mark.parametrize("gate", python.GATES)
def test_other_languages_are_not_judged(rewriting: Rewriting, gate: Callable[[Rewrite], object]) -> None:
    assert gate(rewriting("javascript", "print(1)\n", "print", 'logger.info("%s")')) is None
    assert gate(rewriting(None, "print(1)\n", "print", "x")) is None
