"""Volumes as directories: what is in them, and where containers find them.

Nothing is mounted. A container finds its volumes by links in its working directory, at their mount
paths without the first slash, and by the variables `PODIUM_VOLUME_NAME`.
"""

import os
from collections.abc import Iterator
from pathlib import Path

from podium.api.objects import Object
from podium.api.pod_specs import volumes_of
from podium.kubelet.real.container_environment import (
    EnvironmentSource,
    MissingSourceError,
    Sources,
    container_resource,
    found,
    pod_field,
)
from podium.kubelet.real.host.node_directory import NodeDirectory
from podium.kubelet.real.registration import MachineInfo
from podium.kubelet.real.unsupported_fields import API_ACCESS

_MODE = 0o644
_NOTHING: Object = {}


def volume_sources(pod: Object) -> Iterator[EnvironmentSource]:
    """The config maps and secrets that a pod's volumes are made of."""
    for volume in volumes_of(pod["spec"]):
        for part in _parts(volume):
            if "configMap" in part:
                yield EnvironmentSource("ConfigMap", part["configMap"].get("name") or "")
            if "secret" in part:
                yield EnvironmentSource("Secret", _secret_name(part["secret"]))


def make_volumes(
    pod: Object, directory: NodeDirectory, sources: Sources, machine: MachineInfo
) -> None:
    """Make the directories of a pod's volumes, with what is in them.

    Raises:
        MissingSourceError: something that they name isn't there.
        OSError: the machine doesn't let them be made.
    """
    for volume in volumes_of(pod["spec"]):
        if "hostPath" in volume:
            _check_host_path(volume["hostPath"])
            continue
        path = directory.volume(pod, volume["name"])
        path.mkdir(parents=True, exist_ok=True)
        for part in _parts(volume):
            _write_part(pod, part, path, sources, machine)


def volume_paths(pod: Object, directory: NodeDirectory) -> dict[str, Path]:
    """Where each of a pod's volumes is, by name."""
    return {
        volume["name"]: Path(volume["hostPath"]["path"])
        if "hostPath" in volume
        else directory.volume(pod, volume["name"])
        for volume in volumes_of(pod["spec"])
    }


def link_mounts(pod: Object, container: Object, directory: NodeDirectory) -> dict[str, str]:
    """Link a container's volumes into its working directory; where each is, by mount path.

    Raises:
        MissingSourceError: it mounts a volume that there isn't.
        OSError: the machine doesn't let them be linked.
    """
    home = directory.container(pod, container["name"])
    home.mkdir(parents=True, exist_ok=True)
    paths, mounts = volume_paths(pod, directory), {}
    for mount in container.get("volumeMounts") or ():
        if mount["name"] not in paths:
            raise MissingSourceError(f"there is no volume {mount['name']}")
        target = paths[mount["name"]] / (mount.get("subPath") or "")
        if mount.get("subPath") and not target.exists():
            target.mkdir(parents=True)
        mounts[mount["mountPath"]] = str(target)
        link = home / mount["mountPath"].strip("/")
        if not link.parent.resolve().is_relative_to(home.resolve()):
            # Within another volume, where nothing may be written; the variable tells where it is.
            continue
        if link != home and not link.is_symlink() and not link.exists():
            link.parent.mkdir(parents=True, exist_ok=True)
            link.symlink_to(target)
    return mounts


def _parts(volume: Object) -> Iterator[Object]:
    if volume["name"].startswith(API_ACCESS):
        return
    if "projected" in volume:
        mode = volume["projected"].get("defaultMode")
        for one in volume["projected"].get("sources") or ():
            yield {kind: {"defaultMode": mode, **part} for kind, part in one.items()}
    else:
        yield volume


def _write_part(
    pod: Object, part: Object, path: Path, sources: Sources, machine: MachineInfo
) -> None:
    if "downwardAPI" in part:
        for item in part["downwardAPI"].get("items") or ():
            if "fieldRef" in item:
                text = pod_field(pod, item["fieldRef"]["fieldPath"], machine)
            else:
                text = container_resource(pod, _NOTHING, item["resourceFieldRef"], machine)
            _write(path, item["path"], text.encode(), item.get("mode"))
        return
    for kind, field in (("ConfigMap", "configMap"), ("Secret", "secret")):
        if field not in part:
            continue
        ref = part[field]
        name = _secret_name(ref) if kind == "Secret" else ref.get("name") or ""
        content = found(sources, EnvironmentSource(kind, name), optional=bool(ref.get("optional")))
        items = [(one["key"], one["path"], one.get("mode")) for one in ref.get("items") or ()]
        for key, where, mode in items or [(key, key, None) for key in sorted(content or {})]:
            if content is None or key not in content:
                if ref.get("optional"):
                    continue
                raise MissingSourceError(f"references non-existent {kind.lower()} key: {key}")
            _write(path, where, content[key], mode or ref.get("defaultMode"))


def _secret_name(ref: Object) -> str:
    return str(ref.get("secretName") or ref.get("name") or "")


def _write(directory: Path, where: str, content: bytes, mode: int | None) -> None:
    path = directory / where
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)
        os.fchmod(file.fileno(), _MODE if mode is None else mode)


def _check_host_path(host_path: Object) -> None:
    path, kind = Path(host_path["path"]), host_path.get("type") or ""
    match kind:
        case "DirectoryOrCreate":
            path.mkdir(parents=True, exist_ok=True)
        case "FileOrCreate":
            path.touch(exist_ok=True)
    checks = {
        "": path.exists,
        "Directory": path.is_dir,
        "DirectoryOrCreate": path.is_dir,
        "File": path.is_file,
        "FileOrCreate": path.is_file,
        "Socket": path.is_socket,
        "CharDevice": path.is_char_device,
        "BlockDevice": path.is_block_device,
    }
    if not checks[kind]():
        raise MissingSourceError(f"hostPath type check failed: {path} is not {kind or 'there'}")
