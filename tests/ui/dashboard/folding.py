"""What the page does with steps."""

import gzip
import json
from typing import Any

_KEYS = {
    "nodes": ("goneNodes", lambda one: one["name"]),
    "pods": ("gonePods", lambda one: one["uid"]),
    "workloads": (
        "goneWorkloads",
        lambda one: f"{one['namespace']}/{one['kind']}/{one['name']}",
    ),
    "budgets": ("goneBudgets", lambda one: f"{one['namespace']}/{one['name']}"),
}


def read(content: bytes) -> dict[str, Any]:
    """A beginning as it goes over the wire."""
    found: dict[str, Any] = json.loads(gzip.decompress(content))
    return found


def shown(view: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """What is drawn, by what tells things apart."""
    return {field: {key(one): one for one in view[field]} for field, (_, key) in _KEYS.items()} | {
        "priorityClasses": {one["name"]: one for one in view["priorityClasses"]}
    }


def folded(view: dict[str, Any], steps: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """What is drawn after all steps."""
    found, number = shown(view), view["number"]
    for step in steps:
        number += 1
        assert step["number"] == number
        for field, (gone, key) in _KEYS.items():
            for name in step[gone]:
                del found[field][name]
            found[field].update({key(one): one for one in step[field]})
        if step["priorityClasses"] is not None:
            found["priorityClasses"] = {one["name"]: one for one in step["priorityClasses"]}
    return found
