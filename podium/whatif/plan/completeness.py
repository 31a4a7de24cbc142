"""Warnings about the limits of a plan: objects that the state lacks, and what Podium doesn't model.

An export doesn't show whether a kind has no objects in the cluster or wasn't exported. So a missing
kind is reported only if an object of the state refers to it, or if every cluster has objects of it.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

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
from podium.api.pods import is_finished, node_name_of, volumes_of
from podium.api.priority import SYSTEM_PRIORITY_CLASSES
from podium.api.values.message_words import count, listed
from podium.api.workloads import TEMPLATED, foreign_controller, pod_template_of
from podium.kubelet.simulated.behaviour import is_marked
from podium.scheduler.snapshot.volumes.attachable_volumes import limits_of
from podium.whatif.plan.plan_report import Unplayed

_SHOWN_MAX = 3
# The kinds of which a cluster usually has objects, and what follows if they are missing.
_USUAL = {
    "Namespace": "affinity to pods of other namespaces may be judged wrongly",
    "LimitRange": "new pods may request other amounts, if the cluster has LimitRanges",
    "PodDisruptionBudget": "preemption may choose other victims, if the cluster has budgets",
    "PriorityClass": "the default class and its priority are unknown",
    "ResourceQuota": "the API server may refuse pods, if the cluster has ResourceQuotas",
    "Service": "nodes may score otherwise, as pods of a Service are spread by default",
}
# The API server makes objects of these kinds itself.
_EVERYWHERE = frozenset({"Namespace", "PriorityClass", "Service"})
_OWNERS = ("ReplicaSet", "ReplicationController", "StatefulSet")


class StateFacts:
    """The properties of a state that warnings about its incompleteness depend on."""

    def __init__(self, objects: Iterable[Object]) -> None:
        by_kind: dict[str, list[Object]] = defaultdict(list)
        for obj in objects:
            by_kind[str(obj.get("kind"))].append(obj)
        self.by_kind: Mapping[str, Sequence[Object]] = {**by_kind}
        pods, nodes = self.of("Pod"), self.of("Node")
        self.is_export = any(was_in_a_cluster(obj) for obj in (*nodes, *pods))
        """Whether nodes or pods were exported from an API server."""
        self.owner_kinds = Counter(map(controller_kind, pods))
        """The number of pods by the kind of their controller."""
        self.waiting: list[Object] = []
        """The unfinished pods without a node."""
        self.node_names = {name(node) for node in nodes}
        self.strays: Counter[str] = Counter()
        """The number of unfinished pods by name of their node, for nodes that the state lacks."""
        for pod in pods:
            if is_finished(pod):
                continue
            node = node_name_of(pod)
            if not node:
                self.waiting.append(pod)
            elif node not in self.node_names:
                self.strays[node] += 1
        self.unplayed_owners = tuple(
            _unplayed_owners(obj for objects in by_kind.values() for obj in objects)
        )

    def of(self, kind: str) -> Sequence[Object]:
        """Return the objects of a kind."""
        return self.by_kind.get(kind, ())


def completeness_warnings(state: StateFacts, applied: Iterable[Object]) -> list[str]:
    """Return a warning about all that the state lacks, what follows, and how to export it."""
    facts = (state, StateFacts(applied))
    usual = {kind: effect for kind, effect in _USUAL.items() if not state.of(kind)}
    if not state.is_export or not usual.keys() & _EVERYWHERE:
        # A state that was written by hand may do without them. An export with what every cluster
        # has was made for the other kinds, too: the cluster has none of these.
        usual = {}
    counts = {kind: state.owner_kinds[kind] for kind in _OWNERS if state.owner_kinds[kind]}
    owners = {
        kind: f"the default spread and the budgets of {count(pods, 'pod')} of a {kind} are unknown"
        for kind, pods in counts.items()
    }
    if state.of("PodDisruptionBudget") and "Deployment" in {
        controller_kind(obj) for obj in state.of("ReplicaSet")
    }:
        owners["Deployment"] = "budgets don't know how many pods Deployments want"
    missing = {
        kind: effect
        for kind, effect in {**usual, **owners, **_referred_to(facts)}.items()
        if not _of(facts, kind)
    }
    strays: Counter[str] = sum((one.strays for one in facts), Counter())
    for one in facts:
        for node in one.node_names:
            del strays[node]
    if not (missing or strays):
        return []
    lacks = [f"no {', no '.join(missing)}"] if missing else []
    if strays:
        nodes = listed(sorted(strays), _SHOWN_MAX)
        lacks.append(f"{count(strays.total(), 'pod')} on nodes that it lacks ({nodes})")
    effects = [*missing.values(), *(["the scheduler doesn't see these pods"] if strays else [])]
    return [
        f"the state is incomplete: it has {' and '.join(lacks)}. So {'; '.join(effects)}. "
        f"To export everything: {EXPORT_COMMAND}"
    ]


def _of(facts: Iterable[StateFacts], kind: str) -> list[Object]:
    return [obj for one in facts for obj in one.of(kind)]


def _referred_to(facts: Sequence[StateFacts]) -> dict[str, str]:
    """Return the kinds that objects refer to, each with the effect of its absence."""
    effects = {}
    if not any(one.node_names for one in facts):
        effects["Node"] = "no pod can be placed"
    waiting = [pod for one in facts for pod in one.waiting]
    templates = [pod_template_of(obj) for kind in TEMPLATED for obj in _of(facts, kind)]
    specs = [spec_of(obj) for obj in (*waiting, *templates)]
    named = {str(spec.get("priorityClassName") or "") for spec in specs}
    if classes := named - {"", *SYSTEM_PRIORITY_CLASSES}:
        classes_text = listed(sorted(classes), _SHOWN_MAX)
        effects["PriorityClass"] = f"pods of the class {classes_text} have no known priority"
    if any(spec.get("resourceClaims") for spec in specs):
        effects["ResourceSlice"] = "pods with resource claims find no devices"
    volumes_of_pods = (volume for spec in specs for volume in volumes_of(spec))
    if any(part(pod, "persistentVolumeClaim").get("claimName") for pod in volumes_of_pods):
        effects["PersistentVolumeClaim"] = "pods that use one can't be placed"
    claims = [spec_of(claim) for claim in _of(facts, "PersistentVolumeClaim")]
    if any(spec.get("volumeName") for spec in claims):
        effects["PersistentVolume"] = "the nodes that bound claims allow are unknown"
    if any(spec.get("storageClassName") and not spec.get("volumeName") for spec in claims):
        effects["StorageClass"] = "claims that aren't bound yet stay so"
    volumes = _of(facts, "PersistentVolume")
    # A kubelet registers its node's drivers; simulated nodes have none, nor limits of volumes.
    if any(spec_of(volume).get("csi") for volume in volumes) and not all(
        map(is_marked, _of(facts, "Node"))
    ):
        effects["CSINode"] = "how many volumes a node can take is unknown"
    limited = {driver for one in _of(facts, "CSINode") for driver in limits_of(one)}
    never_attached = {
        name(one) for one in _of(facts, "CSIDriver") if spec_of(one).get("attachRequired") is False
    }
    drivers = {str(part(spec_of(volume), "csi").get("driver")) for volume in volumes}
    if drivers & (limited - never_attached):
        effects["VolumeAttachment"] = "volumes that are attached without a pod don't count"
    return effects


def unplayed(objects: Iterable[Object]) -> Iterator[Unplayed]:
    """Yield the objects for which Podium has no controller that would create their pods."""
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
    """Yield a note about each suspended Job, which creates no pods."""
    for obj in objects:
        if _is_job(obj) and spec_of(obj).get("suspend") and not foreign_controller(obj):
            yield f"{_label(obj)} is suspended: it makes no pods until spec.suspend is false"


def _unplayed_owners(state: Iterable[Object]) -> Iterator[str]:
    owners: dict[str, dict[str, None]] = defaultdict(dict)
    managed: dict[str, dict[str, None]] = defaultdict(dict)
    for obj in state:
        owner = controller_of(obj) if obj.get("kind") in ("Pod", "ReplicaSet", "Job") else None
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
