"""Drawn scenes of workloads: played on a cluster, with kubelets of their own, and recorded.

A scene is `{"name", "nodes", "steps": [[seconds, operation, argument, ...]], "until"}`. Its name is
its namespace; its nodes are called `<name>-<node>` and labelled `pool=<name>`, and pod templates
get a nodeSelector for that, so that many scenes share a cluster. Annotations of a pod say how its
kubelet behaves, in seconds:

- `t/start`: until it runs (0.3).
- `t/ready`: from then until it is ready (0.5), or `never`.
- `t/unready`: from then until it isn't ready any more.
- `t/run`: from its start until it ends, with the exit code `t/exit` (0).
- `t/stop`: how long it takes to stop (0.5), at most its grace period.

What is played are scripts: generators that yield how many seconds to wait, or a request, of which
they get the answer. A `Plane` carries them out.
"""

import copy
import json
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from podium.api.kinds.builtin_kinds import KINDS
from podium.api.values.times import MICROSECOND_DIGITS, NANOS_PER_SECOND, format_time
from podium.apiserver.store.watch import Watch
from podium.cluster.drivers.faults import INSTANT, Latency
from podium.cluster.virtual import Cluster, ClusterOptions
from tests.cluster.virtual.virtual_server import VirtualServer

Json = dict[str, Any]

JSON_TYPE = "application/json"
MERGE_PATCH = "application/merge-patch+json"
STRATEGIC_PATCH = "application/strategic-merge-patch+json"
AT_ONCE = {"gracePeriodSeconds": 0}
IN_BACKGROUND = {"propagationPolicy": "Background"}

NODE_CAPACITY = {"cpu": "4", "memory": "8Gi", "pods": "30"}
LEASE_PERIOD_S = 10.0
SETTLING_S = 1.5
"""From the creation of a scene's nodes until its first step."""
STAGGER_S = 0.25
"""From the start of one scene to that of the next, so that they begin at all parts of a second."""
RECORDED_KINDS = (
    "Deployment", "ReplicaSet", "StatefulSet", "DaemonSet", "Job", "PodDisruptionBudget",
    "ResourceQuota", "ReplicationController",
)  # fmt: skip
"""The kinds, besides pods, of which it is recorded what becomes of them."""
_DELETED_KINDS = (
    "Deployment", "StatefulSet", "DaemonSet", "Job", "CronJob", "ReplicaSet",
    "ReplicationController", "PodDisruptionBudget",
)  # fmt: skip
PRIORITY_CLASSES = (
    {"metadata": {"name": "low"}, "value": 10},
    {"metadata": {"name": "high"}, "value": 1000},
    {"metadata": {"name": "never"}, "value": 1000, "preemptionPolicy": "Never"},
)
EXIT_CODE_TERMINATED = 143


@dataclass(frozen=True)
class Ask:
    """A request of the API."""

    method: str
    path: str
    body: Json | None = None
    content_type: str = JSON_TYPE


Answer = tuple[int, Json]
Script = Generator[float | Ask, Any, None]


class Plane:
    """The control plane of a cluster in virtual time, on which scripts are carried out.

    Args:
        latency: how long calls of the cluster's machines and news to them take.
    """

    def __init__(self, latency: Latency = INSTANT) -> None:
        self._cluster = Cluster(ClusterOptions(nodes=None, latency=latency))
        self._server = VirtualServer(self._cluster)
        self._driver = self._cluster.driver
        self._cluster.start()

    @property
    def now_s(self) -> float:
        return self._driver.now_s

    def spawn(self, script: Script) -> None:
        self._driver.at(self.now_s, partial(self._go_on, script, None))

    def follow(self, kind: str, take: Callable[[str, Json], None]) -> None:
        store = self._cluster.store
        watch: Watch

        def hand_on() -> None:
            for event in watch.take():
                take(event.type, event.obj)  # type: ignore[arg-type]

        def wake() -> None:
            self._driver.at(self.now_s, hand_on)

        watch = store.watch(kind, from_revision=store.revision, wake=wake)

    def advance(self) -> None:
        """Let a second pass."""
        self._driver.advance(1.0)

    def _go_on(self, script: Script, answer: Answer | None) -> None:
        while True:
            try:
                wanted = script.send(answer)
            except StopIteration:
                return
            if not isinstance(wanted, Ask):
                self._driver.at(self.now_s + wanted, partial(self._go_on, script, None))
                return
            answer = self._ask(wanted)

    def _ask(self, asked: Ask) -> Answer:
        kind = {"Content-Type": asked.content_type}
        response = self._server.request(asked.method, asked.path, asked.body, **kind)
        return response.status_code, response.json()


