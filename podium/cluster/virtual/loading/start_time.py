"""The time at which a cluster starts that goes on from a state.

Nothing of the state may lie ahead: ages, tolerations, deadlines and back-offs are counted from the
times that are stored in it.
"""

from collections.abc import Iterable

from podium.api.objects import Object
from podium.api.state_times import latest_time
from podium.cluster.virtual.cluster_options import START_S


def start_s(objects: Iterable[Object]) -> float:
    """When to start, in seconds since the epoch; a fixed time if no object mentions any."""
    latest = latest_time(objects)
    return START_S if latest is None else latest.at_s
