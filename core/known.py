"""Results of regions as the cache has them, and which of them still count."""

from __future__ import annotations

import json

from litecode.core.executing.executor import Job, Result, first_prompt
from litecode.core.executing.prompt import VERSION
from litecode.core.patching.gates.base import Grade
from litecode.core.patching.judge import judge, rewrite_of
from litecode.core.replies import flat
from litecode.core.store.cache import cache_key
from litecode.core.values import Proof

GATES_VERSION = "19"  # part of every cache key: what other gates would have refused is worthless


def key_of(job: Job, model: str, rule: str, shown: str | None = None) -> str:
    """Everything that the result depends on: the prompt, the digests of rule and model, the sites that count, the text
    that a retry may look at, and what a judge was shown.
    """
    prompt = flat(first_prompt(job).messages)
    parts = (VERSION, GATES_VERSION, model, rule, prompt, _sites(job), job.document.text)
    return cache_key(*parts, *(() if shown is None else ("judged", shown)))


def place_of(job: Job, model: str, rule: str, path: str) -> tuple[str, ...]:
    """This place of the file, wherever it has moved to: the same code twice is two places."""
    code = job.area.cut.of(job.document.text)
    number = str(job.document.text.count(code, 0, job.area.cut.start))
    return (VERSION, GATES_VERSION, model, rule, path, number, _sites(job))


def trusted(stored: str, job: Job, *, judged: bool = False) -> Result | None:
    """What is in the cache is not trusted more than a model: the gates look at it again. What they doubt is proven only
    when it was `judged`.
    """
    result = _loads(stored, job)
    if result is None or result.proof is Proof.REFUSED:
        return result
    if result.new is None:
        return None if job.asked.certain else result
    judgement = judge(rewrite_of(job.document, job.area, result.new, job.language, job.asked))
    if judgement.refusal is not None:
        return None
    doubted = not judged and any(doubt.grade is Grade.DOUBT for doubt in judgement.doubts)
    return None if doubted and result.proof is Proof.PROVEN else result


def _sites(job: Job) -> str:
    """What is to be rewritten, as seen from the region."""
    at = job.area.cut.start
    return json.dumps([job.area.kind, [[site.start - at, site.end - at] for site in job.area.sites]])


def dumps(result: Result, job: Job) -> str:
    return json.dumps([job.area.cut.start, result.new, result.proof.value, result.reason], ensure_ascii=False)


def _loads(stored: str, job: Job) -> Result | None:
    """None for what this version cannot have written. The same code elsewhere in the file has the same answer; that it
    was refused counts only in its place, because the reason may lie around it.
    """
    try:
        start, new, name, reason = json.loads(stored)
        proof = Proof(name)
        if new is not None:
            new.encode()
    except (ValueError, TypeError, AttributeError):
        return None
    if not isinstance(new, str | None) or not isinstance(reason, str):
        return None
    if proof is Proof.REFUSED:
        return Result(job.area, None, proof, reason) if new is None and start == job.area.cut.start else None
    if proof is Proof.ASKED or (new is None and proof is not Proof.PROVEN):
        return None
    return Result(job.area, new, proof, reason)
