"""Scenes of a claim that waits for its volume while its pod is being bound.

The provisioner is played. What is asserted is what kube-scheduler v1.36.2 does and says.
"""

from collections.abc import Callable
from typing import Any

from podium.api.kinds.builtin_kinds import KINDS
from podium.cluster.client.http_api import collection_path
from tests.cluster.real.server import PATIENCE_S, Asked
from tests.objects import Obj, claim, node, pod, priority_class, storage_class, volume

SELECTED = "volume.kubernetes.io/selected-node"
_PRE_BIND = 'running PreBind plugin "VolumeBinding": '
_BINDING = f"{_PRE_BIND}binding volumes: "
_BOUND = {"pv.kubernetes.io/bind-completed": "yes"}


class Stage:
    """A cluster with a scheduler and nothing else; the namespace is `default`.

    Args:
        server: of the cluster.
        wait: lets so many seconds pass.
        step_s: how long to wait between two looks.
    """

    def __init__(self, server: Asked, wait: Callable[[float], object], step_s: float) -> None:
        self._server = server
        self.wait = wait
        self._step_s = step_s

    def create(self, obj: Obj) -> Obj:
        return self._server.ask("POST", _path(obj["kind"]), obj)

    def merge(self, kind: str, name: str, body: Obj, subresource: str = "") -> None:
        self._server.merge(f"{_path(kind)}/{name}/{subresource}".rstrip("/"), body)

    def delete(self, kind: str, name: str) -> None:
        self._server.ask("DELETE", f"{_path(kind)}/{name}", {"gracePeriodSeconds": 0})

    def get(self, kind: str, name: str) -> Obj | None:
        response = self._server.request("GET", f"{_path(kind)}/{name}")
        return dict(response.json()) if response.is_success else None

    def events(self) -> list[tuple[str, str, str]]:
        """Reason, name of the object, and note of all events."""
        path = "/apis/events.k8s.io/v1/namespaces/default/events"
        listed = self._server.ask("GET", path)["items"]
        return [(one["reason"], one["regarding"]["name"], one["note"]) for one in listed]

    def until(self, look: Callable[[], Any]) -> Any:
        """Wait until there is something, and what."""
        for _ in range(int(PATIENCE_S / self._step_s)):
            if found := look():
                return found
            self.wait(self._step_s)
        raise AssertionError(f"it hasn't come about: {self.events()}")

    def notes(self, reason: str, pod: str) -> list[str]:
        """The notes of a pod's events."""
        return [note for of, name, note in self.events() if (of, name) == (reason, pod)]

    def expect(self, reason: str, pod: str, note: str) -> None:
        """Wait for an event."""
        assert self.until(lambda: note in self.notes(reason, pod)), note

    def expect_failure(self, note: str, pod: str = "a") -> None:
        """Wait until an attempt has failed."""
        self.expect("FailedScheduling", pod, note)

    def place_of(self, pod: str) -> str:
        """The node of a pod; empty if it is on none."""
        found = self.get("Pod", pod)
        return "" if found is None else str(found["spec"].get("nodeName") or "")

    def node(self, name: str, cpu: str = "4") -> None:
        self.create(node(name, cpu))
        self.merge("Node", name, {"spec": {"taints": None}})

    def pod(self, name: str, *claims: str, cpu: str = "1", priority_class: str = "") -> Obj:
        spec: Obj = {"priorityClassName": priority_class} if priority_class else {}
        uses = ({"persistentVolumeClaim": {"claimName": claim}} for claim in claims)
        spec["volumes"] = [{"name": f"v{n}", **use} for n, use in enumerate(uses)]
        return self.create(pod(name, cpu, terminationGracePeriodSeconds=0, **spec))

    def claim(self, name: str = "c1") -> Obj:
        """A claim of a class that waits for the first consumer, and for a provisioner."""
        self.create(storage_class("wait", provisioner="disks.example.com", waits=True))
        return self.create(claim(name, "wait"))

    def volume(self, name: str, host: str = "", claim: Obj | None = None) -> None:
        """A volume that only one node reaches, or all; free unless it is of a claim."""
        spec: Obj = {"hostPath": {"path": "/data"}}
        if claim is not None:
            fields = ("name", "namespace", "uid")
            reference = {field: claim["metadata"][field] for field in fields}
            spec["claimRef"] = {"apiVersion": "v1", "kind": "PersistentVolumeClaim", **reference}
        self.create(volume(name, "wait", host, **spec))
        phase = "Available" if claim is None else "Bound"
        self.merge("PersistentVolume", name, {"status": {"phase": phase}}, "status")

    def bind_claim(self, volume: str, name: str = "c1") -> None:
        """Bind a claim to a volume, as the volume controller does."""
        body = {"metadata": {"annotations": _BOUND}, "spec": {"volumeName": volume}}
        self.merge("PersistentVolumeClaim", name, body)

    def select(self, node_name: str | None) -> None:
        """Exchange the node that the claim is to be provisioned for, or take it away."""
        body = {"metadata": {"annotations": {SELECTED: node_name}}}
        self.merge("PersistentVolumeClaim", "c1", body)

    def waiting(self, **fields: Any) -> Obj:
        """Have pod `a` wait on n1 for its claim `c1`; the claim."""
        claim = self.claim()
        self.pod("a", "c1", **fields)
        self.until_selected("n1")
        return claim

    def until_selected(self, node_name: str) -> None:
        def is_selected() -> bool:
            claim = self.get("PersistentVolumeClaim", "c1") or {"metadata": {}}
            marks = claim["metadata"].get("annotations") or {}
            return bool(marks.get(SELECTED) == node_name)

        self.until(is_selected)


