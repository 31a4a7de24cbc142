"""The remaining kinds: policies, quotas, data, leases, namespaces, services.

The rules are those of v1.36.
"""

from podium.api.errors import FieldError
from podium.api.objects import Object
from podium.apiserver.update_validation.metadata import metadata
from podium.apiserver.update_validation.rules import (
    Faults,
    Rule,
    all_of,
    at,
    forbidden,
    immutable,
    not_negative,
    valid,
)
from podium.apiserver.validation import policies
from podium.apiserver.validation.kinds import CHECKS
from podium.apiserver.validation.metadata import finalizer_name

_ONCE_SET = "may not change once set"


def _priority_value(new: Object, old: Object) -> Faults:
    if (new.get("value") or 0) != (old.get("value") or 0):
        yield forbidden("value", "may not be changed in an update.")


priority_class = all_of(metadata, _priority_value, immutable("preemptionPolicy"))

disruption_budget = valid(policies.pod_disruption_budget)
disruption_budget_status = not_negative(
    "status.disruptionsAllowed",
    "status.currentHealthy",
    "status.desiredHealthy",
    "status.expectedPods",
)


def judged_anew(kind: str) -> Rule:
    """The metadata may be changed, and the new object is valid."""
    return all_of(metadata, valid(CHECKS[kind]))


runtime_class = all_of(judged_anew("RuntimeClass"), immutable("handler"))


def data(kind: str, *fields: str) -> Rule:
    """Data stays as it is if it is marked as immutable, and so does the mark."""

    def sealed(new: Object, old: Object) -> Faults:
        if old.get("immutable") is not True:
            return
        message = "field is immutable when `immutable` is set"
        if new.get("immutable") is not True:
            yield forbidden("immutable", message)
        for field in fields:
            if (new.get(field) or {}) != (old.get(field) or {}):
                yield forbidden(field, message)

    typed = (immutable("type"),) if kind == "Secret" else ()
    return all_of(metadata, *typed, sealed, valid(CHECKS[kind]))


def _same_scopes(new: Object, old: Object) -> Faults:
    now, before = at(new, "spec.scopes") or [], at(old, "spec.scopes") or []
    if set(now) != set(before):
        yield FieldError("spec.scopes", now or "null", "field is immutable")


resource_quota = all_of(metadata, valid(CHECKS["ResourceQuota"], "spec"), _same_scopes)
resource_quota_status = all_of(metadata, valid(CHECKS["ResourceQuota"], "status"))


def _phase(new: Object, _old: Object) -> Faults:
    phase = at(new, "status.phase") or ""
    if at(new, "metadata.deletionTimestamp"):
        if phase != "Terminating":
            message = "may only be 'Terminating' if `deletionTimestamp` is not empty"
            yield FieldError("status.Phase", phase, message)
    elif phase != "Active":
        message = "may only be 'Active' if `deletionTimestamp` is empty"
        yield FieldError("status.Phase", phase, message)


def _finalizers(new: Object, _old: Object) -> Faults:
    for index, name in enumerate(at(new, "spec.finalizers") or ()):
        yield from finalizer_name(name, f"spec.finalizers[{index}]")


namespace_status = all_of(metadata, _phase)
namespace_finalize = all_of(metadata, _finalizers)


def _cluster_addresses(new: Object, old: Object) -> Faults:
    """A service keeps its address, unless it is one of those that have none."""
    spec, before = new.get("spec") or {}, old.get("spec") or {}
    if "ExternalName" in (spec.get("type"), before.get("type")):
        return
    now, then = spec.get("clusterIPs") or [], before.get("clusterIPs") or []
    if then and not now:
        yield FieldError("spec.clusterIPs[0]", "null", "primary clusterIP can not be unset")
    for index, (one, other) in enumerate(zip(now, then, strict=False)):
        if one != other:
            yield FieldError(f"spec.clusterIPs[{index}]", now, _ONCE_SET)


service = all_of(metadata, _cluster_addresses, valid(CHECKS["Service"]))

endpoint_slice = all_of(judged_anew("EndpointSlice"), immutable("addressType"))
controller_revision = all_of(judged_anew("ControllerRevision"), immutable("data"))
resource_claim = all_of(metadata, immutable("spec"))
resource_slice = all_of(
    metadata,
    immutable("spec.nodeName"),
    immutable("spec.driver"),
    immutable("spec.pool.name"),
)
