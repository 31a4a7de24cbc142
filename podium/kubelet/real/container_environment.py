"""What a container's process is started with: command, directory, variables and their sources.

Sources are config maps, secrets, and fields of the container's own pod.
"""

import re
from base64 import b64decode
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import NamedTuple

from podium.api.errors import PodiumError
from podium.api.objects import Object, entries, part
from podium.api.pod_specs import init_containers_of
from podium.api.values.quantity import nanos
from podium.kubelet.real.registration import MachineInfo

_SUBSCRIPT = re.compile(r"metadata\.(labels|annotations)\['(.*)'\]")
_NOTHING: Object = {}


class MissingSourceError(PodiumError):
    """Something that a container or volume names isn't there."""


class EnvironmentSource(NamedTuple):
    """A config map or secret from which containers or volumes take content."""

    kind: str
    name: str


Sources = Mapping[EnvironmentSource, Object | None]
"""What sources hold, as objects; None for one that isn't there."""


def content(obj: Object) -> dict[str, bytes]:
    """What a config map or secret holds, by key."""
    if obj.get("kind") == "Secret":
        return {key: b64decode(value) for key, value in part(obj, "data").items()}
    plain = {key: value.encode() for key, value in part(obj, "data").items()}
    binary = {key: b64decode(value) for key, value in part(obj, "binaryData").items()}
    return plain | binary


def found(
    sources: Sources, source: EnvironmentSource, *, optional: bool
) -> dict[str, bytes] | None:
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


def env_sources(container: Object) -> Iterator[EnvironmentSource]:
    """The sources of a container's environment."""
    for one in container.get("envFrom") or ():
        for field, kind in (("configMapRef", "ConfigMap"), ("secretRef", "Secret")):
            if field in one:
                yield EnvironmentSource(kind, one[field].get("name") or "")
    for variable in container.get("env") or ():
        value_from = variable.get("valueFrom") or _NOTHING
        for field, kind in (("configMapKeyRef", "ConfigMap"), ("secretKeyRef", "Secret")):
            if field in value_from:
                yield EnvironmentSource(kind, value_from[field].get("name") or "")


def pod_field(pod: Object, path: str, machine: MachineInfo) -> str:
    """A field of the pod, as the downward API tells it.

    Raises:
        MissingSourceError: there is no such field to tell.
    """
    metadata, spec = pod["metadata"], pod["spec"]
    match = _SUBSCRIPT.fullmatch(path)
    if match:
        return str(part(metadata, match[1]).get(match[2], ""))
    if path in ("metadata.labels", "metadata.annotations"):
        pairs = part(metadata, path.removeprefix("metadata.")).items()
        escapes = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n"})
        return "\n".join(f'{key}="{value.translate(escapes)}"' for key, value in sorted(pairs))
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
    both = (*pod["spec"]["containers"], *init_containers_of(pod["spec"]))
    owner = next((one for one in both if one["name"] == name), None)
    if owner is None:
        raise MissingSourceError(f"container {name} not found")
    amounts = part(owner, "resources", kind)
    if resource in amounts:
        amount = nanos(amounts[resource])
    else:
        whole = {"cpu": machine.cpus * 10**9, "memory": machine.memory_bytes * 10**9}
        amount = whole.get(resource, 0) if kind == "limits" else 0
    return str(-(-amount // (divisor or 10**9)))


_REFERENCE = re.compile(r"\$(\$|\(([^)]*)\))")
VOLUME_PREFIX = "PODIUM_VOLUME_"


def environment(
    pod: Object, container: Object, sources: Sources, machine: MachineInfo, base: Mapping[str, str]
) -> dict[str, str]:
    """All variables of a container.

    Raises:
        MissingSourceError: something that it names isn't there.
    """
    made = dict(base)
    for one in container.get("envFrom") or ():
        prefix = one.get("prefix") or ""
        for field, kind in (("configMapRef", "ConfigMap"), ("secretRef", "Secret")):
            if field in one:
                source = EnvironmentSource(kind, one[field].get("name") or "")
                held = found(sources, source, optional=bool(one[field].get("optional")))
                for key, content_of_key in sorted((held or {}).items()):
                    made[f"{prefix}{key}"] = content_of_key.decode(errors="surrogateescape")
    for variable in container.get("env") or ():
        value = _value(variable, pod, container, sources, machine)
        if value is not None:
            plain = "valueFrom" not in variable
            made[variable["name"]] = expanded(value, made) if plain else value
    return made


def command(container: Object, variables: Mapping[str, str]) -> list[str]:
    """The command with its arguments."""
    words = (*container["command"], *entries(container, "args"))
    return [expanded(one, variables) for one in words]


def expanded(text: str, variables: Mapping[str, str]) -> str:
    """A text with `$(NAME)` replaced by variables that there are; `$$` stands for a dollar."""

    def replaced(match: re.Match[str]) -> str:
        if match[1] == "$":
            return "$"
        return variables.get(match[2], match[0])

    # Behind the last bracket nothing is closed; nobody has to look for that at each dollar.
    end = text.rfind(")") + 1
    return _REFERENCE.sub(replaced, text[:end]) + text[end:].replace("$$", "$")


def volume_variable(volume: str) -> str:
    """The variable that tells where a volume is."""
    return VOLUME_PREFIX + re.sub(r"[^A-Z0-9]", "_", volume.upper())


def mounted(path: str, mounts: Mapping[str, str]) -> str | None:
    """Where an absolute path of a container is, if that is in one of its volumes."""
    wanted = PurePosixPath(path)
    for mount in sorted(mounts, key=len, reverse=True):
        if wanted.is_relative_to(mount):
            return str(PurePosixPath(mounts[mount]) / wanted.relative_to(mount))
    return None


def _value(
    variable: Object, pod: Object, container: Object, sources: Sources, machine: MachineInfo
) -> str | None:
    value_from = variable.get("valueFrom")
    if not value_from:
        return str(variable.get("value") or "")
    if "fieldRef" in value_from:
        return pod_field(pod, value_from["fieldRef"]["fieldPath"], machine)
    if "resourceFieldRef" in value_from:
        return container_resource(pod, container, value_from["resourceFieldRef"], machine)
    for field, kind in (("configMapKeyRef", "ConfigMap"), ("secretKeyRef", "Secret")):
        if field in value_from:
            return _key(value_from[field], kind, sources)
    raise MissingSourceError(f"variable {variable['name']} comes from {', '.join(value_from)}")


def _key(ref: Object, kind: str, sources: Sources) -> str | None:
    optional = bool(ref.get("optional"))
    source = EnvironmentSource(kind, ref.get("name") or "")
    content = found(sources, source, optional=optional)
    if content is None:
        return None
    if ref["key"] in content:
        return content[ref["key"]].decode(errors="surrogateescape")
    if optional:
        return None
    raise MissingSourceError(f"couldn't find key {ref['key']} in {kind} {source.name}")
