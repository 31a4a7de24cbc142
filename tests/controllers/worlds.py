"""Controllers over a real API server in virtual time, with nodes that run what is bound to them."""

from collections.abc import Callable, Hashable, Iterable
from random import Random
from typing import Any

from podium.api.kinds.builtin_kinds import KINDS
from podium.api.objects import Object, place_of, uid_of
from podium.apiserver.attributes import Attributes
from podium.apiserver.server import ApiServer, DeleteOptions, PatchRequest
from podium.apiserver.store.store import Store
from podium.cluster.drivers.driver_events import Called, DriverEvent
from podium.cluster.drivers.faults import NO_FAULTS, Faults
from podium.cluster.drivers.virtual import VirtualDriver
from podium.kubelet.simulated.simulated_kubelets import SimulatedKubelets
from podium.machines.effects import Bind, Effect
from podium.machines.events import Change
from podium.machines.machine import Machine
from podium.machines.reconciler.reconciler import Reconciler
from tests.objects import Obj

START_S = 1_767_225_600.0
_MERGE = "application/strategic-merge-patch+json"

TROUBLE = Faults(
    refused=0.1,
    unanswered=0.1,
    slow=0.1,
    repeated=0.1,
    broken_watches=0.05,
    slow_watches=0.1,
    restarts=0.01,
)
"""What goes wrong with calls, watches and machines in tests that have to end well all the same."""


class Binder(Reconciler):
    """Binds every pod to the node that comes first by name, unless told to wait."""

    name = "binder"
    kinds = frozenset({"Pod", "Node"})

    def keys_of(self, change: Change, before: Object | None) -> Iterable[Hashable]:
        pod = change.new
        if change.kind == "Pod" and pod is not None and not pod["spec"].get("nodeName"):
            yield place_of(pod)

    def reconcile(self, key: Hashable, now_s: float) -> Iterable[Effect]:
        assert isinstance(key, tuple)
        pod = self.objects.get("Pod", key[1], key[0])
        nodes = sorted(node["metadata"]["name"] for node in self.objects.all("Node"))
        if pod is not None and nodes and not pod["spec"].get("nodeName"):
            yield Bind(namespace=key[0], name=key[1], uid=uid_of(pod), node_name=nodes[0])


class World:
    """Machines, a binder, and nodes `n1`, `n2` …; times are seconds since the start.

    Where machines crash by chance, the binder and the nodes' agents don't.

    Attributes:
        writes: the calls that were made, but for events.
    """

    def __init__(
        self,
        *machines: Callable[[], Machine],
        nodes: int = 1,
        faults: Faults = NO_FAULTS,
        seed: int = 0,
    ) -> None:
        rng = Random(seed)
        self.server = ApiServer(Store(), Random(rng.getrandbits(64)))
        self.server.bootstrap(START_S)
        self.driver = VirtualDriver(self.server, START_S, rng, faults)
        self.writes: list[Called] = []
        self.driver.hooks.append(self._note)
        for number in range(nodes):
            self.create(node(f"n{number + 1}"))
        for machine in machines:
            self.driver.add(machine(), renew=machine)
        for machine in (Binder, SimulatedKubelets):
            self.driver.add(machine())
        self.driver.advance(0)
        self.writes.clear()

    def create(self, obj: Obj) -> None:
        place = obj["metadata"].get("namespace", "")
        self.server.create(Attributes(KINDS[obj["kind"]], place, "", self.driver.now_s), obj)

    def patch(self, kind: str, name: str, body: Obj, subresource: str = "") -> None:
        place = "default" if KINDS[kind].namespaced else ""
        request = PatchRequest(_MERGE, body)
        self.server.patch(
            Attributes(KINDS[kind], place, name, self.driver.now_s, subresource), request
        )

    def annotate(self, kind: str, name: str, **annotations: str | None) -> None:
        """Set annotations `podium.dev/…`, or take them away."""
        scripted = {"podium.dev/" + key.replace("_", "-"): v for key, v in annotations.items()}
        self.patch(kind, name, {"metadata": {"annotations": scripted}})

    def delete(self, kind: str, name: str, namespace: str = "default") -> None:
        self.server.delete(
            Attributes(KINDS[kind], namespace, name, self.driver.now_s), DeleteOptions()
        )

    def run_until(self, at_s: float) -> None:
        self.driver.run_until(START_S + at_s)

    def get(self, kind: str, name: str) -> Any:
        place = "default" if KINDS[kind].namespaced else ""
        return self.server.store.get(kind, place, name)

    def all(self, kind: str) -> list[Any]:
        return [*self.server.list(KINDS[kind], "").items]

    def events(self, *reasons: str) -> list[str]:
        """The notes of all events, or of those with certain reasons."""
        return [
            one.get("note") or one.get("message")
            for one in self.all("Event")
            if not reasons or one["reason"] in reasons
        ]

    def _note(self, happening: DriverEvent) -> None:
        if isinstance(happening, Called) and getattr(happening.effect, "kind", "") != "Event":
            self.writes.append(happening)


def node(name: str, **labels: str) -> Obj:
    allocatable = {"cpu": "100", "memory": "100Gi", "pods": "1000"}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": labels},
        "spec": {},
        "status": {"allocatable": allocatable, "capacity": allocatable},
    }
