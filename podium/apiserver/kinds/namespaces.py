"""Namespaces: the name label, the finalizer that keeps non-empty namespaces, and validation."""

from typing import Any

from podium.api.errors import FieldError
from podium.api.kinds.builtin_kinds import KINDS
from podium.api.objects import Object, entries, labels, name, spec_of, without
from podium.apiserver.kinds.registration import rules
from podium.apiserver.kinds.registration.registration import Registration
from podium.apiserver.kinds.registration.rules import at
from podium.apiserver.kinds.registration.strategy import Creation, keep_status
from podium.apiserver.validation import checks
from podium.apiserver.validation.names import dns_label, finalizer_name, label_key, object_check

_NAME_LABEL = "kubernetes.io/metadata.name"
_KUBERNETES = "kubernetes"


def _labelled(namespace: Object) -> Object:
    own_name, known = name(namespace), labels(namespace)
    if own_name and known.get(_NAME_LABEL) != own_name:
        labelled = {**known, _NAME_LABEL: own_name}
        return {**namespace, "metadata": {**namespace["metadata"], "labels": labelled}}
    return namespace


def _create(namespace: Object, _creation: Creation) -> Object:
    # The label with its name is missing yet if the name has only just been generated.
    namespace, spec = _labelled(namespace), spec_of(namespace)
    finalizers = [*entries(spec, "finalizers")]
    if _KUBERNETES not in finalizers:
        finalizers.append(_KUBERNETES)
    return {**namespace, "spec": {**spec, "finalizers": finalizers}, "status": {"phase": "Active"}}


def _update(new: Object, old: Object, _now_s: float) -> Object:
    finalizers = spec_of(old).get("finalizers")
    spec = spec_of(new)
    if spec.get("finalizers") == finalizers:
        return new
    kept = {"finalizers": finalizers} if finalizers else {}
    return {**new, "spec": {**without(spec, "finalizers"), **kept}}


def _phase(new: Object, _old: Object) -> checks.Faults:
    phase, is_marked = at(new, "status.phase") or "", bool(at(new, "metadata.deletionTimestamp"))
    expected, state = ("Terminating", "not empty") if is_marked else ("Active", "empty")
    if phase != expected:
        message = f"may only be '{expected}' if `deletionTimestamp` is {state}"
        yield FieldError("status.Phase", phase, message)


def _finalizer(value: Any, path: str) -> checks.Faults:
    # Faults of a finalizer are the list's.
    whole = path.rpartition("[")[0]
    yield from label_key(value, whole)
    yield from finalizer_name(value, whole)


_finalizer_names = checks.fields(spec=checks.fields(finalizers=checks.each(finalizer_name)))

NAMESPACE = Registration(
    kind=KINDS["Namespace"],
    defaults=_labelled,
    validate=object_check(
        name=dns_label,
        spec=checks.fields(finalizers=checks.each(_finalizer)),
        status=checks.fields(phase=checks.one_of("Active", "Terminating")),
    ),
    validate_subresource_update={
        "status": rules.all_of(rules.metadata, _phase),
        "finalize": rules.all_of(rules.metadata, rules.valid(_finalizer_names)),
    },
    create=_create,
    update=_update,
    subresources={"finalize": keep_status},
)
