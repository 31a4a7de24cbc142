"""Resize: a pod's containers are given other resources while they run.

The rules are those of the `resize` subresource in v1.36; whether the new resources are allowed is
judged in `podium.apiserver.kinds.pod_resize`.
"""

from collections.abc import Sequence
from typing import Any

from podium.api.objects import Object

_RESIZED = ("resources", "resizePolicy")


def resized(new: Object, old: Object) -> Object:
    """The stored pod with the resources that are asked for, and with nothing else of the new one.

    Containers are told by their names; what isn't there can't be resized. The name and version
    of the pod that is asked for are kept, so that whoever stores it notices if it is another one.

    Args:
        new: the pod as it is asked for.
        old: as it is stored.
    """
    spec, wanted = old["spec"], new.get("spec") or {}
    changes: dict[str, Any] = {
        field: _containers(spec[field], wanted.get(field) or ())
        for field in ("initContainers", "containers")
        if spec.get(field)
    }
    if wanted.get("resources") is not None:
        changes["resources"] = wanted["resources"]
    return {**old, "metadata": identity(new, old), "spec": {**spec, **changes}}


def _containers(old: Sequence[Object], wanted: Sequence[Object]) -> list[Object]:
    by_name = {container.get("name"): container for container in wanted}
    return [_with_resources(one, by_name.get(one["name"])) for one in old]


def _with_resources(container: Object, wanted: Object | None) -> Object:
    if wanted is None or all(wanted.get(field) == container.get(field) for field in _RESIZED):
        return container
    kept = {field: value for field, value in container.items() if field not in _RESIZED}
    return {**kept, **{field: wanted[field] for field in _RESIZED if field in wanted}}


def identity(new: Object, old: Object) -> Object:
    """The stored metadata with what the new pod says of which one, in which version, it is."""
    asked = new.get("metadata") or {}
    own = {
        field: asked[field]
        for field in ("name", "namespace", "uid", "resourceVersion")
        if asked.get(field)
    }
    return {**old["metadata"], **own}
