"""Requests on one file, with a model that answers from a list."""

# ruff: noqa: E501 - tables of texts

from __future__ import annotations

import re
from typing import Any

import pytest

from litecode.core.errors import ModelTooLarge
from litecode.core.executing.choose import every, named
from litecode.core.executing.request import Edited, Target, carry_out
from litecode.core.filemap.outline import outline
from litecode.core.patching.document import Document
from litecode.core.patching.wish import wish
from litecode.core.values import Contract, Proof, Reply, Stop, Task

CART = '''"""Carts."""

import json


class Cart:
    """A cart."""

    def total(self, prices):
        """Return the sum."""
        # may be empty
        return sum(prices)

    def clear(self):
        self.lines = []


def load(text):
    return json.loads(text)


if __name__ == "__main__":
    print(Cart())
'''


TOTAL = 'def total(self, prices, discount=0):\n    """Return the sum."""\n    # may be empty\n    return sum(prices) * (1 - discount)'
WANTED = CART.replace("prices):", "prices, discount=0):").replace("sum(prices)", "sum(prices) * (1 - discount)")
DISCOUNT = "let Cart.total take an optional argument discount"


@pytest.mark.parametrize(
    "reply",
    [
        TOTAL,
        TOTAL.replace("    # may be empty\n", ""),
        TOTAL.replace('    """Return the sum."""\n', ""),
        TOTAL.replace("the sum", "it"),
        TOTAL.replace("    return", "    # less the discount\n    return"),
        "import json\n\n" + TOTAL,
        TOTAL + "\n\ndef load(text):\n    return text",
        "class Cart:\n" + "\n".join("    " + line for line in TOTAL.split("\n")),
        "\n".join("    " + line for line in TOTAL.split("\n")),
    ],
)
def test_a_reply_is_brought_into_the_form_of_the_file(talk: Any, reply: str) -> None:
    said = talk(CART, DISCOUNT, [reply])
    assert said.end.proof is Proof.ASKED
    assert said.end.text == WANTED


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        (
            CART[CART.index("def total") : CART.index("\n\n    def clear")].replace("\n    ", "\n"),
            "nothing was changed",
        ),
        (TOTAL.replace("prices, discount=0", "discount=0"), "the parameter `prices` is lost"),
        (TOTAL.replace("discount=0", "discount"), "must have a default"),
        (TOTAL.replace("def total", "def sum_up"), "is lost"),
        (TOTAL.replace("sum(prices)", "sum(prices) + tax"), "undefined name"),
        (TOTAL.replace("(1 - discount)", "1"), "is never used"),
        (TOTAL + "\n\ndef other():\n    return 1", "nobody asked for it"),
        (TOTAL.replace("return", "return return"), "does not parse"),
        ("def total(self, prices, discount=0):\n    ...  # rest of the code", "code is left out"),
        (TOTAL.replace("discount", "rebate"), "`discount` is asked for"),
    ],
)
def test_damage_ends_refused_and_is_told_to_the_model(talk: Any, reply: str, why: str) -> None:
    said = talk(CART, DISCOUNT, [reply])
    assert said.end.proof is Proof.REFUSED
    assert said.end.text is None
    assert why in said.end.reason
    assert len(said.prompts) == 3
    assert why in said.prompts[1].messages[-1].content


def test_the_second_try_counts_and_others_are_asked_for_their_opinion(talk: Any) -> None:
    wrong = TOTAL.replace("discount=0", "discount")
    said = talk(CART, DISCOUNT, [wrong, TOTAL, TOTAL])
    assert said.end.text == WANTED
    assert [t.refusal == "" for t in said.end.tries] == [False, True, True]


def test_the_answer_that_two_of_three_give_is_taken(talk: Any) -> None:
    other = TOTAL.replace("(1 - discount)", "discount")
    said = talk(CART, DISCOUNT, [other, TOTAL, TOTAL])
    assert said.end.text == WANTED


def test_nothing_outside_of_the_region_changes(talk: Any) -> None:
    said = talk(CART, "load in cart.py should return a list", ["def load(text):\n    return list(json.loads(text))"])
    assert said.end.text == CART.replace("return json", "return list(json").replace("(text)\n\n\nif", "(text))\n\n\nif")
    assert "class Cart" not in said.prompts[0].messages[-1].content


def test_imports_come_from_code(talk: Any) -> None:
    reply = "def load(text):\n    start = time.monotonic()\n    return stamp(json.loads(text), start)"
    said = talk(
        CART,
        "load should use stamp and take the time",
        [reply],
        others={"clock.py": "def stamp(a, b):\n    return a\n"},
    )
    assert said.end.text is not None
    assert "import json\nimport time\n\nfrom clock import stamp\n" in said.end.text


