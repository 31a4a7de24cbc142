"""What the disruption controller says of budgets over pods that nobody manages.

The sentence is v1.36's, which shows the selector as Go prints it.
"""

from collections.abc import Mapping

from podium.api.objects import Object, spec_of

_UNMANAGED = (
    "Pods selected by this PodDisruptionBudget (selector: {}) were found to be unmanaged. As a "
    "result, the status of the PDB cannot be calculated correctly, which may result in undefined "
    'behavior. To account for these pods please set ".spec.minAvailable" field of the PDB to an '
    "integer value."
)


def unmanaged_note(budget: Object) -> str:
    """The note of the event UnmanagedPods."""
    selector = spec_of(budget).get("selector")
    return _UNMANAGED.format("nil" if selector is None else _shown(selector))


def _shown(selector: Object) -> str:
    carried: Mapping[str, str] = selector.get("matchLabels") or {}
    pairs = "".join(f"{key}: {carried[key]}," for key in sorted(carried))
    requirements = "".join(map(_requirement, selector.get("matchExpressions") or ()))
    return (
        f"&LabelSelector{{MatchLabels:map[string]string{{{pairs}}},"
        f"MatchExpressions:[]LabelSelectorRequirement{{{requirements}}},}}"
    )


def _requirement(expression: Object) -> str:
    values = " ".join(expression.get("values") or ())
    key, operator = expression.get("key"), expression.get("operator")
    return f"LabelSelectorRequirement{{Key:{key},Operator:{operator},Values:[{values}],}},"
