"""Rights to change the status of claims, as DRAResourceClaimGranularStatusAuthorization of v1.36.

Beside `resourceclaims/status`, allocations and reservations need `resourceclaims/binding` in the
whole cluster, and reports of a driver `resourceclaims/driver` with the driver's name. Verbs say for
whose devices a driver may report: those of the node that the token of its service account is bound
to, or of arbitrary nodes.
"""

from collections.abc import Iterator, Sequence

from podium.api.devices.resource_claims import allocation_of, results_of
from podium.api.errors import FieldError
from podium.api.objects import Object, entries, name, part, status_of
from podium.apiserver.attributes import Attributes
from podium.apiserver.authentication.users import NODE_NAME, Attempt, User, service_account_of
from podium.apiserver.rbac.authorizer import Authorizer, denied
from podium.apiserver.refusals import invalid
from podium.apiserver.validation import checks
from podium.apiserver.validation.device_claims import device_key


def check_claim_status(authorizer: Authorizer, request: Attributes, new: Object) -> None:
    """Refuse changes in the status of a claim that the user has no right to; raises RefusedError.

    As by kube-apiserver, missing rights are faults of the object.
    """
    if request.resource != "ResourceClaim/status":
        return
    old = request.old or {}
    faults = [
        *_binding_faults(authorizer, request, old, new),
        *_driver_faults(authorizer, request, old, new),
    ]
    if faults:
        raise invalid(name(new), faults, request.kind.name, request.kind.group)


def _binding_faults(
    authorizer: Authorizer, request: Attributes, old: Object, new: Object
) -> Iterator[FieldError]:
    consumers, before = (entries(status_of(claim), "reservedFor") for claim in (new, old))
    if allocation_of(new) == allocation_of(old) and consumers == before:
        return
    attempt = Attempt(request.verb, request.kind.group, request.kind.plural, "binding")
    if why := _objection(authorizer, request.user, [attempt]):
        what = f'resource="{attempt.full_resource}", verb="{attempt.verb}" permission'
        changing = "changing status.allocation or status.reservedFor"
        yield checks.forbidden("status", f"{changing} requires {what}: {why}")


def _driver_faults(
    authorizer: Authorizer, request: Attributes, old: Object, new: Object
) -> Iterator[FieldError]:
    reports, before = (
        {device_key(report): report for report in entries(status_of(claim), "devices")}
        for claim in (new, old)
    )
    # Reports about devices that the claim loses go by themselves.
    kept = reports.keys() | map(device_key, results_of(new))
    changed = {
        (reports.get(key) or before[key])["driver"]
        for key in reports.keys() | before.keys()
        if key in kept and reports.get(key) != before.get(key)
    }
    verbs = [f"associated-node:{request.verb}", f"arbitrary-node:{request.verb}"]
    if not _is_on_the_node_of(request.user, new):
        verbs = verbs[1:]
    kind = request.kind
    for driver in sorted(changed):
        attempts = [
            Attempt(verb, kind.group, kind.plural, "driver", request.namespace, driver)
            for verb in verbs
        ]
        if why := _objection(authorizer, request.user, attempts):
            what = f'resource="{attempts[0].full_resource}", verb="[{" ".join(verbs)}]"'
            message = f"changing status.devices requires {what} permission: {why}"
            yield checks.forbidden("status.devices", message)


def _objection(authorizer: Authorizer, user: User, attempts: Sequence[Attempt]) -> str:
    """Return why none of some requests is permitted; empty if one is."""
    verdicts = [authorizer.decide(user, attempt) for attempt in attempts]
    if any(verdict.allowed for verdict in verdicts):
        return ""
    return denied(user, attempts[0], verdicts[0].reason).message


def _is_on_the_node_of(user: User, claim: Object) -> bool:
    """Return whether a service account is bound to the one node that a claim is allocated on."""
    terms = entries(part(allocation_of(claim) or {}, "nodeSelector"), "nodeSelectorTerms")
    names = dict(user.extra).get(NODE_NAME, ())
    own = {"key": "metadata.name", "operator": "In", "values": [*names]}
    is_bound = service_account_of(user.name) is not None and len(names) == 1
    return is_bound and [*terms] == [{"matchFields": [own]}]
