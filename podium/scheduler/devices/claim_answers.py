"""Answers for a list of claims: which nodes can have them allocated, and with which devices."""

from collections.abc import Sequence

import msgspec
import numpy as np

from podium.api.devices.resource_claims import ALTERNATIVES_MAX
from podium.scheduler.devices.allocated_devices import AllocatedDevices, DeviceUse
from podium.scheduler.devices.allocator import Allocation, Allocator
from podium.scheduler.devices.claim_requests import AllocationError, ClaimRequests
from podium.scheduler.devices.node_shapes import NodeShapes, Shape
from podium.scheduler.snapshot.arrays import Codes, Scores
from podium.scheduler.snapshot.log import Log

ALLOCATED, NOT_ALLOCATED, INVALID_POOLS = 0, -1, -2
_FAILED = -1_000
"""The codes of errors begin here, and go down."""


class Answer(msgspec.Struct, frozen=True, eq=False):
    """What an allocation on nodes of one shape came to."""

    code: int
    score: int = 0
    """For the alternatives that were taken, the earlier ones more."""
    allocation: Allocation | None = None


class ClaimAnswers:
    """Answers for all rows about claims that are to be allocated together, kept up to date."""

    def __init__(
        self,
        claims: Sequence[ClaimRequests],
        shapes: NodeShapes,
        allocated: AllocatedDevices,
        steps_max: int,
    ) -> None:
        self.claims = claims
        self._shapes = shapes
        self._allocated = allocated
        self._steps_max = steps_max
        self._changes = shapes.changes.cursor()
        self._generation = self._states = -1
        self._answers: dict[Shape, Answer] = {}
        self.has_scores = any(entry.is_list for claim in claims for entry in claim.entries)
        """Whether scores may differ from 0."""
        self.score_changes = 0
        """Raised when a score changes."""
        self.errors: dict[int, AllocationError] = {}
        """By code, why the allocation failed for good."""
        self.log: Log[int] = Log()
        """The rows that `refresh` answered again; restarted when all were."""
        self.codes: Codes = np.zeros(0, np.int32)
        """int32[nodes]: `ALLOCATED`, `NOT_ALLOCATED`, `INVALID_POOLS`, or that of an error."""
        self.scores: Scores = np.zeros(0, np.int64)
        """int64[nodes], by which alternatives were taken."""

    def refresh(self) -> None:
        """Bring answers up to date."""
        reads: set[tuple[str, ...]] | None = set()
        for claim in self.claims:
            reads = None if reads is None or claim.reads is None else reads | claim.reads
        self._shapes.follow(None if reads is None else frozenset(reads))
        changed = self._changes.new()
        shapes = self._shapes
        if changed is None or self._generation != shapes.generation:
            self._generation = shapes.generation
            self._answers.clear()
            self.errors.clear()
            changed = None
        elif self._states != shapes.states:
            changed = None
        self._states = shapes.states
        if changed is None:
            self._answer_all()
            self.log.restart()
            return
        for row in changed:
            self.log.append(row)
            answer = self.answer(row)
            self.codes[row] = answer.code
            if self.scores[row] != answer.score:
                self.scores[row] = answer.score
                self.score_changes += 1

    def answer(self, row: int) -> Answer:
        """Return the answer for a row."""
        shape = self._shapes.shape(row)
        known = self._answers.get(shape)
        if known is None:
            known = self._answers[shape] = self._found(row)
        return known

    def code_with(self, row: int, allocated: DeviceUse) -> int:
        """Return the code of a row as if other devices were allocated.

        Such a search that fails for good is no error, but finds no devices.
        """
        try:
            allocation = self._allocator(row, allocated).allocate()
        except AllocationError:
            return NOT_ALLOCATED
        return self._answer(allocation).code

    def _answer_all(self) -> None:
        shapes = self._shapes.shapes()
        codes = np.zeros(max(shapes, default=-1) + 1, np.int32)
        scores = np.zeros(len(codes), np.int64)
        for number, row in shapes.items():
            answer = self.answer(row)
            codes[number], scores[number] = answer.code, answer.score
        self.codes = codes[self._shapes.shape_of]
        self.scores = scores[self._shapes.shape_of]
        self.score_changes += 1

    def _found(self, row: int) -> Answer:
        published = self._shapes.published
        if published.error:
            return self._failed(AllocationError(f"gather pool information: {published.error}"))
        try:
            allocation = self._allocator(row, self._allocated).allocate()
        except AllocationError as error:
            return self._failed(error)
        return self._answer(allocation)

    def _allocator(self, row: int, allocated: DeviceUse) -> Allocator:
        pools, selections = self._shapes.published.views_of[row], self._shapes.selections
        return Allocator(self.claims, pools, allocated, selections, self._steps_max)

    def _answer(self, allocation: Allocation | str) -> Answer:
        if isinstance(allocation, str):
            return Answer(INVALID_POOLS if allocation else NOT_ALLOCATED)
        return Answer(ALLOCATED, self._score(allocation), allocation)

    def _failed(self, error: AllocationError) -> Answer:
        code = _FAILED - len(self.errors)
        self.errors[code] = error
        return Answer(code)

    def _score(self, allocation: Allocation) -> int:
        score = 0
        for claim, taken in zip(self.claims, allocation.alternatives, strict=True):
            for entry, alternative in zip(claim.entries, taken, strict=True):
                if entry.is_list:
                    score += ALTERNATIVES_MAX - alternative
        return score
