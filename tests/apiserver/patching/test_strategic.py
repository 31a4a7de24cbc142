"""Strategic merge patches in a text file, and behind bars their results.

A line is an object, after the name of its kind if that isn't Pod; the patches below it, behind `+`,
each apply to it.
"""

import copy
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from podium.api.errors import RefusedError
from podium.api.kinds.builtin_kinds import KINDS
from podium.apiserver.decoding.bodies import PatchType
from podium.apiserver.patching.patch_result import PatchRequest, apply_patch

FILE = Path(__file__).with_name("strategic.txt")


def patched(live: Any, patch: Any, kind: str = "Pod") -> Any:
    before = copy.deepcopy((live, patch))
    try:
        return apply_patch(KINDS[kind], live, PatchRequest(PatchType.STRATEGIC, patch)).obj
    finally:
        assert before == (live, patch)


def answered() -> Iterator[str]:
    kind, live = "", {}
    for line in FILE.read_text().splitlines():
        if line.startswith("| "):
            continue
        yield line
        if line.startswith("+ "):
            try:
                obj = patched(live, yaml.safe_load(line[2:]), kind)
                result = yaml.safe_dump(obj, default_flow_style=True, width=10**9, sort_keys=False)
            except RefusedError as refusal:
                result = f"{refusal.code} {refusal.message}"
            yield f"| {result.strip()}"
        elif line and line[0] != "#":
            kind, _, text = line.partition(" {") if line[0] != "{" else ("Pod", "", line[1:])
            live = yaml.safe_load("{" + text)


def test_patches() -> None:
    expected, now = FILE.read_text(), "\n".join(answered()) + "\n"
    if os.environ.get("UPDATE"):
        FILE.write_text(now)
    assert now == expected, "UPDATE=1 pytest tests/apiserver/patching writes down the results"


def test_what_a_patch_leaves_is_shared() -> None:
    conditions = [{"type": "A", "status": "True"}, {"type": "B", "status": "False"}]
    live = {"metadata": {"uid": "u"}, "status": {"conditions": conditions, "phase": "Pending"}}
    same = {"metadata": {"uid": "u", "labels": None}, "status": {"phase": "Pending"}}
    assert patched(live, same) is live
    changed = {"type": "B", "status": "True"}
    for news in ([changed], [conditions[0], changed]):
        result = patched(live, {**same, "status": {"conditions": news}})
        assert result["metadata"] is live["metadata"]
        assert result["status"] == {"conditions": [conditions[0], changed], "phase": "Pending"}
        assert result["status"]["conditions"][0] is conditions[0]
