import numpy as np

from podium.scheduler.framework.interface import FITS, FilterState, Scope
from podium.scheduler.framework.status import unresolvable, unschedulable

SEATS, SEAT = "example.com/seats", "example.com/seat"
ALL_TAKEN, NO_SEATS = 1, -1


class Seats:
    name = "Seats"

    def __init__(self, handle):
        self._snapshot = handle.snapshot

    def filter(self, pod):
        return SeatsState(self._snapshot) if seats_held(pod.cls) else None


def seats_held(cls):
    return int(SEAT in cls.labels)


class SeatsState(FilterState):
    plugin = Seats.name
    scope = Scope.ROW
    width = 1

    def __init__(self, snapshot):
        self._snapshot = snapshot
        column = snapshot.columns.label(SEATS)
        self._seats = np.array([*map(int, column.values), 0])[column.codes]

    def codes(self, rows, extra=()):
        classes = self._snapshot.classes
        held = np.array([seats_held(classes[number]) for number in range(len(classes))])
        return self._judged(rows, self._snapshot.sum_by_row(held)[rows], extra)

    def code(self, row, extra=()):
        held = sum(seats_held(pod.cls) for pod in self._snapshot.pods_on[row])
        return int(self._judged(row, held, extra))

    def _judged(self, rows, held, extra):
        seats = self._seats[rows]
        taken = held + extra[0] if extra else held
        codes = np.where(taken < seats, FITS, ALL_TAKEN)
        return np.where(seats == 0, NO_SEATS, codes).astype(np.int32)

    def weights(self, cls):
        return (seats_held(cls),)

    def status(self, row, code):
        if code == NO_SEATS:
            return unresolvable("node(s) had no seats")
        return unschedulable("node(s) had no seat left")
