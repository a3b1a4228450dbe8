"""Question or change: what the words tell, and when they tell nothing."""

from __future__ import annotations

import pytest

from litecode.core.planning.kinds import Kind, kind_of, sentences

QUESTIONS = """\
Where is the retry limit set?
where is the retry limit set
How many workers does Pool start when I don't pass a number, and where is that decided?
why does parse() crash on an empty string
is parse() thread safe
Can the breaker be reset by hand?
can you tell me which module opens the socket
could you explain how the cache works?
explain how the cache works
Please explain what Pool does
show me the callers of fetch_rows()
tell me what happens when the disk is full
I would like to know where the port comes from
Summarize the planner module
when is the file closed?
Does total() round? I want to know before the release.
slugify('a b') should be 'a-b', shouldn't it?
¿Dónde se define el límite?
wo wird das Limit gesetzt?
Which of the files has the parser in it
Please list the functions that raise LedgerError
list all callers of fetch_rows()
find the places where print is used
can you find every use of load()
check whether load handles empty files
see if the cache is ever cleared
"""
CHANGES = """\
Add a timeout to fetch()
cart.py: let Cart.total take an optional argument discount
Ledger.transfer must raise LedgerError when source and target are the same account
slugify() in src/text.js: there should be no dash at the end
document retry_delay: a docstring that says what it returns
fix: parse_duration('1h30m') gives 1800.0
Rename fetch_rows() to load_rows(). fetch_row() keeps its name.
How does retry work? Add a docstring that says so.
Which functions lack a docstring? Document them.
can you make parse() faster?
Could you please rename the class Foo to Bar?
When the list is empty, return None from first()
when the header is missing, parse() must not raise
I'd like to have a --quiet option
Do not log passwords in auth.py
don't swallow KeyboardInterrupt in worker.py
the port has to be 8080
How about adding a timeout to fetch?
- remove the debug output
explain retry_delay in a docstring
mention the new option in the guide
Why don't we cache the result of load()? Cache it.
check that the port is below 65536
check the arguments of load()
Please list the options in the README
find all prints and replace them by logging
find every bare except, then remove it
check whether amount is negative and raise ValueError
"""
UNKNOWN = """\
parse() crashes on an empty string
show a message when the file is missing
list files by size
find users by name
look up the user in the cache, return None when there is none
what about tests
füge einen Test hinzu
the cart
"""


@pytest.mark.parametrize("request_text", QUESTIONS.splitlines())
def test_questions(request_text: str) -> None:
    assert kind_of(request_text) is Kind.QUESTION


@pytest.mark.parametrize("request_text", CHANGES.splitlines())
def test_changes(request_text: str) -> None:
    assert kind_of(request_text) is Kind.CHANGE


@pytest.mark.parametrize("request_text", UNKNOWN.splitlines())
def test_what_the_words_do_not_tell(request_text: str) -> None:
    assert kind_of(request_text) is None


def test_sentences() -> None:
    assert sentences("One. Two?\nThree; four v1.2 e.g") == ["One.", "Two?", "Three;", "four v1.2 e.g"]
    assert sentences(" \n ") == []
