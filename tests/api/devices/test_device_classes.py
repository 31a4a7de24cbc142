"""Which extended resources devices stand for."""

from typing import Any

from podium.api.devices.device_classes import classes_by_resource


def device_class(name: str, resource: str = "") -> dict[str, Any]:
    spec = {"extendedResourceName": resource} if resource else {}
    return {"kind": "DeviceClass", "metadata": {"name": name}, "spec": spec}


def test_classes_name_resources_or_are_named_by_them() -> None:
    gpus, nics = device_class("gpus", "example.com/gpu"), device_class("nics")
    assert classes_by_resource([gpus, nics]) == {
        "example.com/gpu": gpus,
        "deviceclass.resource.kubernetes.io/gpus": gpus,
        "deviceclass.resource.kubernetes.io/nics": nics,
    }


def test_of_classes_with_one_resource_the_newest_counts_then_the_first_by_name() -> None:
    old, new = device_class("old", "example.com/gpu"), device_class("new", "example.com/gpu")
    old["metadata"]["creationTimestamp"] = "2026-01-01T00:00:00Z"
    new["metadata"]["creationTimestamp"] = "2026-02-01T00:00:00Z"
    equal = device_class("alike", "example.com/gpu")
    equal["metadata"]["creationTimestamp"] = "2026-02-01T00:00:00Z"
    for listed, first in (([old, new], new), ([new, old], new), ([new, equal], equal)):
        assert classes_by_resource(listed)["example.com/gpu"] is first
    # A class that lost when it came isn't found by its own name either.
    assert "deviceclass.resource.kubernetes.io/old" not in classes_by_resource([new, old])
