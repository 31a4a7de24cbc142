"""PreFilter and the filters of one class of pods: the first filter that objects to each row.

PreFilter follows RunPreFilterPlugins and findNodesThatFitPod of v1.36, messages included.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from itertools import chain
from operator import attrgetter, itemgetter

import numpy as np

from podium.scheduler.framework.interface import (
    FITS,
    PASSES,
    CycleError,
    FilterState,
    FixedCodes,
    PreFilterPlugin,
    Scope,
)
from podium.scheduler.framework.pipeline import Pipeline
from podium.scheduler.framework.status import SUCCESS, Code, Status, unresolvable
from podium.scheduler.snapshot.arrays import Codes, Mask, Rows
from podium.scheduler.snapshot.pod_info import PodInfo
from podium.scheduler.snapshot.snapshot import Change, Snapshot

NO_NODE, NO_FILTER = -1, -1
_ROW, _PODS, _CLASS = itemgetter(0), itemgetter(1), attrgetter("cls")
_FEW_ROWS_MAX = 32
_RECOUNTED_ROWS_MAX = 64
# Codes are int32: with a filter's index in the higher bits, a pair is one int64.
_CODE_BITS = 32


class Narrowing(FixedCodes):
    """Rules out the nodes that PreFilter results leave out; belongs to no single plugin."""

    def __init__(self, snapshot: Snapshot, node_names: Iterable[str], plugins: Sequence[str]):
        kept = np.zeros(snapshot.node_count, bool)
        kept[[snapshot.row_of[name] for name in node_names if name in snapshot.row_of]] = True
        reason = f"node(s) didn't satisfy plugin(s) [{' '.join(plugins)}]"
        codes = np.where(kept, FITS, NO_NODE).astype(np.int32)
        super().__init__("", codes, lambda _code: unresolvable(reason))
        self.plugins = plugins


def run_pre_filter(
    plugins: Sequence[PreFilterPlugin], snapshot: Snapshot, pod: PodInfo
) -> tuple[Status, Narrowing | None]:
    """Run PreFilter plugins; return the refusal of all nodes, if any, or what rules nodes out."""
    refusal, names, narrowing = SUCCESS, None, []
    for plugin in plugins:
        result = plugin.pre_filter(pod)
        if result is PASSES:
            continue
        status = result.status.by(plugin.name)
        if status.code is Code.UNSCHEDULABLE_AND_UNRESOLVABLE:
            return status, None
        if status.code is Code.UNSCHEDULABLE:
            refusal = status
            continue
        if not status.is_success:
            raise CycleError(
                plugin.name, f"running PreFilter plugin {plugin.name}: {status.message}"
            )
        if result.node_names is not None:
            narrowing.append(plugin.name)
            names = result.node_names if names is None else names & result.node_names
        if names is not None and not names:
            reason = f"node(s) didn't satisfy plugin {plugin.name}"
            if len(narrowing) > 1:
                listed = " ".join(sorted(narrowing))
                reason = f"node(s) didn't satisfy plugin(s) [{listed}] simultaneously"
            return unresolvable(reason, plugin=plugin.name), None
    if names is None or not refusal.is_success:
        return refusal, None
    return SUCCESS, Narrowing(snapshot, names, sorted(narrowing))


class Filtering:
    """Which rows fit a class of pods, and which filters object to the others."""

    def __init__(self, pipeline: Pipeline, snapshot: Snapshot, pod: PodInfo) -> None:
        self._snapshot = snapshot
        early = pipeline.by_shape.pre_filters(pipeline.pre_filter, pod)
        self.pre_filter, narrowing = run_pre_filter(early, snapshot, pod)
        """The result of PreFilter; after a refusal no row fits and there are no states."""
        self.states: list[FilterState] = []
        if self.pre_filter.is_success:
            asked = [ask(pod) for ask in pipeline.by_shape.filters(pipeline.filter, pod)]
            self.states = [state for state in (narrowing, *asked) if state is not None]
        self.codes = [state.all_codes(snapshot.node_count) for state in self.states]
        """int32[nodes] for each filter state."""
        self._codes_at = [codes.data for codes in self.codes]
        numbered = list(enumerate(self.states))
        self._row_filters = [pair for pair in numbered if pair[1].scope is Scope.ROW]
        self._stirring = [
            state for state in self.states if type(state).stirred is not FilterState.stirred
        ]
        self._failing = [
            pair for pair in numbered if type(pair[1]).failures is not FilterState.failures
        ]
        self._cluster_filters = [pair for pair in numbered if pair[1].scope is Scope.CLUSTER]
        self._volatile_filters = [pair for pair in numbered if pair[1].scope is Scope.VOLATILE]
        self.all_rows_changed = True
        self.touched: set[int] = set()
        """The rows that the last update filtered, unless `all_rows_changed`."""
        self._judged = 0
        self._feasible_rows: Rows | None = None
        self.outcome, self.blame = np.zeros((2, 0), np.int32)
        """int32[nodes], the code of the first objecting state, else `FITS`, and the index of that
        state, else `NO_FILTER`."""
        self.is_open_everywhere = False
        """True only if all rows fit; not set to True again by small updates."""
        self._combine_all()

    @property
    def is_volatile(self) -> bool:
        return bool(self._volatile_filters)

    @property
    def generation(self) -> int:
        """A number that changes if changes elsewhere may alter the codes of a hypothetical row."""
        changes = sum(state.changes for _, state in self._cluster_filters)
        return self._judged + changes + sum(state.changes for state in self._stirring)

    def feasible_rows(self) -> Rows:
        """Return the rows that fit, ascending; the same array until they change."""
        if self._feasible_rows is None:
            everywhere, rows = self.is_open_everywhere, self._snapshot.rows
            self._feasible_rows = rows if everywhere else np.flatnonzero(self.outcome == FITS)
        return self._feasible_rows

    def stirred(self) -> Sequence[int] | None:
        """Return rows that something else than pods has changed; None for all rows."""
        if not self._stirring:
            return ()
        rows: list[int] = []
        for state in self._stirring:
            changed = state.stirred()
            if changed is None:
                return None
            rows += changed
        return rows

    def failure(self, among: Mask | None = None) -> CycleError | None:
        """Return a filter's error on a row, `among` some, that all filters before it pass."""
        for index, state in self._failing:
            codes = state.failures()
            if not codes:
                continue
            fails = np.isin(self.outcome, codes) & (self.blame == index)
            if among is not None:
                fails &= among
            if fails.any():
                row = int(fails.argmax())
                why = state.status(row, int(self.outcome[row])).message
                return CycleError(state.plugin, f'running "{state.plugin}" filter plugin: {why}')
        return None

    def begin(self, pod: PodInfo) -> None:
        for index, state in self._volatile_filters:
            state.begin(pod)
            self.codes[index][:] = state.all_codes(len(self.outcome))
        if self._volatile_filters:
            self._judged += 1
            self._combine_all()
            self._feasible_rows = None

    def update(self, rows: Collection[int], changes: Sequence[Change]) -> bool:
        """Apply changes of pods on a few rows; return True if the feasible rows changed."""
        dirty = [pair for pair in self._cluster_filters if pair[1].pods_changed(changes)]
        for index, state in self._row_filters:
            codes = self._codes_at[index]
            for row in rows:
                codes[row] = state.code(row)
        touched = set(rows)
        for index, state in dirty:
            judged = state.all_codes(len(self.outcome))
            touched.update(np.flatnonzero(judged != self.codes[index]).tolist())
            self.codes[index][:] = judged
        self.all_rows_changed = len(touched) > _FEW_ROWS_MAX
        if dirty:
            self._judged += 1
        flipped = self._combine_all() if self.all_rows_changed else self._combine_rows(touched)
        if flipped:
            self._feasible_rows = None
        self.touched = touched
        return flipped

    def update_many(self, rows: Rows, changes: Sequence[Change]) -> bool:
        """Apply changes of pods on many rows, int[n]; return True if the feasible rows changed."""
        for index, state in self._cluster_filters:
            if state.pods_changed(changes):
                self.codes[index][:] = state.all_codes(len(self.outcome))
                self._judged += 1
        for index, state in self._row_filters:
            self.codes[index][rows] = state.codes(rows)
        self.all_rows_changed = True
        flipped = self._combine_all()
        if flipped:
            self._feasible_rows = None
        return flipped

    def register(self, pods: Iterable[PodInfo]) -> None:
        """Register classes of pods that may be on no node yet, before any `width` is read.

        New classes may have new topology keys, which add sums.
        """
        classes = {pod.cls.id: pod.cls for pod in pods}.values()
        for _, state in self._cluster_filters:
            state.register_classes(classes)

    def with_pods(
        self, added: Sequence[tuple[int, Sequence[PodInfo]]]
    ) -> tuple[Rows, Codes, Codes]:
        """Filter rows with pods added; return the rows, int[n], and outcome and blame, int32[n]."""
        of_pods = [*map(_CLASS, chain.from_iterable(map(_PODS, added)))]
        # Weights are computed once per class; many pods are mostly of one class.
        classes = [*dict.fromkeys(of_pods)]
        class_indexes, places = np.zeros(len(of_pods), np.intp), np.arange(len(added))
        if len(classes) > 1:
            index_of = {known: index for index, known in enumerate(classes)}
            class_indexes = np.array([*map(index_of.__getitem__, of_pods)], np.intp)
        if len(of_pods) != len(added):
            places = np.repeat(places, [len(pods) for _, pods in added])
        for _, state in self._cluster_filters:
            state.register_classes(classes)
        rows = np.fromiter(map(_ROW, added), np.intp, len(added))
        on_rows, codes = self._snapshot.pods_on, []
        for known_codes, state in zip(self.codes, self.states, strict=True):
            if not state.additive:
                judged = [state.code_among(row, [*on_rows[row], *pods]) for row, pods in added]
                codes.append(np.array(judged, np.int32))
            elif not state.width:
                codes.append(known_codes[rows])
            else:
                weights = np.array([*map(state.weights, classes)], np.int64)
                sums = np.zeros((len(rows), state.width), np.int64)
                np.add.at(sums, places, weights.reshape(-1, state.width)[class_indexes])
                codes.append(state.codes(rows, list(sums.T)))
        outcome, blame, _ = _first_objections(codes, len(rows))
        return rows, outcome, blame

    def judge_nominated(self, node_name: str, outcome: Codes, blame: Codes) -> None:
        """Set outcome and blame of the pod's nominated node if PreFilter left that node out.

        The nominated node is filtered whatever PreFilter returned (evaluateNominatedNode, v1.36).
        """
        row = self._snapshot.row_of.get(node_name)
        if row is None or not self.pre_filter.is_success:
            return
        if not self.states or not isinstance(self.states[0], Narrowing) or not self.codes[0][row]:
            return
        for index, codes in enumerate(self.codes[1:], 1):
            if codes[row] != FITS:
                outcome[row], blame[row] = codes[row], index
                return

    def status(self, blame: int, outcome: int, row: int) -> Status:
        if blame == NO_FILTER:
            return SUCCESS
        state = self.states[blame]
        return state.status(row, outcome).by(state.plugin)

    def objections(self, row: int) -> list[Status]:
        return [
            self.status(index, int(codes[row]), row)
            for index, codes in enumerate(self.codes)
            if codes[row] != FITS
        ]

    def _combine_all(self) -> bool:
        before, was_open = self.outcome, self.is_open_everywhere
        count = self._snapshot.node_count
        if self.pre_filter.is_success:
            self.outcome, self.blame, self.is_open_everywhere = _first_objections(self.codes, count)
        else:
            self.outcome = np.full(count, NO_NODE, np.int32)
            self.blame = np.full(count, NO_FILTER, np.int32)
        self.outcome_at, self._blame_at = self.outcome.data, self.blame.data
        if was_open and self.is_open_everywhere:
            return False
        return not np.array_equal(before == FITS, self.outcome == FITS)

    def _combine_rows(self, rows: Iterable[int]) -> bool:
        flipped = False
        for row in rows:
            code, index = FITS, NO_FILTER
            for position, codes in enumerate(self._codes_at):
                if codes[row]:
                    code, index = codes[row], position
                    break
            flipped |= (self.outcome_at[row] == FITS) != (code == FITS)
            self.is_open_everywhere &= code == FITS
            self.outcome_at[row] = code
            self._blame_at[row] = index
        return flipped


