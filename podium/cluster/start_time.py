"""When a cluster starts that goes on from what there was."""

from collections.abc import Iterable

from podium.api.objects import Object, metadata_of, status_of
from podium.api.times import NANOS_PER_SECOND, parse_time
from podium.cluster.cluster_options import START_S


def start_s(objects: Iterable[Object]) -> float:
    """When to start so that nothing lies ahead: the latest time that pods and nodes tell of.

    In seconds since the epoch; a fixed time if they tell of none.
    """
    concerned = [obj for obj in objects if obj["kind"] in ("Pod", "Node")]
    found = {str(metadata_of(obj).get("creationTimestamp") or "") for obj in concerned}
    found |= {str(status_of(obj).get("startTime") or "") for obj in concerned}
    found.discard("")
    return max(map(parse_time, found)) / NANOS_PER_SECOND if found else START_S
