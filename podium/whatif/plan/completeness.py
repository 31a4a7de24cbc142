"""What a complete answer needs and the state lacks, and what Podium itself doesn't model.

An export of a cluster can't say whether a kind has no objects or was left out. So a missing kind is
warned about where something in the state refers to it, or where any cluster has such objects.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

import msgspec

from podium.api.device_classes import resources_of_devices
from podium.api.kinds.builtin_kinds import kind_of
from podium.api.kinds.snapshot_kinds import DECISIVE_KINDS, EXPORT_COMMAND
from podium.api.objects import (
    Object,
    controller_kind,
    controller_of,
    key,
    metadata_of,
    name,
    namespace,
    part,
    spec_of,
    was_in_a_cluster,
)
from podium.api.pod_specs import volumes_of
from podium.api.pods import is_finished, node_name_of
from podium.api.priority import SYSTEM_PRIORITY_CLASSES
from podium.api.resources import pod_requests
from podium.api.values.message_words import listed
from podium.api.workloads import TEMPLATED, foreign_controller, pod_template_of
from podium.kubelet.simulated.behaviour import is_marked
from podium.scheduler.snapshot.volumes.attachable_volumes import limits_of
from podium.whatif.plan.plan_report import Unplayed

_SHOWN_MAX = 3
# What every cluster has, or nearly every one, and what its absence can change.
_USUAL = {
    "Namespace": "affinity to pods of other namespaces may be judged wrongly",
    "LimitRange": "if the cluster has any, new pods may request other amounts",
    "PodDisruptionBudget": "if the cluster has any, preemption may choose other victims",
    "PriorityClass": "the default class and its priority aren't known",
    "ResourceQuota": "if the cluster has any, it may refuse pods",
    "Service": "pods of one service are spread by default, which scores nodes",
}
# The API server makes them itself.
_EVERYWHERE = frozenset({"Namespace", "PriorityClass", "Service"})
_OWNERS = {
    "ReplicaSet": "its pods are spread by default, and budgets count by it",
    "ReplicationController": "its pods are spread by default, and budgets count by it",
    "StatefulSet": "its pods are spread by default, and budgets count by it",
}


class StateFacts:
    """What warnings need to know of many objects.

    Attributes:
        is_export: whether nodes or pods come from an API server.
        owner_kinds: the kinds of the pods' controllers, and how many pods have one of each.
        waiting: the pods on no node that haven't finished.
        strays: by name of a node that isn't among them, how many pods on it haven't finished.
    """

    def __init__(self, objects: Iterable[Object]) -> None:
        by_kind: dict[str, list[Object]] = defaultdict(list)
        for obj in objects:
            by_kind[str(obj.get("kind"))].append(obj)
        self.by_kind: Mapping[str, Sequence[Object]] = {**by_kind}
        pods, nodes = self.of("Pod"), self.of("Node")
        self.is_export = any(was_in_a_cluster(obj) for obj in (*nodes, *pods))
        self.owner_kinds = Counter(map(controller_kind, pods))
        self.waiting: list[Object] = []
        self.node_names = {name(node) for node in nodes}
        self.strays: Counter[str] = Counter()
        for pod in pods:
            if is_finished(pod):
                continue
            node = node_name_of(pod)
            if not node:
                self.waiting.append(pod)
            elif node not in self.node_names:
                self.strays[node] += 1
        self.unplayed_owners = tuple(
            unplayed_owners(obj for found in by_kind.values() for obj in found)
        )

    def of(self, kind: str) -> Sequence[Object]:
        """The objects of a kind."""
        return self.by_kind.get(kind, ())


class ModelLimits(msgspec.Struct):
    """Warnings and notes about what Podium doesn't do as a cluster would."""

    warnings: list[str] = msgspec.field(default_factory=list)
    notes: list[str] = msgspec.field(default_factory=list)


