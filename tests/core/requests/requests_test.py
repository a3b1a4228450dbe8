"""Requests from the words to the index: what is staged, what is held, and what is never written."""

from __future__ import annotations

import re
from typing import Any

import pytest

from litecode.core.errors import PlanError, RequestError
from litecode.core.requests import answer_question, stage_held
from litecode.core.values import Prompt, Proof, State
from litecode.core.world import Options

CART = '''"""The cart."""


class Cart:
    def __init__(self):
        self.rows = []

    def total(self):
        return sum(price for _, price in self.rows)


def empty(cart):
    return not cart.rows
'''
MAIL = '''"""Mails."""

from shop.cart import Cart, empty


def send(cart: Cart):
    if empty(cart):
        return None
    return f"total: {cart.total()}"
'''
SHOP = {"shop/__init__.py": "", "shop/cart.py": CART, "shop/mail.py": MAIL}
ROUNDED = "```python\ndef total(self):\n    return round(sum(price for _, price in self.rows), 2)\n```"


def rewritten(old: str, new: str) -> Any:
    """Answers with the code that was sent, where `old` is `new`."""

    def answer(prompt: Prompt) -> str:
        fences = re.findall(r"```\w*\n(.*?)\n```", prompt.messages[-1].content, re.DOTALL)
        return f"```\n{fences[0].replace(old, new)}\n```"

    return answer


def another(desk: Any, name: str, **answers: Any) -> Any:
    """A model for the desk to fall back on."""
    port = type(desk.port)()
    port.name, port.digest = name, name * 8
    for what, answer in answers.items():
        setattr(port, what, answer)
    desk.fallbacks = (lambda: port,)
    return port


def test_a_request_is_held_until_somebody_says_yes(desk: Any) -> None:
    desk.repo.add(SHOP)
    desk.port.code = ROUNDED
    run = desk.request("Cart.total must be rounded to two decimals")
    assert [(v.path, v.rule, v.state, v.proof) for v in run.verdicts] == [("shop/cart.py", "", State.HELD, Proof.ASKED)]
    assert desk.staged("shop/cart.py") == CART
    assert "+        return round(sum(price for _, price in self.rows), 2)\n" in run.patches[0].diff
    assert run.request == "Cart.total must be rounded to two decimals"
    assert [task.action for task in run.plan.tasks] == [run.request]
    after = stage_held(desk.world(), run)
    assert desk.states(after) == {"shop/cart.py": "staged"}
    assert desk.staged("shop/cart.py") == CART.replace(
        "return sum(price for _, price in self.rows)", "return round(sum(price for _, price in self.rows), 2)"
    )
    assert desk.world().store.load(run.id).verdicts == after.verdicts


def test_yes_stages_at_once_and_a_refused_answer_is_never_staged(desk: Any) -> None:
    desk.repo.add(SHOP)
    desk.port.code = ROUNDED
    assert desk.states(desk.request("Cart.total must be rounded to two decimals", yes=True)) == {
        "shop/cart.py": "staged"
    }
    before = desk.staged("shop/cart.py")
    desk.port.code = "```python\ndef total(self:\n    return 0\n```"
    run = desk.request("Cart.total must count each row once", yes=True)
    assert desk.states(run) == {"shop/cart.py": "rejected"}
    assert desk.staged("shop/cart.py") == before


@pytest.mark.parametrize(
    ("first", "state", "asked"),
    [("```python\ndef total(self:\n    return 0\n```", "staged", True), (ROUNDED, "staged", False)],
)
def test_what_the_model_could_not_do_is_asked_of_the_fallback(desk: Any, first: str, state: str, asked: bool) -> None:
    desk.repo.add(SHOP)
    desk.port.code = first
    big = another(desk, "big", code=ROUNDED)
    run = desk.request("Cart.total must be rounded to two decimals", yes=True)
    assert desk.states(run) == {"shop/cart.py": state}
    assert bool(big.prompts) is asked
    tries = run.verdicts[0].attempts
    assert [bool(tried.refusal) for tried in tries[:4]] == ([True, True, True, False] if asked else [False, False])


