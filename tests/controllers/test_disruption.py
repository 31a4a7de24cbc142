"""Budgets say what may be disrupted right now, and pods forget disruptions that never came."""

from typing import Any

import pytest

from podium.controllers.disruption import DisruptionController, same_to_budgets
from podium.machines.effects import Patch
from tests import objects
from tests.controllers.builders import Hand, Obj, pod
from tests.objects import reference

T0 = "2026-01-01T00:00:00Z"


def budget(status: Obj | None = None, generation: int = 1, **spec: Any) -> Obj:
    made = objects.budget("web", uid="uid-b", status=status or {}, **spec)
    made["metadata"] |= {"name": "b", "generation": generation}
    return made


def workload(kind: str, name: str, replicas: int, owner: Obj | None = None) -> Obj:
    made = objects.workload(kind, name, uid=f"uid-{name}", replicas=replicas)
    if owner is not None:
        made["metadata"]["ownerReferences"] = [{**reference(owner), "controller": True}]
    return made


def web(name: str, owner: Obj | None = None, *, ready: bool = True, **fields: Any) -> Obj:
    if owner is not None:
        fields["ownerReferences"] = [{**reference(owner), "controller": True}]
    return pod(name, ready=ready, labels={"app": "web"}, **fields)


def numbers(hand: Hand) -> tuple[int, int, int, int]:
    """Allowed, healthy, desired, expected."""
    status = hand.objects["PodDisruptionBudget", "b"]["status"]
    fields = ("disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods")
    allowed, healthy, desired, expected = (status[field] for field in fields)
    return allowed, healthy, desired, expected


def condition(hand: Hand) -> Obj:
    (only,) = hand.objects["PodDisruptionBudget", "b"]["status"]["conditions"]
    assert isinstance(only, dict)
    return only


@pytest.fixture
def hand() -> Hand:
    return Hand(DisruptionController())


def test_a_number_of_available_pods_counts_the_pods_that_there_are(hand: Hand) -> None:
    hand.start(budget(minAvailable=2), web("p1"), web("p2"), web("p3"), web("p4", ready=False))
    hand.run()
    assert numbers(hand) == (1, 3, 2, 4)
    assert condition(hand) == {
        "type": "DisruptionAllowed",
        "status": "True",
        "observedGeneration": 1,
        "lastTransitionTime": T0,
        "reason": "SufficientPods",
        "message": "",
    }


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ({"maxUnavailable": 1}, (0, 2, 3, 4)),
        ({"maxUnavailable": "50%"}, (0, 2, 2, 4)),
        ({"minAvailable": "25%"}, (1, 2, 1, 4)),
        ({"maxUnavailable": 0}, (0, 2, 4, 4)),
    ],
)
def test_bounds_refer_to_what_the_controller_above_all_wants(
    hand: Hand, spec: Obj, expected: tuple[int, ...]
) -> None:
    deployment = workload("Deployment", "d", 4)
    rs = workload("ReplicaSet", "rs", 2, deployment)
    hand.start(deployment, rs, budget(**spec), web("p1", rs), web("p2", rs))
    hand.run()
    assert numbers(hand) == expected


def test_a_scaled_workload_is_counted_anew_once_its_pods_change(hand: Hand) -> None:
    sts = workload("StatefulSet", "s", 2)
    hand.start(sts, budget(maxUnavailable=1), web("p1", sts), web("p2", sts))
    hand.run()
    assert numbers(hand) == (1, 2, 1, 2)
    hand.tell(workload("StatefulSet", "s", 3))
    hand.run()
    assert numbers(hand) == (1, 2, 1, 2)
    hand.tell(web("p3", sts, ready=False))
    hand.run()
    assert numbers(hand) == (0, 2, 2, 3)
    assert condition(hand)["reason"] == "InsufficientPods"


def test_pods_that_come_change_leave_and_go_are_counted(hand: Hand) -> None:
    hand.start(budget(minAvailable=1), web("p1"))
    hand.run()
    assert numbers(hand) == (0, 1, 1, 1)
    hand.tell(web("p2"))
    hand.run()
    assert numbers(hand) == (1, 2, 1, 2)
    hand.tell(web("p2", deletionTimestamp=T0))
    hand.run()
    assert numbers(hand) == (0, 1, 1, 2)
    hand.gone("Pod", "p2")
    hand.run()
    assert numbers(hand) == (0, 1, 1, 1)
    # That a pod isn't selected any more is found out at the next occasion only, as upstream does.
    hand.tell(pod("p1", ready=True, labels={"app": "other"}))
    hand.run()
    assert numbers(hand) == (0, 1, 1, 1)
    hand.tell(web("p3"))
    hand.run()
    assert numbers(hand) == (0, 1, 1, 1)