def path(kind: str, namespace: str = "", name: str = "", subresource: str = "") -> str:
    """The path of objects of a kind, of one object, or of a part of it."""
    found = KINDS[kind]
    root = f"/apis/{found.api_version}" if found.group else f"/api/{found.version}"
    place = f"/namespaces/{namespace}" if found.namespaced and namespace else ""
    return "/".join(filter(None, (root + place, found.plural, name, subresource)))


class Kubelets:
    """The kubelets of all scenes' nodes, which run pods as their annotations say.

    Args:
        plane: where the pods are.
        dead: names of nodes whose kubelet doesn't do anything; may change at any time.
    """

    def __init__(self, plane: Plane, dead: set[str]) -> None:
        self._plane = plane
        self._dead = dead
        self._known: dict[str, Json] = {}
        self._started: set[str] = set()
        self._stopping: set[str] = set()

    def take(self, event_type: str, pod: Json) -> None:
        """Start or stop a pod when its turn has come."""
        uid = pod["metadata"]["uid"]
        if event_type == "DELETED":
            self._known.pop(uid, None)
            return
        self._known[uid] = pod
        node = pod["spec"].get("nodeName")
        if not node or node in self._dead:
            return
        if uid not in self._started:
            self._started.add(uid)
            self._plane.spawn(self._run(pod))
        if pod["metadata"].get("deletionTimestamp") and uid not in self._stopping:
            self._stopping.add(uid)
            self._plane.spawn(self._stop(pod))

    def resume(self, node: str) -> None:
        """Take up all pods of a node whose kubelet is back."""
        for pod in [*self._known.values()]:
            if pod["spec"].get("nodeName") == node:
                self.take("MODIFIED", pod)

    def _now(self) -> str:
        return timestamp(self._plane.now_s)

    def _is_alive(self, pod: Json) -> bool:
        uid = pod["metadata"]["uid"]
        is_going = uid not in self._known or uid in self._stopping
        return not is_going and pod["spec"]["nodeName"] not in self._dead

    def _status(self, pod: Json, status: Json) -> Ask:
        metadata = pod["metadata"]
        where = path("Pod", metadata["namespace"], metadata["name"], "status")
        body = {"metadata": {"uid": metadata["uid"]}, "status": status}
        return Ask("PATCH", where, body, STRATEGIC_PATCH)

    def _run(self, pod: Json) -> Script:
        script = pod["metadata"].get("annotations", {})
        yield float(script.get("t/start", 0.3))
        if not self._is_alive(pod):
            return
        began, began_s = self._now(), self._plane.now_s
        state = {"running": {"startedAt": began}}
        started = self._conditions("True", "Initialized", "PodReadyToStartContainers")
        yield self._status(
            pod,
            {
                "phase": "Running",
                "startTime": began,
                "hostIP": "10.0.0.1",
                "podIP": "10.1.0.1",
                "podIPs": [{"ip": "10.1.0.1"}],
                "conditions": started + self._readiness("False", reason="ContainersNotReady"),
                "containerStatuses": _containers(pod, state, is_ready=False),
            },
        )
        if (yield from self._turns_ready(pod, script, state)) and "t/run" in script:
            yield max(0.0, float(script["t/run"]) - (self._plane.now_s - began_s))
            if self._is_alive(pod):
                yield self._end(pod, began, int(script.get("t/exit", 0)))

    def _turns_ready(
        self, pod: Json, script: Mapping[str, str], state: Json
    ) -> Generator[float | Ask, Any, bool]:
        """Have a pod become ready, and unready later; whether it is still alive then."""
        ready_after = script.get("t/ready", "0.5")
        if ready_after == "never":
            return True
        yield float(ready_after)
        if not self._is_alive(pod):
            return False
        if float(script.get("t/run", "inf")) > float(ready_after):
            ready = self._readiness("True", reason="", message="")
            containers = _containers(pod, state, is_ready=True)
            yield self._status(pod, {"conditions": ready, "containerStatuses": containers})
        if "t/unready" in script:
            yield float(script["t/unready"])
            if not self._is_alive(pod):
                return False
            unready = self._readiness("False", reason="ContainersNotReady")
            containers = _containers(pod, state, is_ready=False)
            yield self._status(pod, {"conditions": unready, "containerStatuses": containers})
        return True

    def _stop(self, pod: Json) -> Script:
        metadata = pod["metadata"]
        uid = metadata["uid"]
        if not _has_ended(self._known.get(uid, pod)):
            grace_period_s = float(metadata.get("deletionGracePeriodSeconds") or 0)
            takes_s = float(metadata.get("annotations", {}).get("t/stop", 0.5))
            yield min(grace_period_s, takes_s)
            if pod["spec"]["nodeName"] in self._dead:
                self._stopping.discard(uid)
                return
            known = self._known.get(uid)
            if known is None:
                return
            began = known.get("status", {}).get("startTime") or self._now()
            yield self._end(known, began, EXIT_CODE_TERMINATED)
        body = {**AT_ONCE, "preconditions": {"uid": uid}}
        yield Ask("DELETE", path("Pod", metadata["namespace"], metadata["name"]), body)

    def _end(self, pod: Json, began: str, exit_code: int) -> Ask:
        ended = {
            "exitCode": exit_code,
            "reason": "Error" if exit_code else "Completed",
            "startedAt": began,
            "finishedAt": self._now(),
        }
        return self._status(
            pod,
            {
                "phase": "Failed" if exit_code else "Succeeded",
                "conditions": self._readiness(
                    "False", reason="PodFailed" if exit_code else "PodCompleted"
                ),
                "containerStatuses": _containers(pod, {"terminated": ended}, is_ready=False),
            },
        )

    def _readiness(self, status: str, **words: str) -> list[Json]:
        return self._conditions(status, "Ready", "ContainersReady", **words)

    def _conditions(self, status: str, *types: str, **words: str) -> list[Json]:
        common = {"status": status, "lastTransitionTime": self._now(), **words}
        return [{"type": one, **common} for one in types]


