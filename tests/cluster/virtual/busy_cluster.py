"""A cluster in which something of each kind comes and goes all the time, under ever new names."""

from collections.abc import Callable
from random import Random
from typing import Any

from podium.api.kinds.builtin_kinds import KINDS
from podium.api.objects import Object
from podium.api.refused import RefusedError
from podium.apiserver.attributes import Attributes
from podium.apiserver.server import PatchRequest
from podium.apiserver.store.store import Store
from podium.cluster.virtual import Cluster
from podium.controllers.event_expiry import EventExpiry

NODES = 6
HISTORY_MAX = 200
_MERGE = "application/merge-patch+json"


def _meta(name: str, namespace: str = "default", **fields: Any) -> dict[str, Any]:
    return {"name": name, **({"namespace": namespace} if namespace else {}), **fields}


def _template(label: str, cpu: str = "200m", **more: Any) -> dict[str, Any]:
    annotations = more.pop("annotations", {})
    container = {"name": "c", "image": "i", "resources": {"requests": {"cpu": cpu}}}
    spec = {"containers": [container], "terminationGracePeriodSeconds": 5, **more}
    return {"metadata": {"labels": {"app": label}, "annotations": annotations}, "spec": spec}


def _workload(kind: str, name: str, namespace: str = "default", **spec: Any) -> dict[str, Any]:
    selector = {"matchLabels": {"app": name}}
    version = "batch/v1" if kind == "Job" else "apps/v1"
    template = spec.pop("template", _template(name))
    fields = {} if kind == "Job" else {"selector": selector}
    return {
        "apiVersion": version,
        "kind": kind,
        "metadata": _meta(name, namespace),
        "spec": {**fields, "template": template, **spec},
    }


def _node(name: str) -> dict[str, Any]:
    labels = {"kubernetes.io/hostname": name, "topology.kubernetes.io/zone": f"z{name[-1]}"}
    status = {"allocatable": {"cpu": "4", "memory": "8Gi", "pods": "110"}}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": _meta(name, "", labels=labels),
        "status": status,
    }


def _standing() -> list[Object]:
    """What is there all the time."""
    return [
        {
            "apiVersion": "scheduling.k8s.io/v1",
            "kind": "PriorityClass",
            "metadata": _meta("urgent", ""),
            "value": 1000,
        },
        {
            "apiVersion": "storage.k8s.io/v1",
            "kind": "StorageClass",
            "metadata": _meta("fast", ""),
            "provisioner": "example.com/p",
            "volumeBindingMode": "WaitForFirstConsumer",
        },
        {"apiVersion": "v1", "kind": "Namespace", "metadata": _meta("full", "")},
        {
            "apiVersion": "v1",
            "kind": "ResourceQuota",
            "metadata": _meta("none", "full"),
            "spec": {"hard": {"pods": "1"}},
        },
        _workload("Deployment", "web", replicas=6),
        _workload("StatefulSet", "db", replicas=3, serviceName="db"),
        _workload("DaemonSet", "agent"),
        {
            "apiVersion": "policy/v1",
            "kind": "PodDisruptionBudget",
            "metadata": _meta("web"),
            "spec": {"minAvailable": 3, "selector": {"matchLabels": {"app": "web"}}},
        },
        {
            "apiVersion": "v1",
            "kind": "Service",
            "metadata": _meta("web"),
            "spec": {"selector": {"app": "web"}, "ports": [{"port": 80}]},
        },
    ]


REFUSED = _workload("Deployment", "refused", "full", replicas=2)


