"""NodeAffinity: node selectors and node affinity, required and preferred.

The `addedAffinity` of the profile counts for every pod, besides the pod's own affinity.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from podium.api.errors import aggregate
from podium.api.objects import Object, entries, labels, name
from podium.api.pods import node_affinity_of
from podium.api.selectors.node_selector import (
    NAME_FIELD,
    NodeSelectorTerm,
    node_selector,
    preferred_terms,
    required_node_affinity,
)
from podium.api.well_known import PREFERRED, REQUIRED
from podium.scheduler.config.args import NodeAffinityArgs
from podium.scheduler.framework.cluster_events import Action, EventHint, EventResource, after_change
from podium.scheduler.framework.handle import Handle
from podium.scheduler.framework.interface import (
    PASSES,
    FixedCodes,
    NormalizedScores,
    PreFilterResult,
    RelativeScore,
    fixed_codes,
)
from podium.scheduler.framework.status import SUCCESS, Code, Status, unresolvable
from podium.scheduler.snapshot.pod_classes import PodClass
from podium.scheduler.snapshot.pod_info import PodInfo
from podium.scheduler.snapshot.snapshot import PerNodes

_POD, _ENFORCED = -1, -2
_REASONS = {
    _POD: "node(s) didn't match Pod's node affinity/selector",
    _ENFORCED: "node(s) didn't match scheduler-enforced node affinity",
}

_Terms = Sequence[tuple[int, NodeSelectorTerm]]


class NodeAffinity:
    """Rules out nodes that don't match, and scores the others (PreFilter to Score)."""

    name = "NodeAffinity"

    def __init__(self, handle: Handle, args: NodeAffinityArgs | None = None) -> None:
        self._snapshot = handle.snapshot
        added: Mapping[str, Any] = (args or NodeAffinityArgs()).added_affinity or {}
        required = added.get(REQUIRED)
        self._added = None if required is None else node_selector(required)
        self._added_terms = preferred_terms(added.get(PREFERRED))
        self._filters: PerNodes[FixedCodes | None] = PerNodes(handle.snapshot)
        self._scores: PerNodes[RelativeScore] = PerNodes(handle.snapshot)
        self._terms: PerNodes[_Terms] = PerNodes(handle.snapshot)

    def events_to_register(self) -> Sequence[EventHint]:
        labelled = Action.ADD | Action.UPDATE_NODE_LABEL
        return (after_change(EventResource.NODE, labelled, self._begins_to_match),)

    def by_shape(self, cls: PodClass) -> bool:
        return True

    def pre_filter(self, pod: PodInfo) -> PreFilterResult:
        required = node_affinity_of(pod.cls.spec).get(REQUIRED)
        if not required:
            return PASSES
        names: frozenset[str] | None = None
        for term in entries(required, "nodeSelectorTerms"):
            wanted = [
                frozenset(entries(field, "values"))
                for field in term.get("matchFields") or ()
                if field.get("key") == NAME_FIELD and field.get("operator") == "In"
            ]
            if not wanted:
                # This term doesn't restrict node names.
                return PreFilterResult()
            names = (names or frozenset()) | frozenset.intersection(*wanted)
        if names is not None and not names:
            return PreFilterResult(unresolvable("pod affinity terms conflict"))
        return PreFilterResult(node_names=names)

    def filter(self, pod: PodInfo) -> FixedCodes | None:
        def make() -> FixedCodes | None:
            required, columns = required_node_affinity(pod.cls.pod), self._snapshot.columns
            selects = required.affinity is not None or not required.selector.is_empty
            if self._added is None and not selects:
                return None
            codes = np.where(columns.matching(required), 0, _POD).astype(np.int32)
            if self._added is not None:
                codes[~columns.matching(self._added)] = _ENFORCED
            return fixed_codes(self.name, codes, lambda code: unresolvable(_REASONS[code]))

        return self._filters.of(pod.cls.node_affinity_key, make)

    def pre_score(self, pod: PodInfo) -> Status:
        faults = [fault for _, term in self._preferred(pod.cls) for fault in term.error]
        return Status(Code.ERROR, (aggregate(faults),)) if faults else SUCCESS

    def score(self, pod: PodInfo) -> RelativeScore | None:
        terms = (*self._added_terms, *self._preferred(pod.cls))
        if not terms:
            return None

        def make() -> RelativeScore:
            weights = np.zeros(self._snapshot.node_count, np.int64)
            for weight, term in terms:
                weights[self._snapshot.columns.matching(term)] += weight
            return NormalizedScores(self.name, weights)

        return self._scores.of(pod.cls.node_affinity_key, make)

    def _preferred(self, cls: PodClass) -> _Terms:
        raw = node_affinity_of(cls.spec).get(PREFERRED)
        return self._terms.of(cls.node_affinity_key, lambda: preferred_terms(raw)) if raw else ()

    def _begins_to_match(self, pod: PodInfo, old: Object | None, new: Object) -> bool:
        """Return whether a changed node matches now, and the pod's own terms didn't match before.

        As in v1.36, it doesn't matter whether `addedAffinity` matched before.
        """
        if self._added is not None and not self._added.matches(labels(new), name(new)):
            return False
        own = required_node_affinity(pod.cls.pod)
        return own.matches(labels(new), name(new)) and (
            old is None or not own.matches(labels(old), name(old))
        )