def _first_objections(codes: Sequence[Codes], count: int) -> tuple[Codes, Codes, bool]:
    outcome, blame = np.zeros(count, np.int32), np.empty(count, np.int32)
    blame.fill(NO_FILTER)
    objecting = [index for index, of_state in enumerate(codes) if np.count_nonzero(of_state)]
    for index in reversed(objecting):
        objects = codes[index] != FITS
        np.copyto(outcome, codes[index], where=objects)
        np.copyto(blame, index, where=objects)
    return outcome, blame, not objecting


class OutcomeCounts:
    """Number of rows by pair of blame and code."""

    def __init__(self) -> None:
        self.counts: Counter[tuple[int, int]] = Counter()
        self._outcome, self._blame = np.zeros((2, 0), np.int32)

    def follow(self, outcome: Codes, blame: Codes) -> None:
        """Count new outcome and blame, int32[nodes] each, which must not be changed afterwards."""
        before, blamed, self._outcome, self._blame = self._outcome, self._blame, outcome, blame
        if outcome is before and blame is blamed:
            return
        changed = None
        if len(outcome) == len(before):
            changed = np.flatnonzero((outcome != before) | (blame != blamed))
        if changed is None or len(changed) > _RECOUNTED_ROWS_MAX:
            self.counts.clear()
            packed = (blame.astype(np.int64) << _CODE_BITS) + outcome
            # There are few pairs, and a look at all rows for each takes less than sorting them.
            while len(packed):
                first, others = int(packed[0]), packed[packed != packed[0]]
                index = first + 2 ** (_CODE_BITS - 1) >> _CODE_BITS
                self.counts[index, first - (index << _CODE_BITS)] = len(packed) - len(others)
                packed = others
            return
        for pair in zip(blamed[changed].tolist(), before[changed].tolist(), strict=True):
            self.counts[pair] -= 1
        for pair in zip(blame[changed].tolist(), outcome[changed].tolist(), strict=True):
            self.counts[pair] += 1

    def count_of(self, index: int) -> int:
        return sum(count for (blame, _), count in self.counts.items() if blame == index)

    def row_of(self, pair: tuple[int, int]) -> int:
        blame, code = pair
        return int(((self._outcome == code) & (self._blame == blame)).argmax())
