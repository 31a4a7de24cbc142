"""The variables, how many of equal pods go where and have to go; the solution that they say."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

import msgspec

from podium.scheduler.scheduler import Scheduler
from podium.scheduler.snapshot.affinity_terms import AffinityTerm, PeerGroup
from podium.scheduler.snapshot.node_columns import ABSENT
from podium.scheduler.snapshot.pod_info import PodInfo
from podium.whatif.optimum.linear_program import LinearProgram, Term, total
from podium.whatif.optimum.problem import Problem


class Model:
    """Places and victims as integers; what limits them is put to `program`.

    Attributes:
        placed: by number of the demand, and row, the variable of how many pods go there.
        gone: by number of the occupants, the variable of how many have to go; only of those that
            somebody may take, all others stay.
    """

    def __init__(self, problem: Problem, scheduler: Scheduler) -> None:
        self.program = LinearProgram()
        self.problem = problem
        self.demands, self.occupants = problem.demands, problem.occupants
        self.scheduler = scheduler
        self.placed: list[dict[int, int]] = [
            {row: self.program.variable(len(demand.pods)) for row in demand.rows}
            for demand in problem.demands
        ]
        self.gone: dict[int, int] = {
            number: self.program.variable(len(one.pods))
            for number, one in enumerate(problem.occupants)
            if one.taken_by
        }
        self._on_row: dict[int, list[int]] = defaultdict(list)
        for number, one in enumerate(problem.occupants):
            self._on_row[one.row].append(number)
        self._domains: dict[str, dict[int, int]] = {}

    def on(self, row: int) -> Sequence[int]:
        """The numbers of the occupants of a row."""
        return self._on_row[row]

    def among(self, occupants: Collection[int], rows: Iterable[int]) -> list[int]:
        """Those of the occupants that are on any of the rows."""
        wanted = set(occupants)
        return [one for row in rows for one in self._on_row[row] if one in wanted]

    def on_rows(self, demands: Iterable[int], rows: Collection[int]) -> list[Term]:
        """How many pods of the demands go to any of the rows."""
        return [
            (self.placed[one][row], 1) for one in demands for row in rows if row in self.placed[one]
        ]

    def most_on(self, demands: Iterable[int], rows: Collection[int]) -> int:
        """No more pods of the demands than this go to the rows."""
        limits = self.program.most(self.on_rows(listed := [*demands], rows))
        return min(limits, sum(len(self.demands[one].pods) for one in listed))

    def left(self, occupants: Iterable[int]) -> tuple[int, list[Term]]:
        """How many occupants there are now, and what is to be added for those that go."""
        listed = [*occupants]
        terms = [(self.gone[one], -1) for one in listed if one in self.gone]
        return sum(len(self.occupants[one].pods) for one in listed), terms

    def gone_of(self, budget: int, lowest: int | None = None) -> list[Term]:
        """How many pods go that a budget covers, those of a lower priority aside."""
        return [
            (variable, 1)
            for number, variable in self.gone.items()
            if budget in self.occupants[number].budgets
            and (lowest is None or self.occupants[number].priority >= lowest)
        ]

    def matching(self, matches: Callable[[PeerGroup], bool]) -> tuple[list[int], list[int]]:
        """The numbers of the demands and of the occupants whose peer group is meant."""
        known: dict[int, bool] = {}

        def is_meant(peer_group: PeerGroup) -> bool:
            if peer_group.id not in known:
                known[peer_group.id] = matches(peer_group)
            return known[peer_group.id]

        return (
            [number for number, one in enumerate(self.demands) if is_meant(one.cls.peer_group)],
            [number for number, one in enumerate(self.occupants) if is_meant(one.cls.peer_group)],
        )

    def meant_by(self, *terms: AffinityTerm) -> tuple[list[int], list[int]]:
        """The same of those that all terms, with known namespaces, are about."""
        return self.matching(lambda peer_group: all(term.matches(peer_group, {}) for term in terms))

    def any_of(self, terms: Sequence[Term], most: int) -> int:
        """A variable that is 1 wherever a sum of terms, which is no more than `most`, isn't 0."""
        flag = self.program.variable(derived=lambda values: int(total(terms, values) > 0))
        self.program.at_most([*terms, (flag, -most)], 0)
        return flag

    def domain_of(self, key: str) -> dict[int, int]:
        """The domains of a topology key by row; of the rows alone that have the label."""
        if key not in self._domains:
            codes = self.scheduler.snapshot.columns.label(key).codes
            self._domains[key] = {
                row: code for row, code in enumerate(codes.tolist()) if code != ABSENT
            }
        return self._domains[key]

    def domains(self, key: str) -> Iterator[tuple[int, list[int]]]:
        """The domains of a topology key, each with its rows."""
        rows_of: dict[int, list[int]] = defaultdict(list)
        for row, domain in self.domain_of(key).items():
            rows_of[domain].append(row)
        yield from sorted(rows_of.items())


class PodPlace(msgspec.Struct, frozen=True):
    """A pending pod, its profile and the row of its node."""

    pod: PodInfo
    scheduler_name: str
    row: int


class Solution(msgspec.Struct, frozen=True):
    """The placements, the most important first, and each victim with what it gives way to."""

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
