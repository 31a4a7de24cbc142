"""A client of the cluster in its own process, without HTTP."""

from collections.abc import Iterable, Iterator

from podium.api.errors import PodiumError
from podium.api.kinds.builtin_kinds import Kind
from podium.api.objects import Object
from podium.apiserver.attributes import Attributes
from podium.apiserver.selection import parse_selection
from podium.apiserver.server import DeleteOptions
from podium.cluster.virtual import Cluster
from podium.cluster.virtual.kubectl_apply import apply

_MANAGER = "podium"


class UnknownKindError(PodiumError):
    """A cluster has no objects of this kind."""


class InProcessClient:
    """Reads and writes objects; what the API refuses is raised as `RefusedError`."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._server = cluster.server
        self._driver = cluster.driver

    def apply(self, objects: Iterable[Object]) -> list[Object]:
        """Apply objects of known kinds, as `kubectl apply --server-side` does; as they are then."""
        return [apply(self._cluster, obj, _MANAGER).obj for obj in objects]

    def get(self, kind: str, called: str, namespace: str) -> Object:
        found = self._named(kind)
        return self._server.get(found, _place(found, namespace), called)

    def list(self, kind: str, namespace: str | None, label: str = "") -> list[Object]:
        found = self._named(kind)
        selection = parse_selection(found, label, "")
        return [*self._server.list(found, namespace or "", selection).items]

    def everything(self) -> Iterator[Object]:
        for kind in self._server.kinds:
            yield from self._server.list(kind, "").items

    def delete(self, kind: str, called: str, namespace: str, grace_period_s: int | None) -> None:
        found, how = self._named(kind), DeleteOptions(grace_period_s=grace_period_s)
        self._server.delete(
            Attributes(found, _place(found, namespace), called, self._driver.now_s), how
        )

    def _named(self, called: str) -> Kind:
        found = self._server.kinds.called(called)
        if found is None:
            known = ", ".join(kind.key for kind in self._server.kinds)
            raise UnknownKindError(f"{called}: isn't served; the kinds are {known}")
        return found


def _place(kind: Kind, namespace: str) -> str:
    return namespace if kind.namespaced else ""
