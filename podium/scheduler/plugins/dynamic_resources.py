"""DynamicResources: nodes must reach devices for a pod's resource claims.

Claims that are allocated restrict nodes by the allocation's node selector. For the others, and for
extended resources that a DeviceClass stands for, devices are allocated on each node; nodes score by
the alternatives of requests that they can serve. The rules are those of v1.36 with its features
that are on by default: AdminAccess, ConsumableCapacity, DeviceBindingConditions, DeviceTaints,
ExtendedResource, PartitionableDevices, PrioritizedList, SchedulerFilterTimeout. Off by default, and
refused or without effect, are DeviceTaintRules, ListTypeAttributes, NodeAllocatableResources and
WorkloadResourceClaims.
"""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any

import msgspec
import numpy as np

from podium.api.devices.resource_claims import (
    FINALIZER,
    RESERVATIONS_MAX,
    ClaimError,
    allocation_of,
    is_for_extended_resources,
    pod_reference,
    reserved_for,
)
from podium.api.objects import (
    Object,
    entries,
    finalizers_of,
    key,
    name,
    namespace,
    status_of,
    uid,
    uid_of,
    without,
)
from podium.api.selectors.node_selector import node_selector
from podium.api.values.times import timestamp
from podium.machines.effects import Create, Effect, deletion_of, patch_of, status_patch_of
from podium.scheduler.config.args import DynamicResourcesArgs
from podium.scheduler.devices.allocated_devices import CLAIM
from podium.scheduler.devices.allocation_results import allocation_result
from podium.scheduler.devices.claim_answers import ClaimAnswers
from podium.scheduler.devices.claim_requests import ClaimRequests
from podium.scheduler.devices.device_manager import DeviceManager
from podium.scheduler.devices.extended_resources import (
    IN_MEMORY,
    device_requests,
    extended_resource_claim,
)
from podium.scheduler.devices.freed_devices import PLUGIN, known_claims
from podium.scheduler.devices.pod_devices import (
    ExtendedResources,
    PodDevices,
    alternatives_score,
    binding_progress,
    is_overdue,
    own_claims,
    pod_devices,
)
from podium.scheduler.framework.cluster_events import (
    Action,
    EventHint,
    EventResource,
    after_change,
    after_removal,
)
from podium.scheduler.framework.cycle.post_filter import NodeToStatus
from podium.scheduler.framework.handle import Handle
from podium.scheduler.framework.interface import (
    FITS,
    PASSES,
    FilterState,
    PostFilterResult,
    PreBindProgress,
    PreFilterResult,
    RelativeScore,
    default_normalize,
)
from podium.scheduler.framework.status import SUCCESS, Code, Status, unresolvable, unschedulable
from podium.scheduler.plugins.devices.device_filter import (
    STALE_CLAIM,
    UNAVAILABLE,
    DeviceFilter,
    PreemptibleDevices,
)
from podium.scheduler.snapshot.arrays import Mask, Rows, Scores
from podium.scheduler.snapshot.pod_classes import PodClass
from podium.scheduler.snapshot.pod_info import PodInfo
from podium.scheduler.snapshot.snapshot import Change

NO_CLAIMS = "no new claims to deallocate"
# A search reads no clock: the time limit counts the devices that it tries.
_STEPS_PER_S = 100_000
_FREED = {"allocation": None, "devices": None, "reservedFor": None}


class _Reservation(msgspec.Struct, frozen=True, eq=False):
    """What a pod has reserved on its node."""

    uses: Sequence[tuple[Object, dict[str, Any] | None]] = ()
    """The pod's claims, each with its allocation, or None if the API has that already."""
    mappings: Sequence[Mapping[str, str]] = ()
    """The devices that the pod uses as extended resources."""


_NOTHING = _Reservation()


