"""What somebody in the same process does to the cluster, without HTTP."""

from collections.abc import Iterable, Mapping
from typing import Any

from podium.api.kinds import KINDS, Kind, kind_of
from podium.api.meta import DEFAULT_NAMESPACE, name
from podium.apiserver.decoding import PatchType
from podium.apiserver.server import DeleteOptions, PatchRequest, WriteOptions
from podium.cluster import Cluster

Object = Mapping[str, Any]

_APPLYING = WriteOptions(field_manager="podium", force=True)


class Actor:
    """Reads and writes objects; what the API refuses is raised as `Refused`.

    Args:
        cluster: where to act.
    """

    def __init__(self, cluster: Cluster) -> None:
        self._server = cluster.server
        self._driver = cluster.driver

    def apply(self, objects: Iterable[Object]) -> list[Object]:
        """Apply objects of known kinds, as `kubectl apply --server-side` does; as they are then."""
        return [self._apply(obj) for obj in objects]

    def get(self, kind: str, called: str, namespace: str) -> Object:
        """An object."""
        found = KINDS[kind]
        return self._server.get(found, _place(found, namespace), called)

    def list(self, kind: str, namespace: str | None) -> list[Object]:
        """The objects of a kind, of all namespaces unless one is given."""
        return [*self._server.list(KINDS[kind], namespace or "").items]

    def delete(self, kind: str, called: str, namespace: str, grace_period_s: int | None) -> None:
        """Delete an object."""
        found, how = KINDS[kind], DeleteOptions(grace_period_s=grace_period_s)
        self._server.delete(found, _place(found, namespace), called, how, now_s=self._driver.now_s)

    def _apply(self, obj: Object) -> Object:
        kind = kind_of(obj)
        if kind is None:
            raise KeyError(f"there is no kind {obj.get('kind')}")
        place = _place(kind, str(obj["metadata"].get("namespace") or DEFAULT_NAMESPACE))
        request = PatchRequest(PatchType.APPLY, obj, str(obj.get("apiVersion") or ""))
        return self._server.patch(
            kind, place, name(obj), request, self._driver.now_s, _APPLYING
        ).obj


def _place(kind: Kind, namespace: str) -> str:
    return namespace if kind.namespaced else ""
