"""Whether a request is carried out already in what is going to be committed."""

from __future__ import annotations

from collections.abc import Iterable

from litecode.core.errors import StateError
from litecode.core.git.convert import Converter
from litecode.core.git.rawdiff import entries
from litecode.core.git.repository import Repository
from litecode.core.held import base_of
from litecode.core.store.commits import CommitStore, Result
from litecode.core.store.runs import RunStore
from litecode.core.values import Patch, State


def known_result(repo: Repository, texts: tuple[str, ...], tree: str) -> Result | None:
    """What these requests came to before, if `tree`, which the index holds, is what they made; or if a person has
    decided since about what was held, on top of the same commit, and the index has what was agreed to.
    """
    head = repo.head()
    for result in CommitStore(repo.state_dir).results():
        if result.texts == texts and (result.after == tree or (result.head == head and _is_decided(repo, result))):
            return result
    return None


def _is_decided(repo: Repository, result: Result) -> bool:
    store = RunStore(repo.state_dir)
    try:
        patches = [patch for name in result.runs if name for patch in store.load(name).patches]
        staged = [patch for patch in patches if patch.state is State.STAGED]
        open_ = any(patch.state is State.HELD for patch in patches)
        return bool(staged) and not open_ and _are_present(repo, staged)
    except StateError:
        return False


def _are_present(repo: Repository, patches: Iterable[Patch]) -> bool:
    """Whether the index has each of these changes, whatever else was done to the files."""
    last = {patch.path: patch for patch in patches}  # a later run starts from what an earlier one has made
    index = entries(repo, tuple(last))
    if index.keys() != last.keys():
        return False
    with Converter(repo, frozenset()) as converter:
        for path, patch in last.items():
            current = converter.objects.read(index[path].oid)
            after = patch.change.after
            if current != after and converter.merge(current, base_of(patch, repo.object_format), after) != current:
                return False
    return True
