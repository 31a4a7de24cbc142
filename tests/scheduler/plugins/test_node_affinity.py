"""NodeAffinity by example: narrowing, conflicts, broken terms and added affinity."""

from typing import Any

import numpy as np
import pytest

from podium.scheduler.config.args import NodeAffinityArgs
from podium.scheduler.framework.status import Code
from podium.scheduler.plugins.node_affinity import NodeAffinity
from tests.scheduler.plugins.small_cluster import Obj, cluster, node, pending, pod

HANDLE = cluster([node("a", {"zone": "1"}), node("b", {"zone": "2"}), node("c")])
ROWS = np.array([HANDLE.snapshot.row_of[name] for name in "abc"])

ZONE_1 = {"matchExpressions": [{"key": "zone", "operator": "In", "values": ["1"]}]}
HAS_ZONE = {"matchExpressions": [{"key": "zone", "operator": "Exists"}]}
BROKEN = {"matchExpressions": [{"key": "zone", "operator": "In", "values": []}]}


def named(*names: str) -> Obj:
    fields = [{"key": "metadata.name", "operator": "In", "values": [name]} for name in names]
    return {"matchFields": fields}


def required(*terms: Obj) -> Obj:
    return {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [*terms]}}


def preferred(*weighted: tuple[int, Obj]) -> Obj:
    terms = [{"weight": weight, "preference": term} for weight, term in weighted]
    return {"preferredDuringSchedulingIgnoredDuringExecution": terms}


def wanting(affinity: Obj, **spec: Any) -> Obj:
    return pod(affinity={"nodeAffinity": affinity}, **spec)


@pytest.mark.parametrize(
    ("terms", "names"),
    [
        ([named("a")], {"a"}),
        ([named("a"), named("x")], {"a", "x"}),
        ([named("a", "a")], {"a"}),
        ([named("a", "b"), named("c")], {"c"}),
        ([named("a") | ZONE_1], {"a"}),
        ([named("a"), ZONE_1], None),
        ([], None),
    ],
)
def test_names_narrow_the_search(terms: list[Obj], names: set[str] | None) -> None:
    result = NodeAffinity(HANDLE).pre_filter(pending(HANDLE, wanting(required(*terms))))
    assert result.status.is_success
    assert result.node_names == names


def test_names_that_exclude_each_other_conflict() -> None:
    result = NodeAffinity(HANDLE).pre_filter(pending(HANDLE, wanting(required(named("a", "b")))))
    assert result.status.code is Code.UNSCHEDULABLE_AND_UNRESOLVABLE
    assert result.status.reasons == ("pod affinity terms conflict",)


def test_without_affinity_there_is_nothing_to_filter_or_score() -> None:
    plugin, plain = NodeAffinity(HANDLE), pending(HANDLE, pod())
    assert plugin.filter(plain) is None
    assert plugin.score(plain) is None


def test_what_the_scheduler_enforces_is_named_first() -> None:
    plugin = NodeAffinity(HANDLE, NodeAffinityArgs(added_affinity=required(HAS_ZONE)))
    state = plugin.filter(pending(HANDLE, wanting(required(ZONE_1))))
    assert state is not None
    codes = {row: state.code(row) for row in ROWS.tolist()}
    assert [state.status(row, code).message for row, code in codes.items() if code] == [
        "node(s) didn't match Pod's node affinity/selector",
        "node(s) didn't match scheduler-enforced node affinity",
    ]


def test_fields_other_than_the_name_are_empty() -> None:
    field = {"key": "metadata.namespace", "values": ["x"]}
    for operator, fits in (("In", False), ("NotIn", True)):
        term = {"matchFields": [field | {"operator": operator}]}
        state = NodeAffinity(HANDLE).filter(pending(HANDLE, wanting(required(term))))
        refused = [False] * 3 if state is None else [code != 0 for code in state.codes(ROWS)]
        assert refused == [not fits] * 3


def test_preferences_add_up_and_are_normalised_over_the_feasible() -> None:
    plugin = NodeAffinity(HANDLE, NodeAffinityArgs(added_affinity=preferred((2, HAS_ZONE))))
    state = plugin.score(pending(HANDLE, wanting(preferred((1, ZONE_1), (9, BROKEN)))))
    assert state is not None
    assert state.scores(ROWS).tolist() == [100, 66, 0]
    assert state.scores(ROWS[1:]).tolist() == [100, 0]


def test_a_broken_preference_is_an_error() -> None:
    plugin = NodeAffinity(HANDLE)
    status = plugin.pre_score(pending(HANDLE, wanting(preferred((1, ZONE_1), (9, BROKEN)))))
    assert status.code is Code.ERROR
    assert status.message.startswith("[1].matchExpressions[0].values: Invalid value: []")
    assert plugin.pre_score(pending(HANDLE, wanting(preferred((1, ZONE_1))))).is_success
