"""Ctrl-C ends a plan early; what is known by then is told."""

from collections.abc import Callable

from podium.api.documents.report import plain
from podium.whatif.plan.changes import Apply
from podium.whatif.plan.plan_report import Plan
from podium.whatif.plan.planner import plan
from podium.whatif.plan.request import LoadedState, PlanRequest
from tests.objects import node, pod, priority_class
from tests.whatif.plan.plans import places

# The victim takes half a minute to go, and only then is the new pod bound.
STATE = [
    priority_class("high", 1000),
    node("n", "1"),
    pod("old", on="n", status={"phase": "Running"}, terminationGracePeriodSeconds=30),
]
COMING = pod("new", priorityClassName="high")


def after(seconds: float, times: int = 1) -> Callable[[int, float], None]:
    """Interrupts at the given time of the run with that number."""

    def tell(number: int, at_s: float) -> None:
        if number == times and at_s >= seconds:
            raise KeyboardInterrupt

    return tell


def interrupted(seconds: float, times: int = 1, seeds: int = 1) -> Plan:
    return plan(
        PlanRequest(LoadedState(STATE), [Apply([COMING])], seeds=seeds), after(seconds, times)
    )


def test_what_has_happened_up_to_then_is_told() -> None:
    outcome = interrupted(0)
    assert outcome.interrupted
    assert outcome.until_s == 0
    assert [one.preemptor for one in outcome.preemptions] == ["default/new"]
    assert [one.pod for one in outcome.pending] == ["default/new"]
    assert plain(outcome)["interrupted"] is True


def test_later_it_has_come_further() -> None:
    assert places(interrupted(40)) == {"new": "n"}


def test_of_several_runs_those_count_that_are_complete() -> None:
    outcome = interrupted(500, times=3, seeds=6)
    assert (outcome.interrupted, outcome.seeds, outcome.until_s) == (True, 2, 600.0)
    assert places(outcome) == {"new": "n"}


def test_whoever_waits_for_the_end_is_told_so() -> None:
    times: list[float] = []
    outcome = plan(
        PlanRequest(LoadedState(STATE), [Apply([COMING])]), lambda _, at_s: times.append(at_s)
    )
    assert (outcome.interrupted, outcome.until_s) == (False, 600.0)
    assert times == sorted(times)
    assert times[-1] == 600.0
