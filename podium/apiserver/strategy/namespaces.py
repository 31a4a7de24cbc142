"""Namespaces: who finishes them off, and which subresource says so."""

from podium.api.objects import Object, spec_of
from podium.apiserver.defaulting import apply_defaults
from podium.apiserver.strategy.strategy import Creation, keep_status

_KUBERNETES = "kubernetes"


def create(namespace: Object, _creation: Creation) -> Object:
    """A new namespace: active, and held by the controller that will empty it."""
    # The label with its name is missing yet if the name has only just been generated.
    namespace = apply_defaults(namespace, "Namespace")
    spec = namespace.get("spec") or {}
    finalizers = spec.get("finalizers") or []
    if _KUBERNETES not in finalizers:
        finalizers = [*finalizers, _KUBERNETES]
    return {
        **namespace,
        "spec": {**spec, "finalizers": finalizers},
        "status": {"phase": "Active"},
    }


def update(new: Object, old: Object, now_s: float) -> Object:
    """The finalizers of the spec have a subresource of their own."""
    new = keep_status(new, old, now_s)
    finalizers = spec_of(old).get("finalizers")
    spec = new.get("spec") or {}
    if spec.get("finalizers") == finalizers:
        return new
    others = {name: value for name, value in spec.items() if name != "finalizers"}
    return {**new, "spec": {**others, "finalizers": finalizers} if finalizers else others}
