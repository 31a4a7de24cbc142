"""The variables of the program, for numbers of equal pods, and the solution that they stand for."""

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
    """The variables of places and victims, and the program that constraints are added to.

    Attributes:
        placed: by number of the demand and row of the node, the variable of the pods placed there.
        gone: by number of the occupants, the variable of the victims among them; occupants that no
            pod may preempt have none.
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
        """Return the numbers of the occupants of a row."""
        return self._on_row[row]

    def among(self, occupants: Collection[int], rows: Iterable[int]) -> list[int]:
        """List the given occupants that are on one of the rows."""
        wanted = set(occupants)
        return [one for row in rows for one in self._on_row[row] if one in wanted]

    def on_rows(self, demands: Iterable[int], rows: Collection[int]) -> list[Term]:
        """Return the terms whose sum is the number of pods of demands on the rows."""
        return [
            (self.placed[one][row], 1) for one in demands for row in rows if row in self.placed[one]
        ]

    def most_on(self, demands: Iterable[int], rows: Collection[int]) -> int:
        """Return an upper bound of the number of pods of demands on the rows."""
        limits = self.program.most(self.on_rows(listed := [*demands], rows))
        return min(limits, sum(len(self.demands[one].pods) for one in listed))

    def left(self, occupants: Iterable[int]) -> tuple[int, list[Term]]:
        """Return the number of pods of occupants now, and the terms that subtract the victims."""
        listed = [*occupants]
        terms = [(self.gone[one], -1) for one in listed if one in self.gone]
        return sum(len(self.occupants[one].pods) for one in listed), terms

    def gone_of(self, budget: int, lowest: int | None = None) -> list[Term]:
        """Return the terms that count the victims of a budget, from a priority on if given."""
        return [
            (variable, 1)
            for number, variable in self.gone.items()
            if budget in self.occupants[number].budgets
            and (lowest is None or self.occupants[number].priority >= lowest)
        ]

    def matching(self, matches: Callable[[PeerGroup], bool]) -> tuple[list[int], list[int]]:
        """Return the numbers of the demands and of the occupants whose peer group matches."""
        known: dict[int, bool] = {}

        def is_match(peer_group: PeerGroup) -> bool:
            if peer_group.id not in known:
                known[peer_group.id] = matches(peer_group)
            return known[peer_group.id]

        return (
            [number for number, one in enumerate(self.demands) if is_match(one.cls.peer_group)],
            [number for number, one in enumerate(self.occupants) if is_match(one.cls.peer_group)],
        )

    def matching_terms(self, *terms: AffinityTerm) -> tuple[list[int], list[int]]:
        """Return the demands and occupants that match all affinity terms with known namespaces."""
        return self.matching(lambda peer_group: all(term.matches(peer_group, {}) for term in terms))

    def any_of(self, terms: Sequence[Term], most: int) -> int:
        """Add a variable that is 1 where a sum of terms, which is at most `most`, isn't 0."""
        flag = self.program.variable(derived=lambda values: int(total(terms, values) > 0))
        self.program.at_most([*terms, (flag, -most)], 0)
        return flag

    def domain_of(self, key: str) -> dict[int, int]:
        """Return the domain of a topology key by row, for the rows of nodes with the label."""
        if key not in self._domains:
            codes = self.scheduler.snapshot.columns.label(key).codes
            self._domains[key] = {
                row: code for row, code in enumerate(codes.tolist()) if code != ABSENT
            }
        return self._domains[key]

    def domains(self, key: str) -> Iterator[tuple[int, list[int]]]:
        """Yield the domains of a topology key with their rows."""
        rows_of: dict[int, list[int]] = defaultdict(list)
        for row, domain in self.domain_of(key).items():
            rows_of[domain].append(row)
        yield from sorted(rows_of.items())


class PodPlace(msgspec.Struct, frozen=True):
    """A pending pod with its profile and the row of its node."""

    pod: PodInfo
    scheduler_name: str
    row: int


class Solution(msgspec.Struct, frozen=True):
    """The placements, the most important first, and each victim with its preemptor."""

    places: Sequence[PodPlace]
    victims: Sequence[tuple[PodInfo, PodInfo]]


def solution_of(model: Model, values: Sequence[int]) -> Solution:
    """Derive places and victims from the values of all variables."""
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
