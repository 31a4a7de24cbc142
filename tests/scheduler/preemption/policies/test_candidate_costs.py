"""The keys of cost on columns say what looking at each candidate by itself would say."""

from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podium.api.pods import DELETION_COST, deletion_cost
from podium.api.values.times import timestamp
from podium.scheduler.config.scheduler_options import CandidateKey, SchedulerOptions
from podium.scheduler.framework.evaluation.filtering import NO_FILTER
from podium.scheduler.framework.interface import FITS
from podium.scheduler.preemption.dry_run import DryRun, RowResult
from podium.scheduler.preemption.policies.candidate_keys import LAST_CHECKPOINT, lost_run_time_s
from podium.scheduler.preemption.policies.replacements import Cascade, stranded_victims
from podium.scheduler.preemption.policies.victim_sets import VictimSets
from podium.scheduler.scheduler import Scheduler
from podium.scheduler.snapshot.arrays import Rows
from podium.scheduler.snapshot.pod_info import PodInfo, placed_pod
from tests.objects import Obj, near, node, pod, workload

COSTS = [
    CandidateKey.DELETION_COST,
    CandidateKey.LOST_RUN_TIME,
    CandidateKey.STRANDED_VICTIMS,
    CandidateKey.CASCADE_SIZE,
]
NODE_COUNT = 5


@given(st.integers(0, 2**32))
def test_costs_on_columns_are_those_of_candidates_one_by_one(seed: int) -> None:
    rng, scheduler = Random(seed), Scheduler(options=SchedulerOptions(candidate_order=COSTS))
    scheduler.clock.now_s = 1000.0
    scheduler.load([node(f"n-{n}", labels={"disk": "ab"[n % 2]}) for n in range(NODE_COUNT)], [])
    for number in range(rng.randint(6, 14)):
        _add(scheduler, f"pod-{number}", rng)
    pending = scheduler.pending(pod("large", str(rng.randint(2, 4)), priority=10))
    for turn in range(4):
        _compare(scheduler, pending)
        for number in range(rng.randint(0, 2)):
            _change(scheduler, f"new-{turn}-{number}", rng)


def _compare(scheduler: Scheduler, pending: PodInfo) -> None:
    decision = scheduler.decide(pending)
    found = decision.preemption
    if found is None or found.run is None or found.choice is None:
        return
    run, rows, handle = found.run, found.candidate_rows, scheduler.handle
    victims = [run.victims_on(row) for row in rows.tolist()]
    assert _slots(run, rows) == [[pod.slot for pod in one] for one in victims]
    first, everybody = int(rows[0]), tuple(pod for one in victims for pod in one)
    sets = VictimSets(run, {first: RowResult(FITS, NO_FILTER, everybody)}, [])
    assert _slots(sets, rows[:1]) == [[pod.slot for pod in everybody]]
    each = [*zip(victims, rows.tolist(), strict=True)]
    costs = [
        [sum(deletion_cost(pod.obj) for pod in one) for one in victims],
        [sum(lost_run_time_s(pod, scheduler.clock) for pod in one) for one in victims],
        [stranded_victims(handle, one, row)[0] for one, row in each],
        [Cascade(handle)(one, row)[0] for one, row in each],
    ]
    assert [key.values(run, rows).tolist() for key in found.choice.keys] == costs
    of_row = dict(zip(rows.tolist(), zip(*costs, strict=True), strict=True))
    best = min(of_row.values())
    assert found.choice.selected.tolist() == [row for row in of_row if of_row[row] == best]


def _slots(run: DryRun, rows: Rows) -> list[list[int]]:
    return [[slot for slot in one if slot >= 0] for one in run.victim_slots(rows).T.tolist()]


def _change(scheduler: Scheduler, uid: str, rng: Random) -> None:
    snapshot = scheduler.snapshot
    one = rng.choice([pod for pods in snapshot.pods_on for pod in pods] or [None])
    change = rng.choice(("comes", "goes", "says", "says", "passes")) if one else "comes"
    if change == "comes":
        _add(scheduler, uid, rng)
    elif change == "goes":
        snapshot.remove_pod(one)
    elif change == "says":
        noted = {**one.obj["metadata"], "annotations": _annotations(rng)}
        one.obj = {**one.obj, "metadata": noted}
        snapshot.restart_pod(one, one.start_ns)
    else:
        scheduler.clock.now_s += rng.randint(1, 500)


