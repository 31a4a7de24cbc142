"""Fills a cluster with pods, one after the other, until one finds no place."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from podium.api.errors import PodiumError
from podium.api.kinds.builtin_kinds import KINDS
from podium.api.objects import (
    Object,
    condition_message,
    condition_status,
    controller_of,
    is_terminating,
    key,
    name,
    namespace,
    status_of,
)
from podium.api.pods import node_name_of, scheduler_name_of
from podium.api.refused import RefusedError
from podium.apiserver.attributes import Attributes
from podium.apiserver.server import DeleteOptions
from podium.cluster.virtual.kubectl_apply import apply_manifest
from podium.scheduler.framework.cycle.diagnosis import reasons_of
from podium.scheduler.snapshot.pod_info import pending_pod
from podium.whatif.capacity.capacity_report import ReasonRow, Stop
from podium.whatif.capacity.capacity_templates import PodTemplate, in_turn
from podium.whatif.plan.play import Play
from podium.whatif.plan.request import UNTIL_S

Progress = Callable[[int], None]
"""Is told how many pods have got a place."""

_NAME_LENGTH_MAX = 240
# All that happens at once, which is the decision mostly, is over by then.
_STEP_S = 0.001
_AT_ONCE = DeleteOptions(grace_period_s=0)


class FillingError(PodiumError):
    """A pod can't be counted."""


class Filling:
    """Fills the cluster of a play that has come to rest with at most `limit` pods."""

    def __init__(self, play: Play, templates: Sequence[PodTemplate], limit: int) -> None:
        # The pods that have got a place, each with the number of its template.
        self._created: list[tuple[int, str, str]] = []
        self._play = play
        self._templates = templates
        self._limit = limit
        self._turns = in_turn(templates)
        self._numbers: Counter[tuple[str, str]] = Counter()
        self._turn: int | None = None

    def run(self, progress: Progress | None = None) -> Stop:
        """Create pods until one finds no place, and delete that one.

        Raises:
            FillingError: a controller takes over a pod, or no profile is its scheduler.
        """
        try:
            while (stop := self._next()) is None:
                if progress is not None:
                    progress(len(self._created))
        except KeyboardInterrupt:
            return Stop("Interrupt", "", "interrupted: there may be room for more")
        return stop

    def placed(self) -> Iterator[tuple[int, Object]]:
        """The pods that have their places still, each with the number of its template."""
        for template, *place in self._created:
            pod = self._play.cluster.store.get("Pod", *place)
            if pod is not None and node_name_of(pod) and not is_terminating(pod):
                yield template, pod

    def _next(self) -> Stop | None:
        # Whose turn it is keeps it until one has got a place.
        self._turn = number = next(self._turns) if self._turn is None else self._turn
        template = self._templates[number]
        if len(self._created) >= self._limit:
            text = f"{self._limit} have a place: no more were asked for"
            return Stop("Limit", template.source, text)
        try:
            pod = apply_manifest(self._play.cluster, self._named(template.pod)).obj
        except RefusedError as refused:
            return Stop("API", template.source, refused.message)
        self._play.observer.look()
        profiles = self._play.scheduler.pipelines
        if scheduler_name_of(pod) not in profiles:
            asked, names = scheduler_name_of(pod), ", ".join(profiles)
            raise FillingError(
                f"--pod {template.source}: asks for the scheduler {asked}; the profiles are {names}"
            )
        if gates := pod["spec"].get("schedulingGates"):
            names = ", ".join(gate["name"] for gate in gates)
            raise FillingError(
                f"--pod {template.source}: its gates ({names}) keep it from any node"
            )
        found = self._decided(pod)
        if found is None or not node_name_of(found):
            decided = found or pod
            message = condition_message(decided, "PodScheduled") or "it is deleted"
            # How many nodes refuse it for which reasons; none if it is refused as a whole.
            scheduler = self._play.scheduler
            watch, scheduler.watch = scheduler.watch, None
            waiting = pending_pod(decided, scheduler.snapshot.classes)
            refusals = reasons_of(scheduler.decide(waiting, scheduler_name_of(decided)))
            scheduler.watch = watch
            by_count = sorted(refusals.items(), key=lambda entry: (-entry[1], entry[0]))
            reasons = tuple(ReasonRow(reason, nodes) for reason, nodes in by_count)
            driver = self._play.cluster.driver
            what = Attributes(KINDS["Pod"], namespace(pod), name(pod), driver.now_s)
            if self._play.cluster.store.get("Pod", namespace(pod), name(pod)) is not None:
                self._play.cluster.server.delete(what, _AT_ONCE)
                driver.run_until(driver.now_s + _STEP_S)
            self._numbers[namespace(pod), name(template.pod)[:_NAME_LENGTH_MAX]] -= 1
            return Stop("Scheduler", template.source, str(message), reasons)
        self._created.append((number, namespace(pod), name(pod)))
        self._turn = None
        return None

    def _named(self, pod: Object) -> Object:
        base = name(pod)[:_NAME_LENGTH_MAX]
        place = namespace(pod), base
        while True:
            self._numbers[place] += 1
            called = f"{base}-more-{self._numbers[place]}"
            if self._play.cluster.store.get("Pod", place[0], called) is None:
                return {**pod, "metadata": {**pod["metadata"], "name": called}}

    def _decided(self, pod: Object) -> Object | None:
        """The pod once it has a place, or is known to get none; None if somebody deleted it."""
        driver, store = self._play.cluster.driver, self._play.cluster.store
        end_s = driver.now_s + UNTIL_S
        until_s = driver.now_s + _STEP_S
        while driver.step_now():
            # Whoever takes it over may delete it before anybody decides about it.
            self._unadopted(store.get("Pod", namespace(pod), name(pod)))
        while True:
            driver.run_until(until_s)
            live = store.get("Pod", namespace(pod), name(pod))
            if live is None or is_terminating(live) or node_name_of(live):
                return self._unadopted(live)
            nominated = status_of(live).get("nominatedNodeName")
            refused = condition_status(live, "PodScheduled") == "False"
            if (refused and not nominated) or driver.now_s >= end_s:
                return live
            until_s = min(end_s, max(driver.next_s() or end_s, driver.now_s + _STEP_S))

    def _unadopted(self, pod: Object | None) -> Object | None:
        owner = controller_of(pod) if pod is not None else None
        if owner is not None:
            who = f"{owner['kind']} {owner['name']}"
            raise FillingError(f"{key(pod or {})} has the labels of {who}, which takes it over")
        return pod
