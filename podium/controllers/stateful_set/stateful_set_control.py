"""One look at a StatefulSet's pods: from the first to the last, and what is done about each.

The order and the rules are those of v1.36's updateStatefulSet: first pods that are missing or have
ended, then those that are too many, then those of another revision. In order, one thing at a time
is done, and only while all that came before is well; in parallel, all at once.
"""

from collections.abc import Iterator, Mapping

import msgspec

from podium.api.objects import Object, is_terminating, labels, name, place_of, status_of
from podium.api.pods import is_finished, phase_of
from podium.api.workloads import replicas_of, update_strategy_of
from podium.controllers.kit.controller_revisions import revision_hash_of
from podium.controllers.stateful_set.pod_identity import (
    identity_of,
    is_stale,
    missing_claims,
    numbered_pod,
    ownership,
    serves,
    start_of,
)
from podium.machines.effects import Create, Effect, deletion_of, event_of, patch_of
from podium.machines.reconciler.indexer import Indexer

NAME = "statefulset-controller"


class StatefulSetControl(msgspec.Struct, frozen=True):
    """Decides what to do about the pods of one StatefulSet, as StatefulSetControl of v1.36.

    Attributes:
        current: the revision that pods are to have which aren't to be updated yet.
    """

    owner: Object
    current: Object
    update: Object
    pods: Mapping[int, Object]
    objects: Indexer
    now_s: float

    def effects(self, *, rolls: bool = True) -> Iterator[Effect]:
        """What is to be done now; `rolls` says whether pods of other revisions are replaced."""
        wanted = range(start_of(self.owner), start_of(self.owner) + replicas_of(self.owner))
        is_settled = True
        for ordinal in wanted:
            steps = list(self._process_replica(ordinal))
            yield from steps
            pod = self.pods.get(ordinal)
            if self._is_ordered:
                has_to_wait = pod is None or not serves(self.owner, pod, self.now_s)
            else:
                has_to_wait = pod is not None and is_finished(pod)
            is_settled = is_settled and not has_to_wait
            if self._is_ordered and (has_to_wait or steps):
                return
        if not is_settled:
            return
        # Pods that are too many go: those with the highest numbers first.
        ordinals = sorted((one for one in self.pods if one not in wanted), reverse=True)
        condemned = [self.pods[ordinal] for ordinal in ordinals]
        if not self._is_ordered:
            for pod in condemned:
                if not is_terminating(pod):
                    yield from self._delete_pod(pod)
        elif condemned and not is_terminating(condemned[0]):
            ailing = [pod for pod in condemned if not serves(self.owner, pod, self.now_s)]
            # One that doesn't serve goes only when no other before it doesn't either.
            if condemned[0] not in ailing or ailing[-1] is condemned[0]:
                yield from self._delete_pod(condemned[0])
        if rolls and not (condemned and self._is_ordered):
            yield from self._update_pods(wanted)

    @property
    def _is_ordered(self) -> bool:
        return bool(self.owner["spec"].get("podManagementPolicy") != "Parallel")

    def _process_replica(self, ordinal: int) -> Iterator[Effect]:
        pod, called = self.pods.get(ordinal), f"{name(self.owner)}-{ordinal}"
        if pod is None:
            if is_stale(self.owner, called, self.objects):
                return
            claims = list(missing_claims(self.owner, called, self.objects))
            yield from claims
            if not claims:
                new = numbered_pod(self.owner, ordinal, self._revision_for(ordinal))
                yield Create(kind="Pod", obj=new)
        elif is_finished(pod):
            if not is_terminating(pod):
                word, reason, severity = "terminated", "RecreatingTerminatedPod", "Normal"
                if phase_of(pod) == "Failed":
                    word, reason, severity = "failed", "RecreatingFailedPod", "Warning"
                owner = "/".join(place_of(self.owner))
                note = f"StatefulSet {owner} is recreating {word} Pod {name(pod)}"
                yield event_of(self.owner, NAME, severity, reason, note)
                yield deletion_of("Pod", pod)
        elif not is_terminating(pod):
            if phase_of(pod) == "Pending":
                yield from missing_claims(self.owner, called, self.objects)
            lacking = identity_of(self.owner, ordinal).items() - labels(pod).items()
            if lacking:
                yield patch_of("Pod", pod, {"metadata": {"labels": dict(sorted(lacking))}})
            yield from ownership(self.owner, pod, self.objects, leaves=False)

    def _revision_for(self, ordinal: int) -> Object:
        """Pods below the partition, and those not yet updated, come back as they were."""
        strategy = update_strategy_of(self.owner)
        if strategy.get("type") != "RollingUpdate":
            return self.update
        rolling = strategy.get("rollingUpdate")
        if rolling is None:
            kept = int(status_of(self.owner).get("currentReplicas") or 0)
        else:
            kept = int(rolling.get("partition") or 0)
        return self.current if ordinal < start_of(self.owner) + kept else self.update

    def _delete_pod(self, pod: Object) -> Iterator[Effect]:
        claims = list(ownership(self.owner, pod, self.objects, leaves=True))
        yield from claims
        if not claims:
            yield deletion_of("Pod", pod)

    def _update_pods(self, wanted: range) -> Iterator[Effect]:
        """Delete the last pod of another revision, to come back updated, if those after it serve.

        One at a time: MaxUnavailableStatefulSet is off in v1.36, whose API drops `maxUnavailable`.
        """
        strategy = update_strategy_of(self.owner)
        if strategy.get("type") == "OnDelete":
            return
        rolling = strategy.get("rollingUpdate") or {}
        lowest = wanted.start + int(rolling.get("partition") or 0)
        for ordinal in range(wanted.stop - 1, lowest - 1, -1):
            pod = self.pods.get(ordinal)
            if pod is None:
                return
            if revision_hash_of(pod) != name(self.update) and not is_terminating(pod):
                yield deletion_of("Pod", pod)
                return
            if not serves(self.owner, pod, self.now_s):
                return