def _add(scheduler: Scheduler, uid: str, rng: Random) -> None:
    app, disk = rng.choice(("any", "any", "any", "apart", "near")), rng.choice(("", "", "a", "b"))
    started = rng.choice(("", timestamp(0), timestamp(300)))
    made = pod(f"{app}-{uid}", str(rng.randint(1, 2)), start=started)
    owner = {"kind": "ReplicaSet", "name": "owner", "uid": "owner", "controller": True}
    made["metadata"] |= {
        "uid": uid,
        "annotations": _annotations(rng),
        "ownerReferences": [owner] if rng.random() < 0.8 else [],
        **({"deletionTimestamp": timestamp(999)} if rng.random() < 0.1 else {}),
    }
    kind = {"apart": "podAntiAffinity", "near": "podAffinity"}.get(app, "nodeAffinity")
    terms = {"requiredDuringSchedulingIgnoredDuringExecution": [near(app)]}
    made["spec"] |= {
        "priority": rng.choice((0, 1, 5)),
        "nodeSelector": {"disk": disk} if disk else {},
        "affinity": {kind: terms} if kind != "nodeAffinity" else {},
    }
    placed, where = placed_pod(made, scheduler.snapshot.classes), rng.randrange(NODE_COUNT)
    scheduler.snapshot.add_pod(placed, f"n-{where}")


def _annotations(rng: Random) -> dict[str, str]:
    costs, moments = ("7", "-3", "much"), (timestamp(90), timestamp(700), "lately")
    return {DELETION_COST: rng.choice(costs), LAST_CHECKPOINT: rng.choice(moments)}


NODES = [
    node("n-1", "3", labels={"disk": "fast"}),
    node("n-2", "3", labels={"disk": "slow"}),
    node("n-3", "2", labels={"disk": "slow"}),
]
START = "1970-01-01T00:00:00Z"


def victim(name: str, on: str, disk: str = "", **annotations: str) -> Obj:
    """A pod whose replacement has to go to a node with such a disk; without one it has none."""
    selected: Obj = {"nodeSelector": {"disk": disk}, "owner": workload("ReplicaSet", name)}
    noted = {key.replace("__", "/").replace("_", "-"): v for key, v in annotations.items()}
    fields = {"annotations": noted, "priority": 0, **(selected if disk else {})}
    return pod(name, "2", on=on, start=START, **fields)


COST = "controller.kubernetes.io__pod_deletion_cost"
CHECKPOINT = "podium.dev__last_checkpoint"


@pytest.mark.parametrize(
    ("key", "first", "second", "expected"),
    [
        ("DeletionCost", {}, {}, "n-1"),
        ("DeletionCost", {}, {COST: "-5"}, "n-2"),
        ("DeletionCost", {COST: "-9"}, {COST: "-5"}, "n-1"),
        ("LostRunTime", {}, {}, "n-1"),
        ("LostRunTime", {}, {CHECKPOINT: "1970-01-01T00:10:00Z"}, "n-2"),
        ("LostRunTime", {}, {CHECKPOINT: "lately"}, "n-1"),
        ("StrandedVictims", {}, {}, "n-1"),
        ("StrandedVictims", {"disk": "fast"}, {"disk": "slow"}, "n-2"),
        ("StrandedVictims", {}, {"disk": "slow"}, "n-2"),
        ("StrandedVictims", {"disk": "fast"}, {"disk": "fast"}, "n-1"),
    ],
)
def test_the_key_decides(key: str, first: Any, second: Any, expected: str) -> None:
    order = [CandidateKey(key), *list(CandidateKey)[:5]]
    scheduler = Scheduler(options=SchedulerOptions(candidate_order=order))
    scheduler.clock.now_s = 1000.0
    blocker = pod("blocker", "0", on="n-3", priority=2000)
    victims = [victim("a", "n-1", **first), victim("b", "n-2", **second)]
    scheduler.load(NODES, [*victims, blocker])
    decision = scheduler.decide(scheduler.pending(pod("large", "3", priority=1000)))
    assert decision.preemption is not None
    assert decision.preemption.node_name == expected
