"""The extended resources that DeviceClasses provide (resource.k8s.io/v1)."""

from collections.abc import Collection, Iterable

from podium.api.objects import Object, name, spec_of
from podium.api.resources import is_extended_resource

IMPLICIT_PREFIX = "deviceclass.resource.kubernetes.io/"
"""The prefix of the extended resource that each DeviceClass provides under its own name."""


def may_be_devices(resource: str) -> bool:
    """Return whether a DeviceClass may provide this resource (IsDRAExtendedResourceName)."""
    return is_extended_resource(resource) or resource.startswith(IMPLICIT_PREFIX)


def implicit_resource(class_name: str) -> str:
    """Return the extended resource that a DeviceClass provides by its own name."""
    return IMPLICIT_PREFIX + class_name


def explicit_resource(device_class: Object) -> str:
    """Return the extended resource that a DeviceClass names in its spec; empty if none."""
    return str(spec_of(device_class).get("extendedResourceName") or "")


def resources_of_devices(
    requested: Collection[str], device_classes: Iterable[Object]
) -> list[tuple[str, str]]:
    """Return the requested extended resources that devices provide, each with its DeviceClass.

    A resource with the implicit prefix counts even if its DeviceClass doesn't exist.
    """
    by_resource = {
        r: r.removeprefix(IMPLICIT_PREFIX) for r in requested if r.startswith(IMPLICIT_PREFIX)
    }
    for device_class in device_classes:
        resource = explicit_resource(device_class)
        if resource in requested:
            by_resource[resource] = name(device_class)
    return sorted(by_resource.items())
