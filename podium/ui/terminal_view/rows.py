"""Cells of the rows for nodes, pending pods, pods of a node, and news."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime

from podium.api.nodes import allocatable_of, is_cordoned, taint_text, taints_of
from podium.api.objects import (
    Object,
    condition_of,
    condition_status,
    conditions_of,
    is_terminating,
    key,
    metadata_of,
)
from podium.api.pods import nominated_node_of, phase_of
from podium.api.priority import pod_priority
from podium.api.resources import pod_requests
from podium.api.values.quantity import nanos
from podium.apiserver.kinds.tables.ages import since
from podium.ui.terminal_view.row_table import Cell, TableColumn
from podium.ui.terminal_view.watched_cluster import News, WatchedNode

ACTIVE, BACKOFF, GATED, UNSCHEDULABLE = "active", "backoff", "gated", "unschedulable"

NODE_COLUMNS = (
    TableColumn("NODE", share=2),
    TableColumn("CPU", 11),
    TableColumn("MEMORY", 11),
    TableColumn("PODS", 7),
    TableColumn("STATE", share=3),
)
WAITING_COLUMNS = (
    TableColumn("PENDING POD", share=2),
    TableColumn("PRIORITY", 10),
    TableColumn("QUEUE", 13),
    TableColumn("AGE", 6),
    TableColumn("WHY", share=2),
)
POD_COLUMNS = (
    TableColumn("POD", share=3),
    TableColumn("PRIORITY", 10),
    TableColumn("CPU", 11),
    TableColumn("MEMORY", 11),
    TableColumn("STATE", 12),
)
NEWS_COLUMNS = (TableColumn("TIME", 8), TableColumn("WHAT HAPPENED"))

_BAR = 6
_FULL, _CROWDED = 0.95, 0.8
_PARTS = " ▏▎▍▌▋▊▉█"
_MEASURED = ("cpu", "memory")
_COLOURS = {
    "PodBound": "green",
    "PodNominated": "yellow",
    "PodUnschedulable": "yellow",
    "PodTerminating": "red",
    "PodFailed": "red",
    "Event": "bold red",
    "NodeNotReady": "red",
    "NodeUnknown": "red",
    "NodeGone": "red",
    "NodeTainted": "yellow",
    "NodeCordoned": "yellow",
    "EvictionsOnHold": "yellow",
}


def fullness(requested: Mapping[str, int], node: Object | None, resource: str) -> float:
    """Return the requested share of a node's allocatable resource; 0 if the node has none."""
    room = nanos(_allocatable(node).get(resource) or 0)
    return requested.get(resource, 0) / room if room else 0.0


def fullest(node: WatchedNode) -> float:
    """Return the larger one of the node's requested shares of CPU and memory."""
    return max(fullness(node.requested, node.obj, one) for one in _MEASURED)


def node_cells(name: str, node: WatchedNode) -> Sequence[Cell]:
    """Return the cells of a node: its name, requests, pods and state."""
    room = _allocatable(node.obj).get("pods") or "?"
    return (
        (name, ""),
        *_bars(node.requested, node.obj),
        (f"{len(node.pods)}/{room}", ""),
        node_state(node.obj or {}),
    )


def _allocatable(node: Object | None) -> Mapping[str, str]:
    return allocatable_of(node or {})


def _bars(requested: Mapping[str, int], node: Object | None) -> Iterator[Cell]:
    for resource in _MEASURED:
        share = fullness(requested, node, resource)
        whole, part = divmod(round(min(share, 1.0) * _BAR * 8), 8)
        bar = "█" * whole + (_PARTS[part] if part else "")
        colour = "red" if share > _FULL else "yellow" if share > _CROWDED else "green"
        yield f"{bar:<{_BAR}}{min(share, 9.99):5.0%}", colour


def node_state(node: Object) -> Cell:
    """Return the cell for the readiness, pressure, cordon and taints of a node."""
    ready = condition_status(node, "Ready")
    said = [] if ready == "True" else ["not ready" if ready == "False" else "unknown"]
    said += [
        kind
        for condition in conditions_of(node)
        if (kind := condition.get("type", "Ready")) != "Ready" and condition.get("status") == "True"
    ]
    colour = "red" if said else "yellow"
    if is_cordoned(node):
        said.append("cordoned")
    said += map(taint_text, taints_of(node))
    return (", ".join(said), colour) if said else ("ready", "green")


def queue_of(pod: Object) -> str:
    """Guess the scheduling queue of a pending pod by its status.

    A nominated pod is retried when its victims are gone; a pod that was never rejected waits
    for its first try.
    """
    condition = condition_of(pod, "PodScheduled") or {}
    if condition.get("reason") == "SchedulingGated":
        return GATED
    if nominated_node_of(pod):
        return BACKOFF
    return UNSCHEDULABLE if condition.get("status") == "False" else ACTIVE


_QUEUE_COLOURS = {UNSCHEDULABLE: "red", BACKOFF: "yellow", GATED: "dim"}


def waiting_cells(pod: Object, now_s: float) -> Sequence[Cell]:
    """Return the cells of a pending pod: its queue, age and reason."""
    queue = queue_of(pod)
    condition = condition_of(pod, "PodScheduled") or {}
    nominated = nominated_node_of(pod)
    why = f"nominated to {nominated}" if nominated else str(condition.get("message") or "")
    return (
        (key(pod), ""),
        (str(pod_priority(pod)), ""),
        (queue, _QUEUE_COLOURS.get(queue, "")),
        (since(metadata_of(pod).get("creationTimestamp"), now_s), ""),
        (why, ""),
    )


def pod_cells(pod: Object, node: Object | None) -> Sequence[Cell]:
    """Return the cells of a pod on a node, with the share of the node that it requests."""
    state = ("terminating", "red") if is_terminating(pod) else (phase_of(pod).lower(), "")
    asked = pod_requests(pod, use_status=True)
    return (key(pod), ""), (str(pod_priority(pod)), ""), *_bars(asked, node), state


def news_cells(news: News) -> Sequence[Cell]:
    """Return the cells of one of the cluster's news, with the local time."""
    at = datetime.fromtimestamp(news.at_s).astimezone()
    return (f"{at:%H:%M:%S}", "dim"), (news.text, _COLOURS.get(news.type, ""))
