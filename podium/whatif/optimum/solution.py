"""Which pods go where and who gives way, made of the solver's numbers."""

from collections.abc import Sequence

import msgspec

from podium.scheduler.snapshot.pod_info import PodInfo
from podium.whatif.optimum.model import Model


class PodPlace(msgspec.Struct, frozen=True):
    """A pending pod, its profile and the row of its node."""

    pod: PodInfo
    scheduler_name: str
    row: int


class Solution(msgspec.Struct, frozen=True):
    """The placements and victims that a solver found.

    Attributes:
        places: of the pods that get one, the most important first.
        victims: with whom they give way to, node by node.
    """

    places: Sequence[PodPlace]
    victims: Sequence[tuple[PodInfo, PodInfo]]


def solution_of(model: Model, values: Sequence[int]) -> Solution:
    """The solution that the values of all variables stand for."""
    places = []
    for demand, by_row in zip(model.demands, model.placed, strict=True):
        pods = iter(demand.pods)
        for row, variable in by_row.items():
            places += [
                PodPlace(next(pods), demand.scheduler_name, row) for _ in range(values[variable])
            ]
    places.sort(key=lambda one: (-one.pod.priority, one.pod.key))
    victims = []
    for number, variable in model.gone.items():
        one = model.occupants[number]
        able = [p for p in places if p.pod.cls.preempts and p.pod.priority in one.taken_by]
        for pod in one.pods[: values[variable]]:
            here = (place.pod for place in able if place.row == one.row)
            victims.append((pod, next(here, None) or able[0].pod))
    return Solution(places, victims)