def completeness_warnings(state: StateFacts, applied: Iterable[Object]) -> list[str]:
    """Warnings about kinds that aren't there, and last of all how to get a complete state."""
    both = (state, StateFacts(applied))
    kinds = state.owner_kinds
    found = {
        kind: f"{kinds[kind]} pods belong to one; {why}"
        for kind, why in _OWNERS.items()
        if kinds[kind]
    }
    owners = {controller_kind(obj) for obj in state.of("ReplicaSet")}
    if "Deployment" in owners and state.of("PodDisruptionBudget"):
        found["Deployment"] = "budgets count by how many pods one wants"
    unusual = {kind: why for kind, why in _USUAL.items() if not state.of(kind)}
    if not state.is_export or not unusual.keys() & _EVERYWHERE:
        # What somebody wrote by hand may do without, and who was given all that every cluster has
        # was asked for the rest, too: there is none of it.
        unusual = {}
    missing = {**unusual, **found, **_referred_to(both)}
    warnings = [
        f"the state has no {kind}: {why}" for kind, why in missing.items() if not _of(both, kind)
    ]
    strays: Counter[str] = sum((one.strays for one in both), Counter())
    for known in both:
        for node in known.node_names:
            del strays[node]
    if strays:
        names = listed(sorted(strays), _SHOWN_MAX)
        warnings.append(f"{strays.total()} pods are on nodes that the state lacks: {names}")
    if warnings:
        warnings.append(f"a complete state is what this prints: {EXPORT_COMMAND}")
    return warnings


def limits_of_the_model(
    pods: Iterable[Object], device_classes: Sequence[Object] = (), *, has_gangs: bool = False
) -> ModelLimits:
    """Warnings and notes about pods to be scheduled, where PodGroups are heeded if `has_gangs`."""
    limits = ModelLimits()
    claiming, with_devices, grouped = [], [], []
    for pod in pods:
        spec = spec_of(pod)
        if spec.get("resourceClaims"):
            claiming.append(key(pod))
        elif resources_of_devices(
            {resource for resource, amount in pod_requests(pod).items() if amount}, device_classes
        ):
            with_devices.append(key(pod))
        if spec.get("schedulingGroup") and not has_gangs:
            grouped.append(key(pod))
    if claiming:
        text = "dynamic resource claims aren't modelled; no place is looked for: {}"
        limits.warnings.append(text.format(listed(claiming, _SHOWN_MAX)))
    if with_devices:
        text = "devices behind extended resources aren't modelled; no place is looked for: {}"
        limits.warnings.append(text.format(listed(with_devices, _SHOWN_MAX)))
    if grouped:
        text = "schedulingGroup is ignored, as with v1.36's default feature gates: {}"
        limits.notes.append(text.format(listed(grouped, _SHOWN_MAX)))
    return limits


def _of(both: Iterable[StateFacts], kind: str) -> list[Object]:
    return [obj for one in both for obj in one.of(kind)]