def test_of_several_budgets_only_the_oldest_is_looked_at_for_a_pod(hand: Hand) -> None:
    younger = budget(minAvailable=1)
    younger["metadata"] |= {"name": "a", "creationTimestamp": "2026-01-01T00:00:05Z"}
    older = budget(minAvailable=1)
    older["metadata"] |= {"creationTimestamp": "2026-01-01T00:00:01Z"}
    hand.start(younger, older, web("p1"))
    hand.run()
    hand.tell(web("p2"))
    hand.run()
    assert numbers(hand) == (1, 2, 1, 2)
    assert hand.objects["PodDisruptionBudget", "a"]["status"]["currentHealthy"] == 1
    hand.gone("PodDisruptionBudget", "b")
    hand.tell(web("p3"))
    hand.run()
    assert hand.objects["PodDisruptionBudget", "a"]["status"]["currentHealthy"] == 3


def test_nothing_is_written_if_nothing_changes(hand: Hand) -> None:
    hand.start(budget(minAvailable=1), web("p1"))
    hand.run()
    hand.tell(web("p1", annotations={"note": "new"}))
    assert hand.run() == []
    hand.tell(web("p1", annotations={"note": "newer"}, generation=7))
    assert hand.run() == []


def test_a_granted_eviction_is_waited_for_two_minutes(hand: Hand) -> None:
    hand.start(budget(minAvailable=1, status={"disruptedPods": {"p1": T0}}), web("p1"), web("p2"))
    hand.run()
    assert numbers(hand) == (0, 1, 1, 2)
    assert hand.run(119) == []
    (patch,) = hand.run(120)
    assert isinstance(patch, Patch)
    assert patch.body["status"]["disruptedPods"] is None
    assert numbers(hand) == (1, 2, 1, 2)
    assert hand.events == ["Pod was expected by PDB default/default to be deleted but it wasn't"]


@pytest.mark.parametrize(
    ("owner", "why"),
    [
        ("DaemonSet", "daemonsets.apps does not implement the scale subresource"),
        ("ReplicaSet", 'found no controllers for pod "p1"'),
        ("Rollout", 'no matches for kind "Rollout" in version "argoproj.io/v1alpha1"'),
    ],
)
def test_without_a_scale_nothing_may_be_disrupted(hand: Hand, owner: str, why: str) -> None:
    controller = workload(owner, "o", 1)
    controller["apiVersion"] = "argoproj.io/v1alpha1" if owner == "Rollout" else "apps/v1"
    hand.start(budget(maxUnavailable=1), web("p1", controller))
    hand.run()
    status = hand.objects["PodDisruptionBudget", "b"]["status"]
    assert status["disruptionsAllowed"] == 0
    assert "expectedPods" not in status
    assert "observedGeneration" not in status
    assert condition(hand)["reason"] == "SyncFailed"
    assert condition(hand)["message"] == why
    assert {*hand.events} == {f"Failed to calculate the number of expected pods: {why}"}


@pytest.mark.parametrize("ready", [True, False])
def test_a_failure_to_count_is_of_the_generation_that_was_counted_last(
    hand: Hand, *, ready: bool
) -> None:
    rs = workload("ReplicaSet", "rs", 1)
    hand.start(budget(maxUnavailable=1, generation=2), rs, web("p1", rs, ready=ready))
    hand.run()
    changed = budget(maxUnavailable=1, generation=3)
    changed["status"] = hand.objects["PodDisruptionBudget", "b"]["status"]
    hand.gone("ReplicaSet", "rs")
    hand.tell(changed)
    hand.run()
    assert condition(hand)["reason"] == "SyncFailed"
    assert condition(hand)["observedGeneration"] == 2


def test_pods_that_nobody_manages_are_told_of(hand: Hand) -> None:
    hand.start(budget(maxUnavailable=1), web("p1"))
    hand.run()
    assert numbers(hand) == (0, 1, 0, 0)
    (note,) = {*hand.events}
    assert note.startswith(
        "Pods selected by this PodDisruptionBudget (selector: &LabelSelector{MatchLabels:"
        "map[string]string{app: web,},MatchExpressions:[]LabelSelectorRequirement{},}) were found"
    )


def test_a_conflict_is_tried_again_with_the_new_version(hand: Hand) -> None:
    hand.start(budget(minAvailable=1), web("p1"))
    (patch,) = hand.wake()
    hand.tell(budget(minAvailable=1, status={"disruptedPods": {"p1": T0}}))
    hand.refuse(patch, "Conflict", 409)
    hand.run()
    assert numbers(hand) == (0, 0, 1, 1)


