"""The agents over a real API server in virtual time, with nobody else around."""

from random import Random
from typing import Any

from podium.api.kinds.builtin_kinds import KINDS
from podium.api.pods import is_ready
from podium.apiserver.attributes import Attributes
from podium.apiserver.server import ApiServer, DeleteOptions, PatchRequest
from podium.apiserver.store.store import Store
from podium.cluster.drivers.driver_events import Called, DriverEvent
from podium.cluster.drivers.faults import INSTANT, NO_FAULTS, Faults, Latency
from podium.cluster.drivers.virtual import VirtualDriver
from podium.kubelet.simulated.behaviour import PREFIX, NodeSettings
from podium.kubelet.simulated.simulated_kubelets import SimulatedKubelets
from podium.machines.effects import Effect
from tests.kubelet.builders import Obj, node

START_S = 1_767_225_600.0
_MERGE = "application/merge-patch+json"
_DEFAULT_SETTINGS = NodeSettings()


class Cluster:
    """Nodes `n1`, `n2` …; times are seconds since the start."""

    def __init__(
        self,
        nodes: int = 1,
        settings: NodeSettings = _DEFAULT_SETTINGS,
        *,
        faults: Faults = NO_FAULTS,
        latency: Latency = INSTANT,
        register: tuple[Obj, ...] = (),
        start: bool = True,
    ) -> None:
        self.server = ApiServer(Store(), Random(1))
        self.server.bootstrap(START_S)
        self.driver = VirtualDriver(self.server, START_S, Random(2), faults, latency)
        self.writes: list[Effect] = []
        self.driver.hooks.append(self._note)
        self.settings = settings
        for number in range(nodes):
            self.create(node(f"n{number + 1}"))
        if start:
            self.kubelets = self.driver.add(
                SimulatedKubelets(settings, register),
                renew=lambda: SimulatedKubelets(settings, register),
            )
            self.driver.advance(0)
            self.writes.clear()

    def create(self, obj: Obj, **annotations: str) -> None:
        """Create an object; annotations such as `run_duration` script its behaviour."""
        scripted = {PREFIX + key.replace("_", "-"): text for key, text in annotations.items()}
        if scripted:
            obj = {**obj, "metadata": {**obj["metadata"], "annotations": scripted}}
        place = obj["metadata"].get("namespace", "")
        self.server.create(Attributes(KINDS[obj["kind"]], place, "", self.driver.now_s), obj)

    def annotate(self, node_name: str, **annotations: str | None) -> None:
        scripted = {PREFIX + key.replace("_", "-"): text for key, text in annotations.items()}
        self.patch("Node", node_name, {"metadata": {"annotations": scripted}})

    def patch(self, kind: str, name: str, body: Obj, subresource: str = "") -> None:
        place = "default" if kind == "Pod" else ""
        request = PatchRequest(_MERGE, body)
        self.server.patch(
            Attributes(KINDS[kind], place, name, self.driver.now_s, subresource), request
        )

    def delete(self, pod_name: str, grace_s: int | None = None) -> None:
        how = DeleteOptions(grace_period_s=grace_s)
        self.server.delete(Attributes(KINDS["Pod"], "default", pod_name, self.driver.now_s), how)

    def run_until(self, at_s: float) -> None:
        self.driver.run_until(START_S + at_s)

    def get(self, kind: str, name: str, namespace: str = "") -> Any:
        return self.server.store.get(kind, namespace, name)

    def status(self, pod_name: str) -> Any:
        """A pod's status; None if it is gone."""
        found = self.get("Pod", pod_name, "default")
        return None if found is None else found["status"]

    def gist(self, pod_name: str) -> str:
        """A pod in short: `gone`, or its phase, `terminating`, and `ready`."""
        found = self.get("Pod", pod_name, "default")
        if found is None:
            return "gone"
        words = [found["status"]["phase"]]
        if found["metadata"].get("deletionTimestamp"):
            words.append("terminating")
        if is_ready(found):
            words.append("ready")
        return " ".join(words)

    def story(self, pod_name: str, until_s: int) -> list[tuple[float, str]]:
        """How a pod's gist changes, looked at every half second."""
        told: list[tuple[float, str]] = []
        for half in range(2 * until_s + 1):
            self.run_until(half / 2)
            gist = self.gist(pod_name)
            if not told or told[-1][1] != gist:
                told.append((half / 2, gist))
        return told

    def events(self) -> list[tuple[str, str]]:
        """Reason and note of all events."""
        found = self.server.list(KINDS["Event"], "").items
        return [(one["reason"], one.get("note") or one.get("message")) for one in found]

    def _note(self, happening: DriverEvent) -> None:
        if isinstance(happening, Called) and getattr(happening.effect, "kind", "") != "Event":
            self.writes.append(happening.effect)
