"""NodeResourcesFit by example: reasons and their order, and what can't be cured."""

import pytest

from podium.scheduler.config.args import NodeResourcesFitArgs
from podium.scheduler.framework.interface import CycleError
from podium.scheduler.framework.status import Status
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


def test_what_is_requested_as_zero_is_never_short() -> None:
    crowded = requesting("held", cpu="3")
    assert judge({"cpu": "2", "pods": "9"}, crowded, requesting(cpu="0", **{GPU: "0"})) is None


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
