"""Plans of objects, for tests."""

from itertools import groupby
from typing import Any

from podium.whatif.plan.changes import Apply, Change, parse_delete
from podium.whatif.plan.plan_report import Plan
from podium.whatif.plan.planner import plan
from podium.whatif.plan.request import LoadedState, PlanRequest
from tests.objects import Obj


def request(
    state: list[Obj], *changes: Obj | Change, delete: str = "", **settings: Any
) -> PlanRequest:
    """A request to make changes; manifests next to each other are applied together.

    `delete` names what goes before, separated by blanks.
    """
    made: list[Change] = [parse_delete(text, "default") for text in delete.split()]
    for is_manifest, group in groupby(changes, lambda change: isinstance(change, dict)):
        listed: list[Any] = [*group]
        made += [Apply(listed)] if is_manifest else listed
    return PlanRequest(LoadedState(state), tuple(made), **settings)


def planned(state: list[Obj], *changes: Obj | Change, **settings: Any) -> Plan:
    """The plan of a request with these changes."""
    return plan(request(state, *changes, **settings))


def places(outcome: Plan) -> dict[str, str]:
    """Nodes by the names of the pods that were placed, in order."""
    return {
        placement.pod.removeprefix("default/"): placement.node for placement in outcome.placements
    }
