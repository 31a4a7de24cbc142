"""Pods that are like flawless ones aren't judged again, but for what is their own."""

from copy import deepcopy
from typing import Any

import pytest

from podium.api.kinds.builtin_kinds import KINDS
from podium.apiserver import memories
from podium.apiserver.kinds.registration.registrations import _faults
from podium.apiserver.validation.pods import alike_pods
from tests.objects import Obj

_TIME = "2026-01-0{}T00:00:00Z"


def pod(number: int) -> Obj:
    """Pods of different numbers are alike."""
    token = f"kube-api-access-{number}abcd"
    mounts = [{"name": token, "mountPath": "/var/run/secrets"}]
    started = {"type": "Ready", "status": "True", "lastTransitionTime": _TIME.format(number)}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": f"p-{number}",
            "namespace": "default",
            "uid": f"uid-{number}",
            "labels": {"app": "a"},
            "annotations": {"checksum": str(number)},
            "creationTimestamp": _TIME.format(number),
        },
        "spec": {
            "nodeName": f"n{number}",
            "containers": [{"name": "c", "image": "i", "volumeMounts": mounts}],
            "volumes": [{"name": token, "projected": {}}],
        },
        "status": {"startTime": _TIME.format(number), "conditions": [started], "podIP": "x"},
    }


def decoded(pod: Any, _path: str) -> Any:
    return _faults(KINDS["Pod"], pod)


def counting(judged: list[Obj]) -> Any:
    def judge(value: Any, path: str) -> Any:
        judged.append(value)
        return decoded(value, path)

    return alike_pods.judged_alike(judge)


def test_one_of_pods_alike_is_judged() -> None:
    once = counting(judged := [])
    assert [[*once(pod(number), "")] for number in range(1, 6)] == [[]] * 5
    assert len(judged) == 1


@pytest.mark.parametrize(
    ("where", "value"),
    [
        (("metadata", "name"), "No Name"),
        (("metadata", "uid"), 1),
        (("metadata", "labels"), {"app": "no label"}),
        (("metadata", "annotations"), {"no key": ""}),
        (("metadata", "annotations"), {"number": 1}),
        (("metadata", "annotations"), {"kubernetes.io/config.mirror": "x"}),
        (("metadata", "annotations"), {"controller.kubernetes.io/pod-deletion-cost": "much"}),
        (("metadata", "annotations"), ["a"]),
        (("metadata", "creationTimestamp"), "2026-02-30T00:00:00Z"),
        (("metadata", "creationTimestamp"), "yesterday"),
        (("spec", "nodeName"), "No Node"),
        (("spec", "nodeName"), 7),
        (("spec", "hostname"), "no.label"),
        (("spec", "hostname"), ["a"]),
        (("spec", "volumes"), [{"name": "kube-api-access-other", "projected": {}}]),
        (("spec", "volumes"), [{"name": "kube-api-access-2abcd", "projected": {}}] * 2),
        (("spec", "schedulingGates"), [{"name": "example.com/gate"}]),
        (("spec", "priority"), 2**70),
        (("status", "startTime"), "soon"),
        (("status", "phase"), 5),
        (("status", "conditions"), [{"type": "Ready"}]),
        (("spec",), None),
        (("metadata",), []),
    ],
)
def test_whatever_is_wrong_is_found_as_if_no_pod_was_judged_before(
    where: tuple[str, ...], value: Any
) -> None:
    once, broken = alike_pods.judged_alike(decoded), deepcopy(pod(2))
    *outer, last = where
    (broken[outer[0]] if outer else broken)[last] = value
    assert [*once(pod(1), "")] == []
    assert [*once(broken, "")] == [*decoded(broken, "")]
    assert [*once(pod(2), "")] == []


def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memories, "CAPACITY", 1)
    once = counting(judged := [])
    for app in ("a", "b", "a"):
        one = pod(1)
        one["metadata"]["labels"]["app"] = app
        assert [*once(one, "")] == []
    assert len(judged) == 3
    monkeypatch.setattr(alike_pods, "SIZE_MAX", 1)
    assert [*once(pod(1), "")] == []
    assert len(judged) == 4