def test_every_clause_goes_to_its_own_part(talk: Any) -> None:
    request = "Cart.clear should set lines to None and load should strip the text"
    replies = ["def load(text):\n    return json.loads(text.strip())"] * 2 + ["def clear(self):\n    self.lines = None"]
    said = talk(CART, request, replies)
    assert said.end.text == CART.replace("lines = []", "lines = None").replace("loads(text)", "loads(text.strip())")
    assert "clear" not in said.prompts[0].messages[-1].content


def test_the_model_chooses_where_no_name_tells(talk: Any) -> None:
    said = talk(
        CART,
        "empty texts give an empty list",
        ['{"parts": ["load"]}', "def load(text):\n    return json.loads(text) if text else []"],
    )
    assert said.end.text == CART.replace("json.loads(text)\n", "json.loads(text) if text else []\n")
    assert said.prompts[0].schema is not None


@pytest.mark.parametrize("choice", ['{"parts": ["nothing"]}', "no", '{"parts": 1}', "[]"])
def test_a_choice_that_cannot_be_used_is_refused(talk: Any, choice: str) -> None:
    said = talk(CART, "empty texts give an empty list", [choice])
    assert said.end.proof is Proof.REFUSED
    assert "which part" in said.end.reason


def test_new_functions_go_before_the_main_block(talk: Any) -> None:
    reply = "def load(text):\n    return 1\n\n\ndef dump(cart):\n    return json.dumps(cart)\n\n\nprint(dump(1))"
    said = talk(CART, "add a function dump(cart) that returns JSON", [reply])
    assert said.end.text == CART.replace(
        "\n\n\nif __name__", "\n\n\ndef dump(cart):\n    return json.dumps(cart)\n\n\nif __name__"
    )


def test_new_methods_go_to_the_end_of_their_class(talk: Any) -> None:
    said = talk(CART, "Cart should have a method count()", ["def count(self):\n    return len(self.lines)"])
    assert said.end.text == CART.replace(
        "lines = []\n", "lines = []\n\n    def count(self):\n        return len(self.lines)\n"
    )


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        ("def other(cart):\n    return 1", "`dump` is not defined"),
        ("def dump(cart):\n    raise NotImplementedError", "stands where code should be"),
        ("def dump(cart):\n    return jsn.dumps(cart)", "undefined name"),
        ("def dump(cart:\n    return 1", "does not parse"),
    ],
)
def test_new_functions_that_are_refused(talk: Any, reply: str, why: str) -> None:
    said = talk(CART, "add a function dump(cart) that returns JSON", [reply])
    assert said.end.text is None
    assert re.search(why, said.end.reason)


def test_new_files(talk: Any) -> None:
    reply = "import time\n\nclass Cart:\n    pass\n\ndef stamp():\n    return time.time()\n\n# Example\nprint(stamp())"
    said = talk(None, "create clock.py with a function stamp()", [reply], path="clock.py", others={"cart.py": CART})
    assert said.end.text == "import time\n\n\ndef stamp():\n    return time.time()\n"


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        ("def now():\n    return 1", "`stamp` must be defined"),
        ("def stamp(:\n    return 1", "does not parse"),
        ("def stamp():\n    return clock.now()", "undefined name"),
        ("class Clock:\n    def stamp(self):\n        return 1", "`stamp` must be defined"),
        ("def stamp(a):\n    a.sort()\n    return a", "`a.sort()` changes what the caller gave; use sorted(a)"),
    ],
)
def test_new_files_that_are_refused(talk: Any, reply: str, why: str) -> None:
    said = talk(None, "create clock.py with a function stamp()", [reply], path="clock.py", others={"cart.py": CART})
    assert said.end.text is None
    assert why in said.end.reason


