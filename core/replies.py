"""What a model has said about a region in vain, so that it is not asked the same again while that code stays as it is.

A result is known only for the very same file, since gates look around. These are the replies themselves: the gates
judge them anew, so that they can be used in a file that has changed elsewhere, and what has become right is taken.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field

from litecode.core.store.cache import ReplyCache, cache_key
from litecode.core.values import Message, Prompt, Reply, Stop


@dataclass(slots=True)
class Replies:
    """Those about one place: `place` is everything that its key has beside the prompt. Nothing is looked up with
    `fresh`, and nothing written, not even a mark of use, with `read_only`.
    """

    cache: ReplyCache
    place: Sequence[str]
    read_only: bool = False
    fresh: bool = False
    _new: dict[str, str] = field(default_factory=dict)

    def known(self, prompt: Prompt) -> Reply | None:
        if self.fresh:
            return None
        key = self._key(prompt)
        stored = self.cache.peek(key) if self.read_only else self.cache.get(key)
        return None if stored is None else Reply(stored, Stop.END, 0, 0, 0.0)

    def add(self, prompt: Prompt, reply: Reply) -> None:
        """One that was cut off is nothing to remember."""
        if reply.stop is Stop.END:
            self._new[self._key(prompt)] = reply.text

    def keep(self) -> None:
        """They were all in vain."""
        if not self.read_only:
            for key, text in self._new.items():
                self.cache.put(key, text)

    def _key(self, prompt: Prompt) -> str:
        draw = json.dumps([prompt.sampling.temperature, prompt.sampling.seed, prompt.reserve])
        return cache_key("in vain", *self.place, flat(prompt.messages), draw)


def flat(messages: Sequence[Message]) -> str:
    """Messages as a part of a key."""
    return json.dumps([list(message) for message in messages], ensure_ascii=False)
