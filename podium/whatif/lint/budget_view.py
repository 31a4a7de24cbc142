"""Budgets as they stand when all goes well: all pods are there, and ready."""

from collections.abc import Iterable, Sequence

import msgspec

from podium.api.objects import Object, name, owner_references, spec_of, uid_of, without
from podium.api.policy.disruption_budgets import (
    BudgetStatus,
    Scale,
    allowed_disruptions,
    expected_count,
    needs_scale,
    selects,
)
from podium.whatif.lint.workload_reader import BATCH, SCALED, Workload

_READY = {"conditions": [{"type": "Ready", "status": "True"}]}
_UNSCALED = BATCH | {"DaemonSet"}


class BudgetView(msgspec.Struct, frozen=True):
    """A budget, with the numbers that it has when all pods that it selects are there and ready.

    Attributes:
        status: as the disruption controller would compute it; None if a controller isn't known.
    """

    budget: Object
    workloads: Sequence[Workload]
    status: BudgetStatus | None

    @property
    def replicas(self) -> int:
        """How many pods it selects."""
        return sum(workload.replicas for workload in self.workloads)

    @property
    def bound(self) -> tuple[str, int | str]:
        """The field that says how many pods must stay or may go, and its value."""
        spec = spec_of(self.budget)
        field = "maxUnavailable" if spec.get("maxUnavailable") is not None else "minAvailable"
        return field, spec.get(field, "")

    @property
    def needs_scale(self) -> bool:
        """Whether it refers to what controllers want."""
        return needs_scale(self.budget)

    @property
    def unscaled(self) -> Sequence[Workload]:
        """Those of its workloads that have no scale that it could refer to."""
        return [one for one in self.workloads if one.kind in _UNSCALED or one.is_bare]

    @property
    def witnesses(self) -> tuple[str, ...]:
        """Its workloads, with how many pods they have."""
        return tuple(f"{one} (of {one.replicas})" for one in self.workloads)


def budget_view(budget: Object, workloads: Iterable[Workload]) -> BudgetView:
    """A budget, with those of the workloads whose pods it selects."""
    chosen = [one for one in workloads if selects(budget, one.pod)]
    replicas = {
        (str(owner["kind"]), str(owner["name"])): one.replicas
        for one in chosen
        for owner in owner_references(one.pod)
    }
    if any(kind not in SCALED | _UNSCALED for kind, _ in replicas) and needs_scale(budget):
        return BudgetView(budget, chosen, None)
    pods = []
    for one in chosen:
        metadata, uid = one.pod["metadata"], uid_of(one.pod) or name(one.pod)
        for n in range(one.replicas):
            own = {**metadata, "name": f"{name(one.pod)}-{n}", "uid": f"{uid}-{n}"}
            pods.append({**one.pod, "status": _READY, "metadata": own})

    def scale_of(owner: Object, _: str) -> Scale | None:
        kind, called = str(owner["kind"]), str(owner["name"])
        return Scale(f"{kind}/{called}", replicas[kind, called]) if kind in SCALED else None

    judged = without(budget, "status")
    status = allowed_disruptions(judged, pods, expected_count(pods, scale_of))
    return BudgetView(budget, chosen, status)
