"""Limit ranges: defaults, bounds, and what is said to those outside them."""

from typing import Any

import pytest

from podium.api.refused import RefusedError
from tests.apiserver.admission.shelf import Door, container, pod, stored

Obj = dict[str, Any]


def limits(*items: Obj, name: str = "l") -> Obj:
    return stored("LimitRange", name, spec={"limits": [*items]})


def said(door: Door, obj: Obj) -> str:
    with pytest.raises(RefusedError) as refused:
        door.ask(obj)
    assert refused.value.code == 403
    return refused.value.message.partition(" is forbidden: ")[2]


DEFAULTS: Obj = {
    "type": "Container",
    "default": {"cpu": "1", "memory": "1Gi"},
    "defaultRequest": {"cpu": "500m"},
}


def test_defaults_are_filled_in_and_noted() -> None:
    given = pod(
        containers=[container(name="a"), container({"cpu": "100m"}, {"cpu": "2"}, name="b")],
        initContainers=[container(name="i")],
    )
    admitted = Door(limits(DEFAULTS)).admit(given)
    first, second = admitted["spec"]["containers"]
    whole = {"requests": {"cpu": "500m"}, "limits": {"cpu": "1", "memory": "1Gi"}}
    assert first["resources"] == whole
    assert second["resources"] == {
        "requests": {"cpu": "100m"},
        "limits": {"cpu": "2", "memory": "1Gi"},
    }
    assert admitted["spec"]["initContainers"][0]["resources"] == whole
    assert admitted["metadata"]["annotations"]["kubernetes.io/limit-ranger"] == (
        "LimitRanger plugin set: cpu request for container a; cpu, memory limit for container a; "
        "memory limit for container b; cpu request for init container i; "
        "cpu, memory limit for init container i"
    )


def test_several_ranges_are_applied_in_turn() -> None:
    other = {"type": "Container", "defaultRequest": {"cpu": "9", "memory": "1Mi"}}
    door = Door(limits(DEFAULTS), limits(other, name="m"))
    (found,) = door.admit(pod(containers=[container()]))["spec"]["containers"]
    assert found["resources"]["requests"] == {"cpu": "500m", "memory": "1Mi"}


def test_a_pod_that_says_it_all_comes_back_as_it_is() -> None:
    door = Door(limits(DEFAULTS), disabled=frozenset({"Priority", "DefaultTolerationSeconds"}))
    given = pod(containers=[container({"cpu": "1"}, {"cpu": "1", "memory": "1"})])
    assert door.admit(given) is given


@pytest.mark.parametrize(
    ("item", "given", "text"),
    [
        (
            {"min": {"cpu": "500m"}},
            container({"cpu": "100m"}),
            "minimum cpu usage per Container is 500m, but request is 100m",
        ),
        (
            {"min": {"cpu": "500m"}},
            container(limits={"cpu": "1"}),
            "minimum cpu usage per Container is 500m.  No request is specified",
        ),
        (
            {"min": {"memory": "1Gi"}},
            container({"memory": "1Gi"}, {"memory": "512Mi"}),
            "minimum memory usage per Container is 1Gi, but limit is 512Mi",
        ),
        (
            {"max": {"cpu": "1"}},
            container({"cpu": "100m"}),
            "maximum cpu usage per Container is 1.  No limit is specified",
        ),
        (
            {"max": {"cpu": "1"}},
            container({"cpu": "100m"}, {"cpu": "1500m"}),
            "maximum cpu usage per Container is 1, but limit is 1500m",
        ),
        (
            {"max": {"cpu": "1"}},
            container({"cpu": "2"}, {"cpu": "1"}),
            "maximum cpu usage per Container is 1, but request is 2",
        ),
        (
            {"maxLimitRequestRatio": {"cpu": "2"}},
            container({"cpu": "100m"}, {"cpu": "350m"}),
            "cpu max limit to request ratio per Container is 2, but provided ratio is 3.500000",
        ),
        (
            {"maxLimitRequestRatio": {"cpu": "2"}},
            container(limits={"cpu": "1"}),
            "cpu max limit to request ratio per Container is 2, "
            "but no request is specified or request is 0",
        ),
        (
            {"maxLimitRequestRatio": {"cpu": "2"}},
            container({"cpu": "1"}),
            "cpu max limit to request ratio per Container is 2, "
            "but no limit is specified or limit is 0",
        ),
        (
            {"max": {"cpu": "1"}, "min": {"memory": "1Gi"}},
            container({"cpu": "2"}, {"cpu": "2"}),
            "[minimum memory usage per Container is 1Gi.  No request is specified, "
            "maximum cpu usage per Container is 1, but limit is 2]",
        ),
    ],
)
def test_containers_out_of_range(item: Obj, given: Obj, text: str) -> None:
    door = Door(limits({"type": "Container", **item}))
    assert said(door, pod(containers=[given])) == text
    fine = container({"cpu": "1", "memory": "1Gi"}, {"cpu": "1", "memory": "1Gi"})
    assert said(door, pod(containers=[fine], initContainers=[given])) == text
    assert door.ask(pod(containers=[fine]))