@dataclass
class SceneRecord:
    """The record of a scene: what became of its pods and other objects, and when.

    Attributes:
        start_s: when the scene began, in seconds since the epoch; times count from then.
        pods: by uid.
        things: other objects, by plural and name.
        answers: of refused requests, and of all evictions.
        drained: node, and when it was empty; None if it never was.
    """

    start_s: float
    pods: dict[str, Json] = field(default_factory=dict)
    things: dict[str, Json] = field(default_factory=dict)
    answers: list[list[Any]] = field(default_factory=list)
    drained: list[list[Any]] = field(default_factory=list)

    def to_json(self) -> Json:
        """A copy, as recordings hold it."""
        told: Json = {"pods": self.pods, "things": self.things, "answers": self.answers}
        if self.drained:
            told["drained"] = self.drained
        copied: Json = json.loads(json.dumps(told))
        return copied

    def take_pod(self, event_type: str, pod: Json, now_s: float) -> None:
        """Note what a watch tells of a pod."""
        metadata, spec, status = pod["metadata"], pod["spec"], pod.get("status", {})
        at_s = round(now_s - self.start_s, 2)
        record = self.pods.setdefault(metadata["uid"], _new_pod(pod, at_s))
        conditions = {one["type"]: one for one in status.get("conditions", ())}
        is_ready = conditions.get("Ready", {}).get("status") == "True"
        if node := spec.get("nodeName"):
            record.setdefault("bound", at_s)
            record["node"] = node.removeprefix(metadata["namespace"] + "-")
        if "deletionTimestamp" in metadata:
            record.setdefault("deleting", at_s)
            record["grace"] = metadata.get("deletionGracePeriodSeconds")
        elif "ready" in record and not is_ready:
            record.setdefault("unready", at_s)
        if is_ready:
            record.setdefault("ready", at_s)
        record["phase"] = status.get("phase")
        disruption = conditions.get("DisruptionTarget")
        if disruption is not None and disruption["status"] == "True":
            record["disrupted"] = disruption.get("reason")
            record["disruption"] = disruption.get("message")
        if _has_ended(pod):
            record.setdefault("ended", at_s)
            record["reason"] = status.get("reason")
        record["finalizers"] = metadata.get("finalizers") or []
        if event_type == "DELETED":
            record["gone"] = at_s

    def take_thing(self, kind: str, event_type: str, obj: Json, now_s: float) -> None:
        """Note what a watch tells of another object."""
        metadata, status = obj["metadata"], obj.get("status") or {}
        at_s = round(now_s - self.start_s, 2)
        key = f"{KINDS[kind].plural}/{metadata['name']}"
        if event_type == "DELETED":
            self.things.setdefault(key, {})["gone"] = at_s
            return
        record = self.things.setdefault(key, {"created": at_s, "series": []})
        record.pop("gone", None)
        labels, annotations = metadata.get("labels", {}), metadata.get("annotations", {})
        owners = metadata.get("ownerReferences", ())
        record |= {
            "spec_replicas": obj.get("spec", {}).get("replicas"),
            "owner": next((one["name"] for one in owners), None),
            "hash": labels.get("pod-template-hash") or labels.get("controller.kubernetes.io/hash"),
            "revision": annotations.get("deployment.kubernetes.io/revision"),
            "status": status,
            "finalizers": metadata.get("finalizers") or [],
        }
        if "deletionTimestamp" in metadata:
            record.setdefault("deleting", at_s)
        for one in status.get("conditions") or ():
            seen = [one["type"], one["status"], one.get("reason")]
            if seen not in [known[1:] for known in record["series"]]:
                record["series"].append([at_s, *seen])

    def name_of(self, owner: str, number: int) -> str | None:
        """The name of one of the living pods of a workload, which is given as `Kind/name`."""
        kind, _, name = owner.partition("/")
        owners = {owner}
        if kind == "Deployment":
            owners |= {
                f"ReplicaSet/{key.partition('/')[2]}"
                for key, one in self.things.items()
                if key.startswith("replicasets/") and one.get("owner") == name
            }
        alive = [
            one
            for one in self.pods.values()
            if "gone" not in one and "deleting" not in one and one["owner"] in owners
        ]
        by_node = kind == "DaemonSet"
        # Of those that were created at one moment, the first to be told of comes first.
        alive.sort(
            key=lambda one: (one["index"], one.get("node", "") if by_node else "", one["created"])
        )
        return alive[number]["name"] if -len(alive) <= number < len(alive) else None