def test_where_no_model_could_the_file_stays_and_all_tries_are_kept(desk: Any) -> None:
    desk.repo.add(SHOP)
    desk.port.code = "```python\ndef total(self:\n    return 0\n```"
    another(desk, "big", code=desk.port.code)
    run = desk.request("Cart.total must be rounded to two decimals", yes=True)
    assert desk.states(run) == {"shop/cart.py": "rejected"}
    assert len(run.verdicts[0].attempts) == 6
    assert desk.staged("shop/cart.py") == CART


@pytest.mark.parametrize("plan", ["{", {"kind": "change", "tasks": [{"file": "shop/mail.py", "action": "greet"}]}])
def test_a_plan_that_the_model_did_not_find(desk: Any, plan: Any) -> None:
    desk.repo.add(SHOP)
    desk.port.plan = "{"
    big = another(desk, "big", plan=plan)
    if plan == "{":
        with pytest.raises(PlanError, match="no plan was found"):
            desk.request("a customer should be greeted", dry_run=True)
    else:
        run = desk.request("a customer should be greeted", dry_run=True)
        assert [task.path for task in run.plan.tasks] == ["shop/mail.py"]
        assert [call.model for call in run.calls] == ["scripted", "scripted", "big"]
    assert len(desk.port.prompts) == 2
    assert big.prompts


def test_a_question_writes_nothing_at_all(desk: Any) -> None:
    """The first fault of the seed: the answer was written into a file."""
    desk.repo.add(SHOP)
    desk.port.tell = "`Cart.total` adds the prices up."
    before = desk.repo.snapshot()
    for text in ("How does Cart.total work?", "how many lines does shop/cart.py have?", "explain what send does"):
        run = desk.request(text, yes=True)
        assert str(run.extra["answer"]).startswith("`Cart.total` adds the prices up.\n\nshop/")
        assert (run.verdicts, run.patches, run.plan.tasks, run.id) == ((), (), (), "")
    assert desk.repo.snapshot() == before
    run = answer_question(desk.world(), Options(), "Where is the total added up?")
    assert "shop/cart.py:8" in str(run.extra["answer"])
    assert desk.repo.snapshot() == before


def test_a_planner_that_finds_a_question_ends_it(desk: Any) -> None:
    desk.repo.add(SHOP)
    desk.port.plan = {"kind": "question", "tasks": [{"file": "shop/cart.py", "action": "tell"}]}
    before = desk.repo.snapshot()
    run = desk.request("the mails and the cart", yes=True)
    assert run.extra["kind"] == "question"
    assert desk.repo.snapshot() == before


def test_among_many_files_the_planner_chooses_from_the_likely_ones(desk: Any) -> None:
    others = {f"area{number}/part{number}.py": f"def step{number}():\n    return {number}\n" for number in range(20)}
    desk.repo.add({**SHOP, **others})
    files: list[str] = []

    def plan(prompt: Prompt) -> Any:
        files[:] = prompt.schema["properties"]["tasks"]["items"]["properties"]["file"]["enum"]
        return {"kind": "change", "tasks": [{"file": "shop/mail.py", "action": "tell the total"}]}

    desk.port.plan, desk.port.code = plan, "```python\n```"
    run = desk.request("mails of the cart: send the total, and round the prices", dry_run=True)
    assert {"shop/cart.py", "shop/mail.py"} <= set(files)
    assert len(files) <= 8
    assert not set(files) & set(others)
    assert "part7" not in desk.port.asked
    assert [task.path for task in run.plan.tasks] == ["shop/mail.py"]
    desk.request("make it nicer", dry_run=True)  # words that fit nothing leave all of them
    assert len(files) == 23


@pytest.mark.parametrize("many", [20, 400])
def test_a_file_to_create_is_offered_once_among_many_files(desk: Any, many: int) -> None:
    others = {f"area{number}/part{number}.py": f"def step{number}():\n    return {number}\n" for number in range(many)}
    desk.repo.add({**SHOP, **others})
    files: list[str] = []

    def plan(prompt: Prompt) -> Any:
        if "folders" in prompt.schema["properties"]:
            return {"folders": ["shop/"]}
        files[:] = prompt.schema["properties"]["tasks"]["items"]["properties"]["file"]["enum"]
        return {"kind": "change", "tasks": [{"file": path, "action": "x"} for path in ("shop/tax.py", "shop/cart.py")]}

    desk.port.plan = plan
    words = (
        "create shop/tax.py with a function for the tax of a cart, and let the mails of the cart and its callers use it"
    )
    desk.request(words, dry_run=True, all_files=True)
    assert files.count("shop/tax.py") == 1
    assert len(files) == len(set(files)) > 1


