"""The columns of devices: who offers them, and who has claimed them."""

from podium.api.objects import Object, is_terminating
from podium.apiserver.tables.columns import AGE, NAME, Column, at, text


def _state(claim: Object, _now_s: float) -> str:
    states = ["deleted"] if is_terminating(claim) else []
    if at(claim, "status", "allocation") is not None:
        states.append("allocated")
        states += ["reserved"] if at(claim, "status", "reservedFor") else []
    elif not states:
        states.append("pending")
    return ",".join(states)


RESOURCE_CLAIM = (NAME, Column("State", _state, "Whether it is allocated and in use."), AGE)

RESOURCE_CLAIM_TEMPLATE = (NAME, AGE)

RESOURCE_SLICE = (
    NAME,
    Column("Node", text("spec", "nodeName"), "Where the devices are."),
    Column("Driver", text("spec", "driver"), "Who manages them."),
    Column("Pool", text("spec", "pool", "name"), "The pool that they belong to."),
    AGE,
)

DEVICE_CLASS = (NAME, AGE)
