"""The sum that decides, its refusal, and what is left out first."""

from __future__ import annotations

import pytest

from litecode.core.budget.fit import (
    Basis,
    Fit,
    Part,
    Spare,
    can_fit,
    drop_until_fits,
    largest_region,
    refusal,
    reserve_for,
    slack_of,
)
from litecode.core.budget.tokens import Estimator
from litecode.core.errors import ModelTooLarge
from litecode.core.values import Message

WORDS = Estimator(1.0, lambda text: len(text.split()))  # one token a word


def user(words: int, word: str = "something") -> tuple[Message, ...]:
    return (Message("user", " ".join([word] * words)),)


@pytest.mark.parametrize(("window", "slack"), [(512, 64), (3200, 64), (3201, 65), (8192, 164), (32768, 656), (100, 64)])
def test_slack(window: int, slack: int) -> None:
    assert slack_of(window) == slack


@pytest.mark.parametrize(
    ("words", "reserve", "fits"),
    [
        (1000, 500, True),
        (8192 - 164 - 24 - 2000, 2000, True),
        (8192 - 164 - 24 - 2000 + 1, 2000, False),
        (8192 - 164 - 24 - 128, 128, True),
        (8192 - 164 - 24 - 127, 128, False),
        (9000, 0, False),
    ],
)
def test_prompt_reply_and_slack_fit_the_window_or_not(words: int, reserve: int, fits: bool) -> None:
    fit = can_fit(user(words), 8192, reserve, WORDS)
    assert (fit.fits, fit.estimate, fit.reserve, fit.slack, fit.window) == (fits, words + 24, reserve, 164, 8192)
    assert fit.basis is Basis.ESTIMATE
    assert fit.needed == words + 24 + reserve + 164


@pytest.mark.parametrize(("exact", "fits"), [(0, True), (7028, True), (7029, False), (10_000, False)])
def test_the_count_of_the_endpoint_decides_when_it_is_known(exact: int, fits: bool) -> None:
    fit = can_fit(user(5), 8192, 1000, WORDS, exact=exact)
    assert fit == Fit(fits, exact, 1000, 164, 8192, Basis.EXACT)


def test_short_text_is_accepted_by_its_length_without_counting() -> None:
    def never(_text: str) -> int:
        raise AssertionError("counted")

    fit = can_fit((Message("system", "ab"), Message("user", "äb")), 1000, 100, Estimator(1.4, never))
    assert fit == Fit(True, 2 + 3 + 32, 100, 64, 1000, Basis.BOUND)
    with pytest.raises(AssertionError, match="counted"):
        can_fit(user(200), 1000, 100, Estimator(1.4, never))


def test_refusal_tells_the_numbers_and_what_to_do() -> None:
    err = refusal(can_fit(user(9000), 8192, 2000, WORDS))
    assert isinstance(err, ModelTooLarge)
    assert (err.needed, err.window) == (9000 + 24 + 2000 + 164, 8192)
    assert str(err) == (
        "the request does not fit the model's window: "
        "about 9,024 for the prompt + 2,000 for the reply + 164 to spare = 11,188 of 8,192 tokens"
    )
    assert "region:" in err.hint
    assert "larger window" in err.hint
    assert "about" not in str(refusal(can_fit(user(1), 100, 0, WORDS, exact=90)))


@pytest.mark.parametrize(
    ("region", "reserve"), [(0, 128), (1, 130), (10, 141), (100, 258), (1440, 2000), (1441, 2000), (9999, 2000)]
)
def test_reserve(region: int, reserve: int) -> None:
    assert reserve_for(region) == reserve


def test_reserve_with_another_cap() -> None:
    assert reserve_for(1000, cap=1200) == 1200
    assert reserve_for(1000, cap=4000) == 1428


@pytest.mark.parametrize(
    ("window", "fixed", "region"),
    [(8192, 400, 1440), (4096, 400, 1515), (2048, 400, 633), (600, 400, 3), (512, 400, 0)],
)
def test_largest_region_fits_and_is_not_cut(window: int, fixed: int, region: int) -> None:
    found = largest_region(window, fixed)
    assert found == min(region, 1440)
    if found:
        assert found + fixed + reserve_for(found) + slack_of(window) <= window
        assert reserve_for(found, cap=10**9) <= 2000


CODE = "code " * 500
FOLDER, MEMORY_NEW, MEMORY_OLD, OUTLINE = (
    Part(Spare.FOLDER, "folder " * 200),
    Part(Spare.MEMORY, "newer " * 100),
    Part(Spare.MEMORY, "older " * 100),
    Part(Spare.OUTLINE, "outline " * 50),
)
PARTS = (OUTLINE, MEMORY_NEW, MEMORY_OLD, FOLDER)


def render(parts: tuple[Part, ...]) -> tuple[Message, ...]:
    return (Message("user", "".join(part.text for part in parts) + CODE),)


@pytest.mark.parametrize(
    ("room", "dropped"),
    [
        (950, ()),
        (949, (FOLDER,)),
        (750, (FOLDER,)),
        (749, (FOLDER, MEMORY_OLD)),
        (649, (FOLDER, MEMORY_OLD, MEMORY_NEW)),
        (549, (FOLDER, MEMORY_OLD, MEMORY_NEW, OUTLINE)),
        (500, (FOLDER, MEMORY_OLD, MEMORY_NEW, OUTLINE)),
    ],
)
def test_folder_goes_first_then_memory_then_outline_never_code(room: int, dropped: tuple[Part, ...]) -> None:
    window = room + 24 + 100 + 64
    found = drop_until_fits(PARTS, render, lambda messages: can_fit(messages, window, 100, WORDS))
    assert found.dropped == dropped
    assert found.messages == render(tuple(part for part in PARTS if part not in dropped))
    assert found.messages[0].content.endswith(CODE)
    assert found.fit.fits
    assert found.fit.needed <= window


def test_code_that_does_not_fit_is_refused_with_its_own_numbers() -> None:
    with pytest.raises(ModelTooLarge) as caught:
        drop_until_fits(PARTS, render, lambda messages: can_fit(messages, 600, 100, WORDS))
    assert caught.value.needed == 500 + 24 + 100 + 64
    assert caught.value.window == 600


def test_without_optional_parts_it_fits_or_not() -> None:
    assert drop_until_fits((), render, lambda messages: can_fit(messages, 900, 100, WORDS)).dropped == ()
    with pytest.raises(ModelTooLarge):
        drop_until_fits((), render, lambda messages: can_fit(messages, 600, 100, WORDS))
