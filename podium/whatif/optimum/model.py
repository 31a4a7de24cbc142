"""The variables of the optimum's integer program, and the solution that their values describe."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence

import msgspec

from podium.scheduler.scheduler import Scheduler
from podium.scheduler.snapshot.affinity_terms import AffinityTerm, PeerGroup
from podium.scheduler.snapshot.node_columns import ABSENT
from podium.scheduler.snapshot.pod_info import PodInfo
from podium.whatif.optimum.linear_program import LinearProgram, Term
from podium.whatif.optimum.problem import Problem


class Model:
    """Placements and victims as variables; demands and occupants are indices in the problem."""

    def __init__(self, problem: Problem, scheduler: Scheduler) -> None:
        self.program = LinearProgram()
        self.problem = problem
        self.demands, self.occupants = problem.demands, problem.occupants
        self.scheduler = scheduler
        self.placed: list[dict[int, int]] = [
            {row: self.program.variable(len(demand.pods)) for row in demand.rows}
            for demand in problem.demands
        ]
        """The variables for the number of placed pods, by demand and row."""
        self.gone: dict[int, int] = {
            number: self.program.variable(len(occupants.pods))
            for number, occupants in enumerate(problem.occupants)
            if occupants.taken_by
        }
        """The variables for the number of victims, by occupants; without occupants that no pending
        pod may preempt."""
        self.on_row: dict[int, list[int]] = defaultdict(list)
        """The occupants by row."""
        for number, occupants in enumerate(problem.occupants):
            self.on_row[occupants.row].append(number)
        self._domains: dict[str, dict[int, int]] = {}

    def among(self, occupants: Collection[int], rows: Iterable[int]) -> list[int]:
        """Return the given occupants that are on any of the rows."""
        wanted = set(occupants)
        return [number for row in rows for number in self.on_row[row] if number in wanted]

    def on_rows(self, demands: Iterable[int], rows: Collection[int]) -> list[Term]:
        """Return the sum of the pods of some demands that are placed on the rows."""
        places = [self.placed[number] for number in demands]
        return [(by_row[row], 1) for by_row in places for row in rows if row in by_row]

    def most_on(self, demands: Sequence[int], rows: Collection[int]) -> int:
        """Return an upper bound of the number of pods of some demands placed on the rows."""
        limits = self.program.most(self.on_rows(demands, rows))
        return min(limits, sum(len(self.demands[number].pods) for number in demands))

    def left(self, occupants: Collection[int]) -> tuple[int, list[Term]]:
        """Return the number of pods of some occupants, and terms that subtract victims from it."""
        terms = [(self.gone[number], -1) for number in occupants if number in self.gone]
        return sum(len(self.occupants[number].pods) for number in occupants), terms

    def are_takeable(self, occupants: Iterable[int]) -> bool:
        """Return whether pending pods may preempt all of the occupants."""
        return all(number in self.gone for number in occupants)

    def matching(self, matches: Callable[[PeerGroup], bool]) -> tuple[list[int], list[int]]:
        """Return the demands and the occupants whose peer group matches."""
        groups = {demand.cls.peer_group for demand in self.demands}
        groups |= {pods.cls.peer_group for pods in self.occupants}
        matched = {group for group in groups if matches(group)}
        return (
            [n for n, demand in enumerate(self.demands) if demand.cls.peer_group in matched],
            [n for n, pods in enumerate(self.occupants) if pods.cls.peer_group in matched],
        )

    def matched_by(self, *terms: AffinityTerm) -> tuple[list[int], list[int]]:
        """Return the demands and the occupants that all terms select."""
        return self.matching(lambda peer_group: all(term.matches(peer_group, {}) for term in terms))

    def any_of(self, terms: Sequence[Term], most: int) -> int:
        """Add a variable that is 1 if a sum of terms, at most `most`, isn't 0."""
        flag = self.program.flag(terms)
        self.program.at_most([*terms, (flag, -most)], 0)
        return flag

    def domain_of(self, key: str) -> dict[int, int]:
        """Return the domain, as an integer code, of each row with a topology key."""
        if key not in self._domains:
            codes = self.scheduler.snapshot.columns.label(key).codes
            self._domains[key] = {
                row: code for row, code in enumerate(codes.tolist()) if code != ABSENT
            }
        return self._domains[key]

    def domains(self, key: str) -> list[list[int]]:
        """Return the lists of the rows of each domain of a topology key."""
        rows_of: dict[int, list[int]] = defaultdict(list)
        for row, domain in self.domain_of(key).items():
            rows_of[domain].append(row)
        return [rows for _, rows in sorted(rows_of.items())]


class PodPlace(msgspec.Struct, frozen=True):
    """A placement: a pending pod, its profile, and the row of its node."""

    pod: PodInfo
    scheduler_name: str
    row: int


def solution_of(
    model: Model, values: Sequence[int]
) -> tuple[list[PodPlace], list[tuple[PodInfo, PodInfo]]]:
    """Read placements by descending priority, and each victim with its preemptor."""
    places = []
    for demand, by_row in zip(model.demands, model.placed, strict=True):
        pods = iter(demand.pods)
        for row, variable in by_row.items():
            places += [
                PodPlace(next(pods), demand.scheduler_name, row) for _ in range(values[variable])
            ]
    places.sort(key=lambda place: (-place.pod.priority, place.pod.key))
    victims = []
    for number, variable in model.gone.items():
        occupants = model.occupants[number]
        able = [p for p in places if p.pod.cls.preempts and p.pod.priority in occupants.taken_by]
        for victim in occupants.pods[: values[variable]]:
            here = (place.pod for place in able if place.row == occupants.row)
            victims.append((victim, next(here, None) or able[0].pod))
    return places, victims
