"""What is kept up to date equals what would be made anew, whatever has happened."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from podium.scheduler.config.scheduler_options import VictimOrder
from podium.scheduler.explain.explanation import explain
from podium.scheduler.framework.cycle.diagnosis import failure_message
from podium.scheduler.framework.evaluation.evaluation import Evaluation
from podium.scheduler.framework.evaluation.filtering import Filtering
from podium.scheduler.framework.interface import FITS
from podium.scheduler.framework.status import Status
from podium.scheduler.preemption.dry_run import NO_VICTIMS, DryRun
from podium.scheduler.preemption.victim_order import IMPORTANCE
from podium.scheduler.preemption.victim_table import VictimTables
from podium.scheduler.scheduler import Scheduler
from podium.scheduler.snapshot.pod_classes import PodClasses
from podium.scheduler.snapshot.pod_info import PodInfo
from podium.scheduler.snapshot.snapshot import Snapshot
from podium.simulation.decide.decisions import Decided, decision_report
from tests.conformance.comparison import Json
from tests.properties.clusters import scenario
from tests.properties.lives import Life, again, reborn
from tests.properties.mirrors import evaluation_of
from tests.properties.volume_clusters import Dice

STEPS = 12
STEPS_OF_A_LONG_LIFE = 20

LIVES = st.integers(0, 2**48).map(Dice).map(lambda dice: Life(scenario(dice, nodes_max=5), dice))


def assert_same_evaluation(kept: Evaluation, new: Evaluation, snapshot: Snapshot) -> None:
    assert kept.filtering.pre_filter == new.filtering.pre_filter
    assert kept.filtering.outcome.tolist() == new.filtering.outcome.tolist()
    assert statuses(kept.filtering, snapshot) == statuses(new.filtering, snapshot)
    assert kept.preference.tolist() == new.preference.tolist()
    feasible = new.filtering.feasible_rows()
    assert kept.filtering.feasible_rows().tolist() == feasible.tolist()
    if len(feasible):
        for total in ("local_total", "relative_total"):
            ours, theirs = (getattr(e.scoring, total)[feasible] for e in (kept, new))
            assert ours.tolist() == theirs.tolist(), total
        ours, theirs = (e.scoring.by_plugin(feasible) for e in (kept, new))
        assert {p: s.tolist() for p, s in ours.items()} == {
            p: s.tolist() for p, s in theirs.items()
        }


def statuses(filtering: Filtering, snapshot: Snapshot) -> list[Status]:
    """Of the nodes' rows, with the plugin that the blame names."""
    return [
        filtering.status(int(filtering.blame[row]), int(filtering.outcome[row]), row)
        for row in range(snapshot.node_count)
        if filtering.pre_filter.is_success
    ]


def assert_evaluations_follow(life: Life, steps: int) -> None:
    scheduler = life.scheduler
    kept = [evaluation_of(scheduler, pod) for pod in life.asked]
    for _ in range(steps):
        life.step()
        for pod, evaluation in zip(life.asked, kept, strict=True):
            evaluation.refresh(pod)
            assert_same_evaluation(evaluation, evaluation_of(scheduler, pod), scheduler.snapshot)


@given(LIVES)
def test_evaluations(life: Life) -> None:
    assert_evaluations_follow(life, STEPS)


