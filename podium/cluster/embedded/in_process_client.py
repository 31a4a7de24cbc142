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


class InProcessClient:
    """Reads and writes objects; raises `RefusedError` if the API server refuses a request."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._server = cluster.server
        self._driver = cluster.driver

    def apply(self, objects: Iterable[Object]) -> list[Object]:
        """Apply objects like `kubectl apply --server-side`, and return them; raises KeyError."""
        return [apply(self._cluster, obj, _MANAGER).obj for obj in objects]

    def get(self, kind: str, name: str, namespace: str) -> Object:
        served = self._served(kind)
        return self._server.get(served, namespace if served.namespaced else "", name)

    def list(self, kind: str, namespace: str | None, label: str = "") -> list[Object]:
        served = self._served(kind)
        selection = parse_selection(served, label, "")
        return [*self._server.list(served, namespace or "", selection).items]

    def everything(self) -> Iterator[Object]:
        for kind in self._server.kinds:
            yield from self._server.list(kind, "").items

    def delete(self, kind: str, name: str, namespace: str, grace_period_s: int | None) -> None:
        served = self._served(kind)
        place, now_s = namespace if served.namespaced else "", self._driver.now_s
        options = DeleteOptions(grace_period_s=grace_period_s)
        self._server.delete(Attributes(served, place, name, now_s), options)

    def _served(self, name: str) -> Kind:
        kind = self._server.kinds.called(name)
        if kind is None:
            known = ", ".join(served.key for served in self._server.kinds)
            raise PodiumError(f"{name}: isn't served; the kinds are {known}")
        return kind
