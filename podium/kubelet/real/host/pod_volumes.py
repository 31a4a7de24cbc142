"""The volumes of pods, which are directories without mounts.

A container's working directory has links to its volumes, at the mount paths without the
first slash, and its environment has their paths as `PODIUM_VOLUME_NAME`.
"""

import os
from collections.abc import Iterator
from pathlib import Path

from podium.api.objects import Object
from podium.api.pods import volumes_of
from podium.kubelet.real.container_environment import (
    EnvironmentSource,
    MissingSourceError,
    Sources,
    container_resource,
    content,
    pod_field,
)
from podium.kubelet.real.host.node_directory import NodeDirectory
from podium.kubelet.real.registration import HostInfo
from podium.kubelet.real.unsupported_fields import API_ACCESS

_MODE = 0o644
_NOTHING: Object = {}


def volume_sources(pod: Object) -> Iterator[EnvironmentSource]:
    """Yield the config maps and secrets to which a pod's volumes refer."""
    for volume in volumes_of(pod["spec"]):
        for part in _parts(volume):
            yield from (source for source, _ in _references(part))


def make_volumes(pod: Object, directory: NodeDirectory, sources: Sources, host: HostInfo) -> None:
    """Make the volumes of a pod with their content; raises MissingSourceError."""
    for volume in volumes_of(pod["spec"]):
        if "hostPath" in volume:
            _check_host_path(volume["hostPath"])
            continue
        path = directory.volume(pod, volume["name"])
        path.mkdir(parents=True, exist_ok=True)
        for part in _parts(volume):
            _write_part(pod, part, path, sources, host)


def volume_paths(pod: Object, directory: NodeDirectory) -> dict[str, Path]:
    """Return the paths of a pod's volumes by name."""
    return {
        volume["name"]: Path(volume["hostPath"]["path"])
        if "hostPath" in volume
        else directory.volume(pod, volume["name"])
        for volume in volumes_of(pod["spec"])
    }


def link_mounts(pod: Object, container: Object, directory: NodeDirectory) -> dict[str, str]:
    """Link a container's volumes into its working directory; return host paths by mount path.

    Raises MissingSourceError if the container mounts a volume that doesn't exist.
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
            # Within another volume nothing may be written; the variable has the path.
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
        for source in volume["projected"].get("sources") or ():
            yield {kind: {"defaultMode": mode, **part} for kind, part in source.items()}
    else:
        yield volume


def _write_part(pod: Object, part: Object, path: Path, sources: Sources, host: HostInfo) -> None:
    if "downwardAPI" in part:
        for item in part["downwardAPI"].get("items") or ():
            if "fieldRef" in item:
                text = pod_field(pod, item["fieldRef"]["fieldPath"], host)
            else:
                text = container_resource(pod, _NOTHING, item["resourceFieldRef"], host)
            _write(path, item["path"], text.encode(), item.get("mode"))
        return
    for source, ref in _references(part):
        values = content(sources, source, ref) or {}
        items = [(one["key"], one["path"], one.get("mode")) for one in ref.get("items") or ()]
        for key, where, mode in items or [(key, key, None) for key in sorted(values)]:
            if key in values:
                _write(path, where, values[key], mode or ref.get("defaultMode"))
            elif not ref.get("optional"):
                kind = source.kind.lower()
                raise MissingSourceError(f"references non-existent {kind} key: {key}")


def _references(part: Object) -> Iterator[tuple[EnvironmentSource, Object]]:
    for field, kind in (("configMap", "ConfigMap"), ("secret", "Secret")):
        if field in part:
            name = part[field].get("secretName") if kind == "Secret" else None
            name = str(name or part[field].get("name") or "")
            yield EnvironmentSource(kind, name), part[field]


def _write(directory: Path, where: str, text: bytes, mode: int | None) -> None:
    path = directory / where
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(text)
        os.fchmod(file.fileno(), _MODE if mode is None else mode)


def _check_host_path(host_path: Object) -> None:
    path, kind = Path(host_path["path"]), host_path.get("type") or ""
    if kind == "DirectoryOrCreate":
        path.mkdir(parents=True, exist_ok=True)
    elif kind == "FileOrCreate":
        path.touch(exist_ok=True)
    checks = {
        "": path.exists,
        "Directory": path.is_dir,
        "File": path.is_file,
        "Socket": path.is_socket,
        "CharDevice": path.is_char_device,
        "BlockDevice": path.is_block_device,
    }
    if not checks[kind.removesuffix("OrCreate")]():
        raise MissingSourceError(f"hostPath type check failed: {path} is not {kind or 'there'}")
