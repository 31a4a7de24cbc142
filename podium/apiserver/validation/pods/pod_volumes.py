"""The volumes of a pod, and where its containers mount them."""

from collections.abc import Mapping
from typing import Any

from podium.api.errors import ErrorKind
from podium.api.objects import without
from podium.apiserver.validation import checks
from podium.apiserver.validation.checks import Check, Faults, MinorFieldError, a_dict, dicts, join
from podium.apiserver.validation.claims import claim_spec
from podium.apiserver.validation.names import dns_label, label_map, validate_dns_label
from podium.apiserver.validation.remembered import remembered

_no_way_up = checks.of_text(
    checks.must("must not contain '..'", lambda path: ".." not in path.split("/"))
)
_absolute = checks.of_text(
    checks.must("must be an absolute path", lambda path: path.startswith("/"))
)
_some_text = checks.needed(checks.text)
_claim_template = checks.fields(
    metadata=checks.fields(labels=label_map), spec=checks.needed(claim_spec)
)


def _size_limit(value: Any, path: str) -> Faults:
    for fault in checks.quantity(value, path):
        is_negative = fault.message == checks.NOT_NEGATIVE
        message = "SizeLimit field must be a valid resource quantity"
        yield checks.forbidden(path, message) if is_negative else fault


# In the order in which they are looked at. Those whose faults are details can be mounted anywhere.
_SOURCES: dict[str, Check] = {
    "emptyDir": checks.detail(checks.fields(medium=checks.text, sizeLimit=_size_limit)),
    "hostPath": checks.detail(checks.fields(path=checks.needed(_no_way_up))),
    "gcePersistentDisk": checks.fields(pdName=_some_text, readOnly=checks.boolean),
    "awsElasticBlockStore": checks.fields(volumeID=_some_text, readOnly=checks.boolean),
    "secret": checks.detail(checks.fields(secretName=_some_text)),
    "nfs": checks.detail(checks.fields(server=_some_text, path=checks.needed(_absolute))),
    "iscsi": checks.fields(iqn=_some_text, readOnly=checks.boolean),
    "persistentVolumeClaim": checks.fields(claimName=_some_text, readOnly=checks.boolean),
    "rbd": checks.fields(image=_some_text, readOnly=checks.boolean),
    "downwardAPI": checks.detail(checks.fields()),
    "configMap": checks.detail(checks.fields(name=_some_text)),
    "azureDisk": checks.fields(diskName=_some_text),
    "projected": checks.detail(checks.fields()),
    "csi": checks.fields(driver=_some_text),
    "ephemeral": checks.fields(volumeClaimTemplate=checks.needed(_claim_template)),
}
# Where the path of a fault has another name than the field, as kube-apiserver has it.
_PATHS = {"gcePersistentDisk": "persistentDisk"}


def _source(volume: Any, path: str) -> Faults:
    found = [name for name in _SOURCES if volume.get(name) is not None]
    for name in found[:1]:
        yield from _SOURCES[name](volume[name], join(path, _PATHS.get(name, name)))
    for name in found[1:]:
        message = "may not specify more than 1 volume type"
        yield MinorFieldError(join(path, name), None, message, ErrorKind.FORBIDDEN)
    if not any(value is not None for name, value in volume.items() if name != "name"):
        yield MinorFieldError(path, None, "must specify a volume type", ErrorKind.REQUIRED)


_any_source = remembered(
    checks.in_turn(_source),
    lambda volume: without(volume, "name") if isinstance(volume, dict) else volume,
)
_name = checks.detail(checks.fields(name=checks.needed(dns_label)))


@checks.of_list
def volumes(value: Any, path: str) -> Faults:
    """The `volumes` of a pod, whose names differ."""
    names: set[str] = set()
    for index, volume in enumerate(value):
        where = f"{path}[{index}]"
        yield from _any_source(volume, where)
        if not isinstance(volume, dict):
            continue
        name = volume.get("name")
        is_named = isinstance(name, str) and not validate_dns_label(name)
        faults = [] if is_named else list(_name(volume, where))
        yield from faults
        if not faults:
            if volume["name"] in names:
                yield MinorFieldError(join(where, "name"), name, "", ErrorKind.DUPLICATE)
            names.add(volume["name"])


def known_volumes(spec: Mapping[str, Any]) -> Mapping[str, Mapping[str, Any]]:
    """The volumes of a pod spec by name; only what a mount could mean."""
    found: dict[str, Mapping[str, Any]] = {}
    for _, volume in dicts(spec.get("volumes")):
        if isinstance(name := volume.get("name"), str) and name:
            found.setdefault(name, volume)
    return found


_MOUNTS = (("volumeMounts", "mountPath"), ("volumeDevices", "devicePath"))
_NO_BLOCKS = "can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode"


def mounts(container: Any, path: str, volumes: Mapping[str, Any]) -> Faults:
    """Where a container mounts volumes of its pod, each once, and its block devices."""
    for (field, place_field), (other, other_place_field) in zip(
        _MOUNTS, reversed(_MOUNTS), strict=True
    ):
        if not container.get(field):
            continue
        others = [mount for _, mount in dicts(container.get(other))]
        other_names = {str(mount.get("name")) for mount in others}
        other_places = {str(mount.get(other_place_field)) for mount in others}
        are_devices, names, places = field == "volumeDevices", set[str](), set[str]()
        for index, mount in dicts(container.get(field)):
            where = f"{join(path, field)}[{index}]"
            name, place = str(mount.get("name") or ""), str(mount.get(place_field) or "")
            volume = a_dict(volumes.get(name))
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