@pytest.mark.parametrize(
    ("path", "text", "request_", "reply", "wanted"),
    [
        ("a.yaml", "# web\nspec:\n  replicas: 1  # hand\n", "set replicas to 3", "spec:\n  replicas: 3", "# web\nspec:\n  replicas: 3  # hand\n"),
        ("a.js", "function f() {\n  return 1;\n}\n\nmodule.exports = { f };\n", "add a function g()", "function g() {\n  return 2;\n}", "function f() {\n  return 1;\n}\n\nfunction g() {\n  return 2;\n}\n\nmodule.exports = { f, g };\n"),
        ("a.py", "MOST = 3  # per day\nLEAST = 1\n", "raise MOST to 5", "MOST = 5", "MOST = 5  # per day\nLEAST = 1\n"),
        ("Makefile", "CC = gcc\nCFLAGS = -O2\n\nall: app\n\napp: main.c\n\t$(CC) $(CFLAGS) main.c\n", "add -Wall to CFLAGS", "CC = gcc\nCFLAGS = -O2 -Wall\n\nall: app\n\napp: main.c\n\t$(CC) $(CFLAGS) main.c", "CC = gcc\nCFLAGS = -O2 -Wall\n\nall: app\n\napp: main.c\n\t$(CC) $(CFLAGS) main.c\n"),
        ("a.json", '{\n  "a": 1,\n  "b": [1]\n}\n', "one more number: 2", '{\n  "a": 1,\n  "b": [1, 2]\n}', '{\n  "a": 1,\n  "b": [1, 2]\n}\n'),
        ("a.mjs", "export function f() {\n  return 1;\n}\n\nexport function g() {\n  return 2;\n}\n", "f should return 3", "export function f() {\n  return 3;\n}\n\nexport function g() {\n  return 2;\n}", "export function f() {\n  return 3;\n}\n\nexport function g() {\n  return 2;\n}\n"),
        ("a.go", "package a\n\n// F is one.\nfunc F() int {\n\treturn 1\n}\n", "F should return 2", "func F() int {\n\treturn 2\n}", "package a\n\n// F is one.\nfunc F() int {\n\treturn 2\n}\n"),
    ],
)  # fmt: skip
def test_other_kinds_of_files(talk: Any, path: str, text: str, request_: str, reply: str, wanted: str) -> None:
    assert talk(text, request_, [reply], path=path).end.text == wanted


@pytest.mark.parametrize("request_", ["document Cart.total", "add a docstring to Cart.total"])
def test_a_docstring_may_come_and_nothing_else(talk: Any, request_: str) -> None:
    good = (
        'def total(self, prices):\n    """Return the sum of the prices."""\n    # may be empty\n    return sum(prices)'
    )
    assert talk(CART, request_, [good]).end.text == CART.replace("the sum.", "the sum of the prices.")
    assert talk(CART, request_, [good.replace("sum(prices)", "max(prices)")]).end.text is None


LARGE = "class Big:\n" + "".join(f"    def m{n}(self):\n        return {n}\n\n" for n in range(30)) + "x = 1\n"


def test_in_a_large_class_the_model_chooses_among_its_members(talk: Any) -> None:
    said = talk(LARGE, "Big should give 70 in the seventh", ['{"parts": ["Big.m7"]}', "def m7(self):\n    return 70"])
    assert said.end.text == LARGE.replace("return 7\n", "return 70\n")
    assert "Big.m29" in said.prompts[0].messages[-1].content


def test_the_model_may_choose_something_new_or_the_top(talk: Any) -> None:
    new = '{"parts": ["something new at the end of the file"]}'
    said = talk(CART, "there is no way to print", [new, "def show(cart):\n    print(cart)"])
    assert said.end.text == CART.replace("\n\n\nif __", "\n\n\ndef show(cart):\n    print(cart)\n\n\nif __")
    top = '{"parts": ["the top of the file (imports, constants)"]}'
    said = talk(CART, "a size is missing", [top, '"""Carts."""\n\nimport json\n\nSIZE = 1'])
    assert said.end.text == CART.replace("import json\n", "import json\n\nSIZE = 1\n", 1)


def test_one_of_several_parts_may_stay_as_it_is(talk: Any) -> None:
    stays = "def load(text):\n    return json.loads(text)"
    clear = "def clear(self):\n    self.lines = None"
    request = "in `load` and `clear`, None stands for nothing"
    said = talk(CART, request, [stays, stays, clear])
    assert said.end.text == CART.replace("lines = []", "lines = None")
    assert "Here change only `load`" in said.prompts[0].messages[-1].content
    said = talk(CART, request, [stays, stays, clear.replace("None", "[]")])
    assert said.end.reason == "no part of the file was changed"


@pytest.mark.parametrize(
    ("text", "request_", "path"),
    [
        (CART, "empty texts are empty", "cart.py"),
        (CART, "add a function dump(x)", "cart.py"),
        (None, "create a.py", "a.py"),
    ],
)
def test_calls_that_do_not_fit(text: str | None, request_: str, path: str) -> None:
    target = Target(path, None if text is None else Document(text), "python")
    steps = carry_out(Task("1", path, request_), request_, Contract(), target, {}, lambda _: 200)
    next(steps)
    with pytest.raises(StopIteration) as end:
        steps.throw(ModelTooLarge("too large", needed=9, window=8))
    assert end.value.value.text is None


