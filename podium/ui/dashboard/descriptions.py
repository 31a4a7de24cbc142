"""Conversion of API objects, timeline entries and Events to what the dashboard shows."""

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache

import msgspec

from podium.api.nodes import allocatable_of, is_cordoned, taint_text, taints_of
from podium.api.objects import (
    Object,
    condition_of,
    controller_of,
    holds,
    is_terminating,
    labels,
    part,
    spec_of,
    status_of,
)
from podium.api.pods import (
    containers_of,
    init_containers_of,
    is_finished,
    node_name_of,
    nominated_node_of,
    phase_of,
    priority_class_of,
)
from podium.api.priority import pod_priority
from podium.api.resources import pod_requests, resource_amount
from podium.api.values.quantity import QuantityError, nanos
from podium.api.values.times import epoch_s
from podium.api.well_known import HASH_LABEL, ZONE_LABEL
from podium.apiserver.kinds.tables import pod_cells
from podium.simulation.timeline.facts import WARNING_CONDITIONS, TimelineEntry, event_facts
from podium.simulation.timeline.timeline_sentences import sentence, subject
from podium.ui.dashboard.views import Budget, Entry, Node, Pod, PriorityClass

_POOLS = (
    "node.kubernetes.io/instance-type",
    "cloud.google.com/gke-nodepool",
    "eks.amazonaws.com/nodegroup",
    "agentpool",
    "karpenter.sh/nodepool",
)
_EVENT = "Event"
_TIMES = ("lastTimestamp", "eventTime", "firstTimestamp", "deprecatedLastTimestamp")


def described_node(obj: Object) -> Node:
    """Describe a Node."""
    node_labels, allocatable = labels(obj), allocatable_of(obj)
    return Node(
        name=obj["metadata"]["name"],
        zone=node_labels.get(ZONE_LABEL) or "",
        pool=next(filter(None, map(node_labels.get, _POOLS)), ""),
        ready=holds(obj, "Ready"),
        cordoned=is_cordoned(obj),
        taints=[taint_text(taint) for taint in taints_of(obj)],
        pressure=[kind for kind in WARNING_CONDITIONS if holds(obj, kind)],
        allocatable={name: resource_amount(name, nanos(one)) for name, one in allocatable.items()},
    )


def described_pod(obj: Object) -> Pod:
    """Describe a Pod without its scheduling queue, which isn't in the object."""
    metadata, status, spec = obj["metadata"], status_of(obj), spec_of(obj)
    requests = {
        "containers": [{"resources": one.get("resources")} for one in containers_of(spec)],
        "initContainers": [
            {"resources": one.get("resources"), "restartPolicy": one.get("restartPolicy")}
            for one in init_containers_of(spec)
        ],
        "overhead": spec.get("overhead"),
        "resources": spec.get("resources"),
    }
    if is_finished(obj):
        state = "finished"
    elif is_terminating(obj):
        state = "terminating"
    elif phase_of(obj) == "Running":
        state = "running" if holds(obj, "Ready") else "unready"
    else:
        state = "bound" if node_name_of(obj) else "pending"
    message = ""
    if state == "pending":
        condition = condition_of(obj, "PodScheduled") or {}
        message = str(condition.get("message") or "") if condition.get("status") == "False" else ""
    elif state in ("bound", "unready"):
        # As kubectl shows it, such as CrashLoopBackOff.
        shown = pod_cells.status(obj, 0.0)
        message = "" if shown == phase_of(obj) else shown
    return Pod(
        uid=metadata.get("uid") or "",
        namespace=metadata.get("namespace") or "",
        name=metadata["name"],
        node=node_name_of(obj),
        nominated_node=nominated_node_of(obj),
        priority=pod_priority(obj),
        priority_class=priority_class_of(obj),
        owner=_owner(obj),
        requests=_summed(msgspec.json.encode(requests)),
        state=state,
        queue="",
        message=message or str(status.get("message") or status.get("reason") or ""),
    )


def described_budget(obj: Object) -> Budget:
    """Describe a PodDisruptionBudget."""
    metadata, status = obj["metadata"], status_of(obj)
    return Budget(
        namespace=metadata.get("namespace") or "",
        name=metadata["name"],
        allowed=status.get("disruptionsAllowed") or 0,
        healthy=status.get("currentHealthy") or 0,
        desired=status.get("desiredHealthy") or 0,
        expected=status.get("expectedPods") or 0,
    )


def described_class(obj: Object) -> PriorityClass:
    """Describe a PriorityClass."""
    return PriorityClass(name=obj["metadata"]["name"], value=obj.get("value") or 0)


@lru_cache(maxsize=4096)
def _summed(requests: bytes) -> Mapping[str, int]:
    # What an encoded pod spec requests; cached, as most pods are alike.
    try:
        amounts = pod_requests({"spec": msgspec.json.decode(requests)})
    except QuantityError:
        # An export or an old API server may have let an invalid quantity through.
        return {}
    return {name: resource_amount(name, amount) for name, amount in amounts.items() if amount}


def _owner(pod: Object) -> str:
    # The name of a Deployment's ReplicaSet ends in the hash that its pods have as a label.
    owner = controller_of(pod)
    if owner is None:
        return ""
    kind, name = str(owner.get("kind")), str(owner.get("name"))
    suffix = f"-{labels(pod).get(HASH_LABEL)}"
    if kind == "ReplicaSet" and name.endswith(suffix):
        return f"Deployment/{name.removesuffix(suffix)}"
    return f"{kind}/{name}"


def described_entries(entries: Iterable[TimelineEntry]) -> Iterator[Entry]:
    """Describe the entries of a timeline that have a sentence."""
    for entry in entries:
        if text := sentence(entry):
            yield _entry(entry, text)


def described_events(events: Iterable[Object], start_s: float) -> list[Entry]:
    """Describe Events in the order of their times.

    Args:
        start_s: start of the clock, in seconds since the epoch.
    """
    entries: list[Entry] = []
    for event in events:
        times = (event.get(field) for field in _TIMES)
        at = next(filter(None, (*times, event["metadata"].get("creationTimestamp"))), None)
        at_s = round((epoch_s(at) if at else 0.0) - start_s, 3)
        by = event.get("reportingComponent") or part(event, "source").get("component") or ""
        for fact in event_facts(None, event):
            entry = TimelineEntry(at_s, _EVENT, by=by, details=fact.details)
            text = sentence(entry)
            if not text:
                # A timeline has an entry of its own for it.
                about, details = entry.details["regarding"], entry.details
                named = (about.get(field, "") for field in ("kind", "namespace", "name"))
                text = f"{subject(*named)}: {details['reason']}: {details['message']}"
            entries.append(_entry(entry, text))
    return sorted(entries, key=lambda entry: entry.at_s)


def _entry(entry: TimelineEntry, text: str) -> Entry:
    what, kind, namespace, name = entry.type, entry.kind, entry.namespace, entry.name
    if what == _EVENT:
        regarding = entry.details["regarding"]
        what = entry.details["reason"] or _EVENT
        kind, namespace, name = (
            regarding.get(field) or "" for field in ("kind", "namespace", "name")
        )
    return Entry(
        at_s=round(entry.at_s, 3),
        type=what,
        kind=kind,
        namespace=namespace,
        name=name,
        by=entry.by,
        text=text,
        node=(entry.details.get("preemption") or entry.details).get("node") or "",
    )
