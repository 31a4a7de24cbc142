"""Devices and DeviceClasses of a cluster, and answers about claims (upstream's DRAManager)."""

from collections.abc import Mapping, Sequence

import msgspec

from podium.api.devices.device_classes import classes_by_resource
from podium.api.devices.resource_claims import EXACT_COUNT, device_claim
from podium.api.objects import Object, name, part, spec_of
from podium.api.process.recent_values import Recent
from podium.scheduler.devices.allocated_devices import AllocatedDevices
from podium.scheduler.devices.allocator import STEPS_MAX
from podium.scheduler.devices.claim_answers import ClaimAnswers
from podium.scheduler.devices.claim_requests import AllocationError, ClaimRequests, claim_requests
from podium.scheduler.devices.device_counts import DeviceCounts
from podium.scheduler.devices.node_shapes import NodeShapes
from podium.scheduler.devices.published_devices import PoolView
from podium.scheduler.snapshot.snapshot import Snapshot

CLASS = "DeviceClass"
# Answers have a few numbers for each node and shape.
_ANSWERS_MAX = 256
_REQUESTS_MAX = 1_024

_encode = msgspec.json.Encoder().encode


class DeviceManager:
    """Devices of a cluster, and answers about claims, kept while what they depend on lasts."""

    def __init__(
        self, snapshot: Snapshot, allocated: AllocatedDevices, steps_max: int = STEPS_MAX
    ) -> None:
        self._snapshot = snapshot
        self._listers = allocated.listers
        self._steps_max = steps_max
        self.allocated = allocated
        self._shapes = NodeShapes(snapshot, self._listers, allocated)
        self._epoch = -1
        self._classes: dict[str, Object] = {}
        self._by_resource: dict[str, Object] = {}
        self._requests: dict[bytes, ClaimRequests] = {}
        self._answers: Recent[tuple[int, ...], ClaimAnswers] = Recent(_ANSWERS_MAX)

    def device_class(self, class_name: str) -> Object | None:
        """Return a DeviceClass by name."""
        self._follow_classes()
        return self._classes.get(class_name)

    def classes_by_resource(self) -> Mapping[str, Object]:
        """Return the DeviceClass of each extended resource that one provides."""
        self._follow_classes()
        return self._by_resource

    def requests_of(self, claim: Object) -> ClaimRequests:
        """Return what a claim requests; the same for claims with equal specs.

        Raises:
            InvalidValueError: an amount isn't a quantity.
            msgspec.ValidationError: a field is of another type.
        """
        self._follow_classes()
        spec = _encode(part(spec_of(claim), "devices"))
        known = self._requests.get(spec)
        if known is None:
            if len(self._requests) >= _REQUESTS_MAX:
                self._forget()
            known = claim_requests(device_claim(claim), self._classes.get)
            self._requests[spec] = known
        return known

    def answers(self, claims: Sequence[ClaimRequests]) -> ClaimAnswers:
        """Return answers about claims that are allocated together; `refresh` updates them."""
        key = tuple(map(id, claims))
        known = self._answers.get(key)
        if known is None:
            known = ClaimAnswers(claims, self._shapes, self.allocated, self._steps_max)
            self._answers.put(key, known)
        return known

    def counts(self, class_name: str) -> DeviceCounts:
        """Count the devices that a DeviceClass selects, as slices and classes are now."""
        exactly = {"deviceClassName": class_name, "allocationMode": EXACT_COUNT, "count": 1}
        devices = {"requests": [{"name": "", "exactly": exactly}]}
        asked = self.requests_of({"spec": {"devices": devices}})
        self._shapes.follow(asked.reads)
        ((request,),) = (entry.alternatives for entry in asked.entries)
        published, selections = self._shapes.published, self._shapes.selections
        return DeviceCounts(published, selections, request.selectors, self.allocated)

    def pools(self, row: int) -> Sequence[PoolView]:
        """Return the pools that a row's node reaches, in the order of allocation."""
        return self._shapes.published.views_of[row]

    def message(self, error: AllocationError, claim_keys: Sequence[str], row: int) -> str:
        """Return the message of an error about a row, with the names of claim and device."""
        text = error.message.replace("{node}", self._snapshot.names[row])
        if error.claim >= 0:
            text = text.replace("{claim}", claim_keys[error.claim])
        if error.device is not None:
            pool, position = error.device
            view = self.pools(row)[pool]
            text = text.replace("{pool}", view.id_text)
            if position >= 0:
                text = text.replace("{device}", "/".join(view.devices[position].key))
        return text

    def _follow_classes(self) -> None:
        epoch = self._listers.epochs[CLASS]
        if epoch == self._epoch:
            return
        self._epoch = epoch
        listed = self._listers.list(CLASS)
        self._classes = {name(one): one for one in listed}
        self._by_resource = classes_by_resource(listed)
        self._forget()

    def _forget(self) -> None:
        # Answers are kept by the identity of requests.
        self._requests.clear()
        self._answers = Recent(_ANSWERS_MAX)
