"""Findings that were there when somebody began: `check --baseline FILE` is quiet about them.

The file lists each finding by path, rule and a digest of the code that matched, so that it does not matter when the
code moves. What was written twice may be found twice; one more is a new finding.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from litecode.core.errors import ConfigError, UsageError, clause_of
from litecode.core.values import Finding, Run, State, Verdict
from litecode.hooks.show.text import count

VERSION = 1
_KEYS = ("path", "rule", "mark")
Key = tuple[str, str, str]
_OPEN = frozenset({State.FOUND, State.HELD, State.REJECTED, State.STAGED})


def _key(finding: Finding) -> Key:
    return finding.path, finding.rule, finding.mark


def write_baseline(path: Path, findings: Iterable[Finding]) -> int:
    """Write all findings, sorted, one a line, so that diffs of the file can be read. Gives how many there are."""
    counts = Counter(_key(finding) for finding in findings)
    rows = [json.dumps(dict(zip(_KEYS, key, strict=True)) | {"count": n}) for key, n in sorted(counts.items())]
    text = f'{{"version": {VERSION}, "findings": [\n' + ",\n".join(rows) + "\n]}\n"
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {clause_of(error)}", "name another file") from None
    return sum(counts.values())


def read_baseline(path: Path) -> Counter[Key]:
    """Raises ConfigError for a file that is not there, or is no baseline."""
    again = "write it again: git litecode check --all-files --no-model --write-baseline FILE"
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        if document["version"] != VERSION:
            raise ConfigError(f"the baseline has version {document['version']}, not {VERSION}", again, str(path))
        found: Counter[Key] = Counter()
        for row in document["findings"]:
            one, two, three = (row[name] for name in _KEYS)
            if not all(isinstance(part, str) for part in (one, two, three)) or not isinstance(row["count"], int):
                raise TypeError
            found[one, two, three] += row["count"]
    except OSError as error:
        raise ConfigError(f"the baseline cannot be read: {clause_of(error)}", again, str(path)) from None
    except (ValueError, KeyError, TypeError):
        raise ConfigError("this is no baseline", again, str(path)) from None
    return found


def without(run: Run, baseline: Counter[Key]) -> Run:
    """The run less what the baseline has; a note says how much that was."""
    left = Counter(baseline)
    verdicts = tuple(_less(verdict, left) for verdict in run.verdicts)
    known = sum(baseline.values()) - sum(left.values())
    paths = {patch.path for patch in run.patches} - {v.path for v in verdicts if v.state in _OPEN}
    patches = tuple(patch for patch in run.patches if patch.path not in paths)
    said = (f"{count(known, 'finding')} known from the baseline",) if known else ()
    return replace(run, verdicts=verdicts, patches=patches, notes=(*run.notes, *said))


def _less(verdict: Verdict, left: Counter[Key]) -> Verdict:
    if verdict.state not in _OPEN or not verdict.findings:
        return verdict
    kept: list[Finding] = []
    for finding in verdict.findings:
        if left[_key(finding)] > 0:
            left[_key(finding)] -= 1
        else:
            kept.append(finding)
    if kept:
        return replace(verdict, findings=tuple(kept), sites=len(kept), line=kept[0].line)
    return replace(verdict, findings=(), state=State.CONFORMS, reason="in the baseline")