def _path(kind: str) -> str:
    return collection_path(KINDS[kind], "default")


def volume_elsewhere(stage: Stage) -> None:
    """The claim gets a volume that the node doesn't reach."""
    stage.node("n1")
    claim = stage.waiting()
    stage.volume("v1", "n9", claim)
    stage.bind_claim("v1")
    fault = "no matching NodeSelectorTerms"
    stage.expect_failure(f'{_BINDING}pv "v1" node affinity doesn\'t match node "n1": {fault}')
    assert stage.place_of("a") == ""


def volume_comes_later(stage: Stage) -> None:
    """The claim is bound to a volume that doesn't exist yet."""
    stage.node("n1")
    claim = stage.waiting()
    stage.bind_claim("v9")
    stage.wait(3)
    assert (stage.place_of("a"), stage.notes("FailedScheduling", "a")) == ("", [])
    stage.volume("v9", "n1", claim)
    assert stage.until(lambda: stage.place_of("a")) == "n1"


def another_node_is_selected(stage: Stage) -> None:
    stage.node("n1")
    stage.waiting()
    stage.select("n2")
    stage.expect_failure(f'{_BINDING}selectedNode annotation reset for PVC "c1"')


def selection_is_taken_away(stage: Stage) -> None:
    stage.node("n1")
    stage.waiting()
    stage.select(None)
    stage.expect_failure(f'{_BINDING}selectedNode annotation reset for PVC "c1"')
    stage.until_selected("n1")


def provisioning_fails(stage: Stage) -> None:
    """A provisioner that fails leaves the mark of the volume controller."""
    stage.node("n1")
    stage.waiting()
    marks = {"volume.kubernetes.io/storage-provisioner": "disks.example.com", SELECTED: None}
    stage.merge("PersistentVolumeClaim", "c1", {"metadata": {"annotations": marks}})
    stage.expect_failure(f'{_BINDING}provisioning failed for PVC "c1"')


def claim_of_volume_is_reset(stage: Stage) -> None:
    _meant_volume(stage)
    stage.merge("PersistentVolume", "v3", {"spec": {"claimRef": None}})
    stage.expect_failure(f'{_BINDING}ClaimRef got reset for pv "v3"')


