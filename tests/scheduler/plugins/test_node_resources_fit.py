"""NodeResourcesFit by example: reasons and their order, and what can't be cured."""

import pytest

from podium.scheduler.config.args import NodeResourcesFitArgs
from podium.scheduler.framework.interface import CycleError
from podium.scheduler.framework.status import Code, Status
from podium.scheduler.plugins.node_resources_fit import NodeResourcesFit
from tests.scheduler.plugins.small_cluster import Obj, cluster, node, pending, requesting

GPU, NIC = "example.com/gpu", "other.com/nic"


def judge(
    allocatable: dict[str, str], held: Obj, wanted: Obj, args: NodeResourcesFitArgs | None = None
) -> Status | None:
    """What is said of a node with one pod on it."""
    handle = cluster([node("n", **allocatable)], [(held, "n")])
    state = NodeResourcesFit(handle, args).filter(pending(handle, wanted))
    row = handle.snapshot.row_of["n"]
    code = state.code(row)
    return state.status(row, code) if code else None


def test_everything_short_is_named_in_order() -> None:
    has = {"cpu": "2", "memory": "2Gi", "ephemeral-storage": "2Gi", GPU: "2", NIC: "2", "pods": "1"}
    wanted = {NIC: "1", "memory": "1Gi", GPU: "1", "ephemeral-storage": "1Gi", "cpu": "1"}
    status = judge(has, requesting("held", **has), requesting(**wanted))
    assert status is not None
    assert status.code is Code.UNSCHEDULABLE
    assert status.reasons == (
        "Too many pods",
        "Insufficient cpu",
        "Insufficient memory",
        "Insufficient ephemeral-storage",
        f"Insufficient {NIC}",
        f"Insufficient {GPU}",
    )


def test_what_a_node_could_never_give_makes_all_of_it_incurable() -> None:
    has = {"cpu": "2", "memory": "2Gi", "pods": "9"}
    status = judge(has, requesting("held", cpu="2"), requesting(cpu="1", memory="3Gi"))
    assert status is not None
    assert status.code is Code.UNSCHEDULABLE_AND_UNRESOLVABLE
    assert status.reasons == ("Insufficient cpu", "Insufficient memory")


def test_what_is_requested_as_zero_is_never_short() -> None:
    crowded = requesting("held", cpu="3")
    assert judge({"cpu": "2", "pods": "9"}, crowded, requesting(cpu="0", **{GPU: "0"})) is None


def test_a_fit_may_be_exact() -> None:
    has, half = {"cpu": "2", "pods": "2"}, {"cpu": "1"}
    assert judge(has, requesting("held", **half), requesting(**half)) is None


@pytest.mark.parametrize(
    "args",
    [
        NodeResourcesFitArgs(ignored_resources=frozenset({GPU})),
        NodeResourcesFitArgs(ignored_resource_groups=frozenset({"example.com"})),
    ],
)
def test_extended_resources_can_be_ignored(args: NodeResourcesFitArgs) -> None:
    has = {"cpu": "1", "pods": "9"}
    assert judge(has, requesting("held"), requesting(**{GPU: "1"}), args) is None
    status = judge(has, requesting("held"), requesting(**{NIC: "1"}), args)
    assert status is not None
    assert status.reasons == (f"Insufficient {NIC}",)


def test_more_resources_than_a_code_has_bits_are_an_error() -> None:
    handle = cluster([node("n", pods="9")])
    plugin = NodeResourcesFit(handle)
    many = {f"example.com/r{number:02}": "1" for number in range(31)}
    with pytest.raises(CycleError, match="more than 30 resources"):
        plugin.filter(pending(handle, requesting(**many)))
    del many["example.com/r00"]
    state = plugin.filter(pending(handle, requesting(**many)))
    row = handle.snapshot.row_of["n"]
    assert len(state.status(row, state.code(row)).reasons) == 30