class SceneWorld:
    """A control plane with the kubelets and records of all scenes that are played on it.

    Attributes:
        plane: the control plane.
        dead: names of nodes whose kubelet doesn't do anything.
        records: of the scenes that are being played, by name.
    """

    def __init__(self, plane: Plane) -> None:
        self.plane = plane
        self.dead: set[str] = set()
        self.records: dict[str, SceneRecord] = {}
        self.kubelets = Kubelets(plane, self.dead)
        plane.follow("Pod", self._take_pod)
        for kind in RECORDED_KINDS:
            plane.follow(kind, partial(self._take_thing, kind))

    def _take_pod(self, event_type: str, pod: Json) -> None:
        record = self.records.get(pod["metadata"]["namespace"])
        if record is not None:
            record.take_pod(event_type, pod, self.plane.now_s)
            self.kubelets.take(event_type, pod)

    def _take_thing(self, kind: str, event_type: str, obj: Json) -> None:
        record = self.records.get(obj["metadata"]["namespace"])
        if record is not None:
            record.take_thing(kind, event_type, obj, self.plane.now_s)


def preparation() -> Script:
    """Create what all scenes need."""
    yield Ask("POST", path("Namespace"), {"metadata": {"name": "kube-node-lease"}})
    for one in PRIORITY_CLASSES:
        yield Ask("POST", path("PriorityClass"), copy.deepcopy(one))


