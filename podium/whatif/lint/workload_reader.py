"""Workloads among objects, each with one of its pods after admission.

A workload is a controller, all pods of a controller that wasn't read, or a pod without controller.
"""

from collections.abc import Iterator, Mapping, Sequence

import msgspec

from podium.api.errors import RefusedError
from podium.api.kinds.builtin_kinds import KINDS
from podium.api.objects import (
    Object,
    controller_key,
    holds,
    key,
    metadata_of,
    name,
    namespace,
    part,
    spec_of,
    status_of,
    uid_of,
)
from podium.api.pods import is_active, priority_class_of
from podium.api.priority import NEVER, is_mirror, is_static, pod_priority, preemption_policy
from podium.api.workloads import SCALED
from podium.apiserver.admission.namespace_plugins import limits_by_namespace, with_default_amounts
from podium.apiserver.admission.pod_plugins import PriorityClasses
from podium.apiserver.kinds.registration.registrations import completed
from podium.scheduler.snapshot.affinity_terms import PeerGroup

_TEMPLATE = ("spec", "template")
_KINDS = ("Deployment", "StatefulSet", "DaemonSet", "ReplicaSet", "ReplicationController", "Job")
_TEMPLATES: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(_KINDS, _TEMPLATE),
    "CronJob": ("spec", "jobTemplate", *_TEMPLATE),
}
"""The path of the pod template by kind."""

BATCH = frozenset({"Job", "CronJob"})
"""Kinds whose pods run to completion."""


class Workload(msgspec.Struct, frozen=True, eq=False):
    """A workload with one of its pods after admission."""

    obj: Object
    """The controller; the first pod if there is no controller, or it wasn't read."""
    kind: str
    path: str
    """The path of the pods' spec in `obj`."""
    pod: Object
    replicas: int
    refusal: str
    """Why admission refuses the pod; empty if it doesn't."""
    is_new: bool
    """Whether `obj` hasn't been in a cluster yet."""

    @property
    def namespace(self) -> str:
        """The namespace of the pods."""
        return namespace(self.pod)

    @property
    def spec(self) -> Object:
        """The spec of the pods."""
        return spec_of(self.pod)

    @property
    def priority(self) -> int | None:
        """The priority of the pods; None if admission refuses them."""
        return None if self.refusal else pod_priority(self.pod)

    @property
    def priority_class(self) -> str:
        """The name of the pods' PriorityClass; empty if they have none."""
        return priority_class_of(self.pod)

    @property
    def preempts(self) -> bool:
        """Whether the pods may preempt others."""
        return preemption_policy(self.pod) != NEVER

    @property
    def peer_group(self) -> PeerGroup:
        """The labels and affinity terms of the pods."""
        return PeerGroup(0, self.pod)

    def __str__(self) -> str:
        return f"{self.obj['kind']} {key(self.obj)}"


def read_workloads(by_kind: Mapping[str, Sequence[Object]]) -> Iterator[Workload]:
    """Yield all workloads, first controllers in a fixed order of kinds, then pods."""
    classes = PriorityClasses(by_kind.get("PriorityClass", ()))
    limits = limits_by_namespace(by_kind.get("LimitRange", ()))
    controllers = [(kind, obj) for kind in _TEMPLATES for obj in by_kind.get(kind, ())]
    known = {(kind, namespace(obj), name(obj)) for kind, obj in controllers}
    scaled = {
        (str(target.get("kind")), namespace(one), str(target.get("name"))): one
        for one in by_kind.get("HorizontalPodAutoscaler", ())
        if (target := part(spec_of(one), "scaleTargetRef"))
    }

    def admitted(obj: Object, kind: str, path: str, pod: Object, replicas: int) -> Workload:
        pod = completed(KINDS["Pod"], pod)
        for each in limits.get(namespace(pod), ()):
            pod = with_default_amounts(pod, each)
        refusal, is_new = "", not uid_of(obj) and not status_of(obj)
        # A pod keeps the priority of its creation, even if its class changes.
        was_admitted = obj["kind"] == "Pod" and not is_new
        if not was_admitted or spec_of(pod).get("priority") is None:
            try:
                pod = classes.resolve(pod)
            except RefusedError as error:
                why = error.message.partition(" is forbidden: ")[2] or error.message
                refusal = "" if was_admitted else why
        return Workload(obj, kind, path, pod, replicas, refusal, is_new)

    for kind, obj in controllers:
        is_over = kind == "Job" and (holds(obj, "Complete") or holds(obj, "Failed"))
        spec, scaler = spec_of(obj), scaled.get((kind, namespace(obj), name(obj)))
        if scaler is not None and kind in SCALED:
            replicas = int(spec_of(scaler).get("minReplicas") or 1)
        else:
            if kind == "CronJob":
                spec = spec_of(part(spec, "jobTemplate"))
            wanted = spec.get("parallelism" if kind in BATCH else "replicas")
            replicas = 1 if wanted is None else int(wanted)
        if is_over or controller_key(obj) in known or (kind == "ReplicaSet" and not replicas):
            continue
        template = part(obj, *_TEMPLATES[kind])
        own, uid = {"name": name(obj)}, uid_of(obj) or f"{kind} {key(obj)}"
        owner = {**own, "apiVersion": obj["apiVersion"], "kind": kind, "uid": uid}
        metadata = {**metadata_of(template), **own, "namespace": namespace(obj)}
        metadata["ownerReferences"] = [{**owner, "controller": True}]
        pod = {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec_of(template)}
        yield admitted(obj, kind, ".".join((*_TEMPLATES[kind], "spec")), pod, replicas)
    groups: dict[tuple[str, ...], list[Object]] = {}
    for each in by_kind.get("Pod", ()):
        above = controller_key(each)
        if is_active(each) and not (is_mirror(each) or is_static(each) or above in known):
            groups.setdefault(above or ("Pod", namespace(each), name(each)), []).append(each)
    for (kind, *_), pods in groups.items():
        yield admitted(pods[0], kind, "spec", pods[0], len(pods))
