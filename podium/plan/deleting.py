"""Deleting objects from a state, with everything that goes with them.

What an object controls goes, too, as under background deletion; a namespace takes along what is in
it, and a node the pods that are on it.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from podium.api.labels import label_selector
from podium.api.meta import controller_of, key, labels, name, namespace
from podium.controllers.deployment.templates import HASH_LABEL
from podium.plan.outcome import RemovedPod
from podium.plan.state import Identity, State, identity, label, node_name, was_in_a_cluster
from podium.plan.targets import Target, TargetError

Object = Mapping[str, Any]


def delete(state: State, targets: Iterable[Target]) -> list[RemovedPod]:
    """Delete objects from a state.

    Returns:
        The pods that go, those that were deleted themselves included.

    Raises:
        TargetError: not all of them are there; nothing is deleted then.
    """
    roots = _found(state, targets)
    removed: list[RemovedPod] = []
    if not roots:
        return removed
    dependents = _Dependents(state)
    for root in roots:
        for obj in [root, *dependents.of(root)]:
            if obj not in state:
                continue
            state.remove(obj)
            if obj["kind"] == "Pod":
                removed.append(_removed(obj, root))
    return removed


def _found(state: State, targets: Iterable[Target]) -> list[Object]:
    found, missing = [], []
    for target in targets:
        obj = state.get(target.kind, target.namespace, target.name)
        if obj is None:
            missing.append(f"--delete: the state has no {target}")
        else:
            found.append(obj)
    if missing:
        raise TargetError("\n".join(missing))
    return found


def _removed(pod: Object, root: Object) -> RemovedPod:
    if root is pod:
        return RemovedPod(key(pod), node_name(pod), "is deleted")
    reason = f"goes with {label(root)}"
    return RemovedPod(key(pod), node_name(pod), reason, is_evicted=root["kind"] == "Node")


class _Dependents:
    """Which objects go with which others."""

    def __init__(self, state: State) -> None:
        self._state = state
        self._owned: dict[Identity, list[Object]] = defaultdict(list)
        for obj in state:
            owner = controller_of(obj)
            if owner is not None:
                place = namespace(obj)
                self._owned[str(owner.get("kind")), place, str(owner.get("name"))].append(obj)

    def of(self, root: Object) -> Iterator[Object]:
        """Everything that goes with an object, however far down."""
        for obj in self._direct(root):
            yield obj
            yield from self.of(obj)

    def _direct(self, owner: Object) -> Iterator[Object]:
        match owner["kind"]:
            case "Namespace":
                place = name(owner)
                yield from [obj for obj in self._state if identity(obj)[1] == place]
            case "Node":
                yield from [p for p in self._state.of_kind("Pod") if node_name(p) == name(owner)]
            case "Deployment":
                yield from self._orphaned_pods(owner)
        yield from (obj for obj in self._owned.get(identity(owner), ()) if _is_meant(obj, owner))

    def _orphaned_pods(self, deployment: Object) -> Iterator[Object]:
        """Pods of ReplicaSets of a Deployment that the state doesn't have."""
        place = namespace(deployment)
        selector = label_selector(deployment["spec"].get("selector"))
        for (kind, where, called), pods in self._owned.items():
            if (kind, where) != ("ReplicaSet", place) or self._state.get(kind, where, called):
                continue
            for pod in pods:
                own = f"{name(deployment)}-{labels(pod).get(HASH_LABEL, '')}"
                if called == own and selector.matches(labels(pod)):
                    yield pod


def _is_meant(obj: Object, owner: Object) -> bool:
    """Whether the owner reference means this owner, not an earlier one of its name."""
    reference = controller_of(obj) or {}
    return not was_in_a_cluster(owner) or reference.get("uid") == owner["metadata"]["uid"]
