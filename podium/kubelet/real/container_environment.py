"""The command, directory and variables of a container's process.

Variables come from config maps, secrets, and fields of the container's own pod.
"""

import re
from base64 import b64decode
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import NamedTuple

from podium.api.errors import PodiumError
from podium.api.objects import Object, entries, part
from podium.api.pods import init_containers_of
from podium.api.values.quantity import nanos
from podium.kubelet.real.registration import HostInfo

_SUBSCRIPT = re.compile(r"metadata\.(labels|annotations)\['(.*)'\]")


class MissingSourceError(PodiumError):
    """A container or volume refers to an object or key that doesn't exist."""


class EnvironmentSource(NamedTuple):
    """A config map or secret to which a container or volume refers."""

    kind: str
    name: str


Sources = Mapping[EnvironmentSource, Object | None]
"""Config maps and secrets; None for one that doesn't exist."""

_KINDS = {
    "configMapRef": "ConfigMap",
    "secretRef": "Secret",
    "configMapKeyRef": "ConfigMap",
    "secretKeyRef": "Secret",
}


def references(holder: Object) -> Iterator[tuple[EnvironmentSource, Object]]:
    """Yield the sources in an `envFrom` entry or a `valueFrom`, with the references to them."""
    for field, kind in _KINDS.items():
        if field in holder:
            yield EnvironmentSource(kind, holder[field].get("name") or ""), holder[field]


def content(sources: Sources, source: EnvironmentSource, ref: Object) -> dict[str, bytes] | None:
    """Return the content of a source; None, or raises MissingSourceError, if it is missing."""
    obj = sources.get(source)
    if obj is None:
        if ref.get("optional"):
            return None
        raise MissingSourceError(f'{source.kind.lower()} "{source.name}" not found')
    if obj.get("kind") == "Secret":
        return {key: b64decode(value) for key, value in part(obj, "data").items()}
    plain = {key: value.encode() for key, value in part(obj, "data").items()}
    binary = {key: b64decode(value) for key, value in part(obj, "binaryData").items()}
    return plain | binary


def env_sources(container: Object) -> Iterator[EnvironmentSource]:
    """Yield the sources of a container's environment."""
    values = (part(variable, "valueFrom") for variable in entries(container, "env"))
    for holder in (*entries(container, "envFrom"), *values):
        yield from (source for source, _ in references(holder))


def pod_field(pod: Object, path: str, host: HostInfo) -> str:
    """Return a field of a pod for the downward API; raises MissingSourceError."""
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
        "status.hostIP": host.address,
        "status.hostIPs": host.address,
        "status.podIP": host.address,
        "status.podIPs": host.address,
    }
    if path not in fields:
        raise MissingSourceError(f"unsupported fieldPath: {path}")
    return str(fields[path])


def container_resource(pod: Object, container: Object, ref: Object, host: HostInfo) -> str:
    """Return a request or limit for the downward API; limits default to the node's resources.

    Raises MissingSourceError if the resource isn't supported or the container doesn't exist.
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
        whole = {"cpu": host.cpus * 10**9, "memory": host.memory_bytes * 10**9}
        amount = whole.get(resource, 0) if kind == "limits" else 0
    return str(-(-amount // (divisor or 10**9)))


_REFERENCE = re.compile(r"\$(\$|\(([^)]*)\))")
VOLUME_PREFIX = "PODIUM_VOLUME_"


def environment(
    pod: Object, container: Object, sources: Sources, host: HostInfo, base: Mapping[str, str]
) -> dict[str, str]:
    """Return the environment variables of a container; raises MissingSourceError."""
    made = dict(base)
    for holder in entries(container, "envFrom"):
        prefix = holder.get("prefix") or ""
        for source, ref in references(holder):
            for key, value in sorted((content(sources, source, ref) or {}).items()):
                made[f"{prefix}{key}"] = value.decode(errors="surrogateescape")
    for variable in container.get("env") or ():
        text = _value(variable, pod, container, sources, host)
        if text is not None:
            is_plain = "valueFrom" not in variable
            made[variable["name"]] = expanded(text, made) if is_plain else text
    return made


def command(container: Object, variables: Mapping[str, str]) -> list[str]:
    """Return the command and arguments of a container, with variables expanded."""
    words = (*container["command"], *entries(container, "args"))
    return [expanded(word, variables) for word in words]


def expanded(text: str, variables: Mapping[str, str]) -> str:
    """Replace `$(NAME)` by the variable's value if it is known, and `$$` by a dollar sign."""

    def replaced(match: re.Match[str]) -> str:
        if match[1] == "$":
            return "$"
        return variables.get(match[2], match[0])

    # After the last bracket there is no reference, which the pattern would look for at each dollar.
    end = text.rfind(")") + 1
    return _REFERENCE.sub(replaced, text[:end]) + text[end:].replace("$$", "$")


def volume_variable(volume: str) -> str:
    """Return the name of the environment variable that has a volume's path."""
    return VOLUME_PREFIX + re.sub(r"[^A-Z0-9]", "_", volume.upper())


def mounted(path: str, mounts: Mapping[str, str]) -> str | None:
    """Return the host path of a container's absolute path; None outside of its volumes."""
    wanted = PurePosixPath(path)
    for mount in sorted(mounts, key=len, reverse=True):
        if wanted.is_relative_to(mount):
            return str(PurePosixPath(mounts[mount]) / wanted.relative_to(mount))
    return None


def _value(
    variable: Object, pod: Object, container: Object, sources: Sources, host: HostInfo
) -> str | None:
    value_from = variable.get("valueFrom")
    if not value_from:
        return str(variable.get("value") or "")
    if "fieldRef" in value_from:
        return pod_field(pod, value_from["fieldRef"]["fieldPath"], host)
    if "resourceFieldRef" in value_from:
        return container_resource(pod, container, value_from["resourceFieldRef"], host)
    for source, ref in references(value_from):
        values = content(sources, source, ref)
        if values is not None and ref["key"] in values:
            return values[ref["key"]].decode(errors="surrogateescape")
        if values is None or ref.get("optional"):
            return None
        raise MissingSourceError(f"couldn't find key {ref['key']} in {source.kind} {source.name}")
    raise MissingSourceError(f"variable {variable['name']} comes from {', '.join(value_from)}")