@pytest.mark.parametrize(
    ("text", "path"),
    [('Add a "root" option to `download`', "lib/answer.js"), ("`root` must be false", ".eslintrc.yml")],
)
def test_a_key_of_a_data_file_is_no_home_beside_code(desk: Any, text: str, path: str) -> None:
    desk.repo.add({".eslintrc.yml": "root: true\n", "lib/answer.js": "function download(to) {\n  return to;\n}\n"})
    assert [task.path for task in desk.request(text, dry_run=True).plan.tasks] == [path]


MISSING = [
    ("shop/carts.py: round the total", "there is no file shop/carts.py", "shop/cart.py"),
    ("round the total in basket.py", "there is no file basket.py", ""),
    ("add ../other/x.py with a helper", "outside of the repository", ""),
    ("create .git/hooks/x.py with a hook", "git", ""),
]


@pytest.mark.parametrize(("text", "message", "hint"), MISSING)
def test_a_path_that_is_not_there_never_goes_to_the_nearest_file(desk: Any, text: str, message: str, hint: str) -> None:
    """The second fault of the seed: a stale path was routed to a file like it."""
    desk.repo.add(SHOP)
    before = desk.repo.snapshot()
    with pytest.raises(RequestError, match=re.escape(message)) as found:
        desk.request(text, yes=True)
    assert hint in found.value.hint
    assert desk.port.prompts == []
    assert desk.repo.snapshot() == before


def test_a_renamed_file_is_told_by_its_new_name(desk: Any) -> None:
    desk.repo.add({"shop/basket.py": CART}, commit="basket")
    desk.repo.git("mv", "shop/basket.py", "shop/cart.py")
    with pytest.raises(RequestError, match=r"there is no file shop/basket\.py") as found:
        desk.request("shop/basket.py: round the total", yes=True)
    assert "it is shop/cart.py now" in found.value.hint


def test_fences_prose_and_reasoning_do_not_reach_the_file(desk: Any) -> None:
    """The third fault of the seed: the fences of a reply were written."""
    desk.repo.add(SHOP)
    desk.port.code = f"<think>two decimals</think>Sure, here it is:\n\n{ROUNDED}\n\nThis rounds the total."
    desk.request("Cart.total must be rounded to two decimals", yes=True)
    text = desk.staged("shop/cart.py")
    assert text == CART.replace(
        "sum(price for _, price in self.rows)", "round(sum(price for _, price in self.rows), 2)"
    )


def test_code_renames_without_a_model(desk: Any) -> None:
    desk.repo.add(SHOP)
    run = desk.request("rename empty to is_empty and update all callers", yes=True)
    assert desk.states(run) == {"shop/cart.py": "staged", "shop/mail.py": "staged"}
    assert desk.port.prompts == []
    assert run.plan.contract.renames == (("empty", "is_empty"),)
    assert desk.staged("shop/mail.py") == MAIL.replace("empty", "is_empty")
    assert desk.staged("shop/cart.py") == CART.replace("def empty", "def is_empty")


def test_a_rename_that_reaches_beyond_what_is_staged_is_held(desk: Any) -> None:
    desk.repo.add({"shop/__init__.py": "", "shop/mail.py": MAIL}, commit="mails")
    desk.repo.add({"shop/cart.py": CART})
    run = desk.request("rename empty to is_empty", yes=True)
    assert desk.states(run) == {"shop/cart.py": "held"}
    assert run.verdicts[0].reason == "it is used in shop/mail.py too, which is not part of this run"
    assert desk.staged("shop/cart.py") == CART
    run = desk.request("rename empty to is_empty", yes=True, all_files=True)
    assert desk.states(run) == {"shop/cart.py": "staged", "shop/mail.py": "staged"}


