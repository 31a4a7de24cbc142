"""Stories of a cluster, played in virtual time: Podium's API server, controllers and scheduler.

A story has nodes and steps; after each step it is told what there is: all pods and all events.
The part of the kubelets is the story's own: it says when a pod has finished.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any

from podium.api.kinds.builtin_kinds import KINDS
from podium.apiserver.attributes import Attributes
from podium.apiserver.decoding.patches import PatchType
from podium.apiserver.server import ApiServer, DeleteOptions, PatchRequest
from podium.apiserver.store.store import Store
from podium.apiserver.versions import shown_version
from podium.cluster.drivers.faults import Latency
from podium.cluster.drivers.virtual import VirtualDriver
from podium.cluster.virtual import CONTROLLERS
from podium.scheduler.machine.scheduler_machine import SchedulerMachine

Json = dict[str, Any]

NAMESPACE = "story"
START_S = 1_767_225_600.0
# How long a step takes that doesn't say so.
STEP_S = 2.0
PRIORITY_CLASSES = (
    {"metadata": {"name": "story-low"}, "value": 10},
    {"metadata": {"name": "story-mid"}, "value": 100},
    {"metadata": {"name": "story-high"}, "value": 1000},
    {"metadata": {"name": "story-never"}, "value": 1000, "preemptionPolicy": "Never"},
)
_UID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_TOLD_OF_EVENTS = ("type", "reason", "action", "reportingController")
_TOLD_OF_STATUS = ("conditions", "nominatedNodeName", "phase", "qosClass")
_UNTOLD_OF_CONDITIONS = {"lastProbeTime", "lastTransitionTime"}


class StoryPlayer:
    """Plays one story.

    Args:
        nodes: as the story describes them.
        latency: how long calls and news take.
    """

    def __init__(self, nodes: list[Json], latency: Latency) -> None:
        self._server = ApiServer(Store(), Random(0))
        self._driver = VirtualDriver(self._server, START_S, Random(0), latency=latency)
        self._server.bootstrap(START_S)
        self._create("Namespace", {"metadata": {"name": NAMESPACE}})
        for priority_class in PRIORITY_CLASSES:
            self._create("PriorityClass", priority_class)
        for node in nodes:
            self._add_node(node)
        for name, make in CONTROLLERS.items():
            self._driver.add(make(), name=name)
        self._driver.add(SchedulerMachine())
        self._driver.advance(STEP_S)

    def play(self, step: Mapping[str, Any]) -> None:
        """Do what a step says, and let time pass."""
        doing: Mapping[str, Callable[[Any], None]] = {
            "create": lambda pod: self._create("Pod", pod),
            "finish": self._finish,
            "pdb": lambda pdb: self._create("PodDisruptionBudget", pdb),
            "node": lambda change: self._patch_node(*change),
        }
        for verb, argument in step.items():
            if verb != "wait":
                doing[verb](argument)
        self._driver.advance(step.get("wait", STEP_S))

    def pods(self) -> dict[str, Json]:
        """All pods by name, as stories tell of them."""
        return {pod["metadata"]["name"]: told_of_pod(pod) for pod in self._list("Pod")}

    def events(self) -> list[Json]:
        """All events, as stories tell of them."""
        shown = (
            shown_version(KINDS["Event"], stored, "events.k8s.io/v1")
            for stored in self._list("Event")
        )
        return [told_of_event(event, NAMESPACE) for event in shown]

    def _list(self, kind: str) -> Sequence[Mapping[str, Any]]:
        return self._server.list(KINDS[kind], NAMESPACE).items

    def _create(self, kind: str, obj: Json) -> None:
        namespace = NAMESPACE if KINDS[kind].namespaced else ""
        self._server.create(Attributes(KINDS[kind], namespace, "", self._driver.now_s), obj)

    def _add_node(self, node: Json) -> None:
        resources = {"allocatable": node["allocatable"], "capacity": node["allocatable"]}
        metadata = {"name": node["name"], "labels": node["labels"]}
        self._create("Node", {"metadata": metadata, "status": resources})
        # Without this it keeps the taint that all nodes get when they come.
        self._patch_node(node["name"], {"spec": {"taints": node["taints"] or None}})

    def _patch_node(self, name: str, change: Json) -> None:
        patch = PatchRequest(PatchType.MERGE, change)
        self._server.patch(Attributes(KINDS["Node"], "", name, self._driver.now_s), patch)

    def _finish(self, pod: str) -> None:
        at_once = DeleteOptions(grace_period_s=0)
        self._server.delete(Attributes(KINDS["Pod"], NAMESPACE, pod, self._driver.now_s), at_once)


def told_of_pod(pod: Mapping[str, Any]) -> Json:
    """A pod as stories tell of it."""
    status = {field: pod["status"][field] for field in _TOLD_OF_STATUS if field in pod["status"]}
    status["conditions"] = [
        {field: value for field, value in condition.items() if field not in _UNTOLD_OF_CONDITIONS}
        for condition in status.get("conditions", ())
    ]
    return {
        "nodeName": pod["spec"].get("nodeName"),
        "terminating": "deletionTimestamp" in pod["metadata"],
        "status": status,
    }


def told_of_event(event: Mapping[str, Any], namespace: str) -> Json:
    """An event of events.k8s.io/v1 as stories tell of it."""
    note = _UID.sub("<uid>", event["note"]).replace(f"{namespace}/", "{ns}/")
    return {
        **{field: event[field] for field in _TOLD_OF_EVENTS},
        "note": note,
        "regarding": event["regarding"]["name"],
    }
