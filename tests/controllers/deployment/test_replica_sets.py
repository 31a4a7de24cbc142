"""Which ReplicaSet is of the Deployment's template."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podium.controllers.deployment.replica_sets import (
    OwnedReplicaSets,
    is_scaled,
    max_surge,
    max_unavailable,
    new_size,
    owned_replica_sets,
    proportional_sizes,
    revision_of,
    rolling_sizes,
    surplus_history,
)
from tests.objects import Obj


def template(cpu: str = "1", **labels: str) -> Obj:
    requests = {"requests": {"cpu": cpu}}
    spec = {"containers": [{"name": "c", "resources": requests}]}
    return {"metadata": {"labels": {"app": "a", **labels}}, "spec": spec}


def replica_set(name: str, created: str, of: Obj) -> Obj:
    labels = {**of["metadata"]["labels"], "pod-template-hash": name}
    spec = {"template": {**of, "metadata": {"labels": labels}}}
    return {"metadata": {"name": name, "creationTimestamp": created}, "spec": spec}


def names(found: list[Obj]) -> list[str]:
    return [one["metadata"]["name"] for one in found]


def test_the_hash_label_does_not_matter_and_amounts_count_as_numbers() -> None:
    deployment = {"spec": {"template": template("1")}}
    old, new = replica_set("a", "1", template("2")), replica_set("b", "2", template("1000m"))
    family = owned_replica_sets(deployment, [new, old])
    assert family.new is new
    assert names([*family.old]) == ["a"]


def test_a_revision_that_cannot_be_read_is_none() -> None:
    def revision(text: str) -> int:
        notes = {"deployment.kubernetes.io/revision": text}
        return revision_of({"metadata": {"annotations": notes}})

    assert [revision(text) for text in ("3", "", "x", "-1")] == [3, 0, 0, 0]
    assert revision_of({"metadata": {}}) == 0


def deployment(replicas: int, surge: int | str = 1, unavailable: int | str = 0, **spec: Any) -> Obj:
    bounds = {"maxSurge": surge, "maxUnavailable": unavailable}
    strategy = {"type": "RollingUpdate", "rollingUpdate": bounds}
    metadata = {"name": "d", "namespace": "default"}
    return {"metadata": metadata, "spec": {"replicas": replicas, "strategy": strategy, **spec}}


def sized(name: str, replicas: int, available: int | None = None, **notes: str) -> Obj:
    available = replicas if available is None else available
    annotations = {f"deployment.kubernetes.io/{key}": text for key, text in notes.items()}
    return {
        "metadata": {"name": name, "creationTimestamp": name, "annotations": annotations},
        "spec": {"replicas": replicas},
        "status": {"replicas": replicas, "availableReplicas": available},
    }


@pytest.mark.parametrize(
    ("replicas", "surge", "unavailable", "expected"),
    [
        (10, "25%", "25%", (3, 2)),
        (1, "25%", "25%", (1, 0)),
        (4, 0, 0, (0, 1)),
        (3, 0, "10%", (0, 1)),
        (2, 0, 5, (0, 2)),
        (0, "25%", "25%", (0, 0)),
    ],
)
def test_bounds_round_towards_more_pods(
    replicas: int, surge: int | str, unavailable: int | str, expected: tuple[int, int]
) -> None:
    subject = deployment(replicas, surge, unavailable)
    assert (max_surge(subject), max_unavailable(subject)) == expected


def test_the_new_one_starts_as_large_as_the_surge_allows() -> None:
    assert new_size(deployment(10, 3), OwnedReplicaSets(None, [sized("a", 10)])) == 3
    assert new_size(deployment(10, 3), OwnedReplicaSets(None, [sized("a", 13)])) == 0
    assert new_size(deployment(10, 3), OwnedReplicaSets(None, [])) == 10


def test_old_ones_shrink_by_what_is_available_beyond_the_least() -> None:
    family = OwnedReplicaSets(sized("b", 3, 0), [sized("a", 10)])
    assert rolling_sizes(deployment(10, 3, 2), family) == {"a": 8}
    family = OwnedReplicaSets(sized("b", 3, 3), [sized("a", 10)])
    assert rolling_sizes(deployment(10, 3, 2), family) == {"a": 5}


def test_a_change_of_scale_is_shared_in_proportion() -> None:
    # The example of Kubernetes' documentation: 10 become 15, in the middle of a rollout.
    notes = {"desired-replicas": "10", "max-replicas": "13"}
    family = OwnedReplicaSets(sized("b", 5, 0, **notes), [sized("a", 8, **notes)])
    subject = deployment(15, 3, 2)
    assert is_scaled(subject, family)
    assert proportional_sizes(subject, family) == {"a": 11, "b": 7}


def test_the_leftover_goes_to_the_largest() -> None:
    notes = {"desired-replicas": "10", "max-replicas": "10"}
    old = [sized("a", 5, **notes), sized("b", 3, **notes)]
    family = OwnedReplicaSets(sized("c", 2, **notes), old)
    assert proportional_sizes(deployment(11, 0, 1), family) == {"a": 6, "b": 3, "c": 2}


def test_nothing_is_left_of_old_ones_beside_a_saturated_new_one() -> None:
    new = sized("b", 3, 3, **{"desired-replicas": "3"})
    assert proportional_sizes(deployment(3), OwnedReplicaSets(new, [sized("a", 1)])) == {"a": 0}


def test_history_goes_by_revision_but_only_what_nobody_needs() -> None:
    old = [sized(name, 0, revision=str(number)) for number, name in enumerate("cab", 1)]
    old.append(sized("d", 1, revision="0"))
    found = surplus_history(deployment(1, revisionHistoryLimit=1), OwnedReplicaSets(None, old))
    assert [one["metadata"]["name"] for one in found] == ["c", "a"]
    assert surplus_history(deployment(1), OwnedReplicaSets(None, old)) == []


sizes = st.integers(0, 30)


@given(sizes, sizes, st.integers(0, 5), st.integers(0, 5), st.data())
def test_a_step_keeps_to_the_bounds(
    wanted: int, old_size: int, surge: int, unavailable: int, data: st.DataObject
) -> None:
    new_count = data.draw(sizes)
    old = [sized("a", old_size, data.draw(st.integers(0, old_size)))]
    new = sized("b", new_count, data.draw(st.integers(0, new_count)))
    subject = deployment(wanted, surge, unavailable)
    stepped = {"a": old_size, "b": new_count, **rolling_sizes(subject, OwnedReplicaSets(new, old))}
    assert min(stepped.values()) >= 0
    if sum(stepped.values()) > old_size + new_count:
        assert sum(stepped.values()) <= wanted + max_surge(subject)
    available_before = old[0]["status"]["availableReplicas"] + new["status"]["availableReplicas"]
    lost = sum(
        max(0, one["status"]["availableReplicas"] - stepped[one["metadata"]["name"]])
        for one in (*old, new)
    )
    if lost and new_count <= wanted:
        assert available_before - lost >= wanted - max_unavailable(subject)


@given(sizes, st.lists(st.integers(1, 20), min_size=2, max_size=4), st.integers(0, 4))
def test_shares_add_up(wanted: int, before: list[int], surge: int) -> None:
    """But for what rounding leaves over, which the largest takes as far as it has that much."""
    total = str(sum(before))
    notes = {"desired-replicas": total, "max-replicas": total}
    members = [sized(chr(97 + i), size, 0, **notes) for i, size in enumerate(before)]
    subject = deployment(wanted, surge)
    shared = proportional_sizes(subject, OwnedReplicaSets(members[-1], members[:-1]))
    allowed = wanted + max_surge(subject) if wanted else 0
    assert sum(shared.values()) == allowed or (
        sum(shared.values()) > allowed and 0 in shared.values()
    )