IMPOSSIBLE = [
    "rename nothing_like_it to is_empty",
    "rename empty to empty",
    "rename shop/cart.py to shop/basket.py",
    "undo the last change",
    "please revert it",
    " ",
]


@pytest.mark.parametrize("text", IMPOSSIBLE)
def test_what_cannot_be_done_is_said(desk: Any, text: str) -> None:
    desk.repo.add(SHOP)
    before = desk.repo.snapshot()
    with pytest.raises(RequestError) as found:
        desk.request(text, yes=True)
    assert found.value.hint
    assert desk.repo.snapshot() == before


def test_half_of_a_change_is_not_staged(desk: Any) -> None:
    desk.repo.add(SHOP)

    def answer(prompt: Prompt) -> str:
        if "def send" in prompt.messages[-1].content:
            return "I cannot do that."
        return rewritten("not cart.rows", "cart is None or not cart.rows")(prompt)

    desk.port.code = answer
    run = desk.request("empty() must be true for None, and send() should return an empty text then", yes=True)
    assert desk.states(run) == {"shop/cart.py": "held", "shop/mail.py": "rejected"}
    assert (desk.staged("shop/cart.py"), desk.staged("shop/mail.py")) == (CART, MAIL)


def test_a_file_that_is_named_and_not_planned_gets_its_task(desk: Any) -> None:
    desk.repo.add(SHOP)
    desk.port.plan = {"kind": "change", "tasks": [{"file": "shop/cart.py", "action": "round"}]}
    desk.port.code = rewritten("x", "x")
    run = desk.request("totals in cart.py are rounded everywhere, mail.py too", dry_run=True)
    assert [task.path for task in run.plan.tasks] == ["shop/cart.py", "shop/mail.py"]


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("Cart gets a method label(), and send in mail.py uses it", ["shop/cart.py", "shop/mail.py"]),
        ("mail.py: send() must not fail. empty() should take None", ["shop/mail.py", "shop/cart.py"]),
        ("in mail.py let send() use Cart.total", ["shop/mail.py"]),
        ("send() in mail.py should return None when empty() is true", ["shop/mail.py"]),
        ("in mail.py send() must check the cart with empty", ["shop/mail.py"]),
    ],
)
def test_what_a_request_is_about_beside_the_files_that_it_names(desk: Any, text: str, paths: list[str]) -> None:
    desk.repo.add(SHOP)
    desk.port.plan = {"kind": "change", "tasks": [{"file": "shop/mail.py", "action": "do it"}]}
    run = desk.request(text, dry_run=True)
    assert [task.path for task in run.plan.tasks] == paths


def test_a_plan_is_mended_once_and_then_given_up(desk: Any) -> None:
    desk.repo.add(SHOP)
    plans = [
        {"kind": "change", "tasks": []},
        {"kind": "change", "tasks": [{"file": "shop/mail.py", "action": "greet"}]},
    ]
    desk.port.plan = lambda _prompt: plans[min(len(desk.port.prompts), 2) - 1]
    run = desk.request("a customer should be greeted", dry_run=True)
    assert [task.path for task in run.plan.tasks] == ["shop/mail.py"]
    assert "there is no task; a change needs at least one" in desk.port.prompts[1].messages[-1].content
    desk.port.prompts.clear()
    desk.port.plan = "{"
    with pytest.raises(PlanError, match="no plan was found"):
        desk.request("a customer should be greeted", dry_run=True)
    assert len(desk.port.prompts) == 2


def test_planners_see_names_and_earlier_requests_and_no_code(desk: Any) -> None:
    desk.repo.add(SHOP)
    desk.request("rename empty to is_empty", yes=True)
    desk.port.plan = {"kind": "change", "tasks": [{"file": "shop/mail.py", "action": "greet"}]}
    desk.request("a customer should be greeted", dry_run=True)
    sent = desk.port.asked
    assert "- rename empty to is_empty (changed shop/cart.py, shop/mail.py)" in sent
    assert "shop/cart.py" in sent
    assert "is_empty(cart)" in sent
    assert "return not cart.rows" not in sent
    schema = desk.port.prompts[0].schema
    assert schema is not None
    files = schema["properties"]["tasks"]["items"]["properties"]["file"]["enum"]
    assert sorted(files) == ["shop/__init__.py", "shop/cart.py", "shop/mail.py"]