class BusyCluster:
    """Plays rounds, in each of which something of everything happens.

    Attributes:
        cluster: the cluster.

    Args:
        seed: of what is left to chance.
        round_s: how long a round lasts, in seconds.
        fails: whether something is refused and tried again all the time.
    """

    def __init__(self, seed: int, round_s: float = 300.0, *, fails: bool = True) -> None:
        self._round_s = round_s
        self._rng = Random(seed)
        self._round = 0
        self._nodes = [f"n{number}" for number in range(NODES)]
        self.cluster = Cluster(store=Store(history_max=HISTORY_MAX))
        self.cluster.load([*map(_node, self._nodes), *_standing(), *([REFUSED] if fails else [])])
        self.cluster.start()
        self.cluster.driver.add(EventExpiry())

    def play(self, rounds: int) -> None:
        """Let so much happen."""
        for _ in range(rounds):
            self._round += 1
            self._come(self._round)
            self._roll_out(self._round)
            self._trouble()
            self.cluster.driver.advance(self._round_s / 2)
            self._go(self._round)
            self.cluster.driver.advance(self._round_s / 2)

    def _come(self, number: int) -> None:
        for obj in (
            {"apiVersion": "v1", "kind": "Namespace", "metadata": _meta(f"team{number}", "")},
            _workload("Deployment", f"shop{number}", f"team{number}", replicas=2),
            {
                "apiVersion": "v1",
                "kind": "Service",
                "metadata": _meta(f"shop{number}", f"team{number}"),
                "spec": {"selector": {"app": f"shop{number}"}, "ports": [{"port": 80}]},
            },
            {
                "apiVersion": "policy/v1",
                "kind": "PodDisruptionBudget",
                "metadata": _meta(f"shop{number}", f"team{number}"),
                "spec": {"minAvailable": 9, "selector": {"matchLabels": {"app": f"shop{number}"}}},
            },
            {
                "apiVersion": "v1",
                "kind": "ResourceQuota",
                "metadata": _meta("some", f"team{number}"),
                "spec": {"hard": {"pods": "1"}},
            },
            {
                "apiVersion": "v1",
                "kind": "PersistentVolumeClaim",
                "metadata": _meta(f"data{number}"),
                "spec": {
                    "accessModes": ["ReadWriteOnce"],
                    "storageClassName": "fast",
                    "resources": {"requests": {"storage": "1Gi"}},
                },
            },
            self._job(number, exit_code=number % 2),
            *self._pods(number),
        ):
            self._create(obj)

    def _job(self, number: int, exit_code: int) -> Object:
        annotations = {
            "podium.dev/run-duration": "20s",
            "podium.dev/exit-code": str(exit_code),
        }
        template = _template("job", restartPolicy="Never", annotations=annotations)
        rest = {"backoffLimit": 2, "ttlSecondsAfterFinished": 60, "completions": 2}
        return _workload("Job", f"job{number}", template=template, **rest)

    def _pods(self, number: int) -> list[Object]:
        volume = {"name": "v", "persistentVolumeClaim": {"claimName": f"data{number}"}}
        crashing = {"podium.dev/run-duration": "10s", "podium.dev/exit-code": "1"}
        templates = {
            "big": _template(f"big{number}", "3", priorityClassName="urgent"),
            "huge": _template(f"huge{number}", "9"),
            "user": _template(f"user{number}", volumes=[volume]),
            "gated": _template("gated", schedulingGates=[{"name": "wait"}]),
            "crash": _template("crash", annotations=crashing),
        }
        return [
            {
                "apiVersion": "v1",
                "kind": "Pod",
                "metadata": {**_meta(f"{name}{number}"), **template["metadata"]},
                "spec": template["spec"],
            }
            for name, template in templates.items()
        ]

    def _roll_out(self, number: int) -> None:
        annotations = {"metadata": {"annotations": {"round": str(number)}}}
        for kind, name in (("Deployment", "web"), ("StatefulSet", "db"), ("DaemonSet", "agent")):
            self._patch(kind, name, {"spec": {"template": annotations}})

    def _trouble(self) -> None:
        """A node falls silent, another one goes for good and a new one comes, a pod is evicted."""
        silent, gone = self._rng.sample(self._nodes, 2)
        for name in self._nodes:
            down = "true" if name == silent else None
            self._patch("Node", name, {"metadata": {"annotations": {"podium.dev/down": down}}}, "")
        self._delete("Node", "", gone)
        self._nodes.remove(gone)
        self._nodes.append(f"n{NODES + self._round}")
        self._create(_node(self._nodes[-1]))
        pods = self.cluster.store.list("Pod").items
        evicted = self._rng.choice(pods)["metadata"]
        body = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {**evicted}}
        body["metadata"] = _meta(evicted["name"], evicted["namespace"])
        request = Attributes(KINDS["Pod"], evicted["namespace"], evicted["name"], self._now_s)
        self._try(lambda: self.cluster.server.evict(request, body))

    def _go(self, number: int) -> None:
        for name in ("big", "huge", "user", "gated", "crash"):
            self._delete("Pod", "default", f"{name}{number}")
        self._delete("PersistentVolumeClaim", "default", f"data{number}")
        self._delete("Namespace", "", f"team{number}")

    @property
    def _now_s(self) -> float:
        return self.cluster.driver.now_s

    def _create(self, obj: Object) -> None:
        kind, metadata = KINDS[obj["kind"]], obj["metadata"]
        self.cluster.server.create(
            Attributes(kind, metadata.get("namespace", ""), "", self._now_s), obj
        )

    def _patch(self, kind: str, name: str, body: Object, namespace: str = "default") -> None:
        request = Attributes(KINDS[kind], namespace, name, self._now_s)
        self._try(lambda: self.cluster.server.patch(request, PatchRequest(_MERGE, body)))

    def _delete(self, kind: str, namespace: str, name: str) -> None:
        request = Attributes(KINDS[kind], namespace, name, self._now_s)
        self._try(lambda: self.cluster.server.delete(request))

    def _try(self, ask: Callable[[], object]) -> None:
        """Ask for what may be refused: it may be gone or about to go, or have a budget."""
        try:
            ask()
        except RefusedError as refused:
            if refused.code not in (403, 404, 429):
                raise