def _referred_to(both: Sequence[StateFacts]) -> dict[str, str]:
    found = {}
    if not any(one.node_names for one in both):
        found["Node"] = "nothing can be placed"
    waiting = [pod for one in both for pod in one.waiting]
    templates = [pod_template_of(obj) for kind in TEMPLATED for obj in _of(both, kind)]
    specs = [spec_of(one) for one in (*waiting, *templates)]
    named = {str(spec.get("priorityClassName") or "") for spec in specs}
    classes = named - {"", *SYSTEM_PRIORITY_CLASSES}
    if classes:
        found["PriorityClass"] = f"pods name {listed(sorted(classes), _SHOWN_MAX)}"
    volumes_of_pods = (volume for spec in specs for volume in volumes_of(spec))
    if any(part(one, "persistentVolumeClaim").get("claimName") for one in volumes_of_pods):
        found["PersistentVolumeClaim"] = "pods that wait for a place use one"
    claims = [spec_of(claim) for claim in _of(both, "PersistentVolumeClaim")]
    if any(spec.get("volumeName") for spec in claims):
        found["PersistentVolume"] = "claims are bound to one"
    if any(spec.get("storageClassName") and not spec.get("volumeName") for spec in claims):
        found["StorageClass"] = "claims that aren't bound yet name one"
    volumes = _of(both, "PersistentVolume")
    # A kubelet registers its node's drivers; simulated nodes have none, nor limits of volumes.
    if any(spec_of(volume).get("csi") for volume in volumes) and not all(
        map(is_marked, _of(both, "Node"))
    ):
        found["CSINode"] = "how many volumes a node can take isn't known"
    # The drivers that attach no more than so many volumes to a node.
    limited = {driver for one in _of(both, "CSINode") for driver in limits_of(one)}
    never = {
        name(one) for one in _of(both, "CSIDriver") if spec_of(one).get("attachRequired") is False
    }
    if {str(part(spec_of(one), "csi").get("driver")) for one in volumes} & (limited - never):
        found["VolumeAttachment"] = "volumes count while they are attached, also without a pod"
    return found


_OWNED = ("Pod", "ReplicaSet", "Job")


def unplayed(objects: Iterable[Object]) -> Iterator[Unplayed]:
    """The objects whose controllers Podium lacks, of objects of all kinds, in order."""
    for obj in objects:
        kind = kind_of(obj)
        is_played = kind is not None and kind.name in DECISIVE_KINDS
        if not is_played and _has_pod_template(spec_of(obj)):
            lacking = f"no {obj.get('kind')} controller is played"
        elif _is_job(obj) and (controller := foreign_controller(obj)):
            lacking = f"{controller}, which spec.managedBy names, makes them and isn't played"
        else:
            continue
        yield Unplayed(_label(obj), f"its pods aren't in the plan: {lacking}")


def suspended_jobs(objects: Iterable[Object]) -> Iterator[str]:
    """A sentence about each Job that makes no pods because it is suspended."""
    for obj in objects:
        if _is_job(obj) and spec_of(obj).get("suspend") and not foreign_controller(obj):
            yield f"{_label(obj)} is suspended: it makes no pods until spec.suspend is false"


def unplayed_owners(state: Iterable[Object]) -> Iterator[str]:
    """A warning for each kind of owners that pods of a state have and nobody plays."""
    owners: dict[str, dict[str, None]] = defaultdict(dict)
    managed: dict[str, dict[str, None]] = defaultdict(dict)
    for obj in state:
        owner = controller_of(obj) if obj.get("kind") in _OWNED else None
        if owner is not None and owner.get("kind") not in DECISIVE_KINDS:
            owners[str(owner.get("kind"))][f"{namespace(obj)}/{owner.get('name')}"] = None
        if obj.get("kind") == "Job" and (controller := foreign_controller(obj)):
            managed[controller][key(obj)] = None
    for kind, found in sorted(owners.items()):
        names = listed([*found], _SHOWN_MAX)
        yield f"no {kind} controller is played, and pods belong to one: {names}"
    for controller, found in sorted(managed.items()):
        names = listed([*found], _SHOWN_MAX)
        yield f"{controller} isn't played, and makes the pods of Jobs (spec.managedBy): {names}"


def _is_job(obj: Object) -> bool:
    kind = kind_of(obj)
    return kind is not None and kind.name == "Job"


def _label(obj: Object) -> str:
    metadata = metadata_of(obj)
    place = metadata.get("namespace") or "default"
    return f"{obj.get('kind')} {place}/{metadata.get('name')}"


def _has_pod_template(value: object) -> bool:
    if isinstance(value, Mapping):
        spec = value.get("spec")
        if isinstance(spec, Mapping) and spec.get("containers"):
            return True
        return any(map(_has_pod_template, value.values()))
    return isinstance(value, list | tuple) and any(map(_has_pod_template, value))
