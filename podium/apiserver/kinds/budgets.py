"""PodDisruptionBudgets: validation."""

from typing import Any

from podium.api.errors import FieldError
from podium.api.kinds.builtin_kinds import KINDS
from podium.apiserver.internal_types import internal
from podium.apiserver.kinds.registration import rules
from podium.apiserver.kinds.registration.registration import Registration
from podium.apiserver.validation import checks
from podium.apiserver.validation.metadata import any_metadata
from podium.apiserver.validation.selectors import label_selector

_COUNTS = ("disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods")


def _one_bound(value: Any, path: str) -> checks.Faults:
    if None not in (value.get("minAvailable"), value.get("maxUnavailable")):
        shown = internal("PodDisruptionBudgetSpec", value)
        yield FieldError(path, shown, "minAvailable and maxUnavailable cannot be both set")


_valid_content = checks.fields(
    spec=checks.fields(
        _one_bound,
        minAvailable=checks.int_or_percent,
        maxUnavailable=checks.int_or_percent,
        selector=label_selector,
        unhealthyPodEvictionPolicy=checks.one_of("AlwaysAllow", "IfHealthyBudget"),
    )
)


def _valid(budget: Any, path: str) -> checks.Faults:
    # Its metadata is judged last, and where nothing else is wrong.
    yield from [*_valid_content(budget, path)] or checks.fields(metadata=any_metadata)(budget, path)


POD_DISRUPTION_BUDGET = Registration(
    kind=KINDS["PodDisruptionBudget"],
    validate=_valid,
    validate_update=rules.valid(_valid_content, "spec"),
    validate_subresource_update={
        "status": rules.not_negative(*(f"status.{field}" for field in _COUNTS))
    },
)
