"""Manifests as tests name them: files, directories, or objects."""

from collections.abc import Iterable, Mapping
from pathlib import Path

from podium.api.kinds.builtin_kinds import kind_of
from podium.api.objects import DEFAULT_NAMESPACE, Object
from podium.apiserver.registry import BUILT_IN, Registry
from podium.cluster.embedded.in_process_client import UnknownKindError
from podium.cluster.embedded.initial_objects import InitialKinds, read_manifests

Source = str | Path | Object


def objects_of(sources: Iterable[Source], kinds: Registry = BUILT_IN) -> list[Object]:
    """The objects that manifests consist of.

    Raises:
        PodiumError: anything is wrong with a file, or nobody serves the kind of an object.
    """
    found: list[Object] = []
    known = InitialKinds(kinds.of)
    for source in sources:
        if isinstance(source, Mapping):
            if known(source) is None:
                called = f"apiVersion {source.get('apiVersion')}, kind {source.get('kind')}"
                names = ", ".join(kind.key for kind in kinds)
                raise UnknownKindError(f"{called}: isn't served; the kinds are {names}")
            found.append(source)
        else:
            manifests = read_manifests([str(source)], serves=known)
            found += [loaded.obj for loaded in manifests.objects]
    return found


def in_namespace(obj: Object) -> Object:
    """The object; in the default namespace if it doesn't say where it is."""
    kind = kind_of(obj)
    if kind is None or not kind.namespaced or obj["metadata"].get("namespace"):
        return obj
    return {**obj, "metadata": {**obj["metadata"], "namespace": DEFAULT_NAMESPACE}}
