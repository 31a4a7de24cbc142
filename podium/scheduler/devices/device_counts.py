"""Numbers of devices by node, as scores of extended resources count them."""

from collections import defaultdict
from collections.abc import Iterable, Sequence

import numpy as np

from podium.api.cel.values import CelError
from podium.api.devices.resource_slices import DeviceKey
from podium.scheduler.devices.allocated_devices import AllocatedDevices
from podium.scheduler.devices.claim_requests import CompiledSelector
from podium.scheduler.devices.published_devices import PublishedDevices
from podium.scheduler.devices.selections import Selections
from podium.scheduler.snapshot.arrays import Rows
from podium.scheduler.snapshot.log import Log


class DeviceCounts:
    """How many devices a DeviceClass selects on each row, and how many of them are allocated.

    As in v1.36 (calculateDRAResourceTotals), devices with taints count, and those of incomplete
    pools and earlier generations. Where a selector fails for a device, the row counts as without.
    """

    def __init__(
        self,
        published: PublishedDevices,
        selections: Selections,
        selectors: Sequence[CompiledSelector],
        allocated: AllocatedDevices,
    ) -> None:
        self._allocated = allocated
        self._changes = allocated.changes.cursor()
        self._rows: dict[DeviceKey, list[Rows]] = defaultdict(list)
        self._taken: set[DeviceKey] = set()
        self.selected, self.allocated = np.zeros((2, len(published.views_of)), np.int64)
        """Int64[nodes] each."""
        self.log: Log[int] = Log()
        """The rows where `refresh` changed the number of allocated devices."""
        fails = np.zeros(len(self.selected), bool)
        for device in published.devices:
            rows = published.rows_reaching(device)
            try:
                if all(selections.of(selector, device) for selector in selectors):
                    self.selected[rows] += 1
                    self._rows[device.key].append(rows)
            except CelError:
                fails[rows] = True
        self.selected[fails] = 0
        self._look(self._rows)

    def refresh(self) -> None:
        """Apply what has happened to claims."""
        self._allocated.follow()
        changed = self._changes.new()
        self._look(self._rows.keys() if changed is None else {*changed} & self._rows.keys())

    def _look(self, devices: Iterable[DeviceKey]) -> None:
        for device in devices:
            is_taken = self._allocated.is_allocated(device)
            if is_taken == (device in self._taken):
                continue
            self._taken ^= {device}
            for rows in self._rows[device]:
                self.allocated[rows] += 1 if is_taken else -1
                for row in rows.tolist():
                    self.log.append(row)
