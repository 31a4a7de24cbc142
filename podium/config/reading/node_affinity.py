"""Arguments of NodeAffinity: `addedAffinity`, shaped and judged as a pod's node affinity."""

from collections.abc import Iterable, Mapping
from typing import Any

from podium.api.errors import FieldError
from podium.api.node_selector import node_selector, preferred_terms
from podium.config.args import NodeAffinityArgs
from podium.config.reading.fields import Fields

NODE_AFFINITY_FIELDS = ("addedAffinity",)

_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
_PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"
_TERM_FIELDS = ("matchExpressions", "matchFields")
_EXPRESSION_FIELDS = ("key", "operator", "values")


def read_node_affinity(fields: Fields) -> NodeAffinityArgs:
    """The arguments of NodeAffinity."""
    raw = fields.raw("addedAffinity")
    if raw is None:
        return NodeAffinityArgs()
    faults = fields.findings.faults
    before = len(faults)
    affinity = fields.nested("addedAffinity", (_REQUIRED, _PREFERRED))
    _check_shape(affinity)
    # What a term means can only be judged of terms that have the shape of one.
    if len(faults) > before or not isinstance(raw, Mapping):
        return NodeAffinityArgs()
    faults += _meaning_faults(raw, affinity)
    return NodeAffinityArgs(raw)


def _check_shape(affinity: Fields) -> None:
    required = affinity.nested(_REQUIRED, ("nodeSelectorTerms",))
    _check_terms(required.each("nodeSelectorTerms", _TERM_FIELDS))
    preferred = affinity.each(_PREFERRED, ("weight", "preference"))
    for term in preferred:
        term.integer("weight")
    _check_terms(term.nested("preference", _TERM_FIELDS) for term in preferred)


def _check_terms(terms: Iterable[Fields]) -> None:
    for term in terms:
        for field in _TERM_FIELDS:
            for expression in term.each(field, _EXPRESSION_FIELDS):
                expression.text("key")
                expression.text("operator")
                expression.texts("values")


def _meaning_faults(raw: Mapping[str, Any], affinity: Fields) -> list[FieldError]:
    required = [
        fault.under(affinity.at(_REQUIRED))
        for fault in node_selector(raw.get(_REQUIRED) or {}).errors
    ]
    preferred = [
        fault.under(affinity.at(_PREFERRED))
        for _, term in preferred_terms(raw.get(_PREFERRED))
        for fault in term.error
    ]
    return required + preferred
