"""Running pods that keep a priority which their successors don't get.

Admission resolves the priority of a pod once, when the pod is created. So pods keep their priority
when a default class is created later, or when their class is deleted, or created again with another
value. Pods created after that get the new priority, and may preempt the older pods.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import TYPE_CHECKING

import msgspec

from podium.api.errors import RefusedError
from podium.api.kinds.snapshot_kinds import Identity
from podium.api.objects import Object, controller_key, key, spec_of, without
from podium.api.pods import is_active, node_name_of, priority_class_of
from podium.api.priority import is_mirror, is_static, pod_priority
from podium.api.workloads import RECREATING, pod_template_of
from podium.apiserver.admission.pod_plugins import PriorityClasses
from podium.whatif.plan.workload_owners import WorkloadOwners

if TYPE_CHECKING:
    from podium.whatif.plan.play import Play

_RESOLVED = ("priority", "preemptionPolicy")

_Next = tuple[int | None, str, str]
"""Priority, class and refusal of a pod that is created now."""


class StalePods(msgspec.Struct, frozen=True):
    """The running pods of one workload with a priority that its next pod doesn't get."""

    workload: str
    """`Kind namespace/name`; the pod itself if it has no controller."""
    pods: Sequence[Object]
    spec: Object
    priority: int
    next_priority: int | None
    """The priority of the next pod; None if the API refuses it for `refusal`."""
    next_class: str = ""
    refusal: str = ""

    @property
    def is_by_default(self) -> bool:
        """True if the next pod names no class."""
        return not self.spec.get("priorityClassName")


def stale_pods(
    pods: Iterable[Object],
    classes: Iterable[Object],
    find: Callable[[Identity], Object | None],
    owners: WorkloadOwners,
    guessed: Collection[str] = (),
) -> list[StalePods]:
    """Find running pods whose priority differs from that of their replacements, by workload.

    Args:
        pods: pods of the cluster; pods without a priority are left out.
        find: looks up a controller; if it isn't found, the spec of the pod counts as template.
        guessed: PriorityClasses whose value isn't known; `""` means that it isn't known whether
            there is a default class. Pods whose replacement gets such a class are left out.
    """
    admission, known = PriorityClasses(classes), dict[tuple[object, ...], _Next]()
    groups: dict[tuple[str, int, _Next], list[Object]] = defaultdict(list)
    specs: dict[str, Object] = {}
    for pod in pods:
        is_running = node_name_of(pod) and is_active(pod)
        is_admitted = not (is_mirror(pod) or is_static(pod))
        if not (is_running and is_admitted) or spec_of(pod).get("priority") is None:
            continue
        owner = controller_key(pod)
        controller = find(owner) if owner and owner[0] in RECREATING else None
        spec = (
            without(spec_of(pod), *_RESOLVED)
            if controller is None
            else spec_of(pod_template_of(controller))
        )
        stated = (priority_class_of({"spec": spec}), *map(spec.get, _RESOLVED))
        if stated not in known:
            try:
                new = admission.resolve({"metadata": {"name": "next"}, "spec": spec})
                known[stated] = pod_priority(new), priority_class_of(new), ""
            except RefusedError as refused:
                why = refused.message.partition(" is forbidden: ")[2]
                known[stated] = None, str(spec.get("priorityClassName") or ""), why
        following = known[stated]
        is_guess = not following[2] and following[1] in guessed
        if following[0] != pod_priority(pod) and not is_guess:
            workload = owners.workload(key(pod), owner)
            groups[workload, pod_priority(pod), following].append(pod)
            specs[workload] = spec
    return [
        StalePods(workload, stale, specs[workload], priority, *following)
        for (workload, priority, following), stale in sorted(
            groups.items(), key=lambda entry: entry[0][:2]
        )
    ]


def stale_pods_of(play: "Play") -> list[StalePods]:
    """Find the running pods of a play whose priority differs from that of their replacements."""
    store = play.cluster.store
    return stale_pods(
        store.list("Pod").items,
        store.list("PriorityClass").items,
        lambda identity: store.get(*identity),
        play.owners(),
        play.guessed_classes,
    )
