"""NodeResourcesFit: a node must have what the pod requests; how full it is makes its score.

A request above what the node has in all can't be cured by removing pods. The strategies of the
score are in `podium.core.allocation_scores`.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from podium.api.resources import (
    SCORING_DEFAULTS,
    is_extended_resource,
    is_scalar_resource,
    pod_requests,
    resource_amount,
)
from podium.config.args import NodeResourcesFitArgs
from podium.config.types import ExtensionPoint
from podium.core.allocation_scores import allocation_score
from podium.core.framework import Codes, CycleError, FilterState, LocalScore, Rows, Scope, Sums
from podium.core.handle import Handle
from podium.core.pod_classes import PodClass
from podium.core.pods import PodInfo
from podium.core.resource_columns import NATIVE_RESOURCES, ResourceColumns
from podium.core.scored_resources import scored_resources
from podium.core.status import Status, rejection

# A code has 32 bits: one is the sign, one stands for the number of pods.
_RESOURCES_MAX = 30


class NodeResourcesFit:
    """Rules out nodes with too little left, and ranks the others (Filter, Score)."""

    name = "NodeResourcesFit"
    also_serves = frozenset({ExtensionPoint.PRE_FILTER, ExtensionPoint.PRE_SCORE})

    def __init__(self, handle: Handle, args: NodeResourcesFitArgs | None = None) -> None:
        self._snapshot = handle.snapshot
        self._args = args or NodeResourcesFitArgs()

    def filter(self, pod: PodInfo) -> FilterState:
        requests = self._filtered(pod.cls.requests)
        if len(requests) > _RESOURCES_MAX:
            message = f"can't judge requests for more than {_RESOURCES_MAX} resources"
            raise CycleError(self.name, message)
        return _Fit(self._snapshot.resources, requests)

    def score(self, pod: PodInfo) -> LocalScore:
        strategy = self._args.scoring_strategy
        nanos = pod_requests(
            pod.cls.pod, use_status=True, default_missing=SCORING_DEFAULTS, pod_level=False
        )
        requests = {resource: resource_amount(resource, n) for resource, n in nanos.items()}
        columns = self._snapshot.resources
        resources = scored_resources(columns, strategy.resources, requests, nonzero=True)
        return allocation_score(self.name, strategy, resources)

    def _filtered(self, requests: Mapping[str, int]) -> dict[str, int]:
        """The requests that count, in the order in which reasons are given."""
        scalar = (r for r in requests if is_scalar_resource(r) and not self._ignores(r))
        return {r: requests[r] for r in (*NATIVE_RESOURCES, *scalar) if requests.get(r, 0) > 0}

    def _ignores(self, resource: str) -> bool:
        group, _, _ = resource.partition("/")
        return is_extended_resource(resource) and (
            resource in self._args.ignored_resources or group in self._args.ignored_resource_groups
        )


class _Fit(FilterState):
    """Compares what is left with what is requested.

    Codes have a bit for each thing that is short, the number of pods first, then the requested
    resources in order; they are negative if a node could never give what is requested. The sums
    are the number of pods, and what they hold of each requested resource.
    """

    plugin = NodeResourcesFit.name
    scope = Scope.ROW

    def __init__(self, columns: ResourceColumns, requests: Mapping[str, int]) -> None:
        self.width = 1 + len(requests)
        self._names = tuple(requests)
        self._pods, self._allowed = columns.pods, columns.allowed_pods
        indexes = [columns.index_of(resource) for resource in requests]
        self._used = [columns.requested[index] for index in indexes]
        # What pods may hold for the request still to fit.
        self._room = [
            columns.allocatable[index] - amount
            for index, amount in zip(indexes, requests.values(), strict=True)
        ]
        self._sign = np.ones(len(self._pods), np.int32)
        for room in self._room:
            self._sign[room < 0] = -1
        # Single elements are read through memory views: as plain integers, ten times as fast.
        self._pods_at, self._allowed_at = self._pods.data, self._allowed.data
        self._sign_at = self._sign.data
        self._checks = [
            (used.data, room.data, 2 << position)
            for position, (used, room) in enumerate(zip(self._used, self._room, strict=True))
        ]

    def codes(self, rows: Rows, extra: Sums = ()) -> Codes:
        more = extra or (0,) * self.width
        codes = (self._pods[rows] + more[0] >= self._allowed[rows]).astype(np.int32)
        for position, (used, room) in enumerate(zip(self._used, self._room, strict=True)):
            short = used[rows] + more[position + 1] > room[rows]
            codes += short * np.int32(2 << position)
        codes *= self._sign[rows]
        return codes

    def code(self, row: int, extra: Sequence[int] = ()) -> int:
        if extra:
            return self._code_with(row, extra)
        code = 1 if self._pods_at[row] >= self._allowed_at[row] else 0
        for used, room, bit in self._checks:
            if used[row] > room[row]:
                code += bit
        return code * self._sign_at[row]

    def _code_with(self, row: int, extra: Sequence[int]) -> int:
        pods, *amounts = extra
        code = 1 if self._pods_at[row] + pods >= self._allowed_at[row] else 0
        for (used, room, bit), amount in zip(self._checks, amounts, strict=True):
            if used[row] + amount > room[row]:
                code += bit
        return code * self._sign_at[row]

    def weights(self, cls: PodClass) -> Sequence[int]:
        return (1, *(cls.held.get(name, 0) for name in self._names))

    def status(self, row: int, code: int) -> Status:
        bits = abs(code)
        reasons = ["Too many pods"] if bits & 1 else []
        reasons += [
            f"Insufficient {name}"
            for position, name in enumerate(self._names)
            if bits & 2 << position
        ]
        return rejection(code, *reasons)