@pytest.mark.parametrize(
    "change",
    [
        {"metadata": {"uid": "other"}},
        {"metadata": {"labels": {"app": "db"}}},
        {"metadata": {"deletionTimestamp": T0}},
        {"metadata": {"ownerReferences": [{"controller": True, "kind": "Job", "uid": "u"}]}},
        {"status": {"phase": "Succeeded"}},
        {"status": {"conditions": [{"type": "Ready", "status": "False"}]}},
    ],
)
def test_what_about_a_pod_makes_a_budget_count_again(change: Obj) -> None:
    before = web("a")
    after = {**before, **{part: {**before[part], **fields} for part, fields in change.items()}}
    assert not same_to_budgets(before, after)
    assert not same_to_budgets(before, None)
    assert not same_to_budgets(None, before)
    unrelated = {**before["metadata"], "annotations": {"a": "b"}}
    assert same_to_budgets(before, {**before, "metadata": unrelated})


def doomed(reason: str, **fields: Any) -> Obj:
    target = {
        "type": "DisruptionTarget",
        "status": "True",
        "reason": reason,
        "message": "going",
        "lastTransitionTime": T0,
    }
    marked = pod("p", **fields)
    marked["status"]["conditions"] = [target]
    return marked


def test_a_disruption_that_does_not_come_is_taken_back(hand: Hand) -> None:
    hand.start(doomed("EvictionByEvictionAPI"))
    assert hand.run() == []
    assert hand.run(119) == []
    (patch,) = hand.run(120)
    assert isinstance(patch, Patch)
    assert patch.kind == "Pod"
    (cleared,) = patch.body["status"]["conditions"]
    assert (cleared["status"], cleared["reason"]) == ("False", None)
    assert hand.run(1000) == []


def test_who_does_not_say_since_when_has_waited_long_enough(hand: Hand) -> None:
    marked = doomed("EvictionByEvictionAPI")
    del marked["status"]["conditions"][0]["lastTransitionTime"]
    marked["metadata"]["generation"] = 3
    hand.start(marked)
    (patch,) = hand.run()
    (cleared,) = patch.body["status"]["conditions"]
    assert (cleared["status"], cleared["observedGeneration"]) == ("False", 3)


@pytest.mark.parametrize(
    "marked",
    [doomed("TerminationByKubelet"), doomed("EvictionByEvictionAPI", deletionTimestamp=T0)],
)
def test_disruptions_that_come_in_their_time_stand(hand: Hand, marked: Obj) -> None:
    hand.start(marked)
    assert hand.run(1000) == []


def test_writes_carry_the_version_that_was_counted_with(hand: Hand) -> None:
    hand.start(budget(minAvailable=1), web("p1"))
    (patch,) = hand.wake()
    assert isinstance(patch, Patch)
    assert (patch.subresource, patch.body["metadata"]) == (
        "status",
        {"uid": "uid-b", "resourceVersion": "1"},
    )


def test_another_selector_selects_other_pods(hand: Hand) -> None:
    hand.start(budget(minAvailable=0), web("p1"))
    hand.run()
    other = {"matchLabels": {"app": "other"}}
    changed = budget(minAvailable=0, generation=2, selector=other)
    changed["status"] = hand.objects["PodDisruptionBudget", "b"]["status"]
    hand.tell(changed)
    hand.run()
    assert numbers(hand) == (0, 0, 0, 0)
    assert hand.objects["PodDisruptionBudget", "b"]["status"]["observedGeneration"] == 2


def test_only_those_that_are_gone_are_taken_off_the_list(hand: Hand) -> None:
    granted = {"p1": T0, "p2": T0}
    leaving = web("p2", deletionTimestamp=T0)
    hand.start(budget(minAvailable=1, status={"disruptedPods": granted}), web("p1"), leaving)
    (patch,) = hand.wake()
    assert isinstance(patch, Patch)
    assert patch.body["status"]["disruptedPods"] == {"p2": None}
    assert hand.events == []


def test_a_scale_that_becomes_known_mends_it(hand: Hand) -> None:
    rs = workload("ReplicaSet", "rs", 2)
    hand.start(budget(maxUnavailable=1), web("p1", rs), web("p2", rs))
    hand.run()
    assert condition(hand)["reason"] == "SyncFailed"
    hand.tell(rs)
    hand.run()
    assert numbers(hand) == (1, 2, 1, 2)
    assert condition(hand)["message"] == ""
