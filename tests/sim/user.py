"""A user who creates, changes and deletes things at random, and repeats it all from the seed."""

from collections.abc import Callable
from functools import partial
from random import Random
from typing import Any

from podium.api import objects as meta
from podium.api.errors import RefusedError
from podium.api.kinds.builtin_kinds import KINDS
from podium.api.objects import Object
from podium.apiserver.attributes import Attributes
from podium.apiserver.patching.patch_result import PatchRequest
from podium.apiserver.server import ApiServer
from podium.apiserver.verbs.verb_options import DeleteOptions
from podium.cluster.drivers.virtual import VirtualDriver
from tests.objects import budget, priority_class

NAMESPACE = "default"
ZONE, HOSTNAME = "topology.kubernetes.io/zone", "kubernetes.io/hostname"
APPS = "abc"


CLASSES = (
    priority_class("low", 10),
    priority_class("middle", 100),
    priority_class("high", 1000),
    priority_class("polite", 500, preemptionPolicy="Never"),
)


def random_node(rng: Random, name: str) -> dict[str, Any]:
    room = {
        "cpu": rng.choice(("2", "4", "6")),
        "memory": rng.choice(("4Gi", "8Gi")),
        "pods": rng.choice(("4", "10", "110")),
    }
    labels = {HOSTNAME: name, ZONE: rng.choice("abc")}
    spec: dict[str, Any] = {}
    if rng.random() < 0.15:
        spec["taints"] = [{"key": "dedicated", "value": "x", "effect": "NoSchedule"}]
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": labels},
        "spec": spec,
        "status": {
            "allocatable": room,
            "capacity": room,
            "conditions": [{"type": "Ready", "status": "True"}],
        },
    }


def random_pod(rng: Random, scheduler_name: str) -> dict[str, Any]:
    """A pod without a name."""
    app = rng.choice(APPS)
    requests = {
        "cpu": rng.choice(("100m", "500m", "1", "1500m", "2", "3")),
        "memory": rng.choice(("64Mi", "512Mi", "2Gi")),
    }
    container: dict[str, Any] = {"name": "c", "image": "i", "resources": {"requests": requests}}
    spec: dict[str, Any] = {
        "schedulerName": scheduler_name,
        "priorityClassName": rng.choice(("low", "low", "middle", "middle", "high", "polite")),
        "terminationGracePeriodSeconds": rng.choice((0, 1, 5, 30)),
        "containers": [container],
    }
    if rng.random() < 0.1:
        container["ports"] = [{"containerPort": 80, "hostPort": 80}]
    if rng.random() < 0.3:
        spec["affinity"] = _random_affinity(rng, app)
    if rng.random() < 0.2:
        spec["topologySpreadConstraints"] = [_random_spreading(rng, app)]
    if rng.random() < 0.15:
        spec["tolerations"] = [{"key": "dedicated", "operator": "Exists"}]
    if rng.random() < 0.1:
        spec["nodeSelector"] = {ZONE: rng.choice("abc")}
    if rng.random() < 0.1:
        spec["schedulingGates"] = [{"name": "example.com/gate"}]
    metadata = {"namespace": NAMESPACE, "labels": {"app": app}}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}


def random_budget(rng: Random, name: str) -> dict[str, Any]:
    made = budget(rng.choice(APPS), minAvailable=rng.choice((0, 1, 2)))
    made["metadata"] = {"name": name, "namespace": NAMESPACE}
    return made


