"""Stories of a cluster, played on any API server.

A story has nodes and steps; after each step it is told what there is: all pods and all events.
The part of the kubelets is the story's own: it says when a pod has finished.
"""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from tests.cluster.real.server import Asked
from tests.cluster.real.world import PODS

Json = dict[str, Any]

EVENTS = "/apis/events.k8s.io/v1/namespaces/default/events"
BUDGETS = "/apis/policy/v1/namespaces/default/poddisruptionbudgets"
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


def build(server: Asked, nodes: Sequence[Json]) -> None:
    """Create the nodes of a story, and its priority classes."""
    for priority_class in PRIORITY_CLASSES:
        server.ask("POST", "/apis/scheduling.k8s.io/v1/priorityclasses", priority_class)
    for node in nodes:
        amounts = {"capacity": node["allocatable"], "allocatable": node["allocatable"]}
        metadata = {"name": node["name"], "labels": node["labels"]}
        server.ask("POST", "/api/v1/nodes", {"metadata": metadata, "status": amounts})
        # Without this it keeps the taint that all nodes get when they come.
        server.merge(f"/api/v1/nodes/{node['name']}", {"spec": {"taints": node["taints"] or None}})


def play(server: Asked, step: Mapping[str, Any]) -> None:
    """Do what a step says."""
    match step:
        case {"create": pod}:
            server.ask("POST", PODS, pod)
        case {"finish": name}:
            server.ask("DELETE", f"{PODS}/{name}", {"gracePeriodSeconds": 0})
        case {"pdb": budget}:
            server.ask("POST", BUDGETS, budget)
        case {"node": [name, change]}:
            server.merge(f"/api/v1/nodes/{name}", change)


def told(server: Asked) -> tuple[dict[str, Json], list[Json]]:
    """All pods by name, and all events, as stories tell of them."""
    pods, events = (server.ask("GET", path)["items"] for path in (PODS, EVENTS))
    by_name = {one["metadata"]["name"]: told_of_pod(one) for one in pods}
    # Controllers tell of nodes as well, which a story doesn't.
    of_pods = [one for one in events if one["regarding"]["kind"] == "Pod"]
    return by_name, distinct([told_of_event(one) for one in of_pods])


def distinct(events: list[Json]) -> list[Json]:
    """Without repetitions, and without what events are related to: that wasn't recorded."""
    texts = {
        json.dumps({field: value for field, value in event.items() if field != "related"})
        for event in (dict(sorted(event.items())) for event in events)
    }
    return [json.loads(text) for text in sorted(texts)]


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


def told_of_event(event: Mapping[str, Any]) -> Json:
    """An event of events.k8s.io/v1 as stories tell of it."""
    note = _UID.sub("<uid>", event["note"]).replace("default/", "{ns}/")
    return {
        **{field: event[field] for field in _TOLD_OF_EVENTS},
        "note": note,
        "regarding": event["regarding"]["name"],
    }
