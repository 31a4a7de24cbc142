"""One limit of a limit range, and what is said of amounts outside it.

Rules and texts are those of the admission plugin LimitRanger in v1.36.
"""

from collections.abc import Iterator

from podium.api.objects import Object
from podium.api.quantity import Quantity
from podium.core.quotas.amounts import NONE, Quantities, read


def faults(limit: Object, requests: Quantities, limits: Quantities | None) -> Iterator[str]:
    """What is wrong with an object's amounts.

    Args:
        limit: an item of a LimitRange.
        requests: what the object requests.
        limits: what it is limited to; None for one that can't be limited, such as a claim.
    """
    limited = limits or {}
    for name, bound in sorted(read(limit.get("min")).items()):
        subject = f"minimum {name} usage per {limit['type']} is {bound}"
        yield from _too_little(subject, bound, requests.get(name), limited.get(name))
    for name, bound in sorted(read(limit.get("max")).items()):
        subject = f"maximum {name} usage per {limit['type']} is {bound}"
        if limits is None:
            yield from _request_too_large(subject, bound, requests.get(name))
        else:
            yield from _too_much(subject, bound, requests.get(name), limits.get(name))
    if limits is not None:
        for name, bound in sorted(read(limit.get("maxLimitRequestRatio")).items()):
            subject = f"{name} max limit to request ratio per {limit['type']} is {bound}"
            found = _ratio_fault(bound, requests.get(name, NONE), limits.get(name, NONE))
            if found:
                yield f"{subject}, but {found}"


def _too_little(
    subject: str, bound: Quantity, request: Quantity | None, limit: Quantity | None
) -> Iterator[str]:
    if request is None:
        yield f"{subject}.  No request is specified"
    elif request < bound:
        yield f"{subject}, but request is {request}"
    elif limit is not None and limit < bound:
        yield f"{subject}, but limit is {limit}"


def _too_much(
    subject: str, bound: Quantity, request: Quantity | None, limit: Quantity | None
) -> Iterator[str]:
    if limit is None:
        yield f"{subject}.  No limit is specified"
    elif limit > bound:
        yield f"{subject}, but limit is {limit}"
    elif request is not None and request > bound:
        yield f"{subject}, but request is {request}"


def _request_too_large(subject: str, bound: Quantity, request: Quantity | None) -> Iterator[str]:
    if request is None:
        yield f"{subject}.  No request is specified"
    elif request > bound:
        yield f"{subject}, but request is {request}"


def _ratio_fault(bound: Quantity, request: Quantity, limit: Quantity) -> str:
    if not request:
        return "no request is specified or request is 0"
    if not limit:
        return "no limit is specified or limit is 0"
    if limit.nanos * 10**9 <= bound.nanos * request.nanos:
        return ""
    return f"provided ratio is {limit.nanos / request.nanos:f}"
