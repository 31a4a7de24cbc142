"""The option `rates`: limits how many pods of a namespace and class are preempted in a period."""

import math
from collections import Counter
from collections.abc import Sequence

from podium.api.pods import priority_class_of
from podium.api.values.message_words import count as counted
from podium.scheduler.config.scheduler_options import EVERY, PreemptionRate
from podium.scheduler.framework.handle import Clock
from podium.scheduler.framework.victim_history import VictimHistory
from podium.scheduler.preemption.policy import Objection, PreemptionPolicy
from podium.scheduler.snapshot.pod_info import PodInfo


class PreemptionRates(PreemptionPolicy):
    """Limits how many pods of a namespace and PriorityClass are preempted in a period."""

    def __init__(
        self, rates: Sequence[PreemptionRate], history: VictimHistory, clock: Clock
    ) -> None:
        self._rates = rates
        self._history = history
        self._clock = clock
        self._history_epoch = self._changes = 0
        self._known: dict[tuple[str, str], Objection | None] = {}

    @property
    def epoch(self) -> int:
        """A number that is increased when an earlier result of `objection_to` changes."""
        if self._history_epoch != self._history.epoch:
            self._history_epoch, before = self._history.epoch, self._known
            self._known = {group: self._to_group(group, 1) for group in before}
            self._changes += before != self._known
        return self._changes

    def objection_to(self, pod: PodInfo) -> Objection | None:
        """Return the objection by the first rate that one more victim exceeds; None if none."""
        group = pod.namespace, priority_class_of(pod.obj)
        if group not in self._known:
            self._known[group] = self._to_group(group, 1)
        return self._known[group]

    def objection(self, pod: PodInfo, victims: Sequence[PodInfo]) -> Objection | None:
        groups = Counter((victim.namespace, priority_class_of(victim.obj)) for victim in victims)
        objections = (self._to_group(group, count) for group, count in sorted(groups.items()))
        return next((objection for objection in objections if objection is not None), None)

    def _to_group(self, group: tuple[str, str], count: int) -> Objection | None:
        namespace, priority_class = group
        for rate in self._rates:
            if rate.namespace not in (EVERY, namespace):
                continue
            if rate.priority_class not in (EVERY, priority_class):
                continue
            since_s, past = self._clock.now_s - rate.per_s, list[float]()
            # The latest first.
            for victim in reversed(self._history.victims):
                if victim.at_s <= since_s:
                    break
                if (victim.namespace, victim.priority_class) == group:
                    past.append(victim.at_s)
            too_many = len(past) + count - rate.victims
            if too_many > 0:
                of_class = f" of class {priority_class}" if priority_class else ""
                reason = (
                    f"at most {counted(rate.victims, 'pod')}{of_class} in namespace {namespace} "
                    f"may be preempted in {rate.per_s:g} s"
                )
                freed = past[-too_many] + rate.per_s if too_many <= len(past) else math.inf
                return Objection(reason, freed)
        return None
