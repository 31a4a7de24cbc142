"""Rules about devices: selectors, ResourceClaims and their templates, and DeviceClasses."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import NamedTuple

from podium.api.devices.device_classes import classes_by_resource
from podium.api.devices.resource_claims import ALL, allocation_of, known_claim_names, reserved_for
from podium.api.objects import Object, controller_key, key, name
from podium.api.resources import explicit_resource
from podium.api.values.message_words import count, listed
from podium.scheduler.devices.claim_requests import CompiledSelector, Request
from podium.whatif.lint.cluster_view import ClusterView
from podium.whatif.lint.device_view import RequestingObject
from podium.whatif.lint.rule import Offence, Rule

_SHOWN_MAX = 5


class _Selectors(NamedTuple):
    """Selectors of an object: those of a DeviceClass, and a request's own besides."""

    obj: Object
    path: str
    of_class: Sequence[CompiledSelector]
    own: Sequence[CompiledSelector] = ()


@Rule
def no_device_selected(view: ClusterView) -> Iterator[Offence]:
    """The selectors of a DeviceClass or a request select no published device."""
    for one in _selectors(view):
        devices = view.devices.selected((*one.of_class, *one.own))
        # A class without devices is reported itself.
        is_of_class = bool(one.own) and not view.devices.selected(one.of_class).contents
        if not (devices.contents or devices.failures or is_of_class):
            message = f"its selectors select none of {count(view.devices.count, 'device')}"
            expressions = tuple(selector.expression for selector in one.own or one.of_class)
            yield Offence(one.obj, message, one.path, expressions)


@Rule
def device_selector_fails(view: ClusterView) -> Iterator[Offence]:
    """The evaluation of a selector fails on a published device."""
    for selector in _selectors(view):
        selectors = (*selector.of_class, *selector.own)
        for index, (error, devices) in view.devices.selected(selectors).failures.items():
            # A selector of a class that fails is reported at the class.
            if not selector.own or index >= len(selector.of_class):
                failing = f"{selectors[index].expression} fails on {count(len(devices), 'device')}"
                names = ["/".join(device.key) for device in devices]
                witnesses = (listed(names, _SHOWN_MAX),)
                yield Offence(selector.obj, f"{failing}: {error}", selector.path, witnesses)


@Rule
def claim_never_met(view: ClusterView) -> Iterator[Offence]:
    """No node can have a claim allocated, even if no device is."""
    if not all(map(view.of, ("Node", "ResourceSlice", "DeviceClass"))):
        return
    # What selects no device is reported as such.
    reported = {id(offence.obj) for offence in no_device_selected.check(view)}
    for requesting in view.devices.requesting:
        if allocation_of(requesting.obj) or id(requesting.obj) in reported:
            continue
        reasons = view.devices.refusals(requesting)
        if reasons is not None:
            message = f"none of {count(len(view.nodes), 'node')} has the devices, even unallocated"
            nodes = sorted(reasons.items(), key=lambda reason: (-reason[1], reason[0]))
            why = tuple(f"{count(times, 'node')}: {reason}" for reason, times in nodes)
            yield Offence(requesting.obj, message, requesting.path, why[:_SHOWN_MAX])


@Rule
def all_devices_shared(view: ClusterView) -> Iterator[Offence]:
    """A request for all devices selects devices that other claims may hold."""
    if not view.of("ResourceSlice"):
        return
    requesting = view.devices.requesting
    for one in requesting:
        for entry in one.requests.entries:
            request = entry.alternatives[0]
            if entry.is_list or not _takes_devices(request) or request.mode != ALL:
                continue
            contents = view.devices.selected(request.selectors).exclusive
            others = [rival for rival in requesting if rival is not one]
            if rivals := [rival for rival in others if _takes_some_of(view, rival, contents)]:
                message = (
                    f"request {request.own_name} asks for all devices that it selects on a node; "
                    f"devices of {count(len(rivals), 'other claim')} may be among them"
                )
                yield Offence(one.obj, message, one.path, tuple(map(str, rivals[:_SHOWN_MAX])))


@Rule
def claim_unused(view: ClusterView) -> Iterator[Offence]:
    """No pod and no workload uses a ResourceClaim."""
    if not view.workloads:
        return
    pods = (*(workload.pod for workload in view.workloads), *view.of("Pod"))
    used = set(chain.from_iterable(map(known_claim_names, pods)))
    for claim in view.of("ResourceClaim"):
        # The resource claim controller deletes the claims that it has made.
        is_made = controller_key(claim) is not None
        if not is_made and key(claim) not in used and not reserved_for(claim):
            yield Offence(claim, "neither a pod nor a workload uses it")


@Rule
def resource_of_several_classes(view: ClusterView) -> Iterator[Offence]:
    """Several DeviceClasses have the same extendedResourceName."""
    classes: dict[str, list[Object]] = defaultdict(list)
    for device_class in view.of("DeviceClass"):
        if resource := explicit_resource(device_class):
            classes[resource].append(device_class)
    for resource, rivals in classes.items():
        counting = classes_by_resource(rivals)[resource]
        for device_class in rivals:
            if device_class is not counting:
                message = f"pods that request {resource} get devices of {name(counting)}"
                yield Offence(device_class, message, "spec.extendedResourceName")


def _selectors(view: ClusterView) -> Iterator[_Selectors]:
    if not view.of("ResourceSlice"):
        return
    for device_class in view.of("DeviceClass"):
        if of_class := view.devices.class_selectors(name(device_class)):
            yield _Selectors(device_class, "spec.selectors", of_class)
    for requesting in view.devices.requesting:
        for request in requesting.all_requests:
            if request.device_class is not None:
                of_class = view.devices.class_selectors(request.class_name)
                if own := request.selectors[len(of_class) :]:
                    yield _Selectors(requesting.obj, requesting.path, of_class, own)


def _takes_some_of(view: ClusterView, rival: RequestingObject, contents: frozenset[int]) -> bool:
    return any(
        contents & view.devices.selected(request.selectors).contents
        for request in rival.all_requests
        if _takes_devices(request)
    )


def _takes_devices(request: Request) -> bool:
    """Return whether a request gets devices that nobody else may have then."""
    return request.device_class is not None and not request.is_admin