def test_a_named_file_joins_what_is_staged(desk: Any) -> None:
    desk.repo.add(SHOP, commit="shop")
    desk.port.code = ROUNDED
    run = desk.request("shop/cart.py: Cart.total must be rounded to two decimals", yes=True)
    assert desk.states(run) == {"shop/cart.py": "staged"}
    assert desk.repo.status() == ["M  shop/cart.py"]


def test_code_that_is_not_staged_does_not_lead_to_what_is(desk: Any) -> None:
    desk.repo.add({"shop/__init__.py": "", "shop/cart.py": CART}, commit="cart")
    desk.repo.add({"shop/mail.py": MAIL})
    for text in ("Cart.total must be rounded", "total() must be rounded"):
        with pytest.raises(RequestError, match=r"is defined in shop/cart\.py, which is not staged"):
            desk.request(text, yes=True)
    assert desk.port.prompts == []


def test_a_name_that_is_nowhere_does_not_lead_to_one_like_it(desk: Any) -> None:
    desk.repo.add(SHOP)
    with pytest.raises(RequestError, match=r"there is no Cart\.totl in these files") as found:
        desk.request("Cart.totl() must be rounded", yes=True)
    assert found.value.hint == "did you mean total?"
    assert desk.port.prompts == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Cart.remove_all should also clear the prices", "Cart in shop/cart.py has no remove_all"),
        ("Cart.remove_all() must not fail", "Cart in shop/cart.py has no remove_all"),
        ("add Cart.remove_all() that clears the rows", None),
        ("Cart.rows should be a tuple", None),
        ("Basket.remove_all should clear the rows in cart.py", None),
    ],
)
def test_what_a_class_does_not_have_is_an_error(desk: Any, text: str, message: str | None) -> None:
    desk.repo.add(SHOP)
    desk.port.plan = {"kind": "change", "tasks": [{"file": "shop/cart.py", "action": "do it"}]}
    if message is None:
        assert [task.path for task in desk.request(text, dry_run=True).plan.tasks] == ["shop/cart.py"]
        return
    with pytest.raises(RequestError, match=message) as found:
        desk.request(text, yes=True)
    assert found.value.hint == "name one of total, or say `add` to make it"
    assert desk.port.prompts == []


def test_names_count_from_where_the_person_stands(desk: Any) -> None:
    desk.repo.add({**SHOP, "cart.py": "x = 1\n"})
    for folder, path in (("", "cart.py"), ("shop/", "shop/cart.py")):
        run = desk.request("./cart.py: the name x must go", dry_run=True, folder=folder)
        assert [task.path for task in run.plan.tasks] == [path]


def test_a_rename_of_a_plan_must_be_whole(desk: Any) -> None:
    desk.repo.add(SHOP)
    desk.port.plan = {
        "kind": "change",
        "tasks": [{"file": "shop/cart.py", "action": "rename"}, {"file": "shop/mail.py", "action": "rename"}],
        "renames": [{"old": "empty", "new": "is_empty"}],
    }
    desk.port.code = rewritten("return None", "return ''")
    text = "in cart.py and mail.py everybody should say is_empty where the name empty is now, send() returns '' then"
    run = desk.request(text, yes=True)
    assert "staged" not in desk.states(run).values()
    assert (desk.staged("shop/cart.py"), desk.staged("shop/mail.py")) == (CART, MAIL)


def test_what_a_class_of_another_file_does_not_have_is_refused(desk: Any) -> None:
    desk.repo.add(SHOP)
    desk.port.code = rewritten("cart.total()", "cart.sum()")
    run = desk.request("send() should tell the sum", yes=True)
    assert desk.states(run) == {"shop/mail.py": "rejected"}
    assert run.verdicts[0].reason == "send: `cart.sum` is nothing: Cart has rows, total"
    desk.port.code = rewritten("cart.total()", "cart.rows")
    run = desk.request("send() should tell the rows", yes=True)
    assert desk.states(run) == {"shop/mail.py": "staged"}
