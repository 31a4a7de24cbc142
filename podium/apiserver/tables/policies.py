"""The columns of what governs others: budgets, classes, quotas, limits and namespaces."""

from collections.abc import Mapping

from podium.api.objects import Object
from podium.apiserver.tables.columns import AGE, NAME, Column, Read, at, field, text

_LIMITS_PREFIX = "limits."


def _usage(of_limits: bool) -> Read:
    def read(quota: Object, _now_s: float) -> str:
        used: Mapping[str, str] = at(quota, "status", "used") or {}
        hard: Mapping[str, str] = at(quota, "status", "hard") or {}
        return ", ".join(
            f"{resource}: {used.get(resource, '0')}/{hard[resource]}"
            for resource in sorted(hard)
            if resource.startswith(_LIMITS_PREFIX) is of_limits
        )

    return read


POD_DISRUPTION_BUDGET = (
    NAME,
    Column("Min Available", text("spec", "minAvailable", default="N/A"), "Pods that must stay."),
    Column(
        "Max Unavailable", text("spec", "maxUnavailable", default="N/A"), "Pods that may be away."
    ),
    Column(
        "Allowed Disruptions",
        field("status", "disruptionsAllowed", default=0),
        "Pods that may be disrupted now.",
        "integer",
    ),
    AGE,
)

PRIORITY_CLASS = (
    NAME,
    Column("Value", field("value", default=0), "Priority of the class's pods.", "integer"),
    Column(
        "Global-Default",
        field("globalDefault", default=False),
        "Whether pods without a class are of this one.",
        "boolean",
    ),
    AGE,
    Column("PreemptionPolicy", text("preemptionPolicy"), "Whether the pods may preempt others."),
)

RESOURCE_QUOTA = (
    NAME,
    Column("Request", _usage(of_limits=False), "Use and limit of requests and counts."),
    Column("Limit", _usage(of_limits=True), "Use and limit of the containers' limits."),
    AGE,
)

LIMIT_RANGE = (
    NAME,
    Column("Created At", text("metadata", "creationTimestamp"), "When it was created.", "date"),
)

NAMESPACE = (
    NAME,
    Column("Status", text("status", "phase"), "Whether it is active or goes."),
    AGE,
)
