"""The DeviceClasses that stand for extended resources (resource.k8s.io/v1)."""

from collections.abc import Iterable

from podium.api.objects import Object, metadata_of, name
from podium.api.resources import explicit_resource, implicit_resource


def classes_by_resource(device_classes: Iterable[Object]) -> dict[str, Object]:
    """Return the DeviceClass of each extended resource that one provides.

    Of classes with one resource the newest counts, and of equally new ones the first by name. One
    that comes after such a class isn't found by its own name either, as upstream.
    """
    classes: dict[str, Object] = {}
    for device_class in device_classes:
        resource = explicit_resource(device_class)
        rival = classes.get(resource) if resource else None
        if rival is not None and not _is_newer(device_class, rival):
            continue
        if resource:
            classes[resource] = device_class
        classes[implicit_resource(name(device_class))] = device_class
    return classes


def _is_newer(device_class: Object, rival: Object) -> bool:
    created, other = (
        str(metadata_of(one).get("creationTimestamp") or "") for one in (device_class, rival)
    )
    return created > other or (created == other and name(device_class) < name(rival))
