"""What pods request and may use, worked out by hand."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podium.api.resources import (
    SCORING_DEFAULTS,
    may_be_devices,
    pod_limits,
    pod_requests,
    pod_scoring_requests,
    resource_amount,
    stored_or_computed_qos,
)
from podium.api.values.quantity import NANOS_PER_UNIT, nanos

Resources = dict[str, Any]


def requests(**amounts: Any) -> Resources:
    return {"requests": amounts}


def container(name: str = "c", **resources: Any) -> dict[str, Any]:
    return {"name": name, "resources": requests(**resources)}


def sidecar(name: str = "s", **resources: Any) -> dict[str, Any]:
    return {**container(name, **resources), "restartPolicy": "Always"}


def pod(*containers: dict[str, Any], status: Any = None, **spec: Any) -> dict[str, Any]:
    return {"spec": {"containers": list(containers), **spec}, "status": status}


def exactly(**amounts: Any) -> dict[str, int]:
    return {name: nanos(amount) for name, amount in amounts.items()}


INITS = [
    sidecar("a", cpu="100m"),
    container("b", cpu="800m"),
    sidecar("c", cpu="200m"),
    container("d", cpu="600m"),
]
GPU = "example.com/gpu"
POD_LEVEL = requests(**{"cpu": "1", "hugepages-2Mi": "4Mi", GPU: "9"})


@pytest.mark.parametrize(
    ("given_pod", "expected"),
    [
        pytest.param(
            pod(container(cpu="100m", memory="1Gi"), container(cpu="1.5")),
            exactly(cpu="1600m", memory="1Gi"),
            id="containers add up",
        ),
        pytest.param(pod(container(cpu="0")), {"cpu": 0}, id="an explicit zero is kept"),
        pytest.param(
            pod(
                container(cpu="500m", memory="100Mi"),
                container(cpu="1500m", memory="100Mi"),
                overhead={"cpu": "250m", "memory": "120Mi"},
            ),
            exactly(cpu="2.25", memory="320Mi"),
            id="the documentation's overhead is added",
        ),
        pytest.param(
            pod(
                container(cpu="1500m", memory="100Mi"),
                initContainers=[
                    container(cpu="2", memory="10Mi"),
                    container(cpu="1", memory="1Gi"),
                ],
            ),
            exactly(cpu="2", memory="1Gi"),
            id="init containers run one after another before the others",
        ),
        # Stages: 100m, 900m, 300m, 900m; then 700m beside 300m of sidecars.
        pytest.param(
            pod(container(cpu="700m"), initContainers=INITS),
            exactly(cpu="1"),
            id="sidecars run from their turn on",
        ),
        pytest.param(
            pod(container(cpu="1m"), initContainers=INITS),
            exactly(cpu="900m"),
            id="a later sidecar doesn't weigh on an earlier stage",
        ),
        pytest.param(
            pod(container(cpu="1"), initContainers=[sidecar(cpu="3")]),
            exactly(cpu="4"),
            id="a sidecar that needs most while starting alone still adds to the rest",
        ),
        pytest.param(
            pod(
                container(cpu="5", memory="1Gi", **{GPU: "2"}),
                resources=POD_LEVEL,
                overhead={"cpu": "250m"},
            ),
            exactly(**{"cpu": "1250m", "memory": "1Gi", "hugepages-2Mi": "4Mi", GPU: "2"}),
            id="pod-level requests replace the sum",
        ),
        *(({}, {}), ({"spec": None}, {}), ({"spec": {"containers": None}}, {}), (pod({}), {})),
    ],
)
def test_requests(given_pod: dict[str, Any], expected: dict[str, int]) -> None:
    assert pod_requests(given_pod) == expected


def test_pod_level_requests_can_be_left_out_of_account() -> None:
    given_pod = pod(container(memory="1Gi"), resources=requests(cpu="1", memory="2Gi"))
    found = pod_requests(given_pod, default_missing=SCORING_DEFAULTS, pod_level=False)
    assert found == exactly(cpu="100m", memory="1Gi")


def test_defaults_are_per_container_that_says_nothing() -> None:
    given_pod = pod(container(cpu="0"), container(memory="1Gi"), container())
    found = pod_requests(given_pod, default_missing=SCORING_DEFAULTS)
    assert found == exactly(cpu="200m", memory=2**30 + 2 * 200 * 2**20)


def test_scoring_requests_fill_in_only_what_pod_level_requests_leave_open() -> None:
    open_memory = pod(container(), container(), resources=requests(cpu="1"))
    assert pod_scoring_requests(open_memory) == exactly(cpu="1", memory="400Mi")
    told_by_one = pod(container(memory="1Mi"), container(), resources=requests(cpu="1"))
    assert pod_scoring_requests(told_by_one) == exactly(cpu="1", memory="1Mi")


def container_status(name: str, actual: Resources | None, allocated: Any = None) -> dict[str, Any]:
    resources = None if actual is None else {"requests": actual}
    return {"name": name, "resources": resources, "allocatedResources": allocated}


def resizing(reason: str, *statuses: dict[str, Any]) -> dict[str, Any]:
    condition = {"type": "PodResizePending", "reason": reason, "status": "True"}
    return {"conditions": [{"type": "Ready"}, condition], "containerStatuses": list(statuses)}


def test_a_resize_counts_the_largest_of_each_container() -> None:
    status = resizing(
        "Deferred",
        container_status("a", {"cpu": "1"}, {"cpu": "2", "memory": "3Gi"}),
        container_status("b", {"cpu": "4"}),
    )
    given_pod = pod(
        container("a", cpu="3", memory="1Gi"),
        container("b", cpu="1"),
        container("not-started", cpu="10m"),
        status=status,
    )
    assert pod_requests(given_pod, use_status=True) == exactly(cpu="7010m", memory="3Gi")
    assert pod_requests(given_pod) == exactly(cpu="4010m", memory="1Gi")


def test_an_infeasible_resize_counts_what_the_pod_has() -> None:
    status = resizing("Infeasible", container_status("a", {"cpu": "1"}, {"cpu": "2"}))
    given_pod = pod(container("a", cpu="3", memory="1Gi"), container("b", cpu="1"), status=status)
    assert pod_requests(given_pod, use_status=True) == exactly(cpu="3")


def test_a_status_without_resources_says_nothing() -> None:
    status = {"containerStatuses": [container_status("a", None, {"cpu": "9"})]}
    found = pod_requests(pod(container("a", cpu="1"), status=status), use_status=True)
    assert found == exactly(cpu="1")


def test_of_init_containers_only_sidecars_are_resized() -> None:
    status = {
        "initContainerStatuses": [
            container_status("s", {"cpu": "2"}),
            container_status("i", {"cpu": "9"}),
        ]
    }
    inits = [sidecar("s", cpu="1"), container("i", cpu="1")]
    found = pod_requests(
        pod(container(cpu="1"), initContainers=inits, status=status), use_status=True
    )
    assert found == exactly(cpu="3")


def test_pod_level_requests_are_resized_too() -> None:
    status = {"resources": requests(cpu="2", memory="8Gi"), "allocatedResources": {"cpu": "4"}}
    given_pod = pod(container(memory="1Gi"), resources=requests(cpu="3"), status=status)
    assert pod_requests(given_pod, use_status=True) == exactly(cpu="4", memory="1Gi")
    infeasible = {**status, **resizing("Infeasible"), "allocatedResources": None}
    assert pod_requests({**given_pod, "status": infeasible}, use_status=True) == exactly(
        cpu="2", memory="1Gi"
    )


def test_limits() -> None:
    limited = {"name": "c", "resources": {"limits": {"cpu": "1", "memory": "0"}}}
    start = {"name": "i", "resources": {"limits": {"cpu": "3"}}}
    given_pod = pod(
        limited,
        limited,
        initContainers=[start],
        overhead={"cpu": "250m", "memory": "1Gi", "example.com/gpu": "1"},
    )
    assert pod_limits(given_pod) == exactly(cpu="3250m", memory="0")


def test_pod_level_limits_replace_the_sum() -> None:
    limited = {"name": "c", "resources": {"limits": {"cpu": "1", "example.com/gpu": "1"}}}
    resources = {"limits": {"cpu": "2", "memory": "1Gi", "example.com/gpu": "5"}}
    found = pod_limits(pod(limited, resources=resources))
    assert found == exactly(**{"cpu": "2", "memory": "1Gi", "example.com/gpu": "1"})


def test_amounts_compared_by_the_scheduler() -> None:
    assert resource_amount("cpu", nanos("1.0001")) == 1001
    assert resource_amount("memory", nanos("1.5")) == 2
    assert resource_amount("example.com/gpu", nanos("3")) == 3


CPUS = st.integers(0, 5_000)
CONTAINERS = st.lists(st.builds(lambda m: container(cpu=f"{m}m"), CPUS), max_size=4)
INIT_CONTAINERS = st.lists(
    st.builds(lambda m, kind: kind(cpu=f"{m}m"), CPUS, st.sampled_from([container, sidecar])),
    max_size=5,
)


@given(CONTAINERS, INIT_CONTAINERS)
def test_the_request_is_the_peak_over_all_moments(
    containers: list[dict[str, Any]], inits: list[dict[str, Any]]
) -> None:
    def cpu(some: list[dict[str, Any]]) -> int:
        return sum(nanos(c["resources"]["requests"]["cpu"]) for c in some)

    sidecars = [c for c in inits if "restartPolicy" in c]
    moments = [cpu(containers) + cpu(sidecars)]
    for index, starting in enumerate(inits):
        running = [c for c in inits[:index] if "restartPolicy" in c]
        moments.append(cpu(running) + cpu([starting]))
    found = pod_requests(pod(*containers, initContainers=inits))
    assert found.get("cpu", 0) == max(moments)


@given(CONTAINERS, INIT_CONTAINERS)
def test_scoring_counts_no_less_than_is_requested(
    containers: list[dict[str, Any]], inits: list[dict[str, Any]]
) -> None:
    given_pod = pod(*containers, container(), initContainers=inits)
    wanted, scored = pod_requests(given_pod), pod_scoring_requests(given_pod)
    assert all(scored[name] >= amount for name, amount in wanted.items())
    assert scored["memory"] >= 200 * 2**20 * NANOS_PER_UNIT


def test_the_pod_is_left_as_it_was() -> None:
    status = {
        "resources": requests(cpu="9"),
        **resizing("Deferred", container_status("c", {"cpu": "2"})),
    }
    given_pod = pod(container(cpu="1"), resources=requests(cpu="3"), status=status)
    before = repr(given_pod)
    pod_requests(given_pod, use_status=True, default_missing=SCORING_DEFAULTS)
    pod_scoring_requests(given_pod)
    pod_limits(given_pod)
    assert repr(given_pod) == before


def device_class(name: str, resource: str = "") -> dict[str, Any]:
    spec = {"extendedResourceName": resource} if resource else {}
    return {"kind": "DeviceClass", "metadata": {"name": name}, "spec": spec}


def test_only_third_parties_resources_and_classes_may_be_devices() -> None:
    assert may_be_devices("example.com/gpu")
    assert may_be_devices("deviceclass.resource.kubernetes.io/gpus")
    for other in ("cpu", "hugepages-2Mi", "kubernetes.io/batch-cpu", "requests.example.com/gpu"):
        assert not may_be_devices(other)


def test_the_stored_class_stands() -> None:
    full = {"cpu": "1", "memory": "1Gi"}
    spec = {"containers": [{"resources": {"requests": full, "limits": full}}]}
    assert (
        stored_or_computed_qos({"spec": spec, "status": {"qosClass": "Burstable"}}) == "Burstable"
    )
    for status in ({"qosClass": ""}, None):
        assert stored_or_computed_qos({"spec": spec, "status": status}) == "Guaranteed"
