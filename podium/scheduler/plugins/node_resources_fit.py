"""NodeResourcesFit: a node needs free resources for the pod's requests, and is scored by its usage.

A request above a node's allocatable amount can't be cured by removing pods. Extended resources that
a DeviceClass stands for are left to DynamicResources on nodes that don't provide them. Scoring
strategies are in `podium.scheduler.plugins.node_resources.allocation_scores`.
"""

from collections.abc import Container, Mapping, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from podium.api.devices.device_classes import classes_by_resource
from podium.api.objects import Object, name
from podium.api.resources import (
    explicit_resource,
    implicit_resource,
    is_extended_resource,
    is_scalar_resource,
)
from podium.scheduler.config.args import NodeResourcesFitArgs
from podium.scheduler.framework.cluster_events import (
    Action,
    EventHint,
    EventResource,
    after_change,
    after_removal,
)
from podium.scheduler.framework.handle import Handle
from podium.scheduler.framework.interface import CycleError, FilterState, LocalScore, Scope
from podium.scheduler.framework.status import Status, rejection
from podium.scheduler.plugins.node_resources.allocation_scores import STRATEGIES, FreeAmounts
from podium.scheduler.plugins.node_resources.scored_resources import ScoredResources
from podium.scheduler.snapshot.arrays import Codes, Rows, Sums
from podium.scheduler.snapshot.pod_classes import PodClass, PodClasses
from podium.scheduler.snapshot.pod_columns import ManyPods
from podium.scheduler.snapshot.pod_info import PodInfo
from podium.scheduler.snapshot.resource_columns import NATIVE_RESOURCES, ResourceColumns
from podium.scheduler.snapshot.snapshot import allocatable_amounts

Amounts = NDArray[np.int64]

# A code has 32 bits: one is the sign, one stands for the number of pods.
_RESOURCES_MAX = 30
# Larger than any amount, and small enough to be added to.
_AMPLE = 2**62
_BITS = tuple(1 << position for position in range(_RESOURCES_MAX + 1))


class NodeResourcesFit:
    """Rules out nodes with too few free resources, and scores the others (Filter, Score)."""

    name = "NodeResourcesFit"

    def __init__(self, handle: Handle, args: NodeResourcesFitArgs | None = None) -> None:
        self._snapshot = handle.snapshot
        self._listers = handle.listers
        self._args = args or NodeResourcesFitArgs()
        specs = self._args.scoring_strategy.resources
        self._scored = ScoredResources(handle, specs, FreeAmounts, nonzero=True)

    def events_to_register(self) -> Sequence[EventHint]:
        scaled, sized = Action.UPDATE_POD_SCALE_DOWN, Action.ADD | Action.UPDATE_NODE_ALLOCATABLE
        return (
            after_removal(EventResource.ASSIGNED_POD),
            after_change(EventResource.ASSIGNED_POD, scaled, self._frees_something),
            after_change(EventResource.UNSCHEDULED_POD, scaled),
            after_change(EventResource.NODE, sized, self._grows_large_enough),
            after_change(EventResource.DEVICE_CLASS, Action.ADD | Action.UPDATE, _stands_for_more),
        )

    def filter(self, pod: PodInfo) -> FilterState:
        of_pod = pod.cls.requests
        scalar = [
            resource
            for resource in of_pod
            if resource not in NATIVE_RESOURCES
            and is_scalar_resource(resource)
            and not self._is_ignored(resource)
        ]
        requests = {r: of_pod[r] for r in (*NATIVE_RESOURCES, *scalar) if of_pod.get(r, 0) > 0}
        if len(requests) > _RESOURCES_MAX:
            message = f"can't judge requests for more than {_RESOURCES_MAX} resources"
            raise CycleError(self.name, message)
        if pod.cls.requested_devices:
            provided = self._provided()
            if any(resource in provided for resource in requests):
                return FitWithDevices(self._snapshot.resources, requests, provided)
        return Fit(self._snapshot.resources, requests)

    def score(self, pod: PodInfo) -> LocalScore:
        columns, requests = self._scored.of(pod.cls.scored)
        strategy = self._args.scoring_strategy
        return STRATEGIES[strategy.type](self.name, strategy, columns, requests)

    def _frees_something(self, pod: PodInfo, old: Object | None, new: Object) -> bool:
        before, after = map(self._snapshot.classes.on_node, (old, new))
        had, has = before.held if before else {}, after.held if after else {}
        return any(had.get(resource, 0) > has.get(resource, 0) for resource in _requests(pod))

    def _grows_large_enough(self, pod: PodInfo, old: Object | None, new: Object) -> bool:
        requests = {"pods": 1, **_requests(pod)}
        has = allocatable_amounts(new)
        provided = self._provided() if pod.cls.requested_devices else {}
        of_devices = [r for r in requests if r in provided and not has.get(r)]
        for resource in of_devices:
            del requests[resource]
        if any(has.get(resource, 0) < amount for resource, amount in requests.items()):
            return False
        had = {} if old is None else allocatable_amounts(old)
        grows = any(has[resource] > had.get(resource, 0) for resource in requests)
        return old is None or bool(of_devices) or grows

    def _provided(self) -> Mapping[str, Object]:
        return classes_by_resource(self._listers.list("DeviceClass"))

    def _is_ignored(self, resource: str) -> bool:
        group, args = resource.partition("/")[0], self._args
        is_listed = resource in args.ignored_resources or group in args.ignored_resource_groups
        return is_listed and is_extended_resource(resource)


