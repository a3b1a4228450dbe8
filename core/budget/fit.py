"""Does a request fit a window? And if not: what may be left out, in which order."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum, StrEnum

from litecode.core.budget.tokens import Estimator, upper_bound
from litecode.core.errors import ModelTooLarge
from litecode.core.values import Message

REPLY_FACTOR = 1.3
REPLY_TOKENS = 128
REPLY_CAP = 2000
PLAN_RESERVE = 1200
SLACK_TOKENS = 64
SLACK_SHARE = 0.02


class Basis(StrEnum):
    """Where the number of prompt tokens comes from."""

    EXACT = "exact"  # the endpoint's own tokenizer
    ESTIMATE = "estimate"
    BOUND = "bound"  # so short that even one token for each byte fits


@dataclass(frozen=True, slots=True)
class Fit:
    """The sum that decides; all in tokens."""

    fits: bool
    estimate: int
    reserve: int
    slack: int
    window: int
    basis: Basis

    @property
    def needed(self) -> int:
        return self.estimate + self.reserve + self.slack

    def __str__(self) -> str:
        about = "" if self.basis is Basis.EXACT else "about "
        return (
            f"{about}{self.estimate:,} for the prompt + {self.reserve:,} for the reply + {self.slack:,} to spare"
            f" = {self.needed:,} of {self.window:,} tokens"
        )


def slack_of(window: int) -> int:
    return max(SLACK_TOKENS, math.ceil(SLACK_SHARE * window))


def can_fit(
    messages: tuple[Message, ...], window: int, reserve: int, estimator: Estimator, exact: int | None = None
) -> Fit:
    """Whether the messages and a reply of `reserve` tokens fit the window. `exact` is the endpoint's own count.

    Short texts are accepted by their length in bytes, without counting.
    """
    slack = slack_of(window)
    left = window - reserve - slack
    if exact is not None:
        return Fit(exact <= left, exact, reserve, slack, window, Basis.EXACT)
    bound = upper_bound(messages)
    if bound <= left:
        return Fit(True, bound, reserve, slack, window, Basis.BOUND)
    estimate = estimator.messages(messages)
    return Fit(estimate <= left, estimate, reserve, slack, window, Basis.ESTIMATE)


def refusal(fit: Fit, hint: str = "") -> ModelTooLarge:
    """The error for what does not fit, with the numbers."""
    return ModelTooLarge(
        f"the request does not fit the model's window: {fit}",
        hint or "name a smaller part of the file (region: in the rule), or use a model with a larger window",
        needed=fit.needed,
        window=fit.window,
    )


def reserve_for(region_tokens: int, cap: int = REPLY_CAP) -> int:
    """Tokens to keep free for the rewritten region. A region above `largest_region` may need more than the cap."""
    return min(math.ceil(REPLY_FACTOR * region_tokens) + REPLY_TOKENS, cap)


def region_of(reserve: int) -> int:
    """The tokens of the region that a reserve was made for, at least."""
    return max(0, math.floor((reserve - REPLY_TOKENS) / REPLY_FACTOR))


def largest_region(window: int, fixed: int, cap: int = REPLY_CAP) -> int:
    """The most tokens that a region may have so that it fits together with `fixed` tokens of other prompt, and that its
    reply is not cut by the cap; 0 when not even an empty one fits.
    """
    left = window - fixed - slack_of(window) - REPLY_TOKENS
    by_window = math.floor(left / (1 + REPLY_FACTOR))
    by_cap = math.floor((cap - REPLY_TOKENS) / REPLY_FACTOR)
    return max(0, min(by_window, by_cap))


class Spare(IntEnum):
    """What a prompt can do without; the lowest goes first. Code is no option."""

    FOLDER = 0  # what lies around the file
    MEMORY = 1  # earlier runs
    OUTLINE = 2  # the other symbols of the same file


@dataclass(frozen=True, slots=True)
class Part:
    """One piece of optional text. Of several of a kind, the last one goes first."""

    kind: Spare
    text: str


@dataclass(frozen=True, slots=True)
class Fitted:
    messages: tuple[Message, ...]
    dropped: tuple[Part, ...]
    fit: Fit


def drop_until_fits(
    parts: tuple[Part, ...],
    render: Callable[[tuple[Part, ...]], tuple[Message, ...]],
    fits: Callable[[tuple[Message, ...]], Fit],
) -> Fitted:
    """The request with as many parts as fit. `render` builds it from those that are left (in the given order); it must
    fit without any, else ModelTooLarge tells the numbers of that smallest request.
    """
    order = sorted(range(len(parts)), key=lambda at: (parts[at].kind, -at))
    for gone in range(len(parts) + 1):
        left = tuple(part for at, part in enumerate(parts) if at not in order[:gone])
        messages = render(left)
        fit = fits(messages)
        if fit.fits:
            return Fitted(messages, tuple(parts[at] for at in order[:gone]), fit)
    raise refusal(fit)
