"""The environment, the command and the working directory of a container's process."""

import re
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath

from podium.api.objects import Object
from podium.node.real.machine_info import MachineInfo
from podium.node.real.value_sources import (
    MissingSourceError,
    Source,
    Sources,
    container_resource,
    found,
    pod_field,
)

_REFERENCE = re.compile(r"\$(\$|\(([^)]*)\))")
VOLUME_PREFIX = "PODIUM_VOLUME_"


def environment(
    pod: Object, container: Object, sources: Sources, machine: MachineInfo, base: Mapping[str, str]
) -> dict[str, str]:
    """All variables of a container.

    Args:
        pod: the pod.
        container: its container.
        sources: config maps and secrets that it names.
        machine: where it runs.
        base: what each process has unless its container says otherwise.

    Raises:
        MissingSourceError: something that it names isn't there.
    """
    made = dict(base)
    for one in container.get("envFrom") or ():
        prefix = one.get("prefix") or ""
        made |= {f"{prefix}{key}": value for key, value in _all_of(one, sources)}
    for variable in container.get("env") or ():
        value = _value(variable, pod, container, sources, machine)
        if value is not None:
            plain = "valueFrom" not in variable
            made[variable["name"]] = expanded(value, made) if plain else value
    return made


def command(container: Object, variables: Mapping[str, str]) -> list[str]:
    """The command with its arguments."""
    words = (*container["command"], *(container.get("args") or ()))
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
    """Where a path of a container is, if that is in one of its volumes.

    Args:
        path: absolute.
        mounts: directories or files by mount paths.
    """
    wanted = PurePosixPath(path)
    for mount in sorted(mounts, key=len, reverse=True):
        if wanted.is_relative_to(mount):
            return str(PurePosixPath(mounts[mount]) / wanted.relative_to(mount))
    return None


def _all_of(one: Object, sources: Sources) -> Iterator[tuple[str, str]]:
    for field, kind in (("configMapRef", "ConfigMap"), ("secretRef", "Secret")):
        if field in one:
            source = Source(kind, one[field].get("name") or "")
            content = found(sources, source, optional=bool(one[field].get("optional")))
            for key, value in sorted((content or {}).items()):
                yield key, value.decode(errors="surrogateescape")


def _value(
    variable: Object, pod: Object, container: Object, sources: Sources, machine: MachineInfo
) -> str | None:
    """A variable's value before references in it are replaced; None if it has none."""
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
    source = Source(kind, ref.get("name") or "")
    content = found(sources, source, optional=optional)
    if content is None:
        return None
    if ref["key"] in content:
        return content[ref["key"]].decode(errors="surrogateescape")
    if optional:
        return None
    raise MissingSourceError(f"couldn't find key {ref['key']} in {kind} {source.name}")