@pytest.mark.parametrize(
    ("item", "text"),
    [
        ({"max": {"cpu": "2"}}, "maximum cpu usage per Pod is 2, but limit is 2500m"),
        ({"min": {"cpu": "2"}}, "minimum cpu usage per Pod is 2, but request is 1500m"),
        (
            {"max": {"memory": "1Gi"}},
            "maximum memory usage per Pod is 1Gi.  No limit is specified",
        ),
        (
            {"maxLimitRequestRatio": {"cpu": "1"}},
            "cpu max limit to request ratio per Pod is 1, but provided ratio is 1.666667",
        ),
    ],
)
def test_pods_out_of_range(item: Obj, text: str) -> None:
    given = pod(
        containers=[
            container({"cpu": "500m"}, {"cpu": "1"}),
            container({"cpu": "1"}, {"cpu": "1500m"}, name="d"),
        ]
    )
    assert said(Door(limits({"type": "Pod", **item})), given) == text


def test_the_overhead_of_a_runtime_does_not_count() -> None:
    kata = stored("RuntimeClass", "kata", overhead={"podFixed": {"cpu": "1"}})
    door = Door(kata, limits({"type": "Pod", "max": {"cpu": "1"}}))
    given = pod(containers=[container({"cpu": "1"}, {"cpu": "1"})], runtimeClassName="kata")
    assert door.ask(given)


@pytest.mark.parametrize(
    ("size", "text"),
    [
        ("1Gi", "minimum storage usage per PersistentVolumeClaim is 2Gi, but request is 1Gi"),
        ("5Gi", "maximum storage usage per PersistentVolumeClaim is 4Gi, but request is 5Gi"),
    ],
)
def test_claims_out_of_range(size: str, text: str) -> None:
    item = {
        "type": "PersistentVolumeClaim",
        "min": {"storage": "2Gi"},
        "max": {"storage": "4Gi"},
    }

    def claim(size: str) -> Obj:
        spec = {"resources": {"requests": {"storage": size}}}
        return stored("PersistentVolumeClaim", "c", spec=spec)

    door = Door(limits(item))
    assert said(door, claim(size)) == text
    assert door.ask(claim("3Gi"))


def test_only_what_may_change_amounts_is_judged() -> None:
    door = Door(limits({"type": "Container", "max": {"cpu": "1"}}))
    old = pod(containers=[container({"cpu": "2"}, {"cpu": "2"})])
    assert door.ask(old, old=old)
    assert door.ask(old, old=old, subresource="status")
    with pytest.raises(RefusedError, match="maximum cpu usage per Container is 1, but limit is 2"):
        door.ask(old, old=old, subresource="resize")
    going = {**old, "metadata": {**old["metadata"], "deletionTimestamp": "2026-01-01T00:00:00Z"}}
    assert door.ask(going, old=old, subresource="resize")
