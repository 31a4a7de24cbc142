"""Quality of service classes."""

from typing import Any

import pytest

from podium.api.qos import qos_class, stored_or_computed_qos
from podium.api.values.quantity import QuantityError

FULL = {"cpu": "1", "memory": "1Gi"}
GUARANTEED = {"requests": FULL, "limits": FULL}


def pod(*containers: Any, inits: tuple[Any, ...] = (), resources: Any = None) -> dict[str, Any]:
    spec: dict[str, Any] = {
        "containers": [{"resources": found} for found in containers],
        "initContainers": [{"resources": found} for found in inits],
    }
    return {"spec": {**spec, "resources": resources} if resources is not None else spec}


@pytest.mark.parametrize(
    ("given_pod", "expected"),
    [
        ({}, "BestEffort"),
        (pod({}, None), "BestEffort"),
        (pod({"requests": {"cpu": "0", "memory": "0"}}), "BestEffort"),
        (pod({"requests": {"ephemeral-storage": "1Gi", "example.com/gpu": "1"}}), "BestEffort"),
        (pod(GUARANTEED), "Guaranteed"),
        (pod(GUARANTEED, GUARANTEED, inits=(GUARANTEED,)), "Guaranteed"),
        (pod({"requests": {"cpu": "1000m", "memory": "1024Mi"}, "limits": FULL}), "Guaranteed"),
        (pod(GUARANTEED, {}), "Burstable"),
        (pod(GUARANTEED, inits=({},)), "Burstable"),
        (pod({"limits": FULL}), "Burstable"),
        (pod({"requests": FULL}), "Burstable"),
        (pod({"requests": {"cpu": "1m"}}), "Burstable"),
        (pod({"requests": {"cpu": "1"}, "limits": {"cpu": "1"}}), "Burstable"),
        (pod({"requests": {**FULL, "cpu": "0"}, "limits": {**FULL, "cpu": "0"}}), "Burstable"),
        # Summed over the pod, not compared container by container.
        (
            pod(
                {
                    "requests": {"cpu": "1", "memory": "2Gi"},
                    "limits": {"cpu": "2", "memory": "2Gi"},
                },
                {
                    "requests": {"cpu": "2", "memory": "2Gi"},
                    "limits": {"cpu": "1", "memory": "2Gi"},
                },
            ),
            "Guaranteed",
        ),
    ],
)
def test_class_of_containers(given_pod: dict[str, Any], expected: str) -> None:
    assert qos_class(given_pod) == expected


@pytest.mark.parametrize(
    ("containers", "resources", "expected"),
    [
        ({}, GUARANTEED, "Guaranteed"),
        (GUARANTEED, {"requests": FULL}, "Burstable"),
        (GUARANTEED, {"limits": {"cpu": "1"}}, "Burstable"),
        (GUARANTEED, {}, "BestEffort"),
        (GUARANTEED, {"requests": {"hugepages-2Mi": "2Mi"}}, "BestEffort"),
    ],
)
def test_pod_level_resources_speak_for_the_pod(
    containers: Any, resources: Any, expected: str
) -> None:
    assert qos_class(pod(containers, resources=resources)) == expected


def test_the_stored_class_stands() -> None:
    stored = {**pod(GUARANTEED), "status": {"qosClass": "Burstable"}}
    assert stored_or_computed_qos(stored) == "Burstable"
    assert stored_or_computed_qos({**stored, "status": {"qosClass": ""}}) == "Guaranteed"
    assert stored_or_computed_qos({**stored, "status": None}) == "Guaranteed"


def test_a_broken_quantity_is_an_error() -> None:
    with pytest.raises(QuantityError):
        qos_class(pod({"limits": {"cpu": "1x"}}))
