"""Which extended resources devices stand for."""

from typing import Any

from podium.api.resources import may_be_devices, resources_of_devices


def device_class(name: str, resource: str = "") -> dict[str, Any]:
    spec = {"extendedResourceName": resource} if resource else {}
    return {"kind": "DeviceClass", "metadata": {"name": name}, "spec": spec}


def test_classes_name_resources_or_are_named_by_them() -> None:
    implicit = "deviceclass.resource.kubernetes.io/nics"
    requested = {"cpu", "example.com/gpu", "example.com/disk", implicit}
    classes = [device_class("gpus", "example.com/gpu"), device_class("nics"), device_class("x")]
    found = [(implicit, "nics"), ("example.com/gpu", "gpus")]
    assert resources_of_devices(requested, classes) == found
    assert resources_of_devices(requested, []) == found[:1]
    assert resources_of_devices({"cpu"}, classes) == []


def test_only_third_parties_resources_and_classes_may_be_devices() -> None:
    assert may_be_devices("example.com/gpu")
    assert may_be_devices("deviceclass.resource.kubernetes.io/gpus")
    for other in ("cpu", "hugepages-2Mi", "kubernetes.io/batch-cpu", "requests.example.com/gpu"):
        assert not may_be_devices(other)