def _random_affinity(rng: Random, app: str) -> dict[str, Any]:
    kind = rng.choice(("podAntiAffinity", "podAntiAffinity", "podAffinity"))
    other = app if kind == "podAntiAffinity" else rng.choice(APPS)
    term = {
        "labelSelector": {"matchLabels": {"app": other}},
        "topologyKey": rng.choice((HOSTNAME, HOSTNAME, ZONE)),
    }
    return {kind: {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}


def _random_spreading(rng: Random, app: str) -> dict[str, Any]:
    return {
        "maxSkew": rng.choice((1, 2)),
        "topologyKey": rng.choice((HOSTNAME, ZONE)),
        "whenUnsatisfiable": rng.choice(("DoNotSchedule", "DoNotSchedule", "ScheduleAnyway")),
        "labelSelector": {"matchLabels": {"app": app}},
    }


NODES = 5
NODES_MAX = 8
ACTIONS_PER_MINUTE = 40
# Gone meanwhile; changed meanwhile; several budgets, or one that allows no disruption now.
_NO_LOSS = (404, 409, 429, 500)
_MERGE = "application/merge-patch+json"


class User:
    """Somebody at a keyboard."""

    def __init__(
        self,
        server: ApiServer,
        driver: VirtualDriver,
        rng: Random,
        schedulers: tuple[str, ...],
        *,
        changes_nodes: bool = True,
    ) -> None:
        self._server = server
        self._driver = driver
        self._rng = rng
        self._schedulers = schedulers
        self._count = 0
        self.busy_until_s = driver.now_s
        self._actions = self._weighted_actions(changes_nodes)

    def set_up(self) -> None:
        """Create priority classes and the first nodes."""
        for obj in CLASSES:
            self._server.create(Attributes(KINDS["PriorityClass"], "", "", self._driver.now_s), obj)
        for _ in range(NODES):
            self.add_node()

    def keep_busy(self, duration_s: float) -> None:
        """Plan so many seconds of activity from now on."""
        end_s = self._driver.now_s + duration_s
        for _ in range(int(duration_s * ACTIONS_PER_MINUTE / 60)):
            at_s = self._rng.uniform(self._driver.now_s, end_s)
            self._driver.at(at_s, self._act)
        self.busy_until_s = max(self.busy_until_s, end_s)

    def _weighted_actions(self, changes_nodes: bool) -> list[Callable[[], None]]:
        weights: dict[Callable[[], None], int] = {
            self.create_pods: 12,
            self.delete_pod: 4,
            self.evict_pod: 2,
            self.finish_pod: 3,
            self.ungate_pod: 2,
            self.relabel_pod: 1,
            self.create_budget: 1,
            self.delete_budget: 1,
        }
        if changes_nodes:
            weights |= {
                self.add_node: 1,
                self.delete_node: 1,
                self.cordon_node: 2,
                self.taint_node: 1,
                self.relabel_node: 1,
                self.resize_node: 1,
            }
        return [action for action, weight in weights.items() for _ in range(weight)]

    def _act(self) -> None:
        self._rng.choice(self._actions)()

    def create_pods(self) -> None:
        """Create pods of one kind, as a controller does."""
        self.create_alike(self._rng.choice((1, 1, 2, 3, 5)))

    def create_alike(self, count: int) -> None:
        """Create so many pods of one kind."""
        self._count += 1
        template = random_pod(self._rng, self._rng.choice(self._schedulers))
        for number in range(count):
            metadata = {**template["metadata"], "name": f"p{self._count}-{number}"}
            self._create("Pod", {**template, "metadata": metadata}, NAMESPACE)

    def delete_pod(self) -> None:
        """Delete a pod with its grace period, or sometimes at once."""
        pod = self._any("Pod")
        if pod is not None:
            grace_s = self._rng.choice((None, None, None, 0, 5))
            self._delete("Pod", pod, DeleteOptions(grace_period_s=grace_s))

    def evict_pod(self) -> None:
        """Ask for a pod's eviction, which a budget may refuse."""
        pod = self._any("Pod")
        if pod is not None:
            namespace, name = place_of(pod)
            eviction = {
                "apiVersion": "policy/v1",
                "kind": "Eviction",
                "metadata": {"namespace": namespace, "name": name},
            }
            now_s = self._driver.now_s
            request = Attributes(KINDS["Pod"], namespace, name, now_s)
            self._try(partial(self._server.evict, request, eviction))

    def finish_pod(self) -> None:
        """Let a running pod come to its end."""
        pod = self._any("Pod", lambda pod: (pod.get("status") or {}).get("phase") == "Running")
        if pod is not None:
            phase = self._rng.choice(("Succeeded", "Failed"))
            self._patch("Pod", pod, {"status": {"phase": phase}}, "status")

    def ungate_pod(self) -> None:
        """Take the gates off a gated pod."""
        pod = self._any("Pod", lambda pod: bool(pod["spec"].get("schedulingGates")))
        if pod is not None:
            self._patch("Pod", pod, {"spec": {"schedulingGates": None}})

    def relabel_pod(self) -> None:
        """Give a pod another label."""
        pod = self._any("Pod")
        if pod is not None:
            self._patch("Pod", pod, {"metadata": {"labels": {"app": self._rng.choice("abc")}}})

    def create_budget(self) -> None:
        """Protect some pods."""
        self._count += 1
        budget = random_budget(self._rng, f"b{self._count}")
        self._create("PodDisruptionBudget", budget, NAMESPACE)

    def delete_budget(self) -> None:
        """Protect them no more."""
        budget = self._any("PodDisruptionBudget")
        if budget is not None:
            self._delete("PodDisruptionBudget", budget)

    def add_node(self) -> None:
        """Add a node that is ready at once."""
        if len(self._all("Node")) < NODES_MAX:
            self._count += 1
            node = random_node(self._rng, f"n{self._count}")
            self._create("Node", node, "")
            self._patch("Node", node, {"spec": {"taints": node["spec"].get("taints")}})

    def delete_node(self) -> None:
        """Remove a node under its pods."""
        node = self._any("Node")
        if node is not None and len(self._all("Node")) > 2:
            self._delete("Node", node)

    def cordon_node(self) -> None:
        """Make a node unschedulable, or schedulable again."""
        node = self._any("Node")
        if node is not None:
            self._patch("Node", node, {"spec": {"unschedulable": self._rng.random() < 0.4}})

    def taint_node(self) -> None:
        """Reserve a node, or lift that."""
        node = self._any("Node")
        if node is not None:
            taint = {"key": "dedicated", "value": "x", "effect": "NoSchedule"}
            taints = [taint] if self._rng.random() < 0.4 else None
            self._patch("Node", node, {"spec": {"taints": taints}})

    def relabel_node(self) -> None:
        """Move a node to another zone."""
        node = self._any("Node")
        if node is not None:
            zone = {"topology.kubernetes.io/zone": self._rng.choice("abc")}
            self._patch("Node", node, {"metadata": {"labels": zone}})

    def resize_node(self) -> None:
        """Give a node more or less cpu."""
        node = self._any("Node")
        if node is not None:
            cpu = {"cpu": self._rng.choice(("1", "2", "4", "6"))}
            self._patch("Node", node, {"status": {"allocatable": cpu, "capacity": cpu}}, "status")

    def _all(self, kind: str) -> list[Object]:
        return list(self._server.list(KINDS[kind], "").items)

    def _any(self, kind: str, wanted: Callable[[Object], bool] | None = None) -> Object | None:
        found = [obj for obj in self._all(kind) if wanted is None or wanted(obj)]
        return self._rng.choice(found) if found else None

    def _create(self, kind: str, obj: Object, namespace: str) -> None:
        request = Attributes(KINDS[kind], namespace, "", self._driver.now_s)
        self._try(partial(self._server.create, request, obj))

    def _patch(self, kind: str, obj: Object, body: Object, subresource: str = "") -> None:
        request = Attributes(KINDS[kind], *place_of(obj), self._driver.now_s, subresource)
        self._try(partial(self._server.patch, request, PatchRequest(_MERGE, body)))

    def _delete(self, kind: str, obj: Object, how: DeleteOptions | None = None) -> None:
        now_s = self._driver.now_s
        how = how or DeleteOptions()
        request = Attributes(KINDS[kind], *place_of(obj), now_s)
        self._try(partial(self._server.delete, request, how))

    def _try(self, request: Callable[[], object]) -> None:
        """What others or a budget are in the way of is no loss; all else is a bug."""
        try:
            request()
        except RefusedError as refused:
            if refused.code not in _NO_LOSS:
                raise


def place_of(obj: Object) -> tuple[str, str]:
    return obj["metadata"].get("namespace", ""), meta.name(obj)
