"""Checks of volumes and mounts of pods, and of claims, including those of StatefulSets."""

from collections.abc import Mapping
from typing import Any

from podium.api.errors import ErrorKind, FieldError
from podium.api.objects import Object, entries, part, without
from podium.api.selectors.labels import validate_dns_label
from podium.api.values.quantity import nanos
from podium.apiserver.validation import checks
from podium.apiserver.validation.checks import Check, Faults, MinorFieldError, join
from podium.apiserver.validation.names import dns_label, label_map, subdomain
from podium.apiserver.validation.selectors import label_selector

_known_mode = checks.one_of("ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod")


def access_modes(message: str = "") -> Check:
    """Return a check of the access modes of a volume or claim, which must not be empty."""

    def check(modes: Any, path: str) -> Faults:
        if not modes:
            yield MinorFieldError(path, None, message, ErrorKind.REQUIRED)
        for mode in modes:
            # The fault has no index, as in kube-apiserver.
            yield from _known_mode(mode, path)
        if "ReadWriteOncePod" in modes and len(modes) > 1:
            alone = "may not use ReadWriteOncePod with other access modes"
            yield MinorFieldError(path, None, alone, ErrorKind.FORBIDDEN)

    return check


def some_amount(amount: Any, path: str) -> Faults:
    """Check that a quantity is greater than zero."""
    if nanos(amount) <= 0:
        yield FieldError(path, amount, "must be greater than zero")


def _claimed_size(spec: Any, path: str) -> Faults:
    where = f"{join(path, 'resources')}[storage]"
    amount = part(spec, "resources", "requests").get("storage")
    if amount is None:
        yield MinorFieldError(where, None, "", ErrorKind.REQUIRED)
    else:
        yield from checks.detail(some_amount)(amount, where)


class_name = checks.detail(checks.unless_empty(subdomain))
volume_mode = checks.one_of("Block", "Filesystem")

claim_spec = checks.both(
    checks.fields(
        selector=label_selector,
        accessModes=checks.absent_as((), access_modes("at least 1 access mode is required")),
    ),
    _claimed_size,
    checks.fields(storageClassName=class_name, volumeMode=volume_mode),
)


_some = checks.needed()
_no_way_up = checks.must("must not contain '..'", lambda path: ".." not in path.split("/"))
_absolute = checks.must("must be an absolute path", lambda path: path.startswith("/"))
_claim_template = checks.fields(
    metadata=checks.fields(labels=label_map), spec=checks.needed(claim_spec)
)


def _size_limit(value: Any, path: str) -> Faults:
    if any(checks.quantity(value, path)):
        yield checks.forbidden(path, "SizeLimit field must be a valid resource quantity")


# In kube-apiserver's order. Faults are minor where a volume doesn't restrict the choice of a node.
_SOURCES: dict[str, Check] = {
    "emptyDir": checks.detail(checks.fields(sizeLimit=_size_limit)),
    "hostPath": checks.detail(checks.fields(path=checks.needed(_no_way_up))),
    "gcePersistentDisk": checks.fields(pdName=_some),
    "awsElasticBlockStore": checks.fields(volumeID=_some),
    "secret": checks.detail(checks.fields(secretName=_some)),
    "nfs": checks.detail(checks.fields(server=_some, path=checks.needed(_absolute))),
    "iscsi": checks.fields(iqn=_some),
    "persistentVolumeClaim": checks.fields(claimName=_some),
    "rbd": checks.fields(image=_some),
    "downwardAPI": checks.anything,
    "configMap": checks.detail(checks.fields(name=_some)),
    "azureDisk": checks.fields(diskName=_some),
    "projected": checks.anything,
    "csi": checks.fields(driver=_some),
    "ephemeral": checks.fields(volumeClaimTemplate=checks.needed(_claim_template)),
}
# Where the path of a fault has another name than the field, as in kube-apiserver.
_PATHS = {"gcePersistentDisk": "persistentDisk"}


def _source(volume: Object, path: str) -> Faults:
    found = [name for name in _SOURCES if volume.get(name) is not None]
    for name in found[:1]:
        yield from _SOURCES[name](volume[name], join(path, _PATHS.get(name, name)))
    for name in found[1:]:
        message = "may not specify more than 1 volume type"
        yield MinorFieldError(join(path, name), None, message, ErrorKind.FORBIDDEN)
    if not any(value is not None for name, value in volume.items() if name != "name"):
        yield MinorFieldError(path, None, "must specify a volume type", ErrorKind.REQUIRED)


_any_source = checks.remembered(_source, lambda volume: without(volume, "name"))
_name = checks.fields(name=checks.needed(dns_label, is_detail=True))


def volumes(volumes: Any, path: str) -> Faults:
    """Check the `volumes` of a pod, including that their names are unique."""
    names: set[str] = set()
    for index, volume in enumerate(volumes):
        where, name = f"{path}[{index}]", volume.get("name") or ""
        yield from _any_source(volume, where)
        faults: list[FieldError] = []
        if not name or validate_dns_label(name):
            faults = list(_name(volume, where))
        yield from faults
        if not faults:
            if name in names:
                yield MinorFieldError(join(where, "name"), name, "", ErrorKind.DUPLICATE)
            names.add(name)


def known_volumes(spec: Object) -> Mapping[str, Object]:
    """Return the volumes of a pod spec by name; the first if a name is repeated."""
    found: dict[str, Object] = {}
    for volume in entries(spec, "volumes"):
        found.setdefault(volume.get("name") or "", volume)
    found.pop("", None)
    return found


_MOUNTS = (("volumeMounts", "mountPath"), ("volumeDevices", "devicePath"))
_NO_BLOCKS = "can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode"


def mounts(container: Object, path: str, volumes: Mapping[str, Object]) -> Faults:
    """Check the volume mounts and block devices of a container."""
    for (field, place_field), (other, other_place_field) in zip(
        _MOUNTS, reversed(_MOUNTS), strict=True
    ):
        if not container.get(field):
            continue
        other_names = {mount.get("name") or "" for mount in entries(container, other)}
        other_places = {mount.get(other_place_field) or "" for mount in entries(container, other)}
        are_devices, names, places = field == "volumeDevices", set[str](), set[str]()
        for index, mount in enumerate(entries(container, field)):
            where = f"{join(path, field)}[{index}]"
            name, place = mount.get("name") or "", mount.get(place_field) or ""
            volume = part(volumes, name)
            if not name:
                yield MinorFieldError(f"{where}.name", None, "", ErrorKind.REQUIRED)
            if are_devices and name in names:
                yield MinorFieldError(f"{where}.name", name, "must be unique")
            if name not in volumes:
                yield MinorFieldError(f"{where}.name", name, "", ErrorKind.NOT_FOUND)
            elif are_devices and all(
                volume.get(source) is None for source in ("persistentVolumeClaim", "ephemeral")
            ):
                yield MinorFieldError(f"{where}.name", name, _NO_BLOCKS)
            if not place:
                yield MinorFieldError(f"{where}.{place_field}", None, "", ErrorKind.REQUIRED)
            if place in places:
                yield MinorFieldError(f"{where}.{place_field}", place, "must be unique")
            if name in other_names:
                yield MinorFieldError(f"{where}.name", name, f"must not already exist in {other}")
            if place in other_places:
                message = f"must not already exist as a path in {other}"
                yield MinorFieldError(f"{where}.{place_field}", place, message)
            names |= {name} if name else set()
            places.add(place)
