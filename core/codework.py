"""What code does about a request without a model: renames, moves, new orders of parameters and definitions
that go, in all files at once.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from litecode.core.errors import RequestError
from litecode.core.patching.document import Document
from litecode.core.patching.impossible import Impossible
from litecode.core.patching.move import move_symbol
from litecode.core.patching.remove import remove_symbol
from litecode.core.patching.rename import rename_identifier
from litecode.core.patching.signature import change_signature, rename_parameter
from litecode.core.planning.mentions import Mentions
from litecode.core.planning.readings import Move, Reading, Remove, Rename, Reorder
from litecode.core.scene import Scene
from litecode.core.values import Contract

_EVERYWHERE = re.compile(
    r"\b(?:everywhere|docs?|documentation|readme|changelog|comments?|docstrings?|mentions?|mentioned)\b", re.IGNORECASE
)
NOT_STAGED = "it is used in {} too, which is not part of this run"
HINT = "say it in other words, or name the file; `git litecode plan -m` shows what is made of it"


@dataclass(frozen=True, slots=True)
class CodeWork:
    """The new texts of the files that changed, what was done to each in a sentence, and the contract that it makes.
    `doubts` are reasons to hold all of it.
    """

    texts: Mapping[str, str] = field(default_factory=dict)
    actions: Mapping[str, str] = field(default_factory=dict)
    contract: Contract = field(default_factory=Contract)
    doubts: tuple[str, ...] = ()


def by_code(scene: Scene, reading: Reading, found: Mentions, request: str) -> CodeWork | None:
    """None when a model has to do it after all. Raises RequestError when the request is clear but cannot be done."""
    if any(rename.local and not rename.parameter for rename in reading.renames):
        return None
    if any(not scene.defines(remove.name.rpartition(".")[2]) for remove in reading.removes):
        return None
    work = _Work(scene, found, request)
    try:
        for rename in reading.renames:
            work.rename(rename)
        for reorder in reading.reorders:
            work.reorder(reorder)
        for move in reading.moves:
            work.move(move)
        for remove in reading.removes:
            work.remove(remove)
    except Impossible as reason:
        raise RequestError(f"this cannot be done: {reason}", HINT) from None
    return work.done()


class _Work:
    """Does one thing after the other on the texts as they are by then."""

    def __init__(self, scene: Scene, found: Mentions, request: str) -> None:
        self.scene, self.found, self.request = scene, found, request
        self.documents: dict[str, Document] = {}
        self.before: dict[str, str] = {}
        self.said: dict[str, list[str]] = {}
        self.home = found.paths[0] if len(found.paths) == 1 else ""
        self.contract: list[tuple[str, str]] = []
        self.signatures: list[str] = []
        self.outside: dict[str, None] = {}

    def rename(self, rename: Rename) -> None:
        old = re.sub(r"::|#", ".", rename.old)
        if rename.parameter:
            self._take(rename.owner.rpartition(".")[2])
            texts = rename_parameter(self.documents, rename.owner, old, rename.new, home=self.home)
            self._put(texts, f"rename the parameter {old} of {rename.owner} to {rename.new}")
            return
        self._take(old.rpartition(".")[2])
        everywhere = _EVERYWHERE.search(self.request) is not None
        texts = rename_identifier(self.documents, old, rename.new, everywhere=everywhere, home=self.home)
        self._put(texts, f"rename {rename.old} to {rename.new}")
        self.contract.append((rename.old, rename.new))

    def reorder(self, reorder: Reorder) -> None:
        name = re.sub(r"::|#", ".", reorder.name)
        self._take(name.rpartition(".")[2])
        texts = change_signature(self.documents, name, reorder.after, swapped=reorder.swapped, home=self.home)
        self._put(texts, f"change the parameters of {name}")
        if reorder.after:
            self.signatures.append(f"{name}({', '.join(reorder.after)})")

    def move(self, move: Move) -> None:
        target = self._path(move.target)
        for name in move.names:
            self._take(name.rpartition(".")[2])
            source = self._path(move.source) if move.source else self._source(name, target)
            self._put(move_symbol(self.documents, name, source, target), f"move {name} from {source} to {target}")

    def remove(self, remove: Remove) -> None:
        name = re.sub(r"::|#", ".", remove.name)
        self._take(name.rpartition(".")[2])
        source = self._path(remove.source) if remove.source else self._source(name, "")
        self._put(remove_symbol(self.documents, name, source), f"remove {name} from {source}")

    def _path(self, text: str) -> str:
        """The file that a request writes in this way; it is among its mentions, or there is none."""
        known = (*self.found.paths, *self.found.creates)
        return next((path for path in known if path == text or path.endswith(f"/{text}")), text)

    def _source(self, name: str, target: str) -> str:
        homes = [path for path in self.scene.defines(name) if path != target]
        if len(homes) != 1:
            places = f"{', '.join(homes)} define it" if homes else "no file of this run defines it"
            raise Impossible(f"it is not clear where `{name}` is: {places}")
        return homes[0]

    def _take(self, word: str) -> None:
        """The files in scope, and those outside of it that have the word."""
        texts = self.scene.documents(self.scene.files)
        outside = self.scene.elsewhere(word)
        for path, document in {**outside, **texts}.items():
            if path not in self.documents and (word in document.text or not self.scene.large):
                self.documents[path] = document
                self.before[path] = document.text

    def _put(self, texts: Mapping[str, str], action: str) -> None:
        for path, text in texts.items():
            if path not in self.scene.files and path in self.documents:
                self.outside.setdefault(path)
                continue
            document = self.documents.get(path)
            self.documents[path] = Document(text) if document is None else document.with_text(text)
            self.said.setdefault(path, []).append(action)

    def done(self) -> CodeWork:
        texts = {path: self.documents[path].text for path in self.said}
        doubts = tuple(NOT_STAGED.format(path) for path in self.outside)
        return CodeWork(
            {path: text for path, text in texts.items() if text != self.before.get(path)},
            {path: "; ".join(said) for path, said in self.said.items()},
            Contract(tuple(self.contract), tuple(self.signatures)),
            doubts,
        )
