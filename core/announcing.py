"""What a run is going to send to another machine, in numbers, said before it does."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from litecode.core.budget.tokens import Estimator
from litecode.core.events import Event, EventKind
from litecode.core.values import Prompt

if TYPE_CHECKING:
    from litecode.core.patching.document import Document
    from litecode.core.world import World


def counted(files: int, tokens: int) -> str:
    return f"{files:,} file{'' if files == 1 else 's'}, about {tokens:,} tokens"


def tell_of_prompts(world: World, prompts: Sequence[tuple[str, Prompt]]) -> None:
    """`prompts` are the first ones, with the paths that they are about; answers that are no good need more of them."""
    if not world.remote or not prompts:
        return
    estimator = Estimator()
    tokens = sum(estimator.messages(prompt.messages) for _, prompt in prompts)
    _tell(world, f"regions of {counted(len({path for path, _ in prompts}), tokens)}")


def tell_of_map(world: World, files: int) -> None:
    """Of a request that needs a plan."""
    if world.remote and files:
        _tell(world, f"the names and outlines of {files:,} file{'' if files == 1 else 's'}")


def tell_of_documents(world: World, documents: Iterable[Document | None]) -> None:
    """Of files that a request changes; at most all of them is sent."""
    texts = [document.text for document in documents if document is not None]
    if world.remote and texts:
        _tell(world, f"code of {counted(len(texts), Estimator().content(texts))} in all")


def _tell(world: World, what: str) -> None:
    hosts = " and ".join(host for host in world.remote if host in world.settings.remote)
    if hosts:
        world.progress(Event(EventKind.NOTE, text=f"{what}: sent to {hosts}, unless the answer is known already"))
