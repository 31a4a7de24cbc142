"""One pod after the other: what the real kube-scheduler does, and what Podium decides.

Both look at the same state, that of the real API server. Where kube-scheduler takes one of several
by chance, Podium names them all.
"""

import json
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import httpx

from podium.api.kinds.builtin_kinds import KINDS
from podium.api.policy.disruption_budgets import Budget
from podium.cluster.client.http_api import collection_path, object_path
from podium.scheduler.config.load import load_configuration
from podium.scheduler.explain.explanation import explain
from podium.scheduler.framework.cycle.diagnosis import failure_message
from podium.scheduler.plugin_registry import plugin_factories
from podium.scheduler.scheduler import Scheduler
from podium.simulation.decide.scenario import DECIDED, OTHERS
from tests.cluster.real.control_plane import ControlPlane
from tests.cluster.real.drawn_clusters import POLICIES, PRIORITIES, Drawn, class_name
from tests.cluster.real.server import Json
from tests.cluster.real.world import until
from tests.properties.clusters import NAMESPACES

PATIENCE_S = 4.0
"""So long two that differ may still come to agree."""

_EVERY_NODE = {"minCandidateNodesPercentage": 100, "minCandidateNodesAbsolute": 1000}
CONFIGURATION: Json = {
    "apiVersion": "kubescheduler.config.k8s.io/v1",
    "kind": "KubeSchedulerConfiguration",
    "percentageOfNodesToScore": 100,
    "profiles": [{"pluginConfig": [{"name": "DefaultPreemption", "args": _EVERY_NODE}]}],
}
_FIELDS = {field: kind for field, kind in {**DECIDED, **OTHERS}.items() if field != "pending"}
_CLEARED = [kind for kind in _FIELDS.values() if kind not in ("Namespace", "PriorityClass")]
_UNTIL_SEEN_S = 0.15


@dataclass(frozen=True)
class Verdict:
    """What Podium decides of a pod.

    Attributes:
        best: the nodes of which it takes one.
        message: why it takes none.
        victims: by node that preemption may nominate, who has to go.
        unnominated: what else may be nominated: the node that was, or none.
        clears: whether others lose their nomination.
    """

    best: tuple[str, ...]
    message: str
    victims: dict[str, set[str]]
    unnominated: str
    clears: bool


def key_of(obj: Json) -> str:
    return f"{obj['metadata'].get('namespace', '')}/{obj['metadata']['name']}"


def _path(obj: Json, subresource: str = "") -> str:
    metadata = obj["metadata"]
    namespace = metadata.get("namespace", "")
    return object_path(KINDS[obj["kind"]], namespace, metadata["name"], subresource)


