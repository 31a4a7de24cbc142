"""Delayed preemption: unschedulable pods first wait for room that needs no victims."""

import math
from contextlib import suppress

import numpy as np
from msgspec.structs import replace

from podium.api.objects import annotations, condition_of, spec_of
from podium.api.pods import priority_class_of, tolerations_of
from podium.api.values.times import NANOS_PER_SECOND, TimeError, duration_seconds, epoch_s
from podium.scheduler.config.scheduler_options import EVERY, Patience
from podium.scheduler.framework.cycle.post_filter import NodeToStatus
from podium.scheduler.framework.evaluation.hypothetical_rows import HypotheticalRow
from podium.scheduler.framework.handle import Handle
from podium.scheduler.framework.interface import FITS, Held
from podium.scheduler.preemption.policy import PreemptionPolicy, before
from podium.scheduler.snapshot.pod_info import PodInfo, pending_pod

PROVISIONING_UNTIL = "podium.dev/provisioning-until"
EXPECTED_DURATION = "podium.dev/expected-duration"

# Of more rows with pods that end soon, those are looked at whose first one ends first.
_ROWS_MAX = 200


class DelayedPreemption(PreemptionPolicy):
    """The option `patience`: pods wait for a fixed time, for a starting node, or for ending pods.

    Waits are limited, and count from when the pod's condition PodScheduled became False.
    """

    def __init__(self, handle: Handle) -> None:
        self._handle = handle

    def wait(self, pod: PodInfo, filtered: NodeToStatus) -> Held | None:
        accepted = (priority_class_of(pod.obj), EVERY)
        entries = (one for one in self._handle.options.patience if one.priority_class in accepted)
        patience = next(entries, None)
        if patience is None:
            return None
        now_s = since_s = self._handle.clock.now_s
        scheduled = condition_of(pod.obj, "PodScheduled") or {}
        if scheduled.get("status") == "False" and scheduled.get("lastTransitionTime"):
            since_s = epoch_s(scheduled["lastTransitionTime"])
        limit_s = since_s + patience.at_most_s
        held = None
        if now_s < since_s + patience.delay_s:
            reason = f"pods of its class wait for {patience.delay_s:g} s before they preempt"
            held = Held(reason, since_s + patience.delay_s)
        elif now_s < limit_s:
            held = self._for_node(pod, patience, limit_s) or self._for_ends(pod, filtered, limit_s)
        if held is None:
            return None
        return replace(held, reason=f"it has waited for {int(now_s - since_s)} s: {held.reason}")

    def _for_node(self, pod: PodInfo, patience: Patience, limit_s: float) -> Held | None:
        promised_s = -math.inf
        with suppress(TimeError):
            promised_s = epoch_s(annotations(pod.obj).get(PROVISIONING_UNTIL, ""))
        if promised_s > self._handle.clock.now_s:
            return Held("a node is being provisioned for it", min(promised_s, limit_s))
        if not patience.startup_taints:
            return None
        spec = spec_of(pod.obj)
        more = [{"key": key, "operator": "Exists"} for key in sorted(patience.startup_taints)]
        tolerant = {**pod.obj, "spec": {**spec, "tolerations": [*tolerations_of(spec), *more]}}
        rows = self._handle.finder.rows(pending_pod(tolerant, self._handle.snapshot.classes))
        if not len(rows):
            return None
        node_name = min(self._handle.snapshot.names[row] for row in rows.tolist())
        return Held(f"node {node_name} has room and is starting", limit_s)

    def _for_ends(self, pod: PodInfo, filtered: NodeToStatus, limit_s: float) -> Held | None:
        snapshot, ending = self._handle.snapshot, []
        for row in np.flatnonzero(filtered.outcome > 0).tolist():
            ends = [(ends_s(other), other) for other in snapshot.pods_on[row]]
            soon = sorted((e for e in ends if e[0] <= limit_s), key=lambda e: (e[0], e[1].key))
            if soon:
                ending.append((soon[0][0], row, soon))
        best = math.inf, ""
        for _, row, soon in sorted(ending, key=lambda entry: entry[:2])[:_ROWS_MAX]:
            rivals = self._handle.nominator.rivals_on(pod, snapshot.names[row])
            without = HypotheticalRow(filtered.evaluation.filtering, snapshot, row, rivals)
            for end_s, other in soon:
                without.remove(other)
                if without.judge()[0] == FITS:
                    best = min(best, (end_s, snapshot.names[row]))
                    break
        moment_s, node_name = best
        if moment_s == math.inf:
            return None
        # Pods that should have ended by now are waited for until the limit.
        until_s = moment_s if moment_s > self._handle.clock.now_s else limit_s
        return Held(f"pods on {node_name} end by themselves{before(until_s)}", until_s)


def ends_s(pod: PodInfo) -> float:
    """Return when a pod ends by its deadline or annotation, in seconds since the epoch; or inf."""
    if pod.start_ns is None:
        return math.inf
    deadline = spec_of(pod.obj).get("activeDeadlineSeconds")
    expected = duration_seconds(annotations(pod.obj).get(EXPECTED_DURATION, ""))
    said = [float(one) for one in (deadline, expected) if one is not None]
    return pod.start_ns / NANOS_PER_SECOND + min(said, default=math.inf)
