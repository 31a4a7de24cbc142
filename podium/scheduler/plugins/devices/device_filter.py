"""DynamicResources' judgement of nodes, also without some of their pods."""

from collections.abc import Callable, Collection, Iterable, Sequence

import numpy as np

from podium.api.devices.resource_claims import AllocatedDevice
from podium.api.objects import Object, key, name
from podium.scheduler.devices.allocator import INVALID_POOLS as INVALID_POOLS_REASON
from podium.scheduler.devices.claim_answers import (
    ALLOCATED,
    INVALID_POOLS,
    NOT_ALLOCATED,
    ClaimAnswers,
)
from podium.scheduler.devices.claim_requests import ClaimRequests
from podium.scheduler.devices.device_manager import DeviceManager
from podium.scheduler.devices.extended_resources import IN_MEMORY
from podium.scheduler.devices.freed_devices import (
    PLUGIN,
    RemainingDevices,
    abandoned_devices,
    freed_devices,
)
from podium.scheduler.framework.handle import Handle
from podium.scheduler.framework.interface import FITS, FilterState, Scope
from podium.scheduler.framework.status import Code, Status, unresolvable, unschedulable
from podium.scheduler.snapshot.arrays import Codes, Mask, Rows, Sums
from podium.scheduler.snapshot.pod_info import UNPLACED, PodInfo

NO_DEVICES = "cannot allocate all claims"
# Codes besides those of answers.
UNAVAILABLE, STALE_CLAIM, NOT_PROVIDED = -3, -4, -5
_REASONS = {
    NOT_ALLOCATED: NO_DEVICES,
    INVALID_POOLS: INVALID_POOLS_REASON,
    UNAVAILABLE: "resourceclaim not available on the node",
    STALE_CLAIM: "cannot schedule extended resource claim",
    NOT_PROVIDED: "cannot fit resource",
}
# The codes of rows that lack devices, which removing pods can cure, are negated.
_LACKING = (NOT_ALLOCATED, INVALID_POOLS)
_CURABLE = (-NOT_ALLOCATED, -INVALID_POOLS)
ClaimsOf = Callable[[PodInfo, int], Iterable[tuple[Object, ClaimRequests]]]
"""Returns the claims that have to be allocated for a pod on a row."""


class DeviceFilter(FilterState):
    """Filter state of a pod's claims.

    Args:
        parts: answers, with the rows that they are for; without answers, these rows fit.
        is_unavailable: the rows that can't use an allocated claim.
        unprovided: the rows that lack an extended resource, or the code of all rows.
        claim_keys: the claims that are to be allocated, `namespace/name`.
    """

    plugin = PLUGIN
    scope = Scope.ROW

    def __init__(
        self,
        devices: DeviceManager,
        parts: Sequence[tuple[Mask | None, ClaimAnswers | None]],
        is_unavailable: Mask,
        unprovided: Mask | int,
        claim_keys: Sequence[str],
    ) -> None:
        self._devices = devices
        self._parts = parts
        self._is_unavailable = is_unavailable
        self._unprovided = unprovided
        self._claim_keys = claim_keys
        self._logs = [
            (answers, answers.log.cursor()) for _, answers in parts if answers is not None
        ]
        self.stirred()

    def stirred(self) -> Sequence[int] | None:
        rows: list[int] | None = []
        for answers, cursor in self._logs:
            answers.refresh()
            changed = cursor.new()
            rows = None if rows is None or changed is None else rows + changed
        return rows

    def codes(self, rows: Rows, extra: Sums = ()) -> Codes:
        codes = np.zeros(len(rows), np.int32)
        if isinstance(self._unprovided, int) and self._unprovided:
            return codes + np.int32(self._unprovided)
        for is_of, answers in self._parts:
            if answers is not None:
                found = answers.codes[rows]
                codes = found if is_of is None else np.where(is_of[rows], found, codes)
        codes = np.where((codes == FITS) & self._is_unavailable[rows], UNAVAILABLE, codes)
        if not isinstance(self._unprovided, int):
            codes = np.where(self._unprovided[rows], NOT_PROVIDED, codes)
        return codes.astype(np.int32, copy=False)

    def failures(self) -> list[int]:
        return [
            code for _, answers in self._parts if answers is not None for code in answers.errors
        ]

    def status(self, row: int, code: int) -> Status:
        if code in _REASONS:
            return unresolvable(_REASONS[code])
        for is_of, answers in self._parts:
            if answers is not None and code in answers.errors and (is_of is None or is_of[row]):
                keys = [*self._claim_keys, IN_MEMORY]
                message = self._devices.message(answers.errors[code], keys, row)
                return Status(Code.ERROR, (message,))
        raise ValueError(f"no row has the code {code}")


