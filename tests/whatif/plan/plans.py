"""Plans of objects, for tests."""

from typing import Any

from podium.whatif.plan.changes import Apply, parse_delete
from podium.whatif.plan.plan_report import Plan
from podium.whatif.plan.planner import plan
from podium.whatif.plan.request import LoadedState, PlanRequest
from tests.objects import Obj


def planned(state: list[Obj], *applied: Obj, delete: str = "", **settings: Any) -> Plan:
    """The outcome of applying objects; `delete` names what goes, separated by blanks."""
    deleted = [parse_delete(text, "default") for text in delete.split()]
    return plan(
        PlanRequest(
            LoadedState(state), (*deleted, *([Apply(applied)] if applied else [])), **settings
        )
    )


def places(outcome: Plan) -> dict[str, str]:
    """Nodes by the names of the pods that were placed, in order."""
    return {
        placement.pod.removeprefix("default/"): placement.node for placement in outcome.placements
    }
