"""Rankings over small trees."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

import pytest

from litecode.core.filemap.outline import outline
from litecode.core.planning import words
from litecode.core.planning.kin import Kin, is_test, stem_of
from litecode.core.planning.shortlist import Corpus, companions, shortlist

FILES = {
    "shop/cart.py": "class Cart:\n    def total(self):\n        return sum(self.lines)\n",
    "shop/mail.py": "def send_mail(to):\n    smtp.send(to, 'Your order')\n",
    "shop/config.py": "DEFAULT_TIMEOUT = 10\n\ndef load_configuration(path): ...\n",
    "shop/auth/login.py": "def check_password(user): ...\n",
    "shop/log.py": "def setup_logging(): ...\n",
    "tests/test_cart.py": "def test_total():\n    assert Cart().total() == 0\n",
    "tests/test_mail.py": "def test_mail(): ...\n",
    "web/cart.tsx": "export function CartView() { return <b>basket</b> }\n",
    "web/cart.css": ".cart { color: red }\n",
}
HISTORY = (
    ("Send invoices twice a day", ("shop/mail.py", "shop/billing_gone.py")),
    ("Reminder for invoices", ("shop/mail.py",)),
    ("Round to cents", ("shop/cart.py", "shop/config.py")),
    ("Round half up", ("shop/cart.py", "shop/config.py")),
    ("Reformat everything, invoices too", tuple(f"x{n}.py" for n in range(40))),
)


def corpus_of(files: Mapping[str, str], history: Sequence[tuple[str, Sequence[str]]] = ()) -> Corpus:
    content: defaultdict[str, dict[str, int]] = defaultdict(dict)
    symbols: defaultdict[str, dict[str, int]] = defaultdict(dict)
    sizes = {}
    for path, text in files.items():
        texts: Counter[str] = words.of_text(text)
        names = words.of_names(symbol.name for symbol in outline(text, path).symbols)
        for word, times in texts.items():
            content[word][path] = times
        for word, times in names.items():
            symbols[word][path] = times
        sizes[path] = (texts.total(), names.total())

    def alike(word: str) -> list[str]:
        return [other for other in content if other[:4] == word[:4]]

    return Corpus(tuple(files), lambda w: content.get(w, {}), lambda w: symbols.get(w, {}), alike, sizes, history)


def ranked(request: str, history: Sequence[tuple[str, Sequence[str]]] = (), **more: Sequence[str]) -> list[str]:
    return [found.path for found in shortlist(request, corpus_of(FILES, history), 20, **more)]


@pytest.mark.parametrize(
    ("request_", "first"),
    [
        ("round the total of the cart", "shop/cart.py"),
        ("the password must have 12 signs", "shop/auth/login.py"),  # content
        ("login must take two steps", "shop/auth/login.py"),  # its name
        ("logging to syslog", "shop/log.py"),  # not login
        ("read the config from a file", "shop/config.py"),  # configuration
        ("set the default timeout to 20", "shop/config.py"),  # a constant
        ("smtp is slow", "shop/mail.py"),
        ("the basket is empty", "web/cart.tsx"),  # a word of a text in the code
        ("test that the total is 0", "tests/test_cart.py"),
        ("mail: say who it is from", "shop/mail.py"),
    ],
)
def test_the_best_file(request_: str, first: str) -> None:
    assert ranked(request_)[0] == first


@pytest.mark.parametrize("request_", ["", "fix it", "and so on", "quantum chromodynamics"])
def test_nothing_fits(request_: str) -> None:
    assert ranked(request_) == []


def test_companions_follow_what_was_found() -> None:
    found = ranked("send mails again")
    assert found[0] == "shop/mail.py"
    assert found[1] == "tests/test_mail.py"


def test_past_commits_find_what_no_word_finds() -> None:
    assert ranked("invoices") == []
    assert ranked("invoices", HISTORY)[0] == "shop/mail.py"


def test_a_commit_of_everything_says_nothing() -> None:
    assert ranked("reformat", HISTORY) == []


def test_named_files_come_first_and_ties_go_by_path() -> None:
    assert ranked("smtp is slow", named=["web/cart.css"])[:2] == ["web/cart.css", "shop/mail.py"]
    assert ranked("", named=["shop/log.py", "shop/cart.py"])[:2] == ["shop/cart.py", "shop/log.py"]


def test_scores_tell_a_guess_from_a_find() -> None:
    corpus = corpus_of(FILES)
    assert shortlist("send mail", corpus)[0].score > 0.6
    assert shortlist("quarterly statement of the password vault for auditors", corpus)[0].score < 0.35
    assert len(shortlist("cart", corpus, 2)) == 2


def test_the_same_request_gives_the_same_ranking() -> None:
    backwards = dict(reversed(list(FILES.items())))
    request = "cart total and mail configuration"
    assert shortlist(request, corpus_of(FILES, HISTORY)) == shortlist(request, corpus_of(backwards, HISTORY))


@pytest.mark.parametrize(
    ("picked", "found"),
    [
        (["shop/cart.py"], ("tests/test_cart.py",)),
        (["tests/test_cart.py"], ("shop/cart.py", "web/cart.css", "web/cart.tsx")),
        (["web/cart.tsx"], ("tests/test_cart.py", "web/cart.css")),
        (["shop/auth/login.py"], ()),
        (["shop/mail.py", "tests/test_mail.py"], ()),
        (["gone.py"], ()),
        ([], ()),
    ],
)
def test_companions(picked: list[str], found: tuple[str, ...]) -> None:
    assert companions(picked, corpus_of(FILES)) == found


def test_what_changes_together_is_a_companion() -> None:
    together = companions(["shop/config.py"], corpus_of(FILES, HISTORY * 3))
    assert together == ("shop/cart.py",)
    assert Kin(tuple(FILES), HISTORY).near("shop/mail.py") == {"tests/test_mail.py": 0.3}


@pytest.mark.parametrize(
    ("path", "test", "stem"),
    [
        ("tests/test_cart.py", True, "cart"),
        ("src/cart.test.ts", True, "cart"),
        ("pkg/cart_test.go", True, "cart"),
        ("spec/cart_spec.rb", True, "cart"),
        ("src/__tests__/Cart.tsx", True, "cart"),
        ("core/x.vitest.ts", True, "x"),
        ("tests/conftest.py", True, "conftest"),
        ("src/latest.py", False, "latest"),
        ("src/contest/attestation.py", False, "attestation"),
        ("src/testing.py", False, "testing"),
        ("lib/spectrum.c", False, "spectrum"),
        ("src/cart.py", False, "cart"),
    ],
)
def test_what_is_a_test(path: str, test: bool, stem: str) -> None:
    assert (is_test(path), stem_of(path)) == (test, stem)