def volume_is_lost(stage: Stage) -> None:
    _meant_volume(stage)
    stage.merge("PersistentVolume", "v3", {"metadata": {"finalizers": None}})
    stage.delete("PersistentVolume", "v3")
    stage.expect_failure(f'{_BINDING}failed to check binding: persistentvolumes "v3" not found')


def claim_is_lost(stage: Stage) -> None:
    stage.node("n1")
    stage.waiting()
    stage.merge("PersistentVolumeClaim", "c1", {"metadata": {"finalizers": None}})
    stage.delete("PersistentVolumeClaim", "c1")
    missing = 'persistentvolumeclaims "default/c1" not found'
    stage.expect_failure(f"{_BINDING}failed to check provisioning pvc: {missing}")


def victim_in_pre_bind(stage: Stage) -> None:
    """A victim that isn't bound yet isn't deleted: it goes back to the queue."""
    _priority_classes(stage)
    stage.node("n1", cpu="2")
    stage.waiting(cpu="2", priority_class="low")
    high = stage.pod("h", cpu="2", priority_class="high")
    how = "on node n1 (in kube-scheduler memory)."
    stage.expect("Preempted", "a", f"Preempted by pod {high['metadata']['uid']} {how}")
    stage.expect_failure(f"{_PRE_BIND}preempted by DefaultPreemption")
    assert stage.until(lambda: stage.place_of("h")) == "n1"
    victim = stage.get("Pod", "a")
    assert victim is not None
    assert "deletionTimestamp" not in victim["metadata"]
    conditions = {one["type"] for one in victim["status"]["conditions"]}
    assert conditions == {"PodScheduled"}
    stage.expect_failure(_NO_ROOM)


def victims_of_both_kinds(stage: Stage) -> None:
    """Of two victims one is bound, and is deleted; the other is in PreBind, and is not."""
    _priority_classes(stage)
    stage.node("n1", cpu="4")
    stage.pod("b", cpu="2", priority_class="low")
    stage.until(lambda: stage.place_of("b"))
    stage.waiting(cpu="2", priority_class="low")
    high = stage.pod("h", cpu="4", priority_class="high")
    note = f"Preempted by pod {high['metadata']['uid']} on node n1"
    stage.expect("Preempted", "a", f"{note} (in kube-scheduler memory).")
    stage.expect("Preempted", "b", note)
    assert stage.until(lambda: stage.place_of("h")) == "n1"
    assert (stage.get("Pod", "a") is None, stage.get("Pod", "b")) == (False, None)


def pod_is_deleted(stage: Stage) -> None:
    stage.node("n1", cpu="1")
    stage.waiting()
    stage.delete("Pod", "a")
    stage.expect_failure(f'{_BINDING}pod does not exist any more: pod "a" not found')
    stage.pod("next")
    assert stage.until(lambda: stage.place_of("next")) == "n1"


def _priority_classes(stage: Stage) -> None:
    stage.create(priority_class("low", 1))
    stage.create(priority_class("high", 1000))


def _meant_volume(stage: Stage) -> None:
    """Have pod `a` wait for its claim to be bound to v3, which the scheduler has chosen."""
    stage.node("n1")
    stage.claim()
    stage.volume("v3")
    stage.pod("a", "c1")
    stage.until(lambda: (stage.get("PersistentVolume", "v3") or {})["spec"].get("claimRef"))


_NO_ROOM = (
    "0/1 nodes are available: 1 Insufficient cpu. no new claims to deallocate, preemption: 0/1 "
    "nodes are available: 1 No preemption victims found for incoming pod."
)
SCENES = (
    volume_elsewhere,
    volume_comes_later,
    another_node_is_selected,
    selection_is_taken_away,
    provisioning_fails,
    claim_of_volume_is_reset,
    volume_is_lost,
    claim_is_lost,
    victim_in_pre_bind,
    victims_of_both_kinds,
    pod_is_deleted,
)
