"""Nodes: defaults, validation and v1.36's rules for changes; a new node keeps its status."""

import re
from typing import Any

from msgspec.structs import replace

from podium.api.errors import FieldError
from podium.api.kinds.builtin_kinds import KINDS
from podium.api.objects import Object, entries, part, spec_of, status_of
from podium.apiserver.kinds.registration import rules
from podium.apiserver.kinds.registration.defaulting import defaults_of
from podium.apiserver.kinds.registration.registration import Registration
from podium.apiserver.kinds.registration.strategy import Creation
from podium.apiserver.schema.struct_types import core_struct
from podium.apiserver.validation import checks
from podium.apiserver.validation.names import object_check
from podium.apiserver.validation.pods.placement import taints
from podium.apiserver.validation.resource_requirements import resource_list

_FEATURE = re.compile("[A-Z][A-Za-z0-9]*(/[A-Za-z0-9]+)*", re.ASCII)
_FEATURE_RULE = (
    "must start with an UpperCamelCase segment, with subsequent segments separated by '/' "
    "(e.g., MyFeature or MyFeature/mySubFeature), and contain only alphanumeric characters and "
    "slashes"
)
_CHANGED = 'node updates may not change {} except from "" to valid'

_amounts = resource_list(checks.anything)
_taints = checks.remembered(taints)


def _features(names: Any, path: str) -> checks.Faults:
    before = ""
    for index, name in enumerate(names):
        where = f"{path}[{index}]"
        if not _FEATURE.fullmatch(name):
            yield FieldError(where, name, f'invalid feature name "{name}": {_FEATURE_RULE}')
        elif name == before:
            yield checks.duplicate(where, name)
        elif name < before:
            yield FieldError(where, name, "list must be sorted alphabetically")
        before = max(before, name)


def _resources(amounts: Any, path: str) -> checks.Faults:
    # Names of resources are in paths without brackets, of nodes alone.
    for fault in _amounts(amounts, ""):
        name = fault.field.removeprefix("[").removesuffix("]")
        yield replace(fault, field=checks.join(path, name) if name else path)


def _valid_taints(node: Any, path: str) -> checks.Faults:
    # kube-apiserver takes them for metadata where it complains of them.
    yield from _taints(entries(spec_of(node), "taints"), checks.join(path, "metadata.taints"))


_valid_resources = checks.fields(
    status=checks.fields(
        capacity=checks.remembered(_resources), allocatable=checks.remembered(_resources)
    )
)
_valid_features = checks.fields(status=checks.fields(declaredFeatures=_features))


@defaults_of("core.NodeStatus")
def _allocatable(status: Object) -> Object:
    if status.get("capacity") is None or status.get("allocatable"):
        return status
    return {**status, "allocatable": dict(status["capacity"])}


@defaults_of("core.NodeSpec")
def _ranges(spec: Object) -> Object:
    # Two fields have the first range of addresses for pods; the older one has the last word.
    first, ranges = spec.get("podCIDR"), spec.get("podCIDRs")
    if first and (not ranges or ranges[0] != first):
        return {**spec, "podCIDRs": [first]}
    return {**spec, "podCIDR": ranges[0]} if ranges and not first else spec


def _valid_ranges(ranges: Any, path: str) -> checks.Faults:
    yield from checks.each(checks.network)(ranges, path)
    families = [":" in one for one in ranges]
    if len({*families}) < len(families):
        message = "may specify no more than one CIDR for each IP family"
        yield FieldError(path, ranges, message)


def _create(node: Object, _creation: Creation) -> Object:
    empty, status = core_struct("Node").zeros["status"], status_of(node)
    info = {**empty["nodeInfo"], **part(status, "nodeInfo")}
    return {**node, "spec": spec_of(node), "status": {**empty, **status, "nodeInfo": info}}


def _change(new: Object, old: Object) -> checks.Faults:
    addresses = entries(status_of(new), "addresses")
    for index, address in enumerate(addresses):
        if address in addresses[:index]:
            yield checks.duplicate(f"status.addresses[{index}]", address)
    spec, before = spec_of(new), spec_of(old)
    ranges, known = entries(spec, "podCIDRs"), entries(before, "podCIDRs")
    pairs = zip(ranges, known, strict=False)
    changes = 1 if len(ranges) != len(known) else sum(one != other for one, other in pairs)
    for _ in range(changes if known else 0):
        yield checks.forbidden("spec.podCIDRs", _CHANGED.format("podCIDR"))
    provider = before.get("providerID")
    if provider and spec.get("providerID") != provider:
        yield checks.forbidden("spec.providerID", _CHANGED.format("providerID"))


_valid = object_check(
    _valid_taints,
    _valid_resources,
    checks.fields(spec=checks.fields(podCIDRs=_valid_ranges)),
    status=checks.fields(declaredFeatures=_features),
)
_on_every_update = rules.all_of(
    rules.metadata,
    rules.valid(_valid_resources),
    _change,
    rules.valid(_valid_taints),
    rules.fixed("spec.externalID", "may not be updated"),
)


NODE = Registration(
    kind=KINDS["Node"],
    validate=_valid,
    # A node is judged as a new one, and once more as a changed one.
    validate_update=rules.all_of(rules.valid(_valid), _on_every_update),
    validate_subresource_update={
        "status": rules.all_of(rules.valid(_valid_features), _on_every_update)
    },
    create=_create,
)