RENAME = Contract((("sum_of", "total_of"),), ("def total_of(prices, tax)",))


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        ("def f(x):\n    return total_of(x, 2)", ""),
        ("def f(x):\n    return sum_of(x) * 2", "`sum_of` is called `total_of` now"),
        ("def f(x):\n    return sum_of(x) + total_of(x, 1)", "`sum_of` is called `total_of` now"),
    ],
)
def test_a_name_that_the_plan_renamed_is_gone(reply: str, why: str) -> None:
    text = "from b import sum_of, total_of\n\n\ndef f(x):\n    return sum_of(x)\n"
    request = "f should give twice as much and use total_of instead of sum_of"
    target = Target("a.py", Document(text.replace("sum_of, ", "")), "python")
    steps = carry_out(Task("1", "a.py", request), request, RENAME, target, {}, lambda _: 200)
    prompt = next(steps)
    assert "`def total_of(prices, tax)`" in prompt.messages[-1].content
    answer = Reply(f"```\n{reply}\n```", Stop.END, 10, 10, 0.1)
    steps.send(answer)
    with pytest.raises(StopIteration) as end:
        steps.send(answer)
    assert why in end.value.value.reason
    assert (end.value.value.text is None) is bool(why)


def test_a_call_that_does_not_fit_is_refused() -> None:
    document = Document(CART)
    steps = carry_out(
        Task("1", "cart.py", "x"), DISCOUNT, Contract(), Target("cart.py", document, "python"), {}, lambda _: 200
    )
    next(steps)
    with pytest.raises(StopIteration) as end:
        steps.throw(ModelTooLarge("too large", needed=9, window=8))
    assert end.value.value == Edited(None, Proof.REFUSED, "Cart.total: too large")


STACK = """import logging

logger = logging.getLogger(__name__)


class Stack:
    def push(self, item):
        self.items = [item]
"""


def test_what_the_file_has_above_does_not_come_again(talk: Any) -> None:
    push = 'def push(self, item):\n    logger.debug("push")\n    self.items = [item]'
    said = talk(STACK, "log in Stack.push", [f"logger = logging.getLogger(__name__)\n\n{push}"])
    assert said.end.text == STACK.replace("item):\n", 'item):\n        logger.debug("push")\n')


def test_what_it_does_not_have_is_refused_beside_a_method(talk: Any) -> None:
    push = 'def push(self, item):\n    log.debug("push")\n    self.items = [item]'
    said = talk(STACK, "log in Stack.push", [f"log = logging.getLogger(__name__)\n\n{push}"])
    assert (said.end.text, said.end.proof) == (None, Proof.REFUSED)
    assert "was added beside the function" in said.end.reason


GUARD = "def load(text):\n    if not text:\n        raise ValueError({})\n    return json.loads(text)"


def test_answers_that_differ_in_their_words_alone_agree(talk: Any) -> None:
    replies = [GUARD.format(f'"{words}"') for words in ("the text is empty", "text must not be empty", "no text here")]
    said = talk(CART, "load must raise ValueError when the text is empty", replies)
    assert len(said.prompts) == 2
    assert said.end.text == CART.replace(CART[CART.index("def load") : CART.index("\n\n\nif __")], replies[0])


def test_more_answers_are_asked_for_until_two_agree(talk: Any) -> None:
    ends = ("len(text)", "text[0]", "int(text)", "text[0]")
    said = talk(CART, "load should do it", [f"def load(text):\n    return {end}" for end in ends])
    assert len(said.prompts) == 4
    assert said.end.text is not None
    assert "return text[0]" in said.end.text


def test_of_five_different_answers_none_is_taken(talk: Any) -> None:
    ends = ("len(text)", "text[0]", "int(text)", "text[1]", "text[2]", "text[3]")
    said = talk(CART, "load should do it", [f"def load(text):\n    return {end}" for end in ends])
    assert len(said.prompts) == 5
    assert said.end.text is None
    assert said.end.reason == "load: of 5 answers no two do the same; say the change more exactly"


COMMANDS = """\
import argparse


def parser():
    found = argparse.ArgumentParser()
    found.add_argument("--all")
    return found


def main(args):
    return args.all
"""


