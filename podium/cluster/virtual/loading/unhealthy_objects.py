"""Annotations that keep the unhealthy pods and nodes of a loaded state as their status says.

By default a simulated node reports that it is healthy, starts pods, and ends them within seconds
after their grace period. So unhealthy objects, and pods that should have been gone for a minute,
get annotations for simulated nodes; without these annotations they recover.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from podium.api.conditions import with_condition
from podium.api.nodes import PRESSURES
from podium.api.objects import (
    Object,
    annotated,
    annotations,
    condition_of,
    conditions_of,
    entries,
    is_terminating,
    key,
    metadata_of,
    part,
    spec_of,
    status_of,
)
from podium.api.pods import is_finished, node_name_of, phase_of
from podium.api.values.message_words import listed
from podium.api.values.times import epoch_s, timestamp
from podium.apiserver.store.store import Store
from podium.kubelet.containers.container import restarts_after
from podium.kubelet.simulated.behaviour import (
    CONDITIONS,
    DOWN,
    READY_AFTER,
    STUCK,
    UNDELETABLE,
    Behaviour,
    is_scripted,
)

STARTS_WITHIN_S = 600.0
"""How long a pod may take to start, as a Deployment's default progress deadline."""

_HEALTHY = {**dict.fromkeys(PRESSURES, "False"), "Ready": "True"}
# Reasons of waiting containers that are only being started.
_STARTING = frozenset({"", "ContainerCreating", "PodInitializing"})


def kept_node(node: Object) -> Object:
    """Return a node with annotations that keep its unhealthy conditions."""
    ready = condition_of(node, "Ready")
    odd = {
        kind: status
        for condition in conditions_of(node)
        if (kind := condition.get("type")) and (status := condition.get("status"))
        if _HEALTHY.get(kind, status) != status
    }
    script: dict[str, str] = {}
    if ready is not None and ready.get("status") == "Unknown":
        script[DOWN] = "true"
    if odd:
        script[CONDITIONS] = ",".join(f"{kind}={status}" for kind, status in odd.items())
    return _annotated(node, script)


def may_stay_unhealthy(pod: Object) -> bool:
    """Return whether a pod with a node isn't ready, and has no annotations that script it."""
    if not node_name_of(pod) or is_finished(pod) or is_scripted(pod):
        return False
    return phase_of(pod) != "Running" or _is_unready(pod)


def kept_pod(pod: Object, usual: Behaviour, now_s: float) -> Object:
    """Return a pod with annotations that keep it unready, unless it has only just started."""
    if phase_of(pod) != "Running":
        return _stuck(pod, now_s) if _fails_to_start(pod, now_s) else pod
    due_s = _ready_after_s(pod)
    started_s = max(map(_started_s, _statuses(pod)), default=None)
    if started_s is None or due_s is None:
        return _stuck(pod, now_s)
    if started_s + usual.ready_after.most_s > now_s:
        return pod
    if started_s + due_s <= now_s:
        return _stuck(pod, now_s)
    return _annotated(pod, {READY_AFTER: f"{due_s:g}s"})


def healed_pod(pod: Object, now_s: float) -> Object:
    """Return a pod as Ready if its containers are, even if its node was unreachable."""
    ready = condition_of(pod, "Ready")
    is_up = phase_of(pod) == "Running" and bool(_statuses(pod)) and not _is_unready(pod)
    if ready is None or not is_up or spec_of(pod).get("readinessGates"):
        return pod
    if ready.get("status") == "True":
        return pod
    conditions = with_condition(conditions_of(pod), {"type": "Ready", "status": "True"}, now_s)
    return {**pod, "status": {**status_of(pod), "conditions": conditions}}


def _annotated(obj: Object, script: dict[str, str]) -> Object:
    is_scripted_already = annotations(obj).keys() & script.keys()
    return obj if is_scripted_already or not script else annotated(obj, script)


def _stuck(pod: Object, now_s: float) -> Object:
    # A pod with a start time was accepted by its kubelet.
    status = {"startTime": timestamp(now_s), **status_of(pod)}
    return {**_annotated(pod, {STUCK: "true"}), "status": status}


def _statuses(pod: Object) -> Sequence[Object]:
    return entries(status_of(pod), "containerStatuses")


