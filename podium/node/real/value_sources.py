"""What containers take from elsewhere: config maps, secrets, and their own pod's fields."""

import re
from base64 import b64decode
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from podium.api.errors import PodiumError
from podium.api.objects import Object
from podium.api.quantity import nanos
from podium.node.real.machine_info import MachineInfo

_SUBSCRIPT = re.compile(r"metadata\.(labels|annotations)\['(.*)'\]")
_NOTHING: Object = {}


class MissingSourceError(PodiumError):
    """Something that a container or volume names isn't there."""


class Source(NamedTuple):
    """A config map or secret from which containers or volumes take content.

    Attributes:
        kind: `ConfigMap` or `Secret`.
        name: its name.
    """

    kind: str
    name: str


Sources = Mapping[Source, Object | None]
"""What sources hold, as objects; None for one that isn't there."""


def content(obj: Object) -> dict[str, bytes]:
    """What a config map or secret holds, by key."""
    if obj.get("kind") == "Secret":
        return {key: b64decode(value) for key, value in (obj.get("data") or {}).items()}
    plain = {key: value.encode() for key, value in (obj.get("data") or {}).items()}
    binary = {key: b64decode(value) for key, value in (obj.get("binaryData") or {}).items()}
    return plain | binary


def found(sources: Sources, source: Source, *, optional: bool) -> dict[str, bytes] | None:
    """What a source holds; None if it isn't there, and needn't be.

    Raises:
        MissingSourceError: it isn't there, and must be.
    """
    obj = sources.get(source)
    if obj is not None:
        return content(obj)
    if optional:
        return None
    raise MissingSourceError(f'{source.kind.lower()} "{source.name}" not found')


def env_sources(container: Object) -> Iterator[Source]:
    """The sources of a container's environment."""
    for one in container.get("envFrom") or ():
        for field, kind in (("configMapRef", "ConfigMap"), ("secretRef", "Secret")):
            if field in one:
                yield Source(kind, one[field].get("name") or "")
    for variable in container.get("env") or ():
        value_from = variable.get("valueFrom") or _NOTHING
        for field, kind in (("configMapKeyRef", "ConfigMap"), ("secretKeyRef", "Secret")):
            if field in value_from:
                yield Source(kind, value_from[field].get("name") or "")


def pod_field(pod: Object, path: str, machine: MachineInfo) -> str:
    """A field of the pod, as the downward API tells it.

    Raises:
        MissingSourceError: there is no such field to tell.
    """
    metadata, spec = pod["metadata"], pod["spec"]
    match = _SUBSCRIPT.fullmatch(path)
    if match:
        return str((metadata.get(match[1]) or {}).get(match[2], ""))
    if path in ("metadata.labels", "metadata.annotations"):
        entries = (metadata.get(path.removeprefix("metadata.")) or {}).items()
        return "\n".join(f'{key}="{_escaped(value)}"' for key, value in sorted(entries))
    fields = {
        "metadata.name": metadata["name"],
        "metadata.namespace": metadata["namespace"],
        "metadata.uid": metadata["uid"],
        "spec.nodeName": spec.get("nodeName", ""),
        "spec.serviceAccountName": spec.get("serviceAccountName", ""),
        "status.hostIP": machine.address,
        "status.hostIPs": machine.address,
        "status.podIP": machine.address,
        "status.podIPs": machine.address,
    }
    if path not in fields:
        raise MissingSourceError(f"unsupported fieldPath: {path}")
    return str(fields[path])


def container_resource(pod: Object, container: Object, ref: Object, machine: MachineInfo) -> str:
    """A request or limit of a container, as the downward API tells it; limits default to the node.

    Raises:
        MissingSourceError: there is no such resource to tell.
    """
    path, divisor = str(ref["resource"]), nanos(ref.get("divisor") or "1")
    kind, _, resource = path.partition(".")
    if kind not in ("limits", "requests") or not resource:
        raise MissingSourceError(f"unsupported container resource: {path}")
    name = ref.get("containerName") or container["name"]
    both = (*pod["spec"]["containers"], *(pod["spec"].get("initContainers") or ()))
    owner = next((one for one in both if one["name"] == name), None)
    if owner is None:
        raise MissingSourceError(f"container {name} not found")
    amounts = (owner.get("resources") or _NOTHING).get(kind) or _NOTHING
    if resource in amounts:
        amount = nanos(amounts[resource])
    else:
        whole = {"cpu": machine.cpus * 10**9, "memory": machine.memory_bytes * 10**9}
        amount = whole.get(resource, 0) if kind == "limits" else 0
    return str(-(-amount // (divisor or 10**9)))


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