class BesideScheduler:
    """A kube-scheduler that schedules what tests draw, and Podium asked about the same.

    Attributes:
        plane: where it happens.
    """

    def __init__(self, plane: ControlPlane) -> None:
        self.plane = plane
        known = plugin_factories().keys()
        self._configuration = load_configuration([CONFIGURATION], known).configuration

    def start(self) -> None:
        for name, labels in NAMESPACES.items():
            self.create({"kind": "Namespace", "metadata": {"name": name, "labels": labels}})
        for value in PRIORITIES:
            for policy in POLICIES:
                metadata = {"name": class_name(value, policy)}
                body = {"metadata": metadata, "value": value, "preemptionPolicy": policy}
                self.create({"kind": "PriorityClass", **body})
        connection = {"kubeconfig": str(self.plane.kubeconfig()), "qps": 5000, "burst": 10_000}
        alone = {"clientConnection": connection, "leaderElection": {"leaderElect": False}}
        path = self.plane.directory / "every-node.json"
        path.write_text(json.dumps(CONFIGURATION | alone))
        self.plane.launch("kube-scheduler", "--config", str(path), "--secure-port", "0")

    def stop(self) -> None:
        self.plane.stop("kube-scheduler")
        self.clear()
        for value in PRIORITIES:
            for policy in POLICIES:
                metadata = {"name": class_name(value, policy)}
                self._remove({"kind": "PriorityClass", "metadata": metadata})
        for name in NAMESPACES:
            namespace = {"kind": "Namespace", "metadata": {"name": name}}
            self._remove(namespace)
            # There is no controller that would do it.
            body = {"apiVersion": "v1", **namespace, "spec": {"finalizers": []}}
            self.plane.ask("PUT", _path(namespace, "finalize"), body)

    def clear(self) -> None:
        """Remove all that was drawn."""
        for kind in _CLEARED:
            for obj in self._all(kind):
                if obj["metadata"].get("namespace") != "default":
                    self._remove(obj)

    def create(self, obj: Json) -> Json | None:
        """The object with its status, deleted if that is what it says; None if it is refused."""
        body = {field: value for field, value in obj.items() if field != "kind"}
        namespace = obj["metadata"].get("namespace", "")
        path = collection_path(KINDS[obj["kind"]], namespace)
        ends = obj["metadata"].get("deletionTimestamp")
        response = self.plane.request("POST", path, body)
        if response.status_code == httpx.codes.UNPROCESSABLE_ENTITY:
            return None
        response.raise_for_status()
        if obj.get("status") and obj["kind"] != "Node":
            self.plane.merge(_path(obj, "status"), {"status": obj["status"]})
        if ends:
            self.plane.ask("DELETE", _path(obj))
        return {**response.json(), "kind": obj["kind"]}

    def differences(self, drawn: Drawn, directory: Path) -> list[str]:
        """What of a cluster's pods differs, in words, and files with what Podium was asked."""
        for obj in drawn.objects:
            self.create(obj)
        nodes = len(self._all("Node"))
        self._wait_until_seen(nodes)
        return [told for pod in drawn.pending if (told := self._difference(pod, directory))]

    def _difference(self, pod: Json, directory: Path) -> str:
        state = self._state()
        state["pods"] = [one for one in state["pods"] if _counts(one)]
        made = self.create(pod)
        if made is None:
            return ""
        verdict = self._verdict(state, made)
        going = {key_of(one) for one in state["pods"] if _ends(one)}
        told = self._disagreement(made, verdict, going)
        if not told:
            return ""
        scenario = {**state, "profile": CONFIGURATION, "pending": [made]}
        path = directory / f"{made['metadata']['name']}.json"
        path.write_text(json.dumps(scenario))
        return f"pod {key_of(made)}: kube-scheduler {told}\n`podium decide` can read {path}"

    def _disagreement(self, pod: Json, verdict: Verdict, going: set[str]) -> str:
        until_s = time.monotonic() + PATIENCE_S
        before = pod.get("status", {}).get("nominatedNodeName", "")
        while True:
            real = self.plane.ask("GET", _path(pod))
            ended = {key_of(one) for one in self._all("Pod") if _ends(one)} - going
            told = _told(real, before, ended, verdict, going)
            if not told or time.monotonic() > until_s:
                break
            time.sleep(0.02)
        if not _counts(real):
            # It would be tried again, while others are decided.
            self._remove(pod)
        return told

    def _verdict(self, state: Json, pod: Json) -> Verdict:
        scheduler = Scheduler(self._configuration, every_node=True)
        others = [obj for field in OTHERS for obj in state[field]]
        scheduler.load(state["nodes"], state["pods"], others)
        scheduler.budgets.replace(Budget.of(one) for one in state["pdbs"])
        decision = scheduler.decide(scheduler.pending(pod), pod["spec"]["schedulerName"])
        explanation, found = explain(decision, scheduler.snapshot), decision.preemption
        victims = {
            one.node_name: {pod.key for pod in one.victims} for one in explanation.candidates
        }
        before = pod.get("status", {}).get("nominatedNodeName", "")
        return Verdict(
            explanation.best,
            failure_message(decision, scheduler.snapshot),
            {node: victims[node] for node in explanation.selected},
            "" if found is not None and found.clears_nomination else before,
            found is not None and bool(found.cleared),
        )

    def _wait_until_seen(self, nodes: int) -> None:
        """Wait until kube-scheduler knows all nodes, by a pod that fits on none."""
        spec = {"containers": [{"name": "c", "image": "i"}], "nodeSelector": {"no": "where"}}
        metadata = {"name": "probe", "namespace": "team-a"}

        def seen() -> bool:
            probe = {"kind": "Pod", "metadata": metadata, "spec": spec}
            self.create(probe)
            with suppress(AssertionError):
                said = until(lambda: _message(self.plane.ask("GET", _path(probe))), 1.0)
            self._remove(probe)
            return said.startswith(f"0/{nodes} nodes")

        until(seen)
        time.sleep(_UNTIL_SEEN_S)

    def _state(self) -> Json:
        return {field: self._all(kind) for field, kind in _FIELDS.items()}

    def _all(self, kind: str) -> list[Json]:
        items = self.plane.ask("GET", collection_path(KINDS[kind]))["items"]
        return [{**item, "kind": kind} for item in items]

    def _remove(self, obj: Json) -> None:
        if obj["kind"] != "Pod" and obj["metadata"].get("finalizers"):
            self.plane.merge(_path(obj), {"metadata": {"finalizers": None}})
        now = {"apiVersion": "v1", "kind": "DeleteOptions", "gracePeriodSeconds": 0}
        response = self.plane.request("DELETE", _path(obj), now)
        if response.status_code != httpx.codes.NOT_FOUND:
            response.raise_for_status()


def _counts(pod: Json) -> bool:
    return bool(pod["spec"].get("nodeName") or pod.get("status", {}).get("nominatedNodeName"))


def _ends(pod: Json) -> bool:
    return "deletionTimestamp" in pod["metadata"]


def _message(pod: Json) -> str:
    """Why kube-scheduler has found no node for it; empty as long as it hasn't looked."""
    for one in pod.get("status", {}).get("conditions", ()):
        if one["type"] == "PodScheduled" and one.get("reason") != "SchedulingGated":
            return str(one.get("message", "")) if one["status"] == "False" else ""
    return ""


def _told(real: Json, before: str, ended: set[str], ours: Verdict, going: set[str]) -> str:
    """How what has become of a pod differs from Podium's verdict; empty if it doesn't."""
    message, nominated = _message(real), real["status"].get("nominatedNodeName", "")
    # A pod that waits for its volumes is nominated to its node meanwhile.
    node = real["spec"].get("nodeName") or ("" if message or nominated == before else nominated)
    would = f"takes one of {list(ours.best)}" if ours.best else f"says {ours.message!r}"
    if node:
        return "" if node in ours.best else f"takes {node}\nPodium {would}"
    if ours.best or message != ours.message:
        return f"says {message!r}\nPodium {would}"
    allowed: Sequence[str] = [*ours.victims] or [ours.unnominated]
    if nominated not in allowed:
        return f"nominates {nominated!r}\nPodium one of {allowed}"
    victims = ours.victims.get(nominated, set()) - going
    if ended != victims and not ours.clears:
        return f"ends {sorted(ended)} on {nominated}\nPodium {sorted(victims)}"
    return ""