class PreemptibleDevices(DeviceFilter):
    """Filter state for which devices of other pods can be had: the option `devicePreemption`.

    A row without some of its pods is judged as if their claims were deallocated, and those of the
    gangs that go with them. Pods that are nominated to the row get their devices first. `shared`
    has the pod's claims, `namespace/name`, that others of its class use as well.
    """

    additive = False

    def __init__(
        self, known: DeviceFilter, handle: Handle, claims_of: ClaimsOf, shared: Collection[str]
    ) -> None:
        self.__dict__.update(known.__dict__)
        self._snapshot = handle.snapshot
        self._listers = handle.listers
        self._gangs = handle.gangs
        self._claims_of = claims_of
        self._shared = shared

    @property
    def changes(self) -> int:  # type: ignore[override]
        return self._listers.claims.end + self._listers.epoch + self._devices.allocated.flights

    def codes(self, rows: Rows, extra: Sums = ()) -> Codes:
        codes = super().codes(rows)
        return np.where(np.isin(codes, _LACKING), -codes, codes)

    def code_among(self, row: int, pods: Sequence[PodInfo]) -> int:
        here, there = self._snapshot.pods_on[row], {pod.uid for pod in pods}
        known = {pod.uid for pod in here}
        gone = [pod for pod in here if pod.uid not in there]
        if gone and self._gangs is not None:
            gone += self._gangs.whole(gone)
        freed = freed_devices(self._devices.allocated, gone)
        return self._code_with(row, freed, [pod for pod in pods if pod.uid not in known])

    def is_freeing(self, row: int) -> bool:
        if self.code(row) not in _CURABLE:
            return False
        columns = self._snapshot.pods
        placed = {columns.pods[slot].uid for slot in np.flatnonzero(columns.rows != UNPLACED)}
        freed = abandoned_devices(self._devices.allocated, placed)
        return self._code_with(row, freed, ()) == FITS

    def status(self, row: int, code: int) -> Status:
        return unschedulable(_REASONS[-code]) if code in _CURABLE else super().status(row, code)

    def _code_with(
        self, row: int, freed: Sequence[AllocatedDevice], nominated: Sequence[PodInfo]
    ) -> int:
        code, answers = self.code(row), self._answers_of(row)
        if answers is None or code not in (FITS, *_CURABLE):
            return code
        earlier = self._claims_of_others(row, nominated)
        if not earlier and (code == FITS or not freed):
            return code
        if earlier:
            answers = self._devices.answers([*earlier, *answers.claims])
            answers.refresh()
        found = answers.code_with(row, RemainingDevices(self._devices.allocated, freed))
        if found != ALLOCATED:
            return -found
        return UNAVAILABLE if self._is_unavailable[row] else FITS

    def _answers_of(self, row: int) -> ClaimAnswers | None:
        return next((found for is_of, found in self._parts if is_of is None or is_of[row]), None)

    def _claims_of_others(self, row: int, pods: Sequence[PodInfo]) -> list[ClaimRequests]:
        # A claim that several pods share is allocated once.
        claims: dict[str, ClaimRequests] = {}
        for pod in pods:
            for claim, requests in self._claims_of(pod, row):
                place = pod.uid if name(claim) == IN_MEMORY else key(claim)
                if place not in self._shared:
                    claims[place] = requests
        return [*claims.values()]