@pytest.mark.parametrize(
    ("request_", "line", "why"),
    [
        ("add an option --limit to parser", 'found.add_argument("--limit", type=int)', ""),
        ("parser should accept `--limit`", 'found.add_argument("--limit", type=int)', ""),
        ("add an option --limit to parser", 'found.add_argument("--most", type=int)', "`--limit` is asked for"),
        ("parser needs a new flag --limit", "found.limit = 1", ""),
        ("parser needs a new flag --limit", "found.most = 1", "`--limit` is asked for"),
        ("parser must not have the option --limit", "found.most = 1", ""),
    ],
)
def test_an_option_that_is_asked_for(talk: Any, request_: str, line: str, why: str) -> None:
    start = COMMANDS.index("def parser")
    part = COMMANDS[start : COMMANDS.index("\n\n\ndef main")]
    said = talk(COMMANDS, request_, [part.replace("    return", f"    {line}\n    return")] * 5)
    assert (said.end.text is None) == bool(why)
    assert why in said.end.reason


COMPOSE = """\
services:
  web:
    image: a  # ours
    mem_limit: 1g

  worker:
    image: b
    mem_limit: 512m
    environment:
      LEVEL: info

  db:
    image: c
    mem_limit: 2g
"""
WORKER = "worker:\n  image: b\n  mem_limit: 768m\n  environment:\n    LEVEL: info"


def test_one_entry_of_a_mapping_is_the_region(talk: Any) -> None:
    words = "give the service worker a mem_limit of 768m; the other services stay"
    said = talk(COMPOSE, words, [WORKER], path="compose.yaml")
    assert "db:" not in said.prompts[0].messages[-1].content
    assert said.end.text == COMPOSE.replace("512m", "768m")


def test_go_answers_lose_the_package_line_that_only_a_file_has(talk: Any) -> None:
    text = "package a\n\n// F is one.\nfunc F() int {\n\treturn 1\n}\n"
    said = talk(text, "F should return 2", ["package a\n\nfunc F() int {\n\treturn 2\n}"], path="a.go")
    assert said.end.text == text.replace("1\n}", "2\n}")


CHECKS = "from a import f\n\n\ndef test_f():\n    assert f(1) == 1\n"


def test_a_test_goes_behind_the_others(talk: Any) -> None:
    reply = "def test_f_two():\n    assert f(2) == 2"
    said = talk(CHECKS, "add a test that f(2) is 2", [reply], "test_a.py")
    assert said.end.text == f"{CHECKS}\n\n{reply}\n"
    assert "Reply with only the new test, in one code block." in said.prompts[0].messages[-1].content


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        ("def f_two():\n    assert f(2) == 2", "the new function must be a test"),
        ("assert f(2) == 2", "nothing new is defined by the reply"),
        ("def test_f():\n    assert f(2) == 2", "redefinition of unused 'test_f'"),
        ("def test_f_two():\n    assert g(2) == 2", "undefined name 'g'"),
    ],
)
def test_what_is_no_new_test(talk: Any, reply: str, why: str) -> None:
    said = talk(CHECKS, "add a test that f(2) is 2", [reply], "test_a.py")
    assert (said.end.text, said.end.proof) == (None, Proof.REFUSED)
    assert why in said.end.reason


WORDS = "# Zahlen\nLIMIT = 3  # so viele\n\n\ndef double(x):\n    # das Doppelte\n    return x * 2\n\n\ndef half(x):\n    return x / 2\n"


def test_all_comments_of_a_small_file_are_one_part(talk: Any) -> None:
    reply = WORDS.replace("Zahlen", "Numbers").replace("so viele", "so many").replace("das Doppelte", "twice as much")
    said = talk(WORDS, "translate the comments in a.py to English", [reply.rstrip()], path="a.py")
    assert said.end.text == reply
    assert len(said.prompts) == 1


def test_all_functions_get_their_own_call(talk: Any) -> None:
    replies = [
        'def half(x):\n    """Return the half."""\n    return x / 2',
        'def double(x):\n    """Return twice as much."""\n    # das Doppelte\n    return x * 2',
    ]
    said = talk(WORDS, "add docstrings to all functions in a.py", replies, path="a.py")
    assert said.end.text is not None
    assert said.end.text.count('"""') == 4
    assert len(said.prompts) == 2


@pytest.mark.parametrize(
    "request_",
    ["add a docstring to the function double", "describe all numbers", "all functions should log", "add docstrings"],
)
def test_not_all_parts_are_meant(request_: str) -> None:
    found = outline(WORDS, "a.py")
    only = wish(request_).only
    assert named(request_, found) or every(request_, only, Document(WORDS), found) == []


def test_comments_come_back_when_only_a_docstring_is_asked_for(talk: Any) -> None:
    text = "def names(rows):\n    # in their order\n    return list(rows)\n"
    reply = 'def names(rows):\n    """Return the names."""\n    return list(rows)'
    said = talk(text, "add a docstring to names", [reply])
    assert said.end.text == text.replace("    #", '    """Return the names."""\n    #')
