"""The allocation of devices for claims on one node (upstream's structured allocator, v1.36).

All combinations of devices are tried in the order of pools, slices and devices, and the first that
meets all requests is taken; within a request, only ascending ones. A device that can't be judged
ends the search with an error, but only if the search comes to it.

Where a search goes back, upstream keeps some of what it has counted: counters of devices that a
taint or constraint rules out, or that are allocated several times. That is kept here as well, as it
decides which devices are taken.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from enum import Enum, auto

import msgspec

from podium.api.cel.values import CelError
from podium.api.devices.resource_claims import ALL, EXACT_COUNT, RESULTS_MAX
from podium.scheduler.devices.allocated_devices import DeviceUse
from podium.scheduler.devices.capacities import consumption, is_enough
from podium.scheduler.devices.claim_requests import (
    AllocationError,
    ClaimRequests,
    Entry,
    Request,
)
from podium.scheduler.devices.constraints import Constraint, constraint
from podium.scheduler.devices.published_devices import PoolView, PublishedDevice
from podium.scheduler.devices.selections import Selections

INVALID_POOLS = "invalid resource pools were encountered"

STEPS_MAX = 1_000_000
"""How many devices are tried on a node by default, which stands for a time limit."""

_Spot = tuple[int, int]
# The positions of a pool among the node's pools, and of a device in the pool.
_START: _Spot = (0, 0)
_NOTHING: Mapping[str, int] = {}


class Chosen(msgspec.Struct, frozen=True, eq=False):
    """A device that is allocated for a request."""

    request: Request
    spot: tuple[int, int]
    """Positions of the pool among the node's pools, and of the device in the pool."""
    consumed: Mapping[str, int] | None = None
    """Consumed capacity in nanos, for devices that may be allocated several times."""


class Allocation(msgspec.Struct, frozen=True, eq=False):
    """What is allocated for some claims on a node."""

    devices: tuple[tuple[Chosen, ...], ...]
    """By claim, the devices in the order of their requests."""
    alternatives: tuple[tuple[int, ...], ...]
    """By claim and entry, the index of the alternative that was taken."""


class _Outcome(Enum):
    FOUND = auto()
    NONE = auto()
    TOO_MANY = auto()
    """More devices than a claim can have; fewer of another alternative may do."""


class _Wanted(msgspec.Struct, eq=False):
    """A request with the number of devices; for mode All, with the devices themselves."""

    request: Request
    count: int
    all_spots: tuple[_Spot, ...] | None = None


