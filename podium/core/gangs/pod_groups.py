"""PodGroups, and which pods belong to them.

Of `scheduling.k8s.io/v1alpha2`, v1.36's alpha API, a pod names its group in
`spec.schedulingGroup.podGroupName`; of scheduler-plugins' `scheduling.x-k8s.io/v1alpha1`, in the
label `scheduling.x-k8s.io/pod-group`.
"""

from dataclasses import dataclass

from podium.api.kinds import POD_GROUP, POD_GROUP_OF_PLUGINS
from podium.api.objects import Object, labels, name, namespace, spec_of
from podium.config.preemption_options import PodGroupApi

LABEL = "scheduling.x-k8s.io/pod-group"

GangId = tuple[str, str, str]
"""Kind, namespace and name of a PodGroup."""


@dataclass(frozen=True, slots=True)
class PodGroup:
    """What a PodGroup asks for.

    Attributes:
        least: how many of its pods are placed together at least; 1 asks for nothing.
        goes_as_a_whole: whether all its pods are preempted if one is.
        timeout_s: for how long it may wait for room that was made for it; None if it doesn't say.
    """

    least: int
    goes_as_a_whole: bool
    timeout_s: float | None


class PodGroups:
    """The PodGroups there are.

    Args:
        kinds: what PodGroups that count are watched under.
    """

    def __init__(self, kinds: frozenset[str]) -> None:
        self._kinds = kinds
        self._groups: dict[GangId, PodGroup] = {}

    def set(self, kind: str, obj: Object) -> None:
        """Add or replace a PodGroup of a kind."""
        read = _of_kubernetes if kind == POD_GROUP.key else _of_plugins
        self._groups[kind, namespace(obj), name(obj)] = read(spec_of(obj))

    def remove(self, kind: str, obj: Object) -> None:
        """Remove a PodGroup, if it is there."""
        self._groups.pop((kind, namespace(obj), name(obj)), None)

    def get(self, gang: GangId) -> PodGroup | None:
        """A PodGroup; None if there is none."""
        return self._groups.get(gang)

    def gang_of(self, pod: Object) -> GangId | None:
        """The PodGroup that a pod belongs to, be it there or not; None if it is for itself.

        A label for a PodGroup that isn't there means nothing, as to scheduler-plugins.
        """
        group_name = (spec_of(pod).get("schedulingGroup") or {}).get("podGroupName")
        if group_name and POD_GROUP.key in self._kinds:
            return POD_GROUP.key, namespace(pod), group_name
        labelled = POD_GROUP_OF_PLUGINS.key, namespace(pod), labels(pod).get(LABEL, "")
        return labelled if labelled in self._groups else None


def kind_of_api(api: PodGroupApi) -> str:
    """What PodGroups of an API are watched under."""
    return (POD_GROUP if api is PodGroupApi.KUBERNETES else POD_GROUP_OF_PLUGINS).key


def _of_kubernetes(spec: Object) -> PodGroup:
    gang: Object = (spec.get("schedulingPolicy") or {}).get("gang") or {}
    return PodGroup(int(gang.get("minCount") or 1), spec.get("disruptionMode") == "PodGroup", None)


def _of_plugins(spec: Object) -> PodGroup:
    timeout_s = spec.get("scheduleTimeoutSeconds")
    least = int(spec.get("minMember") or 1)
    return PodGroup(least, False, None if timeout_s is None else float(timeout_s))
