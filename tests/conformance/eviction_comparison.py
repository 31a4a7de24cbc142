"""When an answer about eviction agrees with a recorded one.

To the letter, except that lists which are sets come in any order, that absent and empty say the
same of a round, and that of several faults any may be reported. What records have for information
(`groups`, `warning`, `thresholdsObserved`, `podConditions`, `annotations`) isn't compared.
"""

import json
from typing import Any

Json = dict[str, Any]

_ROUND = (
    "evicted", "evictedAll", "gracePeriodOverride", "message", "reason", "conditions", "imageGC",
    "containerGC", "reclaiming", "admit",
)  # fmt: skip
_INFORMATION = ("id", "groups", "warning")


def comparable(answer: Json) -> Json:
    """An answer in a form in which equal means agreeing."""
    if "steps" in answer:
        return {"steps": [_round(step) for step in answer["steps"]]}
    found = {field: answer[field] for field in answer if field not in _INFORMATION}
    for field in ("thresholds", "met"):
        if field in found:
            found[field] = sorted(found[field], key=_text)
    if "errors" in found:
        found |= {"error": True, "errors": True}
    return found


def _round(step: Json) -> Json:
    found = {field: step.get(field) or None for field in _ROUND}
    found["thresholdsMet"] = sorted(map(_text, map(_threshold, step.get("thresholdsMet") or ())))
    found["failed"] = bool(step.get("error"))
    return found


def _threshold(one: Json) -> list[object]:
    return [one.get(f) for f in ("signal", "operator", "value", "gracePeriod", "minReclaim")]


def _text(value: object) -> str:
    return json.dumps(value, sort_keys=True)
