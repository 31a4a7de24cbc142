"""The devices that pods of a play have, and who holds those that pending pods ask for."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from podium.api.devices.resource_claims import (
    allocated_devices,
    allocation_of,
    known_claim_names,
)
from podium.api.objects import Object
from podium.scheduler.devices.allocated_devices import CLAIM
from podium.scheduler.explain.device_conditions import unmet_selector
from podium.scheduler.explain.device_details import DeviceReader, device_plugin
from podium.whatif.plan.play import Play

_HOLDERS_MAX = 20


class PodDevices:
    """Devices of the pods of a play that is over."""

    def __init__(self, play: Play) -> None:
        self._play = play
        self._scheduler = play.scheduler
        self._readers: dict[int, DeviceReader] = {}
        self._holders: dict[tuple[int, ...], Mapping[str, int]] = {}

    def of(self, pod: Object) -> tuple[str, ...]:
        """Return the devices that are allocated for a pod, `driver/pool/device`."""
        places = (named.split("/") for named in known_claim_names(pod))
        claims = (self._scheduler.listers.get(CLAIM, own, place) for place, own in places)
        return tuple(
            "/".join(device.key)
            for claim in claims
            if claim is not None
            for device in allocated_devices(allocation_of(claim))
        )

    def holders(self, pod: Object) -> Mapping[str, int]:
        """Return the workloads that hold most devices that a pod asks for, each with how many."""
        plugin = device_plugin(self._scheduler, pod)
        if plugin is None:
            return {}
        rows = range(self._scheduler.snapshot.node_count)
        info = self._scheduler.pending(pod)
        # A node may provide an extended resource itself, without devices.
        claims = next((found for row in rows if (found := plugin.claims_on(info, row))), ())
        asked = [requests for _, requests in claims]
        known = self._holders.get(tuple(map(id, asked)))
        if known is None:
            reader = self._readers.get(id(plugin))
            if reader is None:
                reader = self._readers[id(plugin)] = DeviceReader(self._scheduler, plugin)
            requests = [one for r in asked for entry in r.entries for one in entry.alternatives]
            known = self._holders[tuple(map(id, asked))] = self._counted(reader, requests)
        return known

    def _counted(self, reader: DeviceReader, requests: list[Any]) -> Mapping[str, int]:
        counts, owners = Counter[str](), self._play.owners()
        for device in reader.published():
            claims = reader.holders.get(device.key, ())
            if claims and any(not unmet_selector(r.selectors, device, "") for r in requests):
                users = (user for claim in claims for user in reader.users(claim))
                counts.update({owners.row_of(user.obj)["workload"] for user in users})
        return dict(counts.most_common(_HOLDERS_MAX))