class ScenePlayer:
    """Plays one scene.

    Args:
        world: where it is played.
        scene: what is played.
        finish: called with the record at its end.
    """

    def __init__(self, world: SceneWorld, scene: Json, finish: Callable[[str, Json], None]) -> None:
        self._world = world
        self._plane = world.plane
        self._scene = scene
        self._finish = finish
        self._namespace: str = scene["name"]
        self._record = SceneRecord(self._plane.now_s)
        self._nodes: list[str] = []
        self._is_over = False
        self._step: tuple[float, str] = (0.0, "")
        self._operations: Mapping[str, Callable[..., Script]] = {
            "create": self._create, "patch": self._patch, "scale": self._scale,
            "delete": self._delete, "evict": self._evict, "kill": self._kill, "drain": self._drain,
            "podstatus": self._patch_pod_status, "podpatch": self._patch_pod,
            "taint": self._taint, "notready": self._fall_silent, "ready": self._come_back,
            "node": self._add_node,
        }  # fmt: skip

    def play(self) -> Script:
        """Set the scene, play its steps, and clear it away."""
        self._world.records[self._namespace] = self._record
        yield Ask("POST", path("Namespace"), {"metadata": {"name": self._namespace}})
        for node in self._scene["nodes"]:
            yield from self._add_node(0.0, node if isinstance(node, dict) else {"name": node})
        yield SETTLING_S
        self._record.start_s = start_s = self._plane.now_s
        for at_s, operation, *arguments in sorted(self._scene["steps"], key=lambda step: step[0]):
            yield max(0.0, start_s + at_s - self._plane.now_s)
            self._step = (at_s, operation)
            yield from self._operations[operation](at_s, *arguments)
        yield max(0.0, start_s + self._scene["until"] - self._plane.now_s)
        self._finish(self._namespace, self._record.to_json())
        yield from self._clear()

    def _clear(self) -> Script:
        self._is_over = True
        del self._world.records[self._namespace]
        self._world.dead.update(self._nodes)
        for kind in _DELETED_KINDS:
            yield Ask("DELETE", path(kind, self._namespace), dict(IN_BACKGROUND))
        for _ in range(3):
            _, pods = yield Ask("GET", path("Pod", self._namespace))
            for pod in pods["items"]:
                where = path("Pod", self._namespace, pod["metadata"]["name"])
                if pod["metadata"].get("finalizers"):
                    yield Ask("PATCH", where, {"metadata": {"finalizers": None}}, MERGE_PATCH)
                yield Ask("DELETE", where, dict(AT_ONCE))
            yield 0.3
        for node in self._nodes:
            yield Ask("DELETE", path("Node", name=node))
        yield Ask("DELETE", path("Namespace", name=self._namespace))

    def _note(self, at_s: float, operation: str, answer: Answer, *, quiet: bool = False) -> None:
        code, body = answer
        if code >= 300 and not quiet:
            self._record.answers.append([at_s, operation, code, body.get("message")])

    def _node(self, name: str) -> str:
        return f"{self._namespace}-{name}"

    def _where(self, kind: str, name: str) -> str:
        named = self._node(name) if kind == "Node" else name
        return path(kind, self._namespace, named)

    def _pod(self, name: str, subresource: str = "") -> str:
        return path("Pod", self._namespace, name, subresource)

    def _create(self, at_s: float, obj: Json) -> Script:
        created = localised(obj, self._namespace)
        answer = yield Ask("POST", path(created["kind"], self._namespace), created)
        self._note(at_s, "create", answer)

    def _patch(
        self, at_s: float, kind: str, name: str, body: Json, content_type: str = MERGE_PATCH
    ) -> Script:
        answer = yield Ask("PATCH", self._where(kind, name), body, content_type)
        self._note(at_s, "patch", answer)

    def _scale(self, at_s: float, kind: str, name: str, replicas: int) -> Script:
        where = path(kind, self._namespace, name, "scale")
        answer = yield Ask("PATCH", where, {"spec": {"replicas": replicas}}, MERGE_PATCH)
        self._note(at_s, "scale", answer)

    def _delete(self, at_s: float, kind: str, name: str, options: Json | None = None) -> Script:
        answer = yield Ask("DELETE", self._where(kind, name), options or dict(IN_BACKGROUND))
        self._note(at_s, "delete", answer)

    def _evict(self, at_s: float, owner: str, number: int, more: Json | None = None) -> Script:
        name = self._record.name_of(owner, number)
        if name is None:
            self._record.answers.append([at_s, "evict", 0, None, "", []])
            return
        code, body = yield self._eviction(name, more or {})
        message = (body.get("message") or "").replace(name, "POD")
        causes = (body.get("details") or {}).get("causes", ())
        told = [one.get("message") for one in causes]
        self._record.answers.append([at_s, "evict", code, body.get("reason"), message, told])

    def _eviction(self, pod: str, more: Json) -> Ask:
        metadata = {"name": pod, "namespace": self._namespace}
        body = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": metadata, **more}
        return Ask("POST", self._pod(pod, "eviction"), body)

    def _kill(self, at_s: float, owner: str, number: int, options: Json | None = None) -> Script:
        name = self._record.name_of(owner, number)
        if name is None:
            self._record.answers.append([at_s, "kill", "nobody"])
            return
        yield Ask("DELETE", self._pod(name), options or {})

    def _drain(self, _at_s: float, node: str, patience_s: float) -> Script:
        self._plane.spawn(self._drained(node, patience_s))
        yield from ()

    def _drained(self, node: str, patience_s: float) -> Script:
        record = self._record
        started_s = self._plane.now_s
        cordon = {"spec": {"unschedulable": True}}
        yield Ask("PATCH", self._where("Node", node), cordon, MERGE_PATCH)
        while self._plane.now_s < started_s + patience_s and not self._is_over:
            pods = [*_to_drain(record.pods.values(), node)]
            if not pods:
                at = round(self._plane.now_s - record.start_s, 1)
                record.drained.append([node, at])
                return
            for pod in pods:
                if "deleting" in pod:
                    continue
                code, body = yield self._eviction(pod["name"], {})
                if code not in (200, 201, 404, 429):
                    message = (body.get("message") or "").replace(pod["name"], "POD")
                    # By the step that has begun last, as the recordings have it.
                    record.answers.append([*self._step, code, body.get("reason"), message])
            yield 1.0
        record.drained.append([node, None])

    def _patch_pod_status(self, _at_s: float, owner: str, number: int, status: Json) -> Script:
        name = self._record.name_of(owner, number)
        if name is not None:
            where = self._pod(name, "status")
            yield Ask("PATCH", where, {"status": status}, STRATEGIC_PATCH)

    def _patch_pod(self, _at_s: float, owner: str, number: int, body: Json) -> Script:
        name = self._record.name_of(owner, number)
        if name is not None:
            yield Ask("PATCH", self._pod(name), body, MERGE_PATCH)

    def _taint(self, _at_s: float, node: str, taints: Sequence[Json]) -> Script:
        body = {"spec": {"taints": [*taints] or None}}
        yield Ask("PATCH", self._where("Node", node), body, MERGE_PATCH)

    def _fall_silent(self, _at_s: float, node: str, status: str) -> Script:
        """Stop a node's kubelet, and say so in its condition Ready; its Lease is still renewed."""
        self._world.dead.add(self._node(node))
        yield self._readiness(node, status, "KubeletStopped")

    def _come_back(self, _at_s: float, node: str) -> Script:
        self._world.dead.discard(self._node(node))
        yield self._readiness(node, "True", "KubeletReady")
        self._world.kubelets.resume(self._node(node))

    def _readiness(self, node: str, status: str, reason: str) -> Ask:
        condition = _node_condition("Ready", status, reason, timestamp(self._plane.now_s))
        where = path("Node", name=self._node(node), subresource="status")
        return Ask("PATCH", where, {"status": {"conditions": [condition]}}, STRATEGIC_PATCH)

    def _add_node(self, _at_s: float, node: Json) -> Script:
        name = self._node(node["name"])
        capacity = {**NODE_CAPACITY, **node.get("capacity", {})}
        now = timestamp(self._plane.now_s)
        pressures = ("MemoryPressure", "DiskPressure", "PIDPressure")
        status = {
            "capacity": capacity,
            "allocatable": capacity,
            "conditions": [
                _node_condition("Ready", "True", "KubeletReady", now),
                *(_node_condition(one, "False", "ok", now) for one in pressures),
            ],
        }
        labels = {
            "pool": self._namespace,
            "kubernetes.io/hostname": name,
            "n": node["name"],
            **node.get("labels", {}),
        }
        taints = node.get("taints") or []
        metadata = {"name": name, "labels": labels}
        body = {"metadata": metadata, "spec": {"taints": taints}, "status": status}
        yield Ask("POST", path("Node"), body)
        where = path("Node", name=name)
        yield Ask("PATCH", f"{where}/status", {"status": status}, STRATEGIC_PATCH)
        # Without this it keeps the taint that all nodes get when they come.
        yield Ask("PATCH", where, {"spec": {"taints": taints or None}}, MERGE_PATCH)
        self._nodes.append(name)
        self._plane.spawn(self._renew_lease(name))

    def _renew_lease(self, node: str) -> Script:
        namespace = "kube-node-lease"
        spec = {
            "holderIdentity": node,
            "leaseDurationSeconds": 40,
            "renewTime": timestamp(self._plane.now_s, MICROSECOND_DIGITS),
        }
        yield Ask("POST", path("Lease", namespace), {"metadata": {"name": node}, "spec": spec})
        where = path("Lease", namespace, node)
        while True:
            yield LEASE_PERIOD_S
            if self._is_over:
                return
            renewal = {"spec": {"renewTime": timestamp(self._plane.now_s, MICROSECOND_DIGITS)}}
            yield Ask("PATCH", where, renewal, MERGE_PATCH)