class DynamicResources:
    """Allocates devices for claims (PreEnqueue to PreBind)."""

    name = PLUGIN
    poll_s = 5.0
    waiting_reason = "BindingConditionsPending"

    def __init__(self, handle: Handle, args: DynamicResourcesArgs | None = None) -> None:
        args = args or DynamicResourcesArgs()
        self.bind_timeout_seconds = int(args.binding_timeout)
        self._snapshot = handle.snapshot
        self._listers = handle.listers
        self._handle = handle
        self._preempts = handle.options.device_preemption
        self._clock = handle.clock
        self._gangs = handle.gangs
        self.devices = DeviceManager(
            handle.snapshot, handle.allocated, round(args.filter_timeout * _STEPS_PER_S)
        )
        self._last: tuple[object, PodDevices] = (None, PodDevices())
        self._reserved: dict[str, _Reservation] = {}

    def events_to_register(self) -> Sequence[EventHint]:
        changed, of = Action.ADD | Action.UPDATE, EventResource
        sized = Action.ADD | Action.UPDATE_NODE_LABEL | Action.UPDATE_NODE_ALLOCATABLE
        named = Action.UPDATE_POD_GENERATED_RESOURCE_CLAIM
        # The claims of victims may be seen to be deallocated while their preemptor is still gated.
        gone = (after_removal(of.ASSIGNED_POD, self._has_used_devices),) if self._preempts else ()
        return (
            *gone,
            after_change(of.NODE, sized),
            after_change(of.RESOURCE_CLAIM, changed, self._claim_helps, by_pod=True),
            after_change(of.UNSCHEDULED_POD, named, self._has_claims),
            after_change(of.DEVICE_CLASS, changed),
            after_change(of.RESOURCE_SLICE, changed),
        )

    def by_shape(self, cls: PodClass) -> bool:
        return not cls.spec.get("resourceClaims") and not cls.requested_devices

    def pre_enqueue(self, pod: PodInfo) -> Status:
        if not pod.cls.spec.get("resourceClaims"):
            return SUCCESS
        try:
            own_claims(self._listers, pod.obj)
        except ClaimError as error:
            return unresolvable(str(error))
        return SUCCESS

    def depends_on(self, pod: PodInfo) -> Hashable:
        if self.by_shape(pod.cls):
            return None
        needs = self.needs(pod)
        if needs.waiting and self.devices.answers([one for _, one in needs.waiting]).errors:
            # The message of an error names the claim, which is each pod's own.
            return needs.key, tuple(key(claim) for claim, _ in needs.waiting)
        return needs.key

    def pre_filter(self, pod: PodInfo) -> PreFilterResult:
        if self.by_shape(pod.cls):
            return PASSES
        needs = self.needs(pod)
        if not needs.refusal:
            return PASSES
        code = Code.ERROR if needs.is_error else Code.UNSCHEDULABLE_AND_UNRESOLVABLE
        return PreFilterResult(Status(code, (needs.refusal,)))

    def filter(self, pod: PodInfo) -> FilterState | None:
        if self.by_shape(pod.cls) or (needs := self.needs(pod)).is_empty:
            return None
        is_unavailable = np.zeros(self._snapshot.node_count, bool)
        for restriction in needs.restrictions:
            is_unavailable |= ~self._reached(restriction.node_selector, restriction.is_stuck)
        parts = self._parts(pod, needs)
        claim_keys = [key(claim) for claim, _ in needs.waiting]
        unprovided = self._unprovided(needs.extended)
        device_filter = DeviceFilter(self.devices, parts, is_unavailable, unprovided, claim_keys)
        if not self._preempts:
            return device_filter
        claims = pod.cls.spec.get("resourceClaims") or ()
        shared = {f"{pod.namespace}/{entry.get('resourceClaimName')}" for entry in claims}
        return PreemptibleDevices(device_filter, self._handle, self.claims_on, shared)

    def score(self, pod: PodInfo) -> RelativeScore | None:
        if self.by_shape(pod.cls):
            return None
        needs = self.needs(pod)
        parts = [(rows, found) for rows, found in self._parts(pod, needs) if found is not None]
        allocated = sum(alternatives_score(restriction.claim) for restriction in needs.restrictions)
        if not allocated and not any(found.has_scores for _, found in parts):
            return None
        return _DeviceScore(self._snapshot.node_count, parts, allocated)

    def by_class(self, pod: PodInfo) -> bool:
        return self.by_shape(pod.cls)

    def post_filter(self, pod: PodInfo, filtered: NodeToStatus) -> PostFilterResult:
        """Deallocate a claim that keeps the pod off nodes and that no other pod uses.

        In v1.36, PostFilter reads the state of its PreFilter. If another plugin refused the pod
        first, there is no state, so that PostFilter fails and DefaultPreemption isn't called.
        """
        if not filtered.was_asked(self.name):
            return PostFilterResult(Status(Code.ERROR, ("not found",), self.name))
        needs = PodDevices() if self.by_shape(pod.cls) else self.needs(pod)
        calls: Sequence[Effect] = ()
        reason = NO_CLAIMS
        if not needs.is_empty:
            claim = self._superfluous(pod, needs, filtered)
            stale = None if needs.extended is None else needs.extended.stale
            if claim is not None:
                reason = "deallocation of ResourceClaim completed"
                calls = (status_patch_of(CLAIM, claim, _FREED),)
            elif stale is not None:
                reason = "deletion of ResourceClaim completed"
                calls = _deletion(stale)
            else:
                reason = "still not schedulable"
        return PostFilterResult(unschedulable(reason, plugin=self.name), calls=tuple(calls))

    def allocations(self, pod: PodInfo, node_name: str) -> Sequence[tuple[Object, Object]]:
        """Return the claims, with their allocations, that a pod gets on a node that fits it."""
        allocated = None if self.by_shape(pod.cls) else self._reservation(pod, node_name)
        uses = () if allocated is None else allocated.uses
        return [(claim, allocation) for claim, allocation in uses if allocation is not None]

    def claims_on(self, pod: PodInfo, row: int) -> Sequence[tuple[Object, ClaimRequests]]:
        """Return the claims that have to be allocated for a pod on a row, with their requests."""
        return self._asked(pod, row)[0]

    def reserve(self, pod: PodInfo, node_name: str) -> Status:
        if self.by_shape(pod.cls):
            return SUCCESS
        reserved = self._reservation(pod, node_name)
        if reserved is None:
            lost = f"devices of node {node_name} have been allocated meanwhile"
            return Status(Code.ERROR, (lost,))
        self._reserved[pod.uid] = reserved
        for claim, allocation in reserved.uses:
            if allocation is not None:
                gang = self._gang_of(pod)
                self.devices.allocated.begin(uid(claim), allocation, pod.uid, gang)
        return SUCCESS

    def unreserve(self, pod: PodInfo, node_name: str) -> None:
        for claim, _ in self._reserved.pop(pod.uid, _NOTHING).uses:
            self.devices.allocated.end(uid(claim), pod.uid)

    def pre_bind_calls(self, pod: PodInfo, node_name: str) -> Sequence[Effect] | None:
        """Return the calls that write allocations and reservations."""
        if self.by_shape(pod.cls):
            return None
        calls: list[Effect] = []
        for claim, allocation in self._reserved.get(pod.uid, _NOTHING).uses:
            if name(claim) == IN_MEMORY:
                metadata = {**without(claim["metadata"], "name", "uid"), "finalizers": [FINALIZER]}
                calls.append(Create(kind=CLAIM, obj={**claim, "metadata": metadata}))
            elif pod.uid not in reserved_for(claim):
                status: dict[str, Any] = {"reservedFor": [pod_reference(pod.obj)]}
                # Pods of a gang write the same allocation, in whichever order they come.
                if allocation is not None and self.devices.allocated.in_flight(uid(claim)):
                    status["allocation"] = self._dated(allocation)
                    if FINALIZER not in finalizers_of(claim):
                        protection = {"metadata": {"finalizers": [FINALIZER]}}
                        calls.append(patch_of(CLAIM, claim, protection))
                calls.append(status_patch_of(CLAIM, claim, status))
        return calls

    def further_calls(
        self, pod: PodInfo, node_name: str, written: Sequence[Object]
    ) -> Sequence[Effect]:
        """Return the calls that allocate the claim of extended resources, once it is created."""
        reserved = self._reserved.get(pod.uid, _NOTHING)
        calls: list[Effect] = []
        for obj in _claims_in(written):
            if not is_for_extended_resources(obj) or allocation_of(obj):
                continue
            allocation = next(made for claim, made in reserved.uses if name(claim) == IN_MEMORY)
            assert allocation is not None
            users = [pod_reference(pod.obj)]
            status = {"allocation": self._dated(allocation), "reservedFor": users}
            calls.append(status_patch_of(CLAIM, obj, status))
            uses = {"resourceClaimName": name(obj), "requestMappings": [*reserved.mappings]}
            calls.append(status_patch_of("Pod", pod.obj, {"extendedResourceClaimStatus": uses}))
        return calls

    def pre_bind_done(self, pod: PodInfo, node_name: str, progress: PreBindProgress) -> Status:
        """Wait until the drivers of devices have made all binding conditions true."""
        if self.by_shape(pod.cls):
            return SUCCESS
        if pod.uid in self._reserved:
            self._assume(progress.written)
            self.unreserve(pod, node_name)
        try:
            claims = [*own_claims(self._listers, pod.obj)]
        except ClaimError as error:
            return Status(Code.ERROR, (str(error),))
        self.devices.allocated.follow()
        if extended := self.devices.allocated.extended_resources.get(pod.uid):
            claims.append(extended)
        for claim in claims:
            is_ready, fault = binding_progress(claim)
            if fault:
                return Status(Code.ERROR, (f"device binding failed: {fault}",))
            if not is_ready:
                if is_overdue(claim, self._clock.now_s, self.bind_timeout_seconds):
                    late = f"device binding timeout: claim={name(claim)}"
                    return Status(Code.ERROR, (late,))
                if progress.is_late:
                    return Status(Code.ERROR, ("device binding timeout",))
                waiting = f"waiting for binding conditions for device on node {node_name}"
                return Status(Code.WAIT, (waiting,))
        return SUCCESS

    def undo_calls(self, pod: PodInfo, written: Sequence[Object]) -> Sequence[Effect]:
        """Return the calls that take the pod's reservations back; allocations stay."""
        calls: list[Effect] = []
        for claim in _claims_in([*known_claims(self._listers, pod), *written]):
            if is_for_extended_resources(claim):
                calls += _deletion(claim)
            elif pod.uid in reserved_for(claim):
                gone = {"reservedFor": [{"$patch": "delete", "uid": pod.uid}]}
                calls.append(status_patch_of(CLAIM, claim, gone))
        return calls

    def _assume(self, written: Sequence[Object]) -> None:
        for obj in _claims_in(written):
            self.devices.allocated.land(uid(obj))
            if self._listers.get(CLAIM, name(obj), namespace(obj)) is None:
                # The claim was created just now, and no watch has shown it yet.
                self._listers.set(obj)
            else:
                self._listers.assume(obj)

    def pre_bind_at_once(self, pod: PodInfo, node_name: str) -> Status:
        for claim, allocation in self._reserved.get(pod.uid, _NOTHING).uses:
            if pod.uid in reserved_for(claim):
                continue
            status = {**status_of(claim)}
            if len(reserved_for(claim)) >= RESERVATIONS_MAX:
                limit = f"must have at most {RESERVATIONS_MAX} items"
                message = f"add reservation to claim {key(claim)}: status.reservedFor: {limit}"
                return Status(Code.ERROR, (message,))
            status["reservedFor"] = [*entries(status, "reservedFor"), pod_reference(pod.obj)]
            if allocation is not None:
                status["allocation"] = self._dated(allocation)
            named = claim["metadata"]
            if name(claim) == IN_MEMORY:
                named = {**named, "name": f"{named['generateName']}{pod.uid}"}
            self._listers.set({**claim, "metadata": named, "status": status})
        self.unreserve(pod, node_name)
        return SUCCESS

    def _gang_of(self, pod: PodInfo) -> Hashable:
        return None if self._gangs is None else self._gangs.gang_of(pod.obj)

    def needs(self, pod: PodInfo) -> PodDevices:
        """Return what a pod needs of devices, as its claims are now."""
        listers, allocated = self._listers, self.devices.allocated
        state = (pod.obj, listers.claims.end, listers.epoch, allocated.flights, self._clock.now_s)
        known, needs = self._last
        if not isinstance(known, tuple) or known[0] is not pod.obj or known[1:] != state[1:]:
            needs = pod_devices(
                self.devices,
                listers,
                pod,
                self._gang_of(pod),
                self._clock.now_s,
                self.bind_timeout_seconds,
            )
            self._last = (state, needs)
        return needs

    def _reached(self, selector: Object | None, is_stuck: bool) -> Mask:
        if is_stuck:
            return np.zeros(self._snapshot.node_count, bool)
        if selector is None:
            return np.ones(self._snapshot.node_count, bool)
        return self._snapshot.columns.matching(node_selector(selector))

    def _unprovided(self, extended: ExtendedResources | None) -> Mask | int:
        """Return the rows that lack an extended resource, or the code of all rows."""
        if extended is None:
            return FITS
        if extended.stale is not None:
            return STALE_CLAIM
        lacking = np.zeros(self._snapshot.node_count, bool)
        for resource in extended.requested:
            if resource not in extended.class_names:
                lacking |= self._allocatable(resource) == 0
        return lacking

    def _allocatable(self, resource: str) -> Scores:
        columns = self._snapshot.resources
        return columns.allocatable[columns.index_of(resource)]

    def _parts(
        self, pod: PodInfo, needs: PodDevices
    ) -> list[tuple[Mask | None, ClaimAnswers | None]]:
        """Return answers about the pod's claims, with the rows they are for; None for all rows.

        Nodes that provide extended resources themselves need no devices for them.
        """
        own = [requests for _, requests in needs.waiting]
        extended = needs.extended
        if extended is None:
            return [(None, self.devices.answers(own) if own else None)]
        lacks = np.zeros(self._snapshot.node_count, np.int64)
        resources = [*extended.class_names]
        for bit, resource in enumerate(resources):
            lacks |= (self._allocatable(resource) == 0).astype(np.int64) << bit
        parts: list[tuple[Mask | None, ClaimAnswers | None]] = []
        for bits in np.unique(lacks).tolist():
            claim = self._extended_claim(pod, extended, bits)[0]
            asked = [*own, self.devices.requests_of(claim)] if own or bits else []
            parts.append((lacks == bits, self.devices.answers(asked) if asked else None))
        return parts

    def _extended_claim(
        self, pod: PodInfo, extended: ExtendedResources, bits: int
    ) -> tuple[dict[str, Any], list[dict[str, str]]]:
        names = extended.class_names.items()
        lacking = {one: of for bit, (one, of) in enumerate(names) if bits >> bit & 1}
        requests, mappings = device_requests(pod.obj, lacking)
        return extended_resource_claim(pod.obj, requests), mappings

    def _asked(
        self, pod: PodInfo, row: int
    ) -> tuple[list[tuple[Object, ClaimRequests]], list[dict[str, str]]]:
        """Return the claims to allocate on a row, and the pod's uses of extended resources."""
        needs = self.needs(pod)
        claims, extended = [*needs.waiting], needs.extended
        if extended is None or needs.is_empty:
            return claims, []
        bits = sum(
            (self._allocatable(resource)[row] == 0) << bit
            for bit, resource in enumerate(extended.class_names)
        )
        claim, mappings = self._extended_claim(pod, extended, int(bits))
        if claims or bits:
            claims.append((claim, self.devices.requests_of(claim)))
        return claims, mappings

    def _reservation(self, pod: PodInfo, node_name: str) -> _Reservation | None:
        """Return what a pod reserves on a node; None if the node lacks devices for its claims."""
        row = self._snapshot.row_of[node_name]
        uses: list[tuple[Object, dict[str, Any] | None]] = []
        for restriction in self.needs(pod).restrictions:
            flight = self.devices.allocated.in_flight(uid(restriction.claim))
            uses.append((restriction.claim, None if flight is None else flight.allocation))
        claims, mappings = self._asked(pod, row)
        if claims:
            answers = self.devices.answers([requests for _, requests in claims])
            answers.refresh()
            allocation = answers.answer(row).allocation
            if allocation is None:
                return None
            pools = self.devices.pools(row)
            for index, (claim, requests) in enumerate(claims):
                found = allocation_result(claim, requests, allocation, index, pools, node_name)
                uses.append((claim, found))
        return _Reservation(uses, mappings)

    def _superfluous(
        self, pod: PodInfo, needs: PodDevices, filtered: NodeToStatus
    ) -> Object | None:
        """Return the first claim of those that keep the pod off a node and only it uses."""
        states = filtered.evaluation.filtering.states
        index = next((n for n, state in enumerate(states) if state.plugin == self.name), -1)
        is_blamed = (filtered.blame == index) & (filtered.outcome == UNAVAILABLE)
        for restriction in needs.restrictions:
            consumers = reserved_for(restriction.claim)
            is_written = self.devices.allocated.in_flight(uid(restriction.claim)) is None
            if is_written and consumers in ([], [pod.uid]):
                reached = self._reached(restriction.node_selector, restriction.is_stuck)
                if (is_blamed & ~reached).any():
                    return restriction.claim
        return None

    def _dated(self, allocation: dict[str, Any]) -> Object:
        # The first pod of a gang sets the time for all that share the allocation.
        allocation.setdefault("allocationTimestamp", timestamp(self._clock.now_s))
        return allocation

    def _claim_helps(self, pod: PodInfo, old: Object | None, new: Object) -> bool:
        try:
            uses = uid_of(new) in [uid_of(claim) for claim in own_claims(self._listers, pod.obj)]
        except ClaimError:
            return False
        if old is not None and allocation_of(old) is not None and allocation_of(new) is None:
            return True
        return uses and (old is None or status_of(old) != status_of(new))

    def _has_used_devices(self, pod: PodInfo, gone: Object) -> bool:
        cls = self._snapshot.classes.on_node(gone)
        return cls is not None and not self.by_shape(cls)

    def _has_claims(self, pod: PodInfo, old: Object | None, new: Object) -> bool:
        try:
            own_claims(self._listers, new)
        except ClaimError:
            return False
        return True