@given(LIVES, st.integers(2, 6))
def test_evaluations_that_fell_behind(life: Life, pause: int) -> None:
    kept = [evaluation_of(life.scheduler, pod) for pod in life.asked]
    for _ in range(STEPS // pause + 1):
        for _ in range(pause):
            life.step()
        for pod, evaluation in zip(life.asked, kept, strict=True):
            evaluation.refresh(pod)
            new = evaluation_of(life.scheduler, pod)
            assert_same_evaluation(evaluation, new, life.scheduler.snapshot)


@given(LIVES, st.integers(2, 6))
def test_evaluations_that_follow_many_changes_at_once(life: Life, pause: int) -> None:
    """As arrays, however few the changes are."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("podium.scheduler.framework.evaluation.evaluation._SINGLY_MAX", 0)
        patch.setattr("podium.scheduler.plugins.node_resources.scored_resources._ROW_BY_ROW_MAX", 0)
        test_evaluations_that_fell_behind.hypothesis.inner_test(life, pause)


@given(LIVES)
def test_evaluations_when_sums_are_forgotten_at_once(life: Life) -> None:
    """A sum that nobody looks at any more is made anew for who asks next."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("podium.scheduler.snapshot.domain_sums.SUMS_MIN", 1)
        assert_evaluations_follow(life, STEPS)


class Kept:
    """A dry run that is kept over time, as the scheduler keeps one for each class of pods."""

    def __init__(self, scheduler: Scheduler, pod: PodInfo) -> None:
        self._scheduler = scheduler
        self._pod = pod
        self._evaluation = evaluation_of(scheduler, pod)
        order = IMPORTANCE[VictimOrder.DEFAULT]
        tables = VictimTables(scheduler.snapshot, scheduler.budgets, order)
        self._run = DryRun(tables, scheduler.nominator)

    def results(self) -> list[tuple[object, ...]]:
        """By row where removing pods could help, whether or not the pod fits elsewhere."""
        self._evaluation.refresh(self._pod)
        filtering, run = self._evaluation.filtering, self._run
        potential = filtering.outcome > 0
        run.update(self._pod, filtering, potential)
        return [(row, *self._result(run, row)) for row in np.flatnonzero(potential).tolist()]

    def _result(self, run: DryRun, row: int) -> tuple[object, ...]:
        if not run.is_candidate[row]:
            blame, outcome = int(run.blame[row]), int(run.outcome[row])
            if blame == NO_VICTIMS:
                return (NO_VICTIMS,)
            return (self._evaluation.filtering.status(blame, outcome, row),)
        keys = (run.violations, run.top_priority, run.priority_sum, run.victim_count)
        return run.victims_on(row), *(int(k[row]) for k in (*keys, run.earliest_start))


def assert_dry_runs_follow(life: Life, steps: int) -> None:
    kept = [Kept(life.scheduler, pod) for pod in life.asked]
    for _ in range(steps):
        life.step()
        for pod, run in zip(life.asked, kept, strict=True):
            assert run.results() == Kept(life.scheduler, pod).results()


@given(LIVES)
def test_dry_runs(life: Life) -> None:
    assert_dry_runs_follow(life, STEPS)


@pytest.mark.parametrize("turns_max", [1, 256])
@given(LIVES)
def test_dry_runs_of_all_rows_at_once_are_those_of_single_rows(turns_max: int, life: Life) -> None:
    """However many rows have changed, and whether or not their pods are in the tables."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("podium.scheduler.preemption.victim_table.TURNS_MAX", turns_max)
        kept = [Kept(life.scheduler, pod) for pod in life.asked]
        for _ in range(STEPS):
            life.step()
            for pod, run in zip(life.asked, kept, strict=True):
                patch.setattr("podium.scheduler.preemption.dry_run._ONE_BY_ONE_MAX", -1)
                found = run.results()
                patch.setattr("podium.scheduler.preemption.dry_run._ONE_BY_ONE_MAX", 10**6)
                assert found == Kept(life.scheduler, pod).results()


@pytest.mark.parametrize("few", [-1, 10**6])
@given(LIVES)
def test_what_nominated_pods_close(few: int, life: Life) -> None:
    """However many rows have changed, and whether or not all were looked at before."""
    scheduler = life.scheduler
    kept = [evaluation_of(scheduler, pod) for pod in life.asked]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            "podium.scheduler.framework.evaluation.hypothetical_rows._ONE_BY_ONE_MAX", few
        )
        for step in range(STEPS):
            life.step()
            for pod, evaluation in zip(life.asked, kept, strict=True):
                evaluation.refresh(pod)
                filtering, rivalry = evaluation.filtering, evaluation.rivalry
                if rivalry is None or not filtering.pre_filter.is_success:
                    continue
                rivals = scheduler.nominator.rivals(pod, scheduler.snapshot)
                rows, stricter, who = filtering.with_pods(rivals)
                refused = stricter != FITS
                outcome, blame = filtering.outcome.copy(), filtering.blame.copy()
                outcome[rows[refused]], blame[rows[refused]] = stricter[refused], who[refused]
                closed = np.flatnonzero((filtering.outcome == FITS) & (outcome != FITS))
                assert rivalry.closed(pod, filtering).tolist() == closed.tolist()
                if step % 2:
                    found = rivalry.outcome(pod, filtering)
                    assert [one.tolist() for one in found] == [outcome.tolist(), blame.tolist()]


def answer(scheduler: Scheduler, pod: PodInfo) -> Json:
    decision, snapshot = scheduler.decide(pod), scheduler.snapshot
    report = decision_report(Decided(decision, explain(decision, snapshot), {}))
    # Its counts of nodes come from tallies that follow changes.
    return {**report, "message": failure_message(decision, snapshot)}


def assert_decisions_follow(life: Life, steps: int) -> None:
    """Decisions tell all of the filters, scores, dry runs and the choice, and count nodes."""
    for _ in range(steps):
        life.step()
        new = reborn(life.scheduler)
        for pod in life.asked:
            expected = answer(new, again(new, pod))
            # The second time nothing has changed, so that a refusal is the same one.
            assert [answer(life.scheduler, pod) for _ in range(2)] == [expected] * 2


@given(LIVES)
def test_decisions(life: Life) -> None:
    assert_decisions_follow(life, STEPS)


@given(LIVES)
def test_decisions_while_classes_are_forgotten(life: Life) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(PodClasses, "is_crowded", True)
        assert_decisions_follow(life, STEPS)


@pytest.mark.soak
@given(LIVES)
def test_long_lives(life: Life) -> None:
    assert_evaluations_follow(life, STEPS_OF_A_LONG_LIFE)
    assert_dry_runs_follow(life, STEPS_OF_A_LONG_LIFE)
    assert_decisions_follow(life, STEPS_OF_A_LONG_LIFE)
