"""PodGroups and their pods.

In `scheduling.k8s.io/v1alpha2`, v1.36's alpha API, a pod names its group in
`spec.schedulingGroup.podGroupName`; in scheduler-plugins' API, by a label.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping

import msgspec

from podium.api.kinds.builtin_kinds import POD_GROUP, POD_GROUP_OF_PLUGINS, WORKLOAD, Kind
from podium.api.objects import Object, labels, name, namespace, part, spec_of, uid
from podium.api.pods import node_name_of
from podium.api.resources import resource_amount
from podium.api.values.quantity import nanos
from podium.scheduler.config.scheduler_options import Gangs, PodGroupApi
from podium.scheduler.snapshot.pod_info import UNPLACED, PodInfo

_KINDS = {
    PodGroupApi.KUBERNETES: (POD_GROUP, WORKLOAD),
    PodGroupApi.SCHEDULER_PLUGINS: (POD_GROUP_OF_PLUGINS,),
}

GangId = tuple[str, str, str]
"""Kind, namespace and name of a PodGroup."""


class PodGroup(msgspec.Struct, frozen=True):
    """The scheduling requirements of a PodGroup."""

    least: int
    """The smallest number of its pods to schedule together; 1 requires nothing."""
    goes_as_a_whole: bool = False
    """Whether all its pods are preempted if one is."""
    timeout_s: float | None = None
    """How long its nominations last after a preemption; None for the default."""
    priority: int | None = None
    """Priority of all its pods; None if each has its own."""
    resources: Mapping[str, int] = msgspec.field(default_factory=dict)
    """Total amounts that have to be free before its pods are scheduled."""


class PodGroups:
    """All PodGroups, and the pods that name one."""

    def __init__(self, options: Gangs) -> None:
        self.kinds = frozenset(_KINDS[api][0].key for api in options.pod_groups)
        self._groups: dict[GangId, PodGroup] = {}
        self._uids: dict[GangId, dict[str, None]] = defaultdict(dict)
        self._placed: Mapping[str, PodInfo] = {}

    def set(self, kind: str, obj: Object) -> None:
        spec = spec_of(obj)
        if kind == POD_GROUP.key:
            least = part(spec, "schedulingPolicy", "gang").get("minCount")
            is_whole, priority = spec.get("disruptionMode") == "PodGroup", spec.get("priority")
            priority = None if priority is None else int(priority)
            group = PodGroup(int(least or 1), is_whole, priority=priority)
        else:
            timeout_s = spec.get("scheduleTimeoutSeconds")
            amounts: Object = spec.get("minResources") or {}
            group = PodGroup(
                int(spec.get("minMember") or 1),
                timeout_s=None if timeout_s is None else float(timeout_s),
                resources={r: resource_amount(r, nanos(raw)) for r, raw in amounts.items()},
            )
        self._groups[kind, namespace(obj), name(obj)] = group

    def remove(self, kind: str, obj: Object) -> None:
        self._groups.pop((kind, namespace(obj), name(obj)), None)

    def get(self, gang: GangId) -> PodGroup | None:
        return self._groups.get(gang)

    def follow(self, placed: Mapping[str, PodInfo]) -> None:
        self._placed = placed

    def note(self, old: Object | None, new: Object | None) -> None:
        for pod in (old, new):
            gang = None if pod is None else self._named(pod)
            if gang is not None and pod is not None:
                if new is not None:
                    self._uids[gang][uid(pod)] = None
                else:
                    self._uids[gang].pop(uid(pod), None)

    def uids(self, gang: GangId) -> Iterable[str]:
        return self._uids.get(gang, ())

    def gang_of(self, pod: Object) -> GangId | None:
        """Return the PodGroup that a pod names; None if it names none.

        A group of the alpha API need not exist. A label counts, as upstream, only if its group
        exists.
        """
        gang = self._named(pod)
        return gang if gang and (gang[0] == POD_GROUP.key or gang in self._groups) else None

    def priority_of(self, pod: Object) -> int | None:
        """Return the priority that a PodGroup gives a pod; None if the pod's own priority counts.

        As in v1.36, a waiting pod has the priority of its PodGroup. A pod on a node keeps it if the
        group is preempted as a whole.
        """
        gang = self._named(pod)
        group = None if gang is None else self._groups.get(gang)
        if group is None or (node_name_of(pod) and not group.goes_as_a_whole):
            return None
        return group.priority

    def placed(self, gang: GangId) -> list[PodInfo]:
        """Return a gang's pods on nodes, including assumed pods, but not terminating ones."""
        known = (self._placed.get(one) for one in self.uids(gang))
        return [pod for pod in known if pod is not None and not pod.cls.terminating]

    def whole(self, victims: Iterable[PodInfo]) -> list[PodInfo]:
        known = {victim.uid for victim in victims}
        gangs = {
            gang
            for victim in victims
            if (gang := self._named(victim.obj)) is not None
            and (group := self._groups.get(gang)) is not None
            and group.goes_as_a_whole
        }
        return [
            pod
            for gang in sorted(gangs)
            for pod in self.placed(gang)
            if pod.uid not in known and pod.row != UNPLACED
        ]

    @property
    def has_wholes(self) -> bool:
        return any(group.goes_as_a_whole for group in self._groups.values())

    def _named(self, pod: Object) -> GangId | None:
        group_name = part(spec_of(pod), "schedulingGroup").get("podGroupName")
        if group_name and POD_GROUP.key in self.kinds:
            return POD_GROUP.key, namespace(pod), group_name
        labelled = labels(pod).get("scheduling.x-k8s.io/pod-group")
        if labelled and POD_GROUP_OF_PLUGINS.key in self.kinds:
            return POD_GROUP_OF_PLUGINS.key, namespace(pod), labelled
        return None


def served_kinds(options: Gangs) -> Iterator[Kind]:
    """Return the kinds of the PodGroup APIs that are configured."""
    for api in sorted(options.pod_groups):
        yield from _KINDS[api]