def _requests(pod: PodInfo) -> dict[str, int]:
    """Return a pod's requests for hints; ignored resources of the configuration are included."""
    return {
        resource: amount
        for resource, amount in pod.cls.requests.items()
        if amount > 0 and (resource in NATIVE_RESOURCES or is_scalar_resource(resource))
    }


def _stands_for_more(pod: PodInfo, old: Object | None, new: Object) -> bool:
    explicit = explicit_resource(new)
    if old is not None and explicit == explicit_resource(old):
        return False
    implicit = implicit_resource(name(new)) if old is None else ""
    return explicit in pod.cls.requests or implicit in pod.cls.requests


class Fit(FilterState):
    """Filter state that compares free amounts with the pod's requests.

    The sums are the number of pods, and the amount they hold of each requested resource. A code has
    a bit for each sum that is too large, in that order. It is negative if a request exceeds the
    node's allocatable amount.
    """

    plugin = NodeResourcesFit.name
    scope = Scope.ROW

    def __init__(self, columns: ResourceColumns, requests: Mapping[str, int]) -> None:
        self.width = 1 + len(requests)
        self.names = ("pods", *requests)
        self._columns = indexes = [columns.index_of(resource) for resource in requests]
        self._amounts = (1, *requests.values())
        self._free = [columns.free_pods, *[columns.free[index] for index in indexes]]
        self._limits = [columns.allocatable[index] for index in indexes]

    @cached_property
    def _checks_at(self) -> Sequence[tuple[memoryview, int, int]]:
        """Free column, request and bit by sum; memory views, as their elements are read fast."""
        free_at = [free.data for free in self._free]
        return list(zip(free_at, self._amounts, _BITS, strict=False))

    def codes(self, rows: Rows, extra: Sums = ()) -> Codes:
        codes = np.zeros(len(rows), np.int32)
        for position, (free, amount) in enumerate(zip(self._free, self._amounts, strict=True)):
            headroom = free[rows] - extra[position] if extra else free[rows]
            _mark(codes, headroom < amount, position)
        return self._signed(codes, rows)

    def all_codes(self, node_count: int) -> Codes:
        codes = np.zeros(node_count, np.int32)
        marked = [
            _mark(codes, free < amount, position)
            for position, (free, amount) in enumerate(zip(self._free, self._amounts, strict=True))
        ]
        return self._signed(codes, slice(None)) if any(marked) else codes

    def _signed(self, codes: Codes, rows: Rows | slice) -> Codes:
        """Negate the codes of rows where a request exceeds the node's allocatable amount."""
        if np.count_nonzero(codes):
            for limit, amount in zip(self._limits, self._amounts[1:], strict=True):
                beyond = limit[rows] < amount
                if beyond.any():
                    codes[beyond] = -np.abs(codes[beyond])
        return codes

    def code(self, row: int, extra: Sequence[int] = ()) -> int:
        code = 0
        if extra:
            for (free, amount, bit), more in zip(self._checks_at, extra, strict=True):
                if free[row] - more < amount:
                    code += bit
        else:
            for free, amount, bit in self._checks_at:
                if free[row] < amount:
                    code += bit
        if code:
            limits = zip(self._limits, self._amounts[1:], strict=True)
            return -code if any(limit[row] < amount for limit, amount in limits) else code
        return code

    def weights(self, cls: PodClass) -> Sequence[int]:
        return (1, *(cls.held.get(name, 0) for name in self.names[1:]))

    def weights_of(self, pods: ManyPods, classes: PodClasses) -> Sequence[Amounts]:
        return (pods.ids >= 0).astype(np.int64), *map(pods.held, self._columns)

    def headroom(self, rows: Rows) -> Sums:
        return [free[rows] - amount for free, amount in zip(self._free, self._amounts, strict=True)]

    def status(self, row: int, code: int) -> Status:
        reasons = ("Too many pods", *(f"Insufficient {name}" for name in self.names[1:]))
        bits = abs(code)
        return rejection(code, *(r for place, r in enumerate(reasons) if bits & 1 << place))


class FitWithDevices(Fit):
    """Filter state that leaves resources of devices to another plugin, on nodes without them.

    `provided` has the resources that a DeviceClass stands for.
    """

    def __init__(
        self, columns: ResourceColumns, requests: Mapping[str, int], provided: Container[str]
    ) -> None:
        super().__init__(columns, requests)
        self._are_devices = [False, *(resource in provided for resource in requests)]

    def codes(self, rows: Rows, extra: Sums = ()) -> Codes:
        codes = np.zeros(len(rows), np.int32)
        for position, left in enumerate(self.headroom(rows)):
            _mark(codes, left < (extra[position] if extra else 0), position)
        return self._signed(codes, rows)

    all_codes, code = FilterState.all_codes, FilterState.code

    def headroom(self, rows: Rows) -> Sums:
        sums = [*super().headroom(rows)]
        for position, limit in enumerate(self._limits, 1):
            if self._are_devices[position]:
                sums[position] = np.where(limit[rows] > 0, sums[position], _AMPLE)
        return sums

    def _signed(self, codes: Codes, rows: Rows | slice) -> Codes:
        for position, (limit, amount) in enumerate(
            zip(self._limits, self._amounts[1:], strict=True), 1
        ):
            is_beyond = limit[rows] < amount
            if self._are_devices[position]:
                is_beyond &= limit[rows] > 0
            codes = np.where((codes > 0) & is_beyond, -codes, codes)
        return codes.astype(np.int32, copy=False)


def _mark(codes: Codes, short: NDArray[np.bool_], position: int) -> bool:
    """Add a bit to the codes of rows where `short` is True; return whether there are any."""
    if not np.count_nonzero(short):
        return False
    codes += short * np.int32(_BITS[position])
    return True
