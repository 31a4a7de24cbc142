"""Leases, events and endpoints: objects by which the parts of a cluster tell of each other."""

from typing import Any

from podium.api.errors import FieldError
from podium.api.labels import validate_label_key
from podium.api.objects import metadata_of
from podium.apiserver.validation.checks import (
    NOT_NEGATIVE,
    Faults,
    each,
    fields,
    integer,
    join,
    needed,
    one_of,
    required,
    text,
    time,
)
from podium.apiserver.validation.metadata import object_meta
from podium.apiserver.validation.names import dns_label, subdomain

_INT32_MAX = 2**31 - 1
_NAMESPACES_OF_CLUSTER_EVENTS = ("default", "kube-system")
_NOTE_LENGTH_MAX = 1024
_WORD_LENGTH_MAX = 128

lease = fields(
    metadata=object_meta(),
    spec=fields(
        holderIdentity=text,
        leaseDurationSeconds=integer(1, _INT32_MAX, "must be greater than 0"),
        leaseTransitions=integer(0, _INT32_MAX, NOT_NEGATIVE),
        acquireTime=time,
        renewTime=time,
    ),
)
"""A Lease."""


def _in_place(event: Any, path: str) -> Faults:
    """An event is in the namespace of what it is about, or in `default` if that has none."""
    place = metadata_of(event).get("namespace") or ""
    about = (event.get("involvedObject") or {}).get("namespace") or ""
    if event.get("eventTime"):
        fits = bool(about) or place in ("", *_NAMESPACES_OF_CLUSTER_EVENTS)
    else:
        fits = place == about if about else place in ("", "default")
    if not fits:
        message = "does not match event.namespace"
        yield FieldError(join(path, "involvedObject.namespace"), about, message)


def _reported(event: Any, path: str) -> Faults:
    """Who reports an event of today, what was being done, and why."""
    if not event.get("eventTime"):
        return
    reporter = event.get("reportingComponent") or ""
    if not reporter:
        yield required(join(path, "reportingComponent"))
    for message in validate_label_key(reporter):
        yield FieldError(join(path, "reportingComponent"), reporter, message)
    for field in ("reportingInstance", "action", "reason"):
        word = event.get(field) or ""
        if not word:
            yield required(join(path, field))
        elif len(word) > _WORD_LENGTH_MAX:
            message = f"can have at most {_WORD_LENGTH_MAX} characters"
            yield FieldError(join(path, field), word, message)
    note = event.get("message") or ""
    if len(note) > _NOTE_LENGTH_MAX:
        message = f"can have at most {_NOTE_LENGTH_MAX} characters"
        yield FieldError(join(path, "message"), note, message)


event = fields(
    _in_place,
    _reported,
    metadata=object_meta(),
    reason=text,
    message=text,
    type=text,
    count=integer(),
)
"""An Event, in the shape of the core group."""

_port_number = integer(1, 65535)
_protocol = one_of("SCTP", "TCP", "UDP")
_address = fields(ip=needed(text), hostname=dns_label, nodeName=subdomain)


def _has_addresses(subset: Any, path: str) -> Faults:
    if not subset.get("addresses") and not subset.get("notReadyAddresses"):
        yield required(path, "must specify `addresses` or `notReadyAddresses`")


endpoints = fields(
    metadata=object_meta(),
    subsets=each(
        fields(
            _has_addresses,
            addresses=each(_address),
            notReadyAddresses=each(_address),
            ports=each(fields(name=text, port=needed(_port_number), protocol=_protocol)),
        )
    ),
)
"""Endpoints."""

endpoint_slice = fields(
    metadata=object_meta(),
    addressType=needed(one_of("FQDN", "IPv4", "IPv6")),
    endpoints=each(fields(addresses=needed(each(text)), hostname=dns_label, nodeName=subdomain)),
    ports=each(fields(name=text, port=_port_number, protocol=_protocol)),
)
"""An EndpointSlice."""

volume_attachment = fields(
    metadata=object_meta(),
    spec=needed(
        fields(
            attacher=needed(text),
            nodeName=needed(text),
            source=needed(fields(persistentVolumeName=text)),
        )
    ),
)
"""A VolumeAttachment."""
