"""Checks cost what the object is long, and not its square."""

from typing import Any

import pytest

from podium.api.kinds.builtin_kinds import KINDS
from podium.apiserver import memories
from podium.apiserver.kinds.registration.registrations import (
    apply_defaults,
    faults_of,
    validate_update,
)
from podium.apiserver.patching.strategic import merged_object
from podium.apiserver.refusals import FAULTS_MAX, invalid
from podium.apiserver.schema.struct_types import struct_of
from podium.apiserver.validation.pods import alike_pods

COUNT = 400


class Counted(str):
    """Text that counts how often it is compared."""

    __slots__ = ()
    comparisons = 0

    def __eq__(self, other: object) -> bool:
        Counted.comparisons += 1
        return str.__eq__(self, other)

    __hash__ = str.__hash__


@pytest.fixture(autouse=True)
def forgetful(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is remembered by its encoding, which there is none of for such text."""

    def encode(*_: object, **_options: object) -> bytes:
        raise ValueError("not to be encoded")

    for module in (memories, alike_pods):
        monkeypatch.setattr(module, "_encode", encode)


def names(prefix: str = "n") -> list[str]:
    return [Counted(f"{prefix}{number}") for number in range(COUNT)]


def pod(**container: Any) -> dict[str, Any]:
    spec = {"containers": [{"name": "c", "image": "x", **container}]}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}, "spec": spec}


def pod_with(**spec: Any) -> dict[str, Any]:
    found = pod()
    return {**found, "spec": {**found["spec"], **spec}}


def term(**more: Any) -> dict[str, Any]:
    required = [{"topologyKey": "k", "labelSelector": {}, **more}]
    affinity = {"requiredDuringSchedulingIgnoredDuringExecution": required}
    return pod_with(affinity={"podAffinity": affinity})


OBJECTS = {
    "mounts": lambda: pod(volumeMounts=[{"name": n, "mountPath": n} for n in names()]),
    "devices": lambda: pod(volumeDevices=[{"name": n, "devicePath": n} for n in names()]),
    "resizing": lambda: pod(resizePolicy=[{"resourceName": n} for n in names()]),
    "label keys": lambda: term(matchLabelKeys=names(), mismatchLabelKeys=names("o")),
    "selected keys": lambda: term(
        matchLabelKeys=names(),
        labelSelector={"matchExpressions": [{"key": n, "operator": "Exists"} for n in names()]},
    ),
}


@pytest.mark.parametrize("name", OBJECTS)
def test_long_lists_are_checked_in_one_go(name: str) -> None:
    obj = OBJECTS[name]()
    Counted.comparisons = 0
    faults_of(KINDS["Pod"], obj)
    assert Counted.comparisons < 30 * COUNT


def test_so_are_updates() -> None:
    kind = KINDS["Pod"]
    gates = [[{"name": name} for name in names()] for _ in range(2)]
    old, new = (
        pod_with(
            schedulingGates=gate,
            tolerations=[{"key": name, "operator": "Exists"} for name in names()],
        )
        for gate in gates
    )
    statuses = [{"name": name, "state": {"terminated": {"exitCode": 0}}} for name in names()]
    running = [{"name": name, "state": {}} for name in names()]
    spec = {"restartPolicy": "Never"}
    old = {**old, "spec": {**old["spec"], **spec}, "status": {"containerStatuses": statuses}}
    new = {**new, "spec": {**new["spec"], **spec}, "status": {"containerStatuses": running}}
    Counted.comparisons = 0
    validate_update(kind, new, old, "")
    assert len(validate_update(kind, new, old, "status")) >= COUNT
    assert Counted.comparisons < 100 * COUNT


def test_so_are_merges_of_lists() -> None:
    live = {"spec": {"containers": [{"name": name, "image": "x"} for name in names()]}}
    changed = [{"name": name, "image": "y"} for name in names()]
    gone = [{"name": name, "$patch": "delete"} for name in names()]
    struct = struct_of("v1", "Pod")
    for patch, left in ((changed, COUNT), (gone, 0)):
        Counted.comparisons = 0
        merged = merged_object(live, {"spec": {"containers": patch}}, struct)
        assert len(merged["spec"]["containers"]) == left
        assert Counted.comparisons < 30 * COUNT


def test_so_are_label_keys_that_become_conditions() -> None:
    there = [{"key": name, "operator": "In", "values": ["y"]} for name in names()]
    obj = term(matchLabelKeys=names(), labelSelector={"matchExpressions": there})
    obj["metadata"]["labels"] = dict.fromkeys(names(), "x")
    Counted.comparisons = 0
    apply_defaults(obj, "Pod")
    assert Counted.comparisons < 30 * COUNT


def test_of_many_faults_the_first_are_told() -> None:
    faults = faults_of(KINDS["Pod"], pod(volumeMounts=[{}] * 5_000))
    assert len(faults) == FAULTS_MAX + 1
    refused = invalid("a", faults, "Pod")
    assert len(refused.causes) == FAULTS_MAX
    assert refused.message.endswith(", and more: only the first 1,000 faults are listed")


def test_and_fewer_that_are_long() -> None:
    claims = [{"name": f"c{number}", "resourceClaimName": "x"} for number in range(4_000)]
    wanted = [{"name": f"d{number}"} for number in range(500)]
    faults = faults_of(
        KINDS["Pod"],
        {**pod_with(resourceClaims=claims, **pod(resources={"claims": wanted})["spec"])},
    )
    refused = invalid("a", faults, "Pod")
    assert 1 < len(refused.causes) < 100
    assert len(refused.message) < 3 * 2**20