def _fails_to_start(pod: Object, now_s: float) -> bool:
    # Either a container can't be started, or the start takes too long to succeed.
    init = entries(status_of(pod), "initContainerStatuses")
    for status in (*_statuses(pod), *init):
        state = part(status, "state")
        if part(state, "waiting").get("reason", "") not in _STARTING:
            return True
        if part(state, "terminated").get("exitCode"):
            return True
    started = status_of(pod).get("startTime") if phase_of(pod) == "Pending" else None
    return started is not None and epoch_s(started) < now_s - STARTS_WITHIN_S


def _is_unready(pod: Object) -> bool:
    if _statuses(pod):
        return any(True for _ in _unready(pod))
    ready = condition_of(pod, "Ready")
    return ready is not None and ready.get("status") != "True"


def _unready(pod: Object) -> Iterator[Object]:
    """Yield the statuses of unready containers that haven't completed."""
    policies = {one["name"]: one.get("restartPolicy") for one in spec_of(pod)["containers"]}
    for status in _statuses(pod):
        ended = part(status, "state").get("terminated")
        policy = policies.get(status["name"]) or spec_of(pod).get("restartPolicy") or "Always"
        is_done = ended and not restarts_after(policy, int(ended.get("exitCode") or 0))
        if not (status.get("ready") or is_done):
            yield status


def _started_s(status: Object) -> float:
    started = part(status, "state", "running").get("startedAt")
    return epoch_s(started) if started else 0.0


def _ready_after_s(pod: Object) -> float | None:
    """Return after how many seconds the probes of started containers can first succeed.

    None if an unready container isn't running, was ready before, or was restarted.
    """
    containers = {one["name"]: one for one in spec_of(pod)["containers"]}
    since = (condition_of(pod, "Ready") or {}).get("lastTransitionTime")
    longest_s = 0.0
    for one in _unready(pod):
        started_s = _started_s(one)
        was_ready = since is not None and epoch_s(since) > started_s
        if not started_s or was_ready or one.get("restartCount"):
            return None
        container = containers.get(one["name"], {})
        probes = (container.get("startupProbe"), container.get("readinessProbe"))
        delays_s = (
            float(probe.get("initialDelaySeconds") or 0) + float(probe.get("periodSeconds") or 10)
            for probe in probes
            if probe
        )
        longest_s = max(longest_s, sum(delays_s))
    return longest_s


LATE_S = 60.0
"""How long after the end of its grace period a pod is overdue, in seconds."""

WAY_OUT = (
    "delete the Node, or give it the taint node.kubernetes.io/out-of-service:NoExecute, once "
    "nothing of it runs any more"
)
"""How to end the pods of a node that doesn't answer."""

_NAMED_MAX = 5


def is_overdue(pod: Object, state_s: float) -> bool:
    """Return whether a pod with a node should have been gone for more than `LATE_S`."""
    if not is_terminating(pod) or not node_name_of(pod):
        return False
    return epoch_s(metadata_of(pod)["deletionTimestamp"]) + LATE_S < state_s


def kept_overdue(pod: Object) -> Object:
    """Annotate an overdue pod to stay terminating, unless it has ended or is scripted already."""
    if is_finished(pod) or is_scripted(pod):
        return pod
    return annotated(pod, {UNDELETABLE: "true"})


def is_silent(store: Store, node_name: str) -> bool:
    """Return whether a node exists, but its kubelet doesn't report."""
    node = store.get("Node", "", node_name)
    if node is None:
        return False
    ready = condition_of(node, "Ready")
    return annotations(node).get(DOWN) == "true" or (
        ready is not None and ready.get("status") == "Unknown"
    )


def overdue_notes(store: Store, state_s: float) -> Iterator[str]:
    """Yield a sentence for each reason why overdue pods stay terminating."""
    overdue: dict[str, list[str]] = defaultdict(list)
    for pod in store.list("Pod").items:
        if not is_overdue(pod, state_s):
            continue
        node = node_name_of(pod)
        if finalizers := metadata_of(pod).get("finalizers"):
            noun = "finalizer" if len(finalizers) == 1 else "finalizers"
            why = f"held by the {noun} {', '.join(finalizers)}"
        elif is_silent(store, node):
            why = f"node {node} doesn't answer; {WAY_OUT}"
        elif store.get("Node", "", node) is None:
            why = f"until the garbage collection of pods finds that node {node} isn't there"
        else:
            why = f"the state doesn't say why node {node} doesn't end it; deleting it by force does"
        overdue[why].append(key(pod))
    for why, pods in overdue.items():
        noun, verb = ("pod", "stays") if len(pods) == 1 else ("pods", "stay")
        named = listed(pods, _NAMED_MAX)
        yield f"{noun} {named} should be gone by its deletionTimestamp, and {verb}: {why}"
