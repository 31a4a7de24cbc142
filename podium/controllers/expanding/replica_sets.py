"""ReplicaSets and ReplicationControllers: as many pods as they want, no more, no less."""

from collections.abc import Collection, Iterator, Mapping
from itertools import chain, islice
from typing import Any

from podium.api.labels import Selector, equality_selector, label_selector
from podium.api.meta import labels, name, namespace
from podium.controllers.expanding.expansion import Expansion, label_of, pod_from_template
from podium.controllers.expanding.view import ClusterView, is_active
from podium.controllers.naming import generated_names
from podium.controllers.ranking import scale_down_order

Object = Mapping[str, Any]


def expand_replica_set(
    owner: Object,
    view: ClusterView,
    now: int | None,
    *,
    replicas: int | None = None,
    related: Collection[Object] | None = None,
) -> Expansion:
    """What a ReplicaSet or ReplicationController does.

    Args:
        owner: the workload, with its defaults.
        view: the cluster.
        now: nanoseconds since the epoch, if there is a clock; see `scale_down_order`.
        replicas: wanted instead of what the workload says.
        related: pods that share the work; its own, if None.
    """
    wanted = _replicas(owner) if replicas is None else replicas
    pods = claimed(owner, view)
    missing = wanted - len(pods)
    if missing < 0:
        doomed = scale_down_order(pods, pods if related is None else related, now)[:-missing]
        return Expansion(surplus=doomed, notes=[deletion_note(owner, doomed)])
    return Expansion(pods=create(owner, view, missing))


def create(owner: Object, view: ClusterView, number: int) -> list[Object]:
    """New pods of the owner's template, under names that no other pod has."""
    names = free_names(owner, view)
    return [pod_from_template(owner, called) for called in islice(names, number)]


def free_names(owner: Object, view: ClusterView, infix: str = "") -> Iterator[str]:
    """Names for an owner's pods, without end; the infix stands between its name and the rest."""
    place = namespace(owner)

    def is_taken(called: str) -> bool:
        return view.find("Pod", place, called) is not None

    return generated_names(f"{name(owner)}-", label_of(owner), is_taken, infix)


def claimed(owner: Object, view: ClusterView) -> list[Object]:
    """The active pods that the owner counts: its own, and those that it would adopt.

    Own pods that its selector doesn't select any more are let go; pods without a controller that
    it selects become its own.
    """
    selector = selector_of(owner)
    candidates = chain(view.owned_by(owner, "Pod"), view.orphans_in(namespace(owner)))
    return [pod for pod in candidates if selector.matches(labels(pod)) and is_active(pod)]


def selector_of(owner: Object) -> Selector:
    """The selector of a workload; a ReplicationController's is a plain map."""
    raw = owner["spec"].get("selector")
    if owner["kind"] == "ReplicationController":
        return equality_selector(raw)
    return label_selector(raw)


def deletion_note(owner: Object, doomed: Collection[Object]) -> str:
    """A sentence about pods that a workload deletes."""
    names = ", ".join(map(name, doomed))
    return f"{label_of(owner)} has {len(doomed)} too many and deletes {names}"


def _replicas(owner: Object) -> int:
    replicas = owner["spec"].get("replicas")
    return 1 if replicas is None else int(replicas)
