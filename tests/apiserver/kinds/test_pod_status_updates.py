"""What may be told of pods in their status."""

from typing import Any

import pytest

from tests.apiserver.kinds.test_pods_updates import pod
from tests.apiserver.kinds.updates import changed, texts

Obj = dict[str, Any]

RUNNING: Obj = {"name": "c", "state": {"running": {}}}
ENDED: Obj = {"name": "c", "state": {"terminated": {"exitCode": 0}}}
FAILED: Obj = {"name": "c", "state": {"terminated": {"exitCode": 1}}}


def said(old: Obj, **status: Any) -> list[str]:
    return texts({**old, "status": {**old["status"], **status}}, old, "status")


def test_reports() -> None:
    ready = {"type": "Ready", "status": "True"}
    assert said(pod(), phase="Running", conditions=[ready]) == []
    assert said(pod(), nominatedNodeName="node-1") == []


def test_the_quality_of_service_stays() -> None:
    assert said(pod(), qosClass="BestEffort") == [
        'status.qosClass: Invalid value: "BestEffort": field is immutable'
    ]


def test_a_nominated_node_has_a_name() -> None:
    (fault,) = said(pod(), nominatedNodeName="No_Node")
    assert fault.startswith('status.nominatedNodeName: Invalid value: "No_Node": a lowercase')


def test_what_is_bound_is_nominated_no_more() -> None:
    bound = pod(nodeName="n")
    assert said(bound, nominatedNodeName="n") == [
        "status.nominatedNodeName: Forbidden: may not be set on pods that are already bound to "
        "a node"
    ]


@pytest.mark.parametrize(
    ("status", "faults"),
    [
        ({"podIP": "10.0.0.1", "hostIP": "x"}, []),
        ({"podIPs": [{"ip": "10.0.0.1"}, {"ip": "::1"}]}, []),
        ({"podIP": "x"}, ['status.podIPs[0]: Invalid value: "x": must be a valid IP']),
        ({"podIPs": [{}]}, ['status.podIPs[0]: Invalid value: "": must be a valid IP']),
        (
            {"podIPs": [{"ip": "10.0.0.1"}, {"ip": "10.0.0.2"}]},
            [
                'status.podIPs: Invalid value: [{"IP":"10.0.0.1"},{"IP":"10.0.0.2"}]: may '
                "specify no more than one IP for each IP family"
            ],
        ),
        (
            {"hostIP": "10.1.0.1", "hostIPs": [{"ip": "10.1.0.2"}]},
            ['status.hostIPs[0].ip: Invalid value: "10.1.0.2": must be equal to `hostIP`'],
        ),
        (
            {"observedGeneration": -1, "conditions": [{"type": "a", "observedGeneration": -2}]},
            [
                "status.conditions[0].observedGeneration: Invalid value: -2: must be a",
                "status.observedGeneration: Invalid value: -1: must be a non-negative integer",
            ],
        ),
    ],
)
def test_addresses_and_generations(status: Obj, faults: list[str]) -> None:
    found = said(pod(), **status)
    assert [one[: len(begin)] for one, begin in zip(found, faults, strict=True)] == faults


def test_conditions_of_others_are_qualified() -> None:
    (fault,) = said(pod(), conditions=[{"type": "a b", "status": "True"}])
    assert fault.startswith('status.conditions[0].Type: Invalid value: "a b": name part')


@pytest.mark.parametrize(
    ("policy", "before", "refused"),
    [
        ("Never", ENDED, True),
        ("Never", FAILED, True),
        ("OnFailure", ENDED, True),
        ("OnFailure", FAILED, False),
        ("Always", ENDED, False),
        ("Never", RUNNING, False),
    ],
)
def test_what_has_ended_does_not_run_again(policy: str, before: Obj, refused: bool) -> None:
    old = pod(restartPolicy=policy)
    old = changed(old, "status.containerStatuses", [before])
    expected = (
        "status.containerStatuses[0].state: Forbidden: "
        "may not be transitioned to non-terminated state"
    )
    found = said(old, containerStatuses=[RUNNING])
    assert found == ([expected] if refused else [])
