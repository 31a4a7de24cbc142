"""Loading of objects into a store as if they had always been there.

Objects with a uid come from an API server and aren't changed, except that a pod with a
PriorityClass but no priority gets the priority of the class. Objects written by hand are completed
with defaults, the changes of admission (for pods without a priority), a uid, a creation time and a
status: unless the object says otherwise, a pod with a node is running and ready, and a node is
healthy. A given status or deletion is kept; unhealthy objects recover only if `heals` is set.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from random import Random

from podium.api.errors import RefusedError
from podium.api.kinds.builtin_kinds import KINDS, POD_GROUP, Kind, kind_of
from podium.api.kinds.custom_kinds import DEFINITION
from podium.api.objects import Object, is_terminating, key, name, namespace, status_of
from podium.api.pods import node_name_of
from podium.api.values.times import timestamp
from podium.apiserver.admission.chain import Admission
from podium.apiserver.admission.pod_plugins import PriorityClasses
from podium.apiserver.attributes import Attributes
from podium.apiserver.custom_resources.definition_effects import settle
from podium.apiserver.kinds.registration.registrations import (
    apply_defaults,
    completed,
    registration_of,
)
from podium.apiserver.kinds.registration.strategy import Creation
from podium.apiserver.registry import Registry, stored_version
from podium.apiserver.store.errors import AlreadyExistsError
from podium.apiserver.store.store import Store
from podium.apiserver.verbs.writing import new_uid
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

# Admission of pods looks these kinds up.
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
    """Completes objects and puts them into a store."""

    def __init__(self, store: Store, rng: Random, now_s: float, options: ClusterOptions) -> None:
        self._store = store
        self._rng = rng
        self._now_s = now_s
        self._options = options
        self._admission = Admission(store, options.admission)
        # Without simulated nodes nothing recovers anyway.
        self._keeps = options.nodes is not None and not options.heals
        self._behaviour = options.nodes.behaviour if options.nodes else AT_ONCE
        self.exported: set[str] = set()
        """Uids of the objects that come from an API server."""
        self._notes: list[str] = []
        self._defaulted = False
        self._uids: Mapping[tuple[str, str, str], str] = {}
        self._namespaces: set[str] = set()
        self._state_s: Callable[[], float] = lambda: now_s

    def load(self, objects: Iterable[Object], *, defaulted: bool) -> list[str]:
        """Put all objects into the store, and return warnings about them, as sentences.

        With `defaulted`, all objects have the API's default values already. In a `settled` cluster
        there are stand-ins for missing owners and PriorityClasses.
        """
        if self._options.settled:
            owners = StandIns(objects)
            self._uids, objects = owners.uids, owners.completed()
        self._defaulted = defaulted
        objects = [*objects]
        # An old state ages from its own latest time, not from the start of the cluster.
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
        definitions, optional = self._store.list(DEFINITION.key).items, self._options.optional_kinds
        kinds = Registry(definitions, optional=optional)
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
            # A budget without an up-to-date count is the disruption controller's to count.
            status = status_of(obj)
            observed, is_known = status.get("observedGeneration"), not is_exported
            if observed is not None:
                is_known = observed >= (obj["metadata"].get("generation") or 0)
            is_known = is_known and status.get("disruptionsAllowed") is not None
        if not is_exported:
            obj = self._completed(kind, obj)
        elif kind.key == "Pod" and obj["spec"].get("priority") is None:
            obj = self._with_priority(obj)
        if is_known:
            self.exported.add(obj["metadata"]["uid"])
        if self._keeps and kind.key == "Node":
            obj = kept_node(obj)
        elif self._keeps and kind.key == "Pod":
            # The time of the state takes a look at all objects, and few pods need it.
            if is_terminating(obj) and is_overdue(obj, self._state_s()):
                obj = kept_overdue(obj)
            if may_stay_unhealthy(obj):
                obj = kept_pod(obj, self._behaviour, self._state_s())
        elif self._options.heals and kind.key == "Pod":
            obj = healed_pod(obj, self._now_s)
        self._add_namespace(kind, obj)
        try:
            self._store.create(kind.key, obj)
        except AlreadyExistsError:
            self._store.update(kind.key, obj)

    def _add_namespace(self, kind: Kind, obj: Object) -> None:
        namespace = str(obj["metadata"].get("namespace") or "")
        if not kind.namespaced or namespace in self._namespaces:
            return
        self._namespaces.add(namespace)
        if self._store.get("Namespace", "", namespace) is None:
            missing = apply_defaults({"metadata": {"name": namespace}}, "Namespace")
            self._put(KINDS["Namespace"], missing)

    def _completed(self, kind: Kind, obj: Object) -> Object:
        """Complete an object that was written by hand."""
        given = status_of(obj)
        if kind.namespaced and not obj["metadata"].get("namespace"):
            obj = {**obj, "metadata": {**obj["metadata"], "namespace": "default"}}
        self._add_namespace(kind, obj)
        is_admitted = kind.key == "Pod" and obj["spec"].get("priority") is not None
        if kind.key in _ADMITTED and not is_admitted:
            request = Attributes(kind, obj["metadata"]["namespace"], "", self._now_s)
            try:
                obj = self._admission.admit(request, obj)
            except RefusedError as refused:
                self._note(_TAKEN_ANYWAY, kind.name, obj, why=refused.message)
                if kind.key == "Pod":
                    obj = {**obj, "spec": {**obj["spec"], "priority": 0}}
        metadata = {"creationTimestamp": timestamp(self._now_s), **obj["metadata"]}
        identity = (kind.key, namespace(obj), name(obj))
        metadata["uid"] = self._uids.get(identity) or new_uid(self._rng)
        strategy = registration_of(kind).strategy
        if strategy.counts_generations:
            metadata.setdefault("generation", 1)
        creation = Creation(self._now_s, self._rng, lambda: [*self._store.list(kind.key).items])
        obj = strategy.create({**obj, "metadata": metadata}, creation)
        if "status" in obj or given:
            obj = {**obj, "status": {**status_of(obj), **given}}
        if kind.key == "Node":
            conditions = given.get("conditions")
            since = {"lastTransitionTime": obj["metadata"]["creationTimestamp"]}
            conditions = (
                [*changed_conditions(obj, {}, self._now_s)]
                if conditions is None
                else [{**since, **condition} for condition in conditions]
            )
            return {**obj, "status": {**obj["status"], "conditions": conditions}}
        if kind.key != "Pod" or not node_name_of(obj):
            return obj
        if given.get("phase") not in (None, "Running"):
            return obj
        begun = timestamp(self._now_s)
        is_ready = all(one.get("ready") for one in given.get("containerStatuses") or ())
        statuses = dict.fromkeys(("PodScheduled", "Initialized"), "True")
        statuses |= dict.fromkeys(("ContainersReady", "Ready"), "True" if is_ready else "False")
        conditions = given.get("conditions") or [
            {"type": condition, "status": status, "lastTransitionTime": begun}
            for condition, status in statuses.items()
        ]
        status = {"startTime": begun, **obj["status"]}
        return {**obj, "status": {**status, "phase": "Running", "conditions": conditions}}

    def _with_priority(self, pod: Object) -> Object:
        try:
            if pod["spec"].get("priorityClassName"):
                return PriorityClasses(self._store.list("PriorityClass").items).resolve(pod)
        except RefusedError as refused:
            self._note(_TAKEN_ANYWAY, "Pod", pod, why=refused.message)
        return pod

    def _note(self, text: str, kind: str, obj: Object, **more: str) -> None:
        known = kind_of(obj)
        name = key(obj) if known is None or known.namespaced else obj["metadata"]["name"]
        self._notes.append(text.format(kind=kind, name=name, **more))
