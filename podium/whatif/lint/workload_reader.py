"""Workloads: what asks for pods, each with a pod as admission would let it in.

A controller stands for the pods that it makes. A pod whose controller isn't among what was read
stands for all pods of that controller, and a pod without a controller for itself.
"""

from collections.abc import Iterator, Mapping, Sequence

import msgspec

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
from podium.api.refused import RefusedError
from podium.apiserver.admission.limit_ranger import limits_by_namespace, with_default_amounts
from podium.apiserver.admission.priority import PriorityClasses
from podium.apiserver.kinds.registration.registrations import completed

_TEMPLATE = ("spec", "template")
_TEMPLATES: Mapping[str, tuple[str, ...]] = {
    "Deployment": _TEMPLATE,
    "StatefulSet": _TEMPLATE,
    "DaemonSet": _TEMPLATE,
    "ReplicaSet": _TEMPLATE,
    "ReplicationController": _TEMPLATE,
    "Job": _TEMPLATE,
    "CronJob": ("spec", "jobTemplate", *_TEMPLATE),
}
"""Where the template of pods stands, by kind."""

SCALED = frozenset({"Deployment", "StatefulSet", "ReplicaSet", "ReplicationController"})
"""Kinds that have the subresource scale."""

BATCH = frozenset({"Job", "CronJob"})
"""Kinds whose pods run to an end."""


class Workload(msgspec.Struct, frozen=True, eq=False, kw_only=True):
    """An object that asks for pods, with a pod as admission would let it in.

    Attributes:
        obj: the controller, or the pod that stands for itself or for a controller.
        kind: of the controller; `Pod` if there is none.
        refusal: why admission wouldn't let the pod in; empty if it would.
        is_new: whether it hasn't been in a cluster yet.
    """

    obj: Object
    kind: str
    path: str
    pod: Object
    replicas: int
    refusal: str
    is_new: bool

    @property
    def namespace(self) -> str:
        """Where its pods are."""
        return namespace(self.pod)

    @property
    def spec(self) -> Object:
        """The specification of its pods."""
        return spec_of(self.pod)

    @property
    def priority(self) -> int | None:
        """Of its pods; None if it isn't known, as they wouldn't be let in."""
        return None if self.refusal else pod_priority(self.pod)

    @property
    def priority_class(self) -> str:
        """The PriorityClass of its pods; empty if they have none."""
        return priority_class_of(self.pod)

    @property
    def preempts(self) -> bool:
        """Whether its pods may preempt others."""
        return preemption_policy(self.pod) != NEVER

    @property
    def is_bare(self) -> bool:
        """Whether it is a pod that nobody recreates."""
        return self.kind == "Pod"

    @property
    def runs_to_an_end(self) -> bool:
        """Whether its pods are done some day."""
        return self.kind in BATCH or self.spec.get("restartPolicy") in ("Never", "OnFailure")

    def __str__(self) -> str:
        return f"{self.obj['kind']} {key(self.obj)}"


class WorkloadReader:
    """Finds the workloads of what was read."""

    def __init__(self, by_kind: Mapping[str, Sequence[Object]]) -> None:
        self._by_kind = by_kind
        self._classes = PriorityClasses(by_kind.get("PriorityClass", ()))
        self._limits = limits_by_namespace(by_kind.get("LimitRange", ()))
        self._known = {
            (kind, namespace(obj), name(obj)) for kind in _TEMPLATES for obj in self._of(kind)
        }
        self._scaled = {
            (str(target.get("kind")), namespace(one), str(target.get("name"))): one
            for one in self._of("HorizontalPodAutoscaler")
            if (target := part(spec_of(one), "scaleTargetRef"))
        }

    def workloads(self) -> list[Workload]:
        """All of them, in the order of their kinds."""
        return [*self._controllers(), *self._pods()]

    def _of(self, kind: str) -> Sequence[Object]:
        return self._by_kind.get(kind, ())

    def _controllers(self) -> Iterator[Workload]:
        for kind, path in _TEMPLATES.items():
            for obj in self._of(kind):
                is_over = kind == "Job" and (holds(obj, "Complete") or holds(obj, "Failed"))
                replicas = self._replicas(obj)
                if is_over or self._is_owned(obj) or (kind == "ReplicaSet" and not replicas):
                    continue
                template = part(obj, *path)
                reference = {
                    "apiVersion": obj["apiVersion"],
                    "kind": obj["kind"],
                    "name": name(obj),
                    "uid": uid_of(obj) or f"{obj['kind']} {key(obj)}",
                    "controller": True,
                }
                metadata = {
                    **metadata_of(template),
                    "name": name(obj),
                    "namespace": namespace(obj),
                    "ownerReferences": [reference],
                }
                pod = {"apiVersion": "v1", "kind": "Pod", "metadata": metadata}
                pod["spec"] = spec_of(template)
                yield self._workload(obj, kind, ".".join((*path, "spec")), pod, replicas)

    def _pods(self) -> Iterator[Workload]:
        groups: dict[tuple[str, ...], list[Object]] = {}
        for pod in self._of("Pod"):
            if not is_active(pod) or is_mirror(pod) or is_static(pod) or self._is_owned(pod):
                continue
            identity = controller_key(pod) or ("Pod", namespace(pod), name(pod))
            groups.setdefault(identity, []).append(pod)
        for (kind, *_), pods in groups.items():
            yield self._workload(pods[0], kind, "spec", pods[0], len(pods))

    def _is_owned(self, obj: Object) -> bool:
        return controller_key(obj) in self._known

    def _replicas(self, obj: Object) -> int:
        """How many pods there are to be; the fewest, where a HorizontalPodAutoscaler says."""
        kind, spec = obj["kind"], spec_of(obj)
        scaler = self._scaled.get((kind, namespace(obj), name(obj)))
        if scaler is not None and kind in SCALED:
            return int(spec_of(scaler).get("minReplicas") or 1)
        if kind == "CronJob":
            spec = spec_of(part(spec, "jobTemplate"))
        wanted = spec.get("parallelism" if kind in BATCH else "replicas")
        return 1 if wanted is None else int(wanted)

    def _workload(self, obj: Object, kind: str, path: str, pod: Object, replicas: int) -> Workload:
        pod = completed(KINDS["Pod"], pod)
        for limits in self._limits.get(namespace(pod), ()):
            pod = with_default_amounts(pod, limits)
        refusal, is_new = "", not uid_of(obj) and not status_of(obj)
        # What a pod was given when it was created, it keeps, whatever becomes of its class.
        was_admitted = obj["kind"] == "Pod" and not is_new
        if not was_admitted or spec_of(pod).get("priority") is None:
            try:
                pod = self._classes.resolve(pod)
            except RefusedError as error:
                why = error.message.partition(" is forbidden: ")[2] or error.message
                refusal = "" if was_admitted else why
        return Workload(
            obj=obj,
            kind=kind,
            path=path,
            pod=pod,
            replicas=replicas,
            refusal=refusal,
            is_new=is_new,
        )
