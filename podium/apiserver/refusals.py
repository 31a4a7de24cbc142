"""Refusals that verbs and servers share, with kube-apiserver's messages.

Some name the plural resource of the request, others the kind of the object, in the message and its
details, as in kube-apiserver.
"""

from collections.abc import Iterable
from functools import partial
from typing import Any

from podium.api.errors import ErrorKind, FieldError, RefusedError, StatusCause, aggregate, quoted
from podium.api.kinds.builtin_kinds import Kind

MODIFIED = (
    "the object has been modified; please apply your changes to the latest version and try again"
)

FAULTS_MAX = 1000
_FAULTS_LENGTH_MAX = 2**20

# The key of a kind in etcd, where it isn't the plural.
_STORED_AS = {
    "Node": "minions",
    "Service": "services/specs",
    "Endpoints": "services/endpoints",
    "ReplicationController": "controllers",
}

_CAUSES = {
    ErrorKind.INVALID: "FieldValueInvalid",
    ErrorKind.UNSUPPORTED: "FieldValueNotSupported",
    ErrorKind.DUPLICATE: "FieldValueDuplicate",
    ErrorKind.NOT_FOUND: "FieldValueNotFound",
    ErrorKind.REQUIRED: "FieldValueRequired",
    ErrorKind.FORBIDDEN: "FieldValueForbidden",
    ErrorKind.TOO_LONG: "FieldValueTooLong",
    ErrorKind.TOO_MANY: "FieldValueTooMany",
}


def not_found(kind: Kind, name: str) -> RefusedError:
    """404: an object doesn't exist."""
    message = f"{kind.resource} {quoted(name)} not found"
    return RefusedError(404, "NotFound", message, details=_details(name, kind.group, kind.plural))


def already_exists(kind: Kind, name: str, *, is_terminating: bool = False) -> RefusedError:
    """409: an object with this name exists; it may be terminating."""
    terminating = "object is being deleted: " if is_terminating else ""
    message = f"{terminating}{kind.resource} {quoted(name)} already exists"
    return RefusedError(
        409, "AlreadyExists", message, details=_details(name, kind.group, kind.plural)
    )


def conflict(resource: str, name: str, why: str, group: str = "") -> RefusedError:
    """409: a resource, such as `pods/binding`, isn't in the state that the request expects."""
    full_name = f"{_qualified(resource, group)} {quoted(name)}"
    message = f"Operation cannot be fulfilled on {full_name}: {why}"
    return RefusedError(409, "Conflict", message, details=_details(name, group, resource))


def modified(kind: Kind, name: str) -> RefusedError:
    """409: the object was modified after the resourceVersion in the request."""
    return conflict(kind.plural, name, MODIFIED, kind.group)


def uid_conflict(kind: Kind, namespace: str, name: str, wanted: str, stored: str) -> RefusedError:
    """409: the stored object with this name has another uid."""
    place = f"{namespace}/" if namespace else ""
    key = f"/registry/{_STORED_AS.get(kind.key, kind.plural)}/{place}{name}"
    error = f"StorageError: invalid object, Code: 4, Key: {key}, ResourceVersion: 0"
    unmet = f"UID in precondition: {wanted}, UID in object meta: {stored}"
    why = f"{error}, AdditionalErrorMsg: Precondition failed: {unmet}"
    return conflict(kind.plural, name, why, kind.group)


def forbidden(
    kind: Kind, name: str, why: str, causes: tuple[StatusCause, ...] = ()
) -> RefusedError:
    """403: admission refuses the request."""
    full_name = f"{kind.resource} {quoted(name)}" if name else kind.resource
    details = _details(name, kind.group, kind.plural)
    return RefusedError(
        403, "Forbidden", f"{full_name} is forbidden: {why}", causes=causes, details=details
    )


def invalid(name: str, faults: Iterable[FieldError], kind: str, group: str = "") -> RefusedError:
    """422: an object or options have invalid fields, of which only the first are listed."""
    listed, more = first_faults(faults), ""
    too_long = sum(map(_length, listed[:-1])) > _FAULTS_LENGTH_MAX
    if len(listed) > 1 and (len(listed) > FAULTS_MAX or too_long):
        listed = listed[:-1]
        more = f", and more: only the first {len(listed):,} faults are listed"
    message = f"{_qualified(kind, group)} {quoted(name)} is invalid: {aggregate(listed)}{more}"
    causes = tuple(StatusCause(_CAUSES[fault.kind], fault.text, fault.field) for fault in listed)
    return RefusedError(422, "Invalid", message, causes=causes, details=_details(name, group, kind))


def first_faults(faults: Iterable[FieldError]) -> list[FieldError]:
    """Return as many faults as a refusal lists, and one more if there are more."""
    first: list[FieldError] = []
    length = 0
    for fault in faults:
        first.append(fault)
        if len(first) > FAULTS_MAX or length > _FAULTS_LENGTH_MAX:
            break
        length += _length(fault)
    return first


def _length(fault: FieldError) -> int:
    return len(fault.field) + len(fault.text)


bad_request = partial(RefusedError, 400, "BadRequest")
not_acceptable = partial(RefusedError, 406, "NotAcceptable")
internal = partial(RefusedError, 500, "")
"""500: a fault for which kube-apiserver has no better code."""

unauthorized = partial(RefusedError, 401, "Unauthorized", "Unauthorized")

no_such_resource = partial(
    RefusedError, 404, "NotFound", "the server could not find the requested resource", details={}
)

no_such_method = partial(
    RefusedError,
    405,
    "MethodNotAllowed",
    "the server does not allow this method on the requested resource",
    details={},
)

inapplicable = partial(
    RefusedError, 422, "Invalid", "the server rejected our request due to an error in our request"
)

server_fault = partial(
    RefusedError, 500, "InternalError", "Internal error occurred: see the server's log"
)
"""500: the server failed; its log says how."""

no_room = partial(
    RefusedError,
    500,
    "InternalError",
    "Internal error occurred: the disk of the data directory is full, nothing is written",
)


def entity_too_large(why: str) -> RefusedError:
    """413: the body of a request, or the object in it, is too large."""
    return RefusedError(413, "RequestEntityTooLarge", f"Request entity too large: {why}")


def too_many(what: str) -> RefusedError:
    """429: the server has reached its limit of requests or watches."""
    message = f"Too many {what}, please try again later."
    return RefusedError(429, "TooManyRequests", message, retry_after_s=1)


def _qualified(resource: str, group: str) -> str:
    return f"{resource}.{group}" if group else resource


def _details(name: str, group: str, kind: str) -> dict[str, Any]:
    known = {"name": name, "group": group, "kind": kind}
    return {field: value for field, value in known.items() if value}