def timestamp(time_s: float, digits: int = 0) -> str:
    """A time as objects hold it: in whole seconds unless some digits after that are asked for."""
    return format_time(round(time_s * NANOS_PER_SECOND), digits)


def _new_pod(pod: Json, at_s: float) -> Json:
    metadata = pod["metadata"]
    labels = metadata.get("labels", {})
    owners = (one for one in metadata.get("ownerReferences", ()) if one.get("controller"))
    owner = next(owners, {"kind": "Pod", "name": metadata["name"]})
    index = metadata.get("annotations", {}).get("batch.kubernetes.io/job-completion-index", "")
    if owner["kind"] == "StatefulSet":
        index = metadata["name"].rpartition("-")[2]
    return {
        "name": metadata["name"],
        "owner": f"{owner['kind']}/{owner['name']}",
        "hash": labels.get("pod-template-hash") or labels.get("controller-revision-hash") or "",
        "index": index,
        "created": at_s,
    }


def _to_drain(pods: Iterable[Json], node: str) -> Iterator[Json]:
    """The pods of a node that a drain concerns, in the order in which it evicts them."""
    there = [
        one
        for one in pods
        if one.get("node") == node
        and "gone" not in one
        and not one["owner"].startswith("DaemonSet/")
    ]
    yield from sorted(there, key=lambda one: (one["index"], one["created"], one["name"]))


