"""`matchLabelKeys` and `mismatchLabelKeys`, merged into the selectors that they stand beside.

kube-apiserver does this to pods, not to templates, when they are created: the pod's own value of
each key becomes a condition of the selector. A term without selector selects nothing and stays.
"""

import json
from collections.abc import Mapping
from typing import Any

from podium.api.objects import Object, spec_of
from podium.api.objects import labels as labels_of
from podium.apiserver.kinds.registration.defaulting import every, inside

Labels = Mapping[str, str]

_SELECTING = frozenset({"affinity", "topologySpreadConstraints"})


def merge_label_keys(pod: Object) -> Object:
    """The pod with its label keys merged; merging again changes nothing."""
    if _SELECTING.isdisjoint(spec_of(pod)):
        return pod
    labels = labels_of(pod)

    def affinity_term(term: Object) -> Object:
        return _merged(
            _merged(term, "matchLabelKeys", "In", labels), "mismatchLabelKeys", "NotIn", labels
        )

    def constraint(constraint: Object) -> Object:
        return _merged(constraint, "matchLabelKeys", "In", labels)

    def of_both_strengths(affinity: Object) -> Object:
        return inside(
            affinity,
            requiredDuringSchedulingIgnoredDuringExecution=every(affinity_term),
            preferredDuringSchedulingIgnoredDuringExecution=every(
                lambda weighted: inside(weighted, podAffinityTerm=affinity_term)
            ),
        )

    def affinity(affinity: Object) -> Object:
        return inside(affinity, podAffinity=of_both_strengths, podAntiAffinity=of_both_strengths)

    def spec(spec: Object) -> Object:
        return inside(spec, affinity=affinity, topologySpreadConstraints=every(constraint))

    return inside(pod, spec=spec)


def _merged(term: Object, field: str, operator: str, labels: Labels) -> Object:
    selector = term.get("labelSelector")
    if selector is None:
        return term
    present: list[Any] = selector.get("matchExpressions") or []
    conditions = (
        {"key": key, "operator": operator, "values": [labels[key]]}
        for key in term.get(field) or ()
        if key in labels
    )
    there = {json.dumps(condition, sort_keys=True) for condition in present}
    new = [one for one in conditions if json.dumps(one, sort_keys=True) not in there]
    if not new:
        return term
    return {**term, "labelSelector": {**selector, "matchExpressions": [*present, *new]}}
