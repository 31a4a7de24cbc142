"""Published devices and what claims request of them, for lint rules."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

import msgspec

from podium.api.cel.values import CelError
from podium.api.devices.resource_slices import resource_slice
from podium.api.kinds.builtin_kinds import KINDS
from podium.api.objects import Object, controller_key, key, part
from podium.apiserver.kinds.registration.registrations import completed
from podium.scheduler.devices.allocated_devices import AllocatedDevices
from podium.scheduler.devices.claim_answers import ALLOCATED
from podium.scheduler.devices.claim_requests import ClaimRequests, CompiledSelector, Request
from podium.scheduler.devices.device_manager import DeviceManager
from podium.scheduler.devices.published_devices import PublishedDevice, PublishedDevices
from podium.scheduler.devices.selections import Selections
from podium.scheduler.snapshot.listers import Listers
from podium.scheduler.snapshot.snapshot import Snapshot

_PATHS: Mapping[str, tuple[str, ...]] = {
    "ResourceClaim": ("spec",),
    "ResourceClaimTemplate": ("spec", "spec"),
}
"""The path of what a claim requests, by kind of the object that says it."""


class RequestingObject(msgspec.Struct, frozen=True, eq=False):
    """A claim that no controller has made, or a template of claims."""

    obj: Object
    path: str
    """The path of the requests in the object."""
    requests: ClaimRequests

    @property
    def all_requests(self) -> Iterator[Request]:
        """All requests, and all alternatives of those that have some."""
        for entry in self.requests.entries:
            yield from entry.alternatives

    def __str__(self) -> str:
        return f"{self.obj['kind']} {key(self.obj)}"


class Selected(msgspec.Struct, frozen=True, eq=False):
    """What a list of selectors finds among the published devices."""

    contents: frozenset[int]
    """The contents of the devices that all selectors select."""
    exclusive: frozenset[int]
    """Those of devices that can't be allocated several times."""
    failures: Mapping[int, tuple[CelError, Sequence[PublishedDevice]]]
    """By index of a selector, the error of the first device on which its evaluation fails, and all
    such devices."""


class DeviceView:
    """Published devices, DeviceClasses and claims of a view, as if no device were allocated.

    Devices that selectors can't tell apart have the same content, a number.
    """

    def __init__(self, by_kind: Mapping[str, Sequence[Object]]) -> None:
        self._by_kind = by_kind
        snapshot = Snapshot()
        snapshot.set_nodes(by_kind.get("Node", ()))
        slices = by_kind.get("ResourceSlice", ())
        listers = Listers((*slices, *by_kind.get("DeviceClass", ())))
        self._manager = DeviceManager(snapshot, AllocatedDevices(listers))
        devices = PublishedDevices(Snapshot(), map(resource_slice, slices)).devices
        self.count = len(devices)
        numbers: dict[bytes, int] = {}
        contents = [numbers.setdefault(_content(one), len(numbers)) for one in devices]
        self._selections = Selections(contents)
        self._with_content: dict[int, list[PublishedDevice]] = defaultdict(list)
        for content, device in zip(contents, devices, strict=True):
            self._with_content[content].append(device)
        self._selected: dict[tuple[str, ...], Selected] = {}

    @property
    def resources(self) -> Mapping[str, Object]:
        """The DeviceClass of each extended resource that one provides."""
        return self._manager.classes_by_resource()

    @cached_property
    def requesting(self) -> Sequence[RequestingObject]:
        """The templates of claims, and the claims that no controller has made."""
        return [
            RequestingObject(
                obj, ".".join((*path, "devices.requests")), self._requests_of(part(obj, *path))
            )
            for kind, path in _PATHS.items()
            for obj in self._by_kind.get(kind, ())
            if controller_key(obj) is None
        ]

    def class_selectors(self, class_name: str) -> Sequence[CompiledSelector]:
        """Return the selectors of a DeviceClass."""
        exactly = {"deviceClassName": class_name}
        requests = [{"name": class_name, "exactly": exactly}]
        claim = {"spec": {"devices": {"requests": requests}}}
        return self._manager.requests_of(claim).entries[0].alternatives[0].selectors

    def selected(self, selectors: Sequence[CompiledSelector]) -> Selected:
        """Return the devices that all selectors select, and those on which one fails."""
        expressions = tuple(selector.expression for selector in selectors)
        if expressions not in self._selected:
            self._selected[expressions] = self._found(selectors)
        return self._selected[expressions]

    def refusals(self, requesting: RequestingObject) -> Mapping[str, int] | None:
        """Count the nodes that can't have a claim allocated, by reason; None if a node can."""
        if requesting.requests.refusal:
            why = requesting.requests.refusal.replace("{claim}", key(requesting.obj))
            return {why: len(self._by_kind.get("Node", ()))}
        answers = self._manager.answers([requesting.requests])
        answers.refresh()
        if (answers.codes == ALLOCATED).any():
            return None
        reasons = Counter[str]()
        for row, code in enumerate(answers.codes.tolist()):
            error = answers.errors.get(code)
            lacking = "too few devices do"
            if error is not None:
                lacking = self._manager.message(error, [key(requesting.obj)], row)
            reasons[lacking] += 1
        return reasons

    def _requests_of(self, spec: Object) -> ClaimRequests:
        return self._manager.requests_of(completed(KINDS["ResourceClaim"], {"spec": spec}))

    def _found(self, selectors: Sequence[CompiledSelector]) -> Selected:
        contents = set()
        failures: dict[int, tuple[CelError, list[PublishedDevice]]] = {}
        for content, devices in self._with_content.items():
            for index, selector in enumerate(selectors):
                try:
                    if not self._selections.of(selector, devices[0]):
                        break
                except CelError as error:
                    failures.setdefault(index, (error, []))[1].extend(devices)
                    break
            else:
                contents.add(content)
        exclusive = {one for one in contents if not self._with_content[one][0].is_shared}
        return Selected(frozenset(contents), frozenset(exclusive), failures)


def _content(device: PublishedDevice) -> bytes:
    own = device.device
    return msgspec.json.encode(
        (device.spec.driver, device.is_shared, own.attributes, own.capacity), order="sorted"
    )
