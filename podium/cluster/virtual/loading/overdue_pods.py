"""Pods of a loaded state that should have been gone long ago: they stay, with a warning why.

A kubelet ends a pod within seconds after its grace period. One that is there a minute later is held
by something that time doesn't end.
"""

from collections import defaultdict
from collections.abc import Iterator

from podium.api.objects import (
    Object,
    annotations,
    condition_of,
    is_terminating,
    key,
    metadata_of,
)
from podium.api.pods import is_finished, node_name_of
from podium.api.values.message_words import listed
from podium.api.values.times import epoch_s
from podium.apiserver.store.store import Store
from podium.kubelet.simulated.behaviour import DOWN, UNDELETABLE, is_scripted

LATE_S = 60.0
"""How long after the end of its grace period a pod is overdue, in seconds."""

WAY_OUT = (
    "delete the Node, or give it the taint node.kubernetes.io/out-of-service:NoExecute, once "
    "nothing of it runs any more"
)
"""What ends the pods of a node that doesn't answer."""

_NAMED_MAX = 5


def is_overdue(pod: Object, state_s: float) -> bool:
    """Whether a pod on a node should have been gone long ago.

    Args:
        state_s: the time of the state, in seconds since the epoch.
    """
    if not is_terminating(pod) or not node_name_of(pod):
        return False
    return epoch_s(metadata_of(pod)["deletionTimestamp"]) + LATE_S < state_s


def kept_overdue(pod: Object) -> Object:
    """An overdue pod that stays terminating, unless it has ended or says itself how it behaves."""
    if is_finished(pod) or is_scripted(pod):
        return pod
    metadata = metadata_of(pod)
    script = {**annotations(pod), UNDELETABLE: "true"}
    return {**pod, "metadata": {**metadata, "annotations": script}}


def is_silent(store: Store, node_name: str) -> bool:
    """Whether a node is there and doesn't answer."""
    node = store.get("Node", "", node_name)
    if node is None:
        return False
    ready = condition_of(node, "Ready")
    return annotations(node).get(DOWN) == "true" or (
        ready is not None and ready.get("status") == "Unknown"
    )


def overdue_notes(store: Store, state_s: float) -> Iterator[str]:
    """A sentence for each reason for which pods that are overdue stay."""
    found: dict[str, list[str]] = defaultdict(list)
    for pod in store.list("Pod").items:
        if is_overdue(pod, state_s):
            found[_why(store, pod)].append(key(pod))
    for why, pods in found.items():
        noun, verb = ("pod", "stays") if len(pods) == 1 else ("pods", "stay")
        named = listed(pods, _NAMED_MAX)
        yield f"{noun} {named} should be gone by its deletionTimestamp, and {verb}: {why}"


def _why(store: Store, pod: Object) -> str:
    if finalizers := metadata_of(pod).get("finalizers"):
        noun = "finalizer" if len(finalizers) == 1 else "finalizers"
        return f"held by the {noun} {', '.join(finalizers)}"
    node = node_name_of(pod)
    if is_silent(store, node):
        return f"node {node} doesn't answer; {WAY_OUT}"
    if store.get("Node", "", node) is None:
        return f"until the garbage collection of pods finds that node {node} isn't there"
    return f"the state doesn't say why node {node} doesn't end it; deleting it by force does"