class Allocator:
    """Allocates devices of one node's pools."""

    def __init__(
        self,
        claims: Sequence[ClaimRequests],
        pools: Sequence[PoolView],
        allocated: DeviceUse,
        selections: Selections,
        steps_max: int = STEPS_MAX,
    ) -> None:
        """Prepare an allocation.

        Args:
            pools: in the order of allocation.
            steps_max: how many devices are tried at most; 0 for no limit.
        """
        self._claims = claims
        self._pools = pools
        self._allocated = allocated
        self._selections = selections
        self._steps_left = steps_max or -1
        self._selectable: dict[tuple[int, Request], bool] = {}
        self._being_allocated: dict[int, set[int]] = defaultdict(set)
        self._being_consumed: dict[int, dict[str, int]] = {}
        # By name of the pool alone, as upstream.
        self._available: dict[str, Mapping[tuple[str, str], int]] = {}
        self._consumed: dict[str, dict[tuple[str, str], int]] = defaultdict(dict)
        self._constraints: list[list[Constraint]] = []
        self._chosen: list[list[Chosen]] = [[] for _ in claims]
        self._taken = [[0] * len(claim.entries) for claim in claims]
        self._wanted: list[list[list[_Wanted]]] = []

    def allocate(self) -> Allocation | str:
        """Allocate devices for all claims.

        Returns:
            The allocation, or why there is none on this node; empty if devices don't suffice.

        Raises:
            AllocationError: scheduling fails for all nodes.
        """
        for number, claim in enumerate(self._claims):
            self._prepare(number, claim)
        if self._claim(0) is not _Outcome.FOUND:
            return INVALID_POOLS if any(pool.fault for pool in self._pools) else ""
        return Allocation(tuple(map(tuple, self._chosen)), tuple(map(tuple, self._taken)))

    def _prepare(self, number: int, claim: ClaimRequests) -> None:
        wanted, least = [], 0
        for entry in claim.entries:
            alternatives = [self._counted(number, request) for request in entry.alternatives]
            wanted.append(alternatives)
            least += min(alternative.count for alternative in alternatives)
        self._wanted.append(wanted)
        if least > RESULTS_MAX:
            message = (
                f"number of requested devices {least} exceeds the claim limit of {RESULTS_MAX}"
            )
            raise AllocationError(f"claim {{claim}}: {message}", number)
        made = []
        for index, raw in enumerate(claim.constraints):
            known = constraint(raw)
            if known is None:
                what = f"constraint #{index}: empty constraint (unsupported constraint type?)"
                raise AllocationError(f"claim {{claim}}, {what}", number)
            made.append(known)
        self._constraints.append(made)

    def _counted(self, claim: int, request: Request) -> _Wanted:
        where = f"claim {{claim}}, request {request.own_name}"
        if request.fault:
            raise AllocationError(f"{where}: {request.fault}", claim)
        if request.mode == EXACT_COUNT:
            return _Wanted(request, request.count)
        if request.mode != ALL:
            raise AllocationError(f"{where}: unsupported count mode {request.mode}", claim)
        spots = []
        for number, pool in enumerate(self._pools):
            if pool.is_incomplete or pool.fault:
                state = "being updated" if pool.is_incomplete else "invalid"
                what = f"asks for all devices, but resource pool {{pool}} is currently {state}"
                raise AllocationError(f"{where}: {what}", claim, (number, -1))
            spots += [
                (number, position)
                for position, device in enumerate(pool.devices)
                if self._selects(claim, request, pool, position)
                and self._has_capacity(request, device)
            ]
        return _Wanted(request, len(spots), tuple(spots))

    def _claim(self, claim: int) -> _Outcome:
        if claim >= len(self._claims):
            return _Outcome.FOUND
        return self._entry(claim, 0)

    def _entry(self, claim: int, number: int) -> _Outcome:
        entries = self._claims[claim].entries
        if number >= len(entries):
            outcome = self._claim(claim + 1)
            # An earlier claim may leave room for fewer devices here by another alternative.
            return _Outcome.NONE if outcome is _Outcome.TOO_MANY else outcome
        entry: Entry = entries[number]
        if not entry.is_list:
            return self._devices(claim, number, 0, 0, _START)
        failure = _Outcome.TOO_MANY
        for alternative in range(len(entry.alternatives)):
            outcome = self._devices(claim, number, alternative, 0, _START)
            if outcome is _Outcome.FOUND:
                self._taken[claim][number] = alternative
                return outcome
            if outcome is _Outcome.NONE:
                failure = outcome
        return failure

    def _devices(
        self, claim: int, entry: int, alternative: int, index: int, start: _Spot
    ) -> _Outcome:
        """Allocate the devices of a request from `index` on, and everything after them."""
        self._steps_left -= 1
        if not self._steps_left:
            # All combinations of many devices would take for ever.
            raise AllocationError("node {node}: timed out trying to allocate devices")
        wanted = self._wanted[claim][entry][alternative]
        request = wanted.request
        if wanted.all_spots is not None and not wanted.all_spots:
            return _Outcome.NONE
        if index >= wanted.count:
            return self._entry(claim, entry + 1)
        if len(self._chosen[claim]) + wanted.count - index > RESULTS_MAX:
            return _Outcome.TOO_MANY
        if wanted.all_spots is not None:
            undo = self._take(claim, request, wanted.all_spots[index], must=True)
            if undo is None:
                return _Outcome.NONE
            outcome = self._devices(claim, entry, alternative, index + 1, _START)
            if outcome is not _Outcome.FOUND:
                undo()
            return outcome
        for number in range(start[0], len(self._pools)):
            pool = self._pools[number]
            if pool.is_incomplete or pool.fault:
                continue
            for position in range(start[1] if number == start[0] else 0, len(pool.devices)):
                device = pool.devices[position]
                if self._is_in_use(claim, request, device):
                    continue
                if not self._selects(claim, request, pool, position):
                    continue
                if not self._has_capacity(request, device):
                    continue
                undo = self._take(claim, request, (number, position), must=False)
                if undo is None:
                    continue
                after = (number, position + 1)
                outcome = self._devices(claim, entry, alternative, index + 1, after)
                if outcome is _Outcome.FOUND:
                    return outcome
                undo()
                if outcome is _Outcome.TOO_MANY:
                    return outcome
        return _Outcome.NONE

    def _is_in_use(self, claim: int, request: Request, device: PublishedDevice) -> bool:
        here = self._being_allocated.get(device.number)
        if request.is_admin:
            return bool(here) and claim in (here or ())
        return bool(here) or self._allocated.is_whole(device.key)

    def _selects(self, claim: int, request: Request, pool: PoolView, position: int) -> bool:
        device = pool.devices[position]
        known = self._selectable.get((device.number, request))
        if known is not None:
            return known
        selected = True
        for selector in request.selectors:
            try:
                selected = self._selections.of(selector, device)
            except CelError as error:
                raise AllocationError(f"{selector.origin}: {error}", claim) from None
            if not selected:
                break
        selected = selected and position not in pool.unmatched
        self._selectable[device.number, request] = selected
        return selected

    def _has_capacity(self, request: Request, device: PublishedDevice) -> bool:
        if not request.amounts and not device.needs_capacity_check:
            return True
        taken = self._allocated.consumed(device.key)
        being_taken = self._being_consumed.get(device.number, _NOTHING)
        return is_enough(request.amounts, device.amounts.capacities, taken, being_taken)

    def _take(
        self, claim: int, request: Request, spot: _Spot, *, must: bool
    ) -> Callable[[], None] | None:
        """Take a device; return a function that gives it back, or None if it can't be had."""
        pool = self._pools[spot[0]]
        device = pool.devices[spot[1]]
        number = device.number
        if self._is_in_use(claim, request, device):
            return None
        holds_share = device.is_shared and (
            number in self._being_consumed or bool(self._allocated.consumed(device.key))
        )
        if device.amounts.counters and not holds_share and not self._take_counters(pool, device):
            return None
        if device.taints and not request.tolerates(device.taints):
            return None
        constraints = self._constraints[claim]
        for index, limit in enumerate(constraints):
            if not limit.add(request, device):
                if must:
                    what = "because a claim constraint would not be satisfied"
                    message = f"request {request.own_name}: cannot add device {{device}} {what}"
                    raise AllocationError(f"claim {{claim}}, {message}", claim, spot)
                for earlier in constraints[:index]:
                    earlier.remove(request)
                return None
        if not device.is_shared:
            self._being_allocated[number].add(claim)
        if not self._has_capacity(request, device):
            return None
        consumed = self._consume(request, device) if device.is_shared else None
        self._chosen[claim].append(Chosen(request, spot, consumed))

        def give_back() -> None:
            for limit in constraints:
                limit.remove(request)
            self._being_allocated[number].discard(claim)
            if consumed is not None:
                self._release(number, consumed)
            elif device.amounts.counters:
                self._give_counters_back(pool, device)
            self._chosen[claim].pop()

        return give_back

    def _consume(self, request: Request, device: PublishedDevice) -> Mapping[str, int]:
        consumed = consumption(request.amounts, device.amounts.capacities)
        held = self._being_consumed.setdefault(device.number, {})
        for name, amount in consumed.items():
            held[name] = held.get(name, 0) + amount
        return consumed

    def _release(self, number: int, consumed: Mapping[str, int]) -> None:
        if not consumed:
            return
        held = self._being_consumed[number]
        for name, amount in consumed.items():
            held[name] -= amount
        if not any(held.values()):
            del self._being_consumed[number]

    def _take_counters(self, pool: PoolView, device: PublishedDevice) -> bool:
        pool_name = pool.key[1]
        available = self._available.get(pool_name)
        if available is None:
            available = self._available[pool_name] = self._left(pool)
        consumed = self._consumed[pool_name]
        for counter, amount in device.amounts.counters.items():
            consumed[counter] = consumed.get(counter, 0) + amount
        if all(left >= consumed.get(counter, 0) for counter, left in available.items()):
            return True
        self._give_counters_back(pool, device)
        return False

    def _give_counters_back(self, pool: PoolView, device: PublishedDevice) -> None:
        consumed = self._consumed[pool.key[1]]
        for counter, amount in device.amounts.counters.items():
            consumed[counter] -= amount

    def _left(self, pool: PoolView) -> Mapping[tuple[str, str], int]:
        """Return what allocated devices have left of a pool's counters; may be negative."""
        left = dict(pool.counters)
        for device in (*pool.devices, *pool.elsewhere):
            if device.amounts.counters and self._allocated.is_allocated(device.key):
                for counter, amount in device.amounts.counters.items():
                    if counter in left:
                        left[counter] -= amount
        return left