def _has_ended(pod: Json) -> bool:
    return pod.get("status", {}).get("phase") in ("Failed", "Succeeded")


def _containers(pod: Json, state: Json, *, is_ready: bool) -> list[Json]:
    common = {"imageID": "", "ready": is_ready, "started": is_ready, "restartCount": 0}
    return [
        {"name": one["name"], "image": one["image"], "state": state, **common}
        for one in pod["spec"]["containers"]
    ]


def _node_condition(condition_type: str, status: str, reason: str, now: str) -> Json:
    times = {"lastHeartbeatTime": now, "lastTransitionTime": now}
    return {"type": condition_type, "status": status, "reason": reason, **times}


def localised(obj: Json, namespace: str) -> Json:
    """An object of a scene as it is created: in the scene's namespace, and for its nodes."""
    created = copy.deepcopy(obj)
    created["metadata"]["namespace"] = namespace
    spec = created.get("spec", {})
    template = spec.get("template") or spec.get("jobTemplate", {}).get("spec", {}).get("template")
    if created["kind"] == "Pod":
        template = created
    if template and "spec" in template:
        template["spec"].setdefault("nodeSelector", {})["pool"] = namespace
        for container in template["spec"]["containers"]:
            container.setdefault("image", "example.org/app:1")
    created.setdefault("apiVersion", KINDS[created["kind"]].api_version)
    return created


def play(scenes: list[Json], latency: Latency = INSTANT) -> dict[str, Json]:
    """The records of scenes that are played together on one cluster."""
    plane, played = Plane(latency), dict[str, Json]()
    world = SceneWorld(plane)

    def start() -> Script:
        yield from preparation()
        for scene in scenes:
            plane.spawn(ScenePlayer(world, scene, played.__setitem__).play())
            yield STAGGER_S

    plane.spawn(start())
    while len(played) < len(scenes):
        plane.advance()
    return played
