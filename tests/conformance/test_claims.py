"""Recorded decisions of kube-scheduler v1.36.2 about pods with resource claims.

Each record has the objects of a cluster with devices as they were stored when the live scheduler
decided about a pod, and what it did: the node with the devices of each claim, or the message.
"""

import json
import re
from collections import Counter
from itertools import chain
from pathlib import Path

import pytest

from podium.api.kinds.builtin_kinds import KINDS
from podium.apiserver.kinds.registration.registrations import completed, faults_of_manifest
from podium.simulation.decide.stream import answers
from tests.conformance.comparison import Json, read_records

RECORDS = Path(__file__).parent / "data" / "claims" / "claims.jsonl.gz"
SHOWN_MAX = 5


def test_every_decision_about_claims_is_the_recorded_one() -> None:
    records = read_records(RECORDS)
    questions = [json.dumps(scenario(record)).encode() for record in records]
    differences = []
    for record, answer in zip(records, map(json.loads, answers(questions)), strict=True):
        if found := difference(record, answer):
            differences.append(f"{record['id']}: {found}")
    shown = "\n".join(differences[:SHOWN_MAX])
    assert not differences, f"{len(differences)} of {len(records)} records differ:\n{shown}"


def test_the_recorded_objects_are_valid_and_have_all_defaults() -> None:
    for record in read_records(RECORDS):
        for kind in ("DeviceClass", "ResourceSlice", "ResourceClaim"):
            for obj in record["before"][kind]:
                assert faults_of_manifest(obj) == []
                assert completed(KINDS[kind], obj) == obj


def scenario(record: Json) -> Json:
    before = record["before"]
    return {
        "id": record["id"],
        "nodes": before["Node"],
        "pods": [pod for pod in before["Pod"] if pod["spec"].get("nodeName")],
        "deviceClasses": before["DeviceClass"],
        "resourceSlices": before["ResourceSlice"],
        "resourceClaims": before["ResourceClaim"],
        "pending": [record["pod"]],
    }


def difference(record: Json, answer: Json) -> str:
    """How an answer differs from a record; empty if it agrees."""
    if answer["error"]:
        return f"refused: {answer['error']}"
    decision, result = answer["decisions"][0], record["result"]
    if result["node"]:
        if result["node"] not in decision["best"]:
            return f"placed on {result['node']}, answered {decision['best']}"
        recorded, answered = recorded_devices(record), answered_devices(decision, result["node"])
        if not any(name in recorded for name in answered):
            # The claim of extended resources has a name only in the record.
            recorded, answered = ({"": [*chain(*of.values())]} for of in (recorded, answered))
        return "" if recorded == answered else f"devices {recorded}, answered {answered}"
    message: str = result["message"]
    if message.startswith("running "):
        # Which node fails first is chance, and so is the fault where nodes have different ones.
        error: str = decision.get("error", "")
        plugin = message.partition(" claim ")[0]
        return "" if error.startswith(plugin) else f"error {message}, answered {error}"
    if decision.get("error") or decision["feasible"]:
        return f"refused ({message}), answered {decision.get('error') or decision['feasible']}"
    counted = reasons_in(message)
    answered_reasons = Counter(
        reason for status in decision["filter"].values() for reason in status["reasons"]
    )
    return "" if counted == answered_reasons else f"{counted}, answered {answered_reasons}"


def recorded_devices(record: Json) -> dict[str, list[Json]]:
    allocated = {
        claim["metadata"]["name"]
        for claim in record["before"]["ResourceClaim"]
        if claim["status"].get("allocation")
    }
    return {
        name: [named(device) for device in status["allocation"]["devices"]["results"]]
        for name, status in record["result"]["claims"].items()
        if name not in allocated
    }


def answered_devices(decision: Json, node: str) -> dict[str, list[Json]]:
    found: dict[str, list[Json]] = decision.get("allocations", {}).get(node, {})
    return found


def named(device: Json) -> Json:
    return {field: device[field] for field in ("request", "driver", "pool", "device")}


def reasons_in(message: str) -> Counter[str]:
    listed = re.match(r"0/\d+ nodes are available: (.*?)\.( |$)", message)
    assert listed is not None
    reasons: Counter[str] = Counter()
    for part in listed[1].split(", "):
        count, _, reason = part.partition(" ")
        reasons[reason] += int(count)
    return reasons


@pytest.mark.parametrize(
    ("changed", "found"),
    [
        ({"best": []}, "placed on n1"),
        ({"allocations": {"n1": {"c": []}}}, "devices"),
    ],
)
def test_what_differs(changed: Json, found: str) -> None:
    device = {"request": "r", "driver": "d", "pool": "p", "device": "gpu-0"}
    allocation = {"devices": {"results": [device]}}
    record = {
        "before": {"ResourceClaim": []},
        "result": {"node": "n1", "claims": {"c": {"allocation": allocation}}},
    }
    decision = {"best": ["n1"], "allocations": {"n1": {"c": [device]}}}
    assert not difference(record, {"error": "", "decisions": [decision]})
    assert found in difference(record, {"error": "", "decisions": [decision | changed]})
