"""Loads objects into a store as if they had always been there.

What an API server has told (it has a uid) is taken as it stands, but for pods that name a class and
have no priority: no API server leaves that open, so that somebody took it away. What was written by
hand is completed: defaults, what admission fills in unless there is a priority already, a uid, a
time of creation, and a status. A pod that is on a node but doesn't say how it is counts as running
and ready, a node that doesn't say so as healthy. Whatever is written there, status and deletion
included, stays; what isn't healthy doesn't recover by itself, unless that is asked for.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from random import Random

from podium.api.kinds.builtin_kinds import KINDS, POD_GROUP, Kind, kind_of
from podium.api.kinds.custom_kinds import DEFINITION
from podium.api.objects import Object, is_terminating, key, name, namespace, status_of
from podium.api.pods import node_name_of
from podium.api.refused import RefusedError
from podium.api.values.times import timestamp
from podium.apiserver.admission import Admission, StoreView
from podium.apiserver.admission.priority import PriorityClasses
from podium.apiserver.attributes import Attributes
from podium.apiserver.custom_resources.definition_effects import settle
from podium.apiserver.kinds.registration.registrations import (
    apply_defaults,
    completed,
    registration_of,
)
from podium.apiserver.kinds.registration.strategy import Creation
from podium.apiserver.registry import Registry
from podium.apiserver.store.errors import AlreadyExistsError
from podium.apiserver.store.store import Store
from podium.apiserver.verbs.create import new_uid
from podium.apiserver.versions import stored_version
from podium.cluster.virtual.cluster_options import ClusterOptions, start_s
from podium.cluster.virtual.loading.stand_ins import StandIns
from podium.cluster.virtual.loading.unhealthy_objects import (
    healed_pod,
    is_overdue,
    kept_node,
    kept_overdue,
    kept_pod,
    may_stay_unhealthy,
    overdue_notes,
)
from podium.kubelet.node_status import changed_conditions
from podium.kubelet.simulated.behaviour import AT_ONCE

_NOTHING: Object = {}
# What admission looks up has to be there before pods are.
_FIRST = (
    DEFINITION.key,
    "Namespace",
    "PriorityClass",
    "RuntimeClass",
    "StorageClass",
    "LimitRange",
    "ServiceAccount",
)
_ADMITTED = frozenset({"Pod", "PersistentVolumeClaim", POD_GROUP.key})
_TAKEN_ANYWAY = "{kind} {name} is taken as it stands, although {why}"
_UNKNOWN = "{kind} {name} is left out, as Podium doesn't know the kind"


class Loader:
    """Completes objects and puts them into a store.

    Attributes:
        exported: uids of what was in some cluster before.
    """

    def __init__(self, store: Store, rng: Random, now_s: float, options: ClusterOptions) -> None:
        self._store = store
        self._rng = rng
        self._now_s = now_s
        self._optional = options.optional_kinds
        self._admission = Admission(StoreView(store), options.admission)
        # Without simulated nodes nothing would recover.
        self._heals = options.heals
        self._keeps = options.nodes is not None and not options.heals
        self._behaviour = options.nodes.behaviour if options.nodes else AT_ONCE
        self.exported: set[str] = set()
        self._notes: list[str] = []
        self._defaulted = False
        self._uids: Mapping[tuple[str, str, str], str] = {}
        self._places: set[str] = set()
        self._state_s: Callable[[], float] = lambda: now_s

    def load(
        self, objects: Iterable[Object], *, defaulted: bool = False, completed: bool = False
    ) -> list[str]:
        """Put all objects there, and say what is odd about them, in plain sentences.

        Args:
            defaulted: whether all of them have their defaults already.
            completed: whether there are to be stand-ins for what others refer to and isn't there.
        """
        if completed:
            owners = StandIns(objects)
            self._uids, objects = owners.uids, owners.completed()
        self._notes = []
        self._defaulted = defaulted
        objects = [*objects]
        # Of old states, only the times among each other tell for how long something has lasted.
        self._state_s = cache(lambda: min(self._now_s, start_s(objects)))
        first: dict[str, list[Object]] = {kind: [] for kind in _FIRST}
        rest: list[tuple[Kind | None, Object]] = []
        for obj in objects:
            kind = kind_of(obj)
            if kind is not None and kind.key in first:
                first[kind.key].append(obj)
            else:
                rest.append((kind, obj))
        for first_kind, group in first.items():
            for obj in group:
                self._put(KINDS[first_kind], obj)
        settle(self._store, lambda *_: None, self._now_s)
        kinds = Registry(self._store.list(DEFINITION.key).items, optional=self._optional)
        for kind, obj in rest:
            known = kind or kinds.of(obj)
            if known is None:
                self._note(_UNKNOWN, str(obj.get("kind")), obj)
            else:
                self._put(known, obj)
        if any(map(is_terminating, self._store.list("Pod").items)):
            self._notes += overdue_notes(self._store, self._state_s())
        return self._notes

    def _put(self, kind: Kind, obj: Object) -> None:
        obj = stored_version(kind, obj)
        if not self._defaulted:
            obj = completed(kind, obj)
        is_exported = is_known = bool(obj["metadata"].get("uid"))
        if kind.key == "PodDisruptionBudget":
            is_known = _is_counted(obj, is_exported)
        if not is_exported:
            obj = self._completed(kind, obj)
        elif kind.key == "Pod":
            obj = self._with_priority(obj)
        if is_known:
            self.exported.add(obj["metadata"]["uid"])
        if self._keeps and kind.key == "Node":
            obj = kept_node(obj)
        elif self._keeps and kind.key == "Pod":
            obj = self._kept_pod(obj)
        elif self._heals and kind.key == "Pod":
            obj = healed_pod(obj, self._now_s)
        self._place(kind, obj)
        try:
            self._store.create(kind.key, obj)
        except AlreadyExistsError:
            self._store.update(kind.key, obj)

    def _kept_pod(self, pod: Object) -> Object:
        # Of most pods the time of the state, which takes a look at all objects, doesn't matter.
        if is_terminating(pod) and is_overdue(pod, self._state_s()):
            pod = kept_overdue(pod)
        if may_stay_unhealthy(pod):
            pod = kept_pod(pod, self._behaviour, self._state_s())
        return pod

    def _place(self, kind: Kind, obj: Object) -> None:
        namespace = str(obj["metadata"].get("namespace") or "")
        if not kind.namespaced or namespace in self._places:
            return
        self._places.add(namespace)
        if self._store.get("Namespace", "", namespace) is None:
            missing = apply_defaults({"metadata": {"name": namespace}}, "Namespace")
            self._put(KINDS["Namespace"], missing)

    def _completed(self, kind: Kind, obj: Object) -> Object:
        written = obj
        if kind.namespaced and not obj["metadata"].get("namespace"):
            obj = {**obj, "metadata": {**obj["metadata"], "namespace": "default"}}
        self._place(kind, obj)
        is_admitted = kind.key == "Pod" and obj["spec"].get("priority") is not None
        if kind.key in _ADMITTED and not is_admitted:
            obj = self._admitted(kind, obj)
        metadata = {"creationTimestamp": timestamp(self._now_s), **obj["metadata"]}
        identity = (kind.key, namespace(obj), name(obj))
        metadata["uid"] = self._uids.get(identity) or new_uid(self._rng)
        strategy = registration_of(kind).strategy
        if strategy.counts_generations:
            metadata.setdefault("generation", 1)
        creation = Creation(self._now_s, self._rng, lambda: [*self._store.list(kind.key).items])
        obj = strategy.create({**obj, "metadata": metadata}, creation)
        given = status_of(written)
        if "status" in obj or given:
            obj = {**obj, "status": {**status_of(obj), **given}}
        if kind.key == "Node":
            told = given.get("conditions")
            since = {"lastTransitionTime": obj["metadata"]["creationTimestamp"]}
            conditions = (
                [*changed_conditions(obj, _NOTHING, self._now_s)]
                if told is None
                else [{**since, **one} for one in told]
            )
            return {**obj, "status": {**obj["status"], "conditions": conditions}}
        is_running = given.get("phase") in (None, "Running") and kind.key == "Pod"
        return self._running(obj, given) if is_running and node_name_of(obj) else obj

    def _admitted(self, kind: Kind, obj: Object) -> Object:
        request = Attributes(kind, obj["metadata"]["namespace"], "", self._now_s)
        try:
            return self._admission.admit(request, obj)
        except RefusedError as refused:
            self._note(_TAKEN_ANYWAY, kind.name, obj, why=refused.message)
            if kind.key == "Pod" and obj["spec"].get("priority") is None:
                return {**obj, "spec": {**obj["spec"], "priority": 0}}
            return obj

    def _with_priority(self, pod: Object) -> Object:
        spec = pod["spec"]
        if spec.get("priority") is not None or not spec.get("priorityClassName"):
            return pod
        try:
            return PriorityClasses(self._store.list("PriorityClass").items).resolve(pod)
        except RefusedError as refused:
            self._note(_TAKEN_ANYWAY, "Pod", pod, why=refused.message)
            return pod

    def _running(self, pod: Object, given: Object) -> Object:
        since = timestamp(self._now_s)
        is_ready = all(one.get("ready") for one in given.get("containerStatuses") or ())
        statuses = dict.fromkeys(("PodScheduled", "Initialized"), "True")
        statuses |= dict.fromkeys(("ContainersReady", "Ready"), "True" if is_ready else "False")
        conditions = given.get("conditions") or [
            {"type": kind, "status": status, "lastTransitionTime": since}
            for kind, status in statuses.items()
        ]
        status = {"startTime": since, **pod["status"], "phase": "Running", "conditions": conditions}
        return {**pod, "status": status}

    def _note(self, text: str, kind: str, obj: Object, **more: str) -> None:
        known = kind_of(obj)
        name = key(obj) if known is None or known.namespaced else obj["metadata"]["name"]
        self._notes.append(text.format(kind=kind, name=name, **more))


def _is_counted(budget: Object, is_exported: bool) -> bool:
    status = status_of(budget)
    if status.get("disruptionsAllowed") is None:
        return False
    observed = status.get("observedGeneration")
    if observed is None:
        return not is_exported
    return bool(observed >= (budget["metadata"].get("generation") or 0))
