"""A cluster in which something of each kind comes and goes all the time, under ever new names."""

from random import Random
from typing import Any

from podium.api.kinds.builtin_kinds import KINDS
from podium.api.objects import Object
from podium.apiserver.store.store import Store
from podium.cluster.client.http_api import collection_path
from podium.cluster.virtual import Cluster
from podium.controllers.event_expiry import EventExpiry
from tests import objects
from tests.cluster.virtual.virtual_server import VirtualServer

NODES = 6
HISTORY_MAX = 200
_MERGE = "application/merge-patch+json"
_GRACE = {"terminationGracePeriodSeconds": 5}
_ROLLED_OUT = {"Deployment": "web", "StatefulSet": "db", "DaemonSet": "agent"}


def _workload(kind: str, name: str, place: str = "default", **spec: Any) -> objects.Obj:
    made = objects.workload(kind, name, "200m", template=_GRACE, **spec)
    made["metadata"]["namespace"] = place
    return made


def _quota(name: str, place: str) -> objects.Obj:
    metadata = {"name": name, "namespace": place}
    head = {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": metadata}
    return {**head, "spec": {"hard": {"pods": "1"}}}


def _service(name: str, place: str = "default") -> objects.Obj:
    head = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": name, "namespace": place}}
    return {**head, "spec": {"selector": {"app": name}, "ports": [{"port": 80}]}}


def _budget(name: str, place: str, least: int) -> objects.Obj:
    made = objects.budget(name, minAvailable=least)
    made["metadata"]["namespace"] = place
    return made


STANDING = (
    objects.priority_class("urgent", 1000),
    objects.storage_class("fast", provisioner="example.com/p", waits=True),
    objects.namespace("full"),
    _quota("none", "full"),
    _workload("Deployment", "web", replicas=6),
    _workload("StatefulSet", "db", replicas=3, serviceName="db"),
    _workload("DaemonSet", "agent"),
    _budget("web", "default", 3),
    _service("web"),
)
REFUSED = _workload("Deployment", "refused", "full", replicas=2)


class BusyCluster:
    """Plays rounds, in each of which something of everything happens.

    Args:
        round_s: how long a round lasts, in seconds.
        fails: whether something is refused and tried again all the time.
    """

    def __init__(self, seed: int, round_s: float = 300.0, *, fails: bool = True) -> None:
        self._round_s = round_s
        self._rng = Random(seed)
        self._round = 0
        self._nodes = [f"n{number}" for number in range(NODES)]
        self.cluster = Cluster(store=Store(history_max=HISTORY_MAX))
        self._server = VirtualServer(self.cluster)
        self.cluster.load([*map(_node, self._nodes), *STANDING, *([REFUSED] if fails else [])])
        self.cluster.start()
        self.cluster.driver.add(EventExpiry())

    def play(self, rounds: int) -> None:
        """Let so much happen."""
        for _ in range(rounds):
            self._round += 1
            for obj in self._new(self._round):
                self._create(obj)
            marks = {"metadata": {"annotations": {"round": str(self._round)}}}
            for kind, name in _ROLLED_OUT.items():
                self._patch(kind, name, {"spec": {"template": marks}})
            self._trouble()
            self.cluster.driver.advance(self._round_s / 2)
            for name in ("big", "huge", "user", "gated", "crash"):
                self._delete("Pod", f"{name}{self._round}")
            self._delete("PersistentVolumeClaim", f"data{self._round}")
            self._delete("Namespace", f"team{self._round}", "")
            self.cluster.driver.advance(self._round_s / 2)

    def _new(self, number: int) -> list[Object]:
        team, shop, data = f"team{number}", f"shop{number}", f"data{number}"
        job = objects.workload("Job", f"job{number}", "200m", completions=2, template=_GRACE)
        job["spec"] |= {"backoffLimit": 2, "ttlSecondsAfterFinished": 60}
        script = {"podium.dev/run-duration": "20s", "podium.dev/exit-code": str(number % 2)}
        job["spec"]["template"]["metadata"]["annotations"] = script
        volume = {"name": "v", "persistentVolumeClaim": {"claimName": data}}
        crashing = {"podium.dev/run-duration": "10s", "podium.dev/exit-code": "1"}
        return [
            objects.namespace(team),
            _workload("Deployment", shop, team, replicas=2),
            _service(shop, team),
            _budget(shop, team, 9),
            _quota("some", team),
            objects.claim(data, "fast"),
            job,
            objects.pod(f"big{number}", "3", priorityClassName="urgent", **_GRACE),
            objects.pod(f"huge{number}", "9", **_GRACE),
            objects.pod(f"user{number}", "200m", volumes=[volume], **_GRACE),
            objects.pod(f"gated{number}", "200m", schedulingGates=[{"name": "wait"}], **_GRACE),
            objects.pod(f"crash{number}", "200m", annotations=crashing, **_GRACE),
        ]

    def _trouble(self) -> None:
        """A node falls silent, another one goes for good and a new one comes, a pod is evicted."""
        silent, gone = self._rng.sample(self._nodes, 2)
        for name in self._nodes:
            down = "true" if name == silent else None
            self._patch("Node", name, {"metadata": {"annotations": {"podium.dev/down": down}}}, "")
        self._delete("Node", gone, "")
        self._nodes.remove(gone)
        self._nodes.append(f"n{NODES + self._round}")
        self._create(_node(self._nodes[-1]))
        evicted = self._rng.choice(self.cluster.store.list("Pod").items)["metadata"]
        named = {field: evicted[field] for field in ("name", "namespace")}
        body = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": named}
        self._try("POST", "Pod", named["name"], named["namespace"], body, sub="/eviction")

    def _create(self, obj: Object) -> None:
        place = obj["metadata"].get("namespace", "")
        self._server.ask("POST", collection_path(KINDS[obj["kind"]], place), {**obj})

    def _patch(self, kind: str, name: str, body: objects.Obj, place: str = "default") -> None:
        self._try("PATCH", kind, name, place, body, **{"Content-Type": _MERGE})

    def _delete(self, kind: str, name: str, place: str = "default") -> None:
        self._try("DELETE", kind, name, place)

    def _try(
        self,
        method: str,
        kind: str,
        name: str,
        place: str,
        body: Any = None,
        sub: str = "",
        **headers: str,
    ) -> None:
        """Ask for what may be refused: it may be gone or about to go, or have a budget."""
        path = f"{collection_path(KINDS[kind], place)}/{name}{sub}"
        response = self._server.request(method, path, body, **headers)
        assert response.is_success or response.status_code in (403, 404, 429), response.text


def _node(name: str) -> objects.Obj:
    return objects.node(name, zone=f"z{name[-1]}")
