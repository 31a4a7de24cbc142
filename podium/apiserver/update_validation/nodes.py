"""Nodes: what is known of them once and for all.

The rules are those of `ValidateNodeUpdate` in v1.36.
"""

from podium.api.errors import ErrorKind, FieldError
from podium.api.objects import Object, status_of
from podium.apiserver.internals import internal
from podium.apiserver.update_validation.metadata import metadata
from podium.apiserver.update_validation.rules import Faults, all_of, forbidden, valid
from podium.apiserver.validation.nodes import node, node_features, node_resources, node_taints

_ADDRESS = 'node updates may not change podCIDR except from "" to valid'
_PROVIDER = 'node updates may not change providerID except from "" to valid'


def _addresses(new: Object, _old: Object) -> Faults:
    seen = []
    for index, address in enumerate(status_of(new).get("addresses") or ()):
        if address in seen:
            path = f"status.addresses[{index}]"
            yield FieldError(path, internal("NodeAddress", address), "", ErrorKind.DUPLICATE)
        seen.append(address)


def _assigned_once(new: Object, old: Object) -> Faults:
    """Its addresses for pods and the name that its provider has for it, once given, stay."""
    spec, before = new.get("spec") or {}, old.get("spec") or {}
    ranges, known = spec.get("podCIDRs") or [], before.get("podCIDRs") or []
    if known and len(ranges) != len(known):
        yield forbidden("spec.podCIDRs", _ADDRESS)
    elif known:
        for one, other in zip(ranges, known, strict=True):
            if one != other:
                yield forbidden("spec.podCIDRs", _ADDRESS)
    provider = before.get("providerID")
    if provider and spec.get("providerID") != provider:
        yield forbidden("spec.providerID", _PROVIDER)


def _external_id(new: Object, old: Object) -> Faults:
    spec, before = new.get("spec") or {}, old.get("spec") or {}
    if (spec.get("externalID") or "") != (before.get("externalID") or ""):
        yield forbidden("spec.externalID", "may not be updated")


_on_every_update = all_of(
    metadata,
    valid(node_resources),
    _addresses,
    _assigned_once,
    valid(node_taints),
    _external_id,
)

update = all_of(valid(node), _on_every_update)
"""A node that is updated; it is judged as a new one, and once more as a changed one."""

status_update = all_of(valid(node_features), _on_every_update)
"""A node whose status is updated."""
