"""DeviceClasses that stand for extended resources (resource.k8s.io/v1)."""

from collections.abc import Collection, Iterable

from podium.api.objects import Object, name, spec_of
from podium.api.resources import is_extended_resource

IMPLICIT_PREFIX = "deviceclass.resource.kubernetes.io/"
"""Every DeviceClass stands for the extended resource of this prefix and the class's name."""


def may_be_devices(resource: str) -> bool:
    """Whether a DeviceClass may stand for a resource (IsDRAExtendedResourceName of v1.36)."""
    return is_extended_resource(resource) or resource.startswith(IMPLICIT_PREFIX)


def implicit_resource(class_name: str) -> str:
    """The extended resource that a DeviceClass stands for without saying so."""
    return IMPLICIT_PREFIX + class_name


def explicit_resource(device_class: Object) -> str:
    """The extended resource that a DeviceClass says it stands for; empty if it names none."""
    return str(spec_of(device_class).get("extendedResourceName") or "")


def resources_of_devices(
    requested: Collection[str], device_classes: Iterable[Object]
) -> list[tuple[str, str]]:
    """The requested extended resources that devices stand for, each with its DeviceClass by name.

    A resource of the implicit prefix is one of devices even if there is no such class.
    """
    found = {r: r.removeprefix(IMPLICIT_PREFIX) for r in requested if r.startswith(IMPLICIT_PREFIX)}
    for device_class in device_classes:
        resource = explicit_resource(device_class)
        if resource in requested:
            found[resource] = name(device_class)
    return sorted(found.items())
