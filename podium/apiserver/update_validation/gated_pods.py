"""Gated pods: where they may go can still be narrowed down, as nobody has looked for a node yet.

The rules are those of v1.36 for pods with scheduling gates.
"""

from typing import Any

from podium.api.errors import FieldError
from podium.api.objects import Object
from podium.apiserver.internals import internal
from podium.apiserver.update_validation.rules import Faults, same

_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
_TERMS = f"spec.affinity.nodeAffinity.{_REQUIRED}.nodeSelectorTerms"


def tightened(spec: Object, before: Object) -> Faults:
    """The node selector and the node affinity demand at least what they did.

    Args:
        spec: of the pod, as asked for.
        before: as stored.
    """
    selector = spec.get("nodeSelector") or {}
    if any(selector.get(key) != v for key, v in (before.get("nodeSelector") or {}).items()):
        message = "only additions to spec.nodeSelector are allowed (no mutations or deletions)"
        yield FieldError("spec.nodeSelector", dict(sorted(selector.items())) or None, message)
    if not same(_node_affinity(spec), _node_affinity(before)):
        yield from _terms_grown(_required_terms(spec), _required_terms(before))


def as_before_where_tightened(spec: Object, before: Object) -> dict[str, Any]:
    """The fields of the spec that have been looked at, as they were."""
    kept: dict[str, Any] = {"nodeSelector": before.get("nodeSelector")}
    node = _node_affinity(before)
    if same(_node_affinity(spec), node):
        return kept
    others = {
        field: value
        for field, value in (spec.get("affinity") or {}).items()
        if field != "nodeAffinity" and value is not None
    }
    if others or before.get("affinity") is not None:
        kept["affinity"] = {**others, "nodeAffinity": node}
    else:
        kept["affinity"] = None
    return kept


def _node_affinity(spec: Object) -> Object | None:
    found: Object | None = (spec.get("affinity") or {}).get("nodeAffinity")
    return found


def _required_terms(spec: Object) -> list[Object]:
    required = (_node_affinity(spec) or {}).get(_REQUIRED) or {}
    return required.get("nodeSelectorTerms") or []


def _terms_grown(new: list[Object], old: list[Object]) -> Faults:
    if not old:
        return
    if len(new) != len(old):
        message = "no additions/deletions to non-empty NodeSelectorTerms list are allowed"
        shown = [internal("NodeSelectorTerm", term) for term in new] or None
        yield FieldError(_TERMS, shown, message)
        return
    for index, (now, then) in enumerate(zip(new, old, strict=True)):
        if not _grown(now, then):
            message = "only additions are allowed (no mutations or deletions)"
            yield FieldError(f"{_TERMS}[{index}]", internal("NodeSelectorTerm", now), message)


def _grown(new: Object, old: Object) -> bool:
    """Whether the new requirements begin with all the old ones; a term without any stays so."""
    pairs = [(new.get(f) or [], old.get(f) or []) for f in ("matchExpressions", "matchFields")]
    if not any(then for _, then in pairs):
        return not any(now for now, _ in pairs)
    return all(same(now[: len(then)], then) for now, then in pairs)