class _DeviceScore(RelativeScore):
    """Scores by the alternatives of requests that nodes can serve, the earlier the more.

    `allocated` is the score of claims that are allocated already, which counts for all nodes.
    """

    plugin = DynamicResources.name

    def __init__(
        self,
        node_count: int,
        parts: Sequence[tuple[Mask | None, ClaimAnswers]],
        allocated: int,
    ) -> None:
        self._node_count = node_count
        self._parts = parts
        self._allocated = allocated
        self._changes = self._counted()

    def scores(self, feasible: Rows) -> Scores:
        raw = np.zeros(self._node_count, np.int64)
        for is_of, answers in self._parts:
            scores = answers.scores + self._allocated
            raw = scores if is_of is None else np.where(is_of, scores, raw)
        return default_normalize(raw[feasible])

    def pods_changed(self, changes: Sequence[Change]) -> bool:
        before, self._changes = self._changes, self._counted()
        return before != self._changes

    def _counted(self) -> int:
        return sum(answers.score_changes for _, answers in self._parts)


def _claims_in(objects: Iterable[Object]) -> Sequence[Object]:
    """Return the claims among objects, each in its last version."""
    return [*{uid(obj): obj for obj in objects if obj.get("kind") == CLAIM}.values()]


def _deletion(claim: Object) -> Sequence[Effect]:
    """Return the calls that delete a claim that its finalizer protects."""
    kept = [finalizer for finalizer in finalizers_of(claim) if finalizer != FINALIZER]
    unprotected = patch_of(CLAIM, claim, {"metadata": {"finalizers": kept, "$patch": "replace"}})
    return (unprotected, deletion_of(CLAIM, claim))
