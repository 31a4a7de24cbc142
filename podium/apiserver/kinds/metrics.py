"""What nodes and pods use, as tables: the columns of metrics-server."""

from podium.api.objects import Object
from podium.api.values.quantity import Quantity, parse_quantity
from podium.apiserver.kinds.registration.registration import Registration
from podium.apiserver.kinds.registration.table_cells import NAME, Column, Read
from podium.apiserver.schema.struct_types import METRICS


def _used(resource: str) -> Read:
    def read(obj: Object, _: float) -> str:
        parts = obj.get("containers") or [obj]
        amounts = [parse_quantity(part["usage"][resource]) for part in parts]
        return str(Quantity(sum(amount.nanos for amount in amounts), amounts[0].format))

    return read


_COLUMNS = (
    NAME,
    *(
        Column(resource, _used(resource), "How much of it is used.", format="quantity")
        for resource in ("cpu", "memory")
    ),
    Column("Window", ".window", "Over how long it was measured.", format="duration"),
)

NODE_METRICS, POD_METRICS = (Registration(kind=kind, columns=_COLUMNS) for kind in METRICS.values())
