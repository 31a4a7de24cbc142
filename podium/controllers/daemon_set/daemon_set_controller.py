"""The DaemonSet controller: keeps one pod on each eligible node.

Rules and texts are those of v1.36's `daemon` controller. State is kept by node, so that a change of
a pod re-evaluates a single node. A rolling update, for which upstream has no order of nodes,
replaces the oldest pods first, then by the names of nodes.
"""

from collections.abc import Hashable, Iterable, Iterator
from typing import Any

from podium.api.nodes import taints_of
from podium.api.objects import (
    Object,
    Place,
    controller_of,
    controller_uid,
    generation_of,
    is_terminating,
    labels,
    name,
    place_of,
    spec_of,
    status_of,
    uid_of,
)
from podium.api.pods import affinity_of, is_finished, is_ready, node_name_of, phase_of
from podium.api.workloads import selector_of, update_strategy_of
from podium.controllers.daemon_set.daemon_set_state import (
    GENERATION_LABEL,
    DaemonRules,
    DaemonSetState,
    bound_to,
    node_state,
    rollout_bound,
    target_of,
    template_generation_of,
    tolerant,
)
from podium.controllers.kit.controller_refs import adoption, owners_of, release
from podium.controllers.kit.controller_revisions import (
    KIND,
    REVISION_LABEL,
    Revisions,
    history_of,
    next_step,
    revision_hash_of,
    surplus,
)
from podium.controllers.kit.pod_control import PodOwnerReconciler, new_pod
from podium.controllers.kit.workload_fields import as_written, min_ready_s, status_update
from podium.machines.effects import Create, Effect, deletion_of
from podium.machines.events import Change
from podium.machines.reconciler.indexer import by_namespace, by_owner, by_owner_or_orphan
from podium.machines.reconciler.work_queue import Backoff, Restarts

BURST_MAX = 250
_BACKOFF = Backoff(first_s=1.0, max_s=15 * 60.0)
_SET = "DaemonSet"
_ALWAYS_WRITTEN = (
    "currentNumberScheduled",
    "numberMisscheduled",
    "desiredNumberScheduled",
    "numberReady",
)
_COUNTS = (*_ALWAYS_WRITTEN, "updatedNumberScheduled", "numberAvailable", "numberUnavailable")


def _node_keys(pod: Object) -> tuple[str, ...]:
    reference = controller_of(pod)
    is_daemon = reference is not None and reference.get("kind") == _SET
    return (f"{controller_uid(pod)}/{target_of(pod)}",) if is_daemon else ()


class DaemonSetController(PodOwnerReconciler):
    """Keeps one pod of each DaemonSet on each eligible node."""

    name = "daemonset-controller"
    owner_kind = _SET
    kinds = frozenset({"Pod", "Node", KIND, _SET})
    indexes = (
        ("Pod", "target", _node_keys),
        *by_owner_or_orphan("Pod"),
        by_owner(KIND),
        by_namespace(_SET),
    )
    tends = frozenset({_SET})

    def __init__(self) -> None:
        super().__init__()
        self._states: dict[Place, DaemonSetState] = {}
        # Of failed pods, by DaemonSet, observed generation and node.
        self._restarts: dict[tuple[str, int, str], Restarts] = {}

    def synced(self, now_s: float) -> None:
        # Of DaemonSets that rest, only nodes where something happens are judged.
        for place, state in self._states.items():
            daemon_set = self.objects.at(_SET, place)
            if self.is_as_loaded(place) and not _is_rolling(daemon_set or {}):
                state.dirty.clear()

    def keys_of(self, change: Change, before: Object | None) -> Iterator[Hashable]:
        obj = change.obj
        if change.kind == _SET:
            self._states.setdefault(place_of(obj), DaemonSetState())
            yield place_of(obj)
        elif change.kind == "Node":
            if _judged_by(before) != _judged_by(change.new):
                for place, state in self._states.items():
                    state.dirty[name(obj)] = None
                    if change.new is not None and self._stirs(place, state, obj):
                        yield place
        elif change.kind == KIND:
            yield from owners_of(obj, _SET, self.objects, adopts=False)
        else:
            for seen in filter(None, (before, change.new)):
                has_owner = controller_of(seen) is not None
                for place in owners_of(seen, _SET, self.objects):
                    known = self._states.get(place)
                    if known is not None and has_owner:
                        known.dirty[target_of(seen)] = None
                    elif known is not None:
                        known.orphans[place_of(seen)] = None
                    if known is not None or not has_owner:
                        yield place
            pod = change.new
            if before is None or pod is None or is_terminating(pod) or controller_of(pod) is None:
                return
            if is_ready(before) or not is_ready(pod):
                return
            # As upstream does, look again a second after the pod is available.
            for place in owners_of(pod, _SET, self.objects):
                daemon_set = self.objects.at(_SET, place)
                if daemon_set is not None and (wait_s := min_ready_s(daemon_set)):
                    self.look_after(place, wait_s + 1.0)

    def reconcile(self, key: Hashable, now_s: float) -> Iterator[Effect]:
        assert isinstance(key, tuple)
        place = (key[0], key[1])
        daemon_set = self.objects.at(_SET, place)
        if daemon_set is None:
            self._states.pop(place, None)
            self.refusals.pop(place, None)
            return
        if is_terminating(daemon_set):
            return
        revisions = self.objects.by(KIND, "owner", uid_of(daemon_set))
        history = history_of(daemon_set, revisions)
        step = next_step(daemon_set, history, self.objects, REVISION_LABEL)
        if step is not None:
            yield step
        elif history.current is not None:
            revision = revision_hash_of(history.current)
            yield from self._sync(place, daemon_set, history, revision, now_s)

    def _pods_for(self, daemon_set: Object, node_name: str) -> Iterable[Object]:
        return self.objects.by("Pod", "target", f"{uid_of(daemon_set)}/{node_name}")

    def _stirs(self, place: Place, state: DaemonSetState, node: Object) -> bool:
        # Whether the DaemonSet is synced because of a changed node: syncNodeUpdate of v1.36.
        daemon_set = self.objects.at(_SET, place)
        if daemon_set is None or state.rules is None:
            return True
        rules = state.rules.eligibility
        if not any(map(node_name_of, self._pods_for(daemon_set, name(node)))):
            # Pods that aren't bound yet don't count.
            return rules.may_start(node)
        return not rules.may_stay(node) or bool(status_of(daemon_set).get("numberMisscheduled"))

    def _sync(
        self, place: Place, daemon_set: Object, history: Revisions, revision: str, now_s: float
    ) -> Iterator[Effect]:
        state = self._states[place]
        if state.rules is None:
            orphans = self.objects.by("Pod", "orphan", place[0])
            state.orphans = {place_of(pod): None for pod in orphans}
        selector, claims = selector_of(daemon_set), []
        for orphan in state.orphans:
            pod = self.objects.at("Pod", orphan)
            if pod is None or controller_of(pod) is not None or is_terminating(pod):
                continue
            if selector.matches(labels(pod)):
                claims.append(adoption(daemon_set, pod, "Pod"))
        state.orphans.clear()
        yield from claims
        # One that was loaded amid a rollout, with pods of the revision that comes, goes on.
        goes_on = _is_rolling(daemon_set) and any(
            labels(pod).get(REVISION_LABEL) == revision
            for pod in self.objects.by("Pod", "owner", uid_of(daemon_set))
        )
        is_as_loaded = self.is_as_loaded(place) and not goes_on
        if state.update_rules(daemon_set, revision) and not is_as_loaded:
            owned = self.objects.by("Pod", "owner", uid_of(daemon_set))
            everywhere = (
                *state.node_states,
                *map(name, self.objects.all("Node")),
                *map(target_of, owned),
            )
            state.dirty.update(dict.fromkeys(everywhere))
        state.mark_matured(now_s)
        yield from self._judge_nodes(state, daemon_set, now_s)
        steps = list(self._manage(state, place, daemon_set, now_s))
        if not steps and not claims and not is_as_loaded:
            steps = list(self._roll(state, daemon_set))
        yield from steps
        if not steps:
            pods = self.objects.by("Pod", "owner", uid_of(daemon_set))
            live = {revision_hash_of(pod) for pod in pods} if history.old else set()
            unused = (one for one in history.old if revision_hash_of(one) not in live)
            yield from surplus(daemon_set, history.old, unused)
        if not is_as_loaded:
            counts = {field: state.counts[field] for field in _COUNTS}
            unavailable = counts["desiredNumberScheduled"] - counts["numberAvailable"]
            counts["numberUnavailable"] = unavailable
            counts["observedGeneration"] = generation_of(daemon_set)
            yield from status_update(daemon_set, **as_written(counts, _ALWAYS_WRITTEN))
        wait_s = min_ready_s(daemon_set)
        if wait_s and state.counts["numberReady"] != state.counts["numberAvailable"]:
            self.look_after(place, wait_s)

    def _judge_nodes(
        self, state: DaemonSetState, daemon_set: Object, now_s: float
    ) -> Iterator[Effect]:
        assert state.rules is not None
        selector = selector_of(daemon_set)
        for node_name in state.dirty:
            node = self.objects.get("Node", node_name)
            owned = self._pods_for(daemon_set, node_name)
            pods = [pod for pod in owned if selector.matches(labels(pod))]
            for pod in owned if len(pods) < len([*owned]) else ():
                if not selector.matches(labels(pod)) and not is_terminating(pod):
                    yield release(daemon_set, pod, "Pod")
            # Nothing more is to be done about pods that have finished and are terminating.
            pods = [pod for pod in pods if not (is_terminating(pod) and is_finished(pod))]
            is_empty = node is None and not pods
            judged = None if is_empty else node_state(state.rules, node, pods, now_s)
            state.put(node_name, judged)
        state.dirty.clear()

    def _manage(
        self, state: DaemonSetState, place: Place, daemon_set: Object, now_s: float
    ) -> Iterator[Effect]:
        creations = 1 if place in self.refusals else BURST_MAX
        deletions = BURST_MAX
        observed = int(status_of(daemon_set).get("observedGeneration") or 0)
        for node_name, acting in list(state.acting.items()):
            doomed = [*acting.doomed]
            for pod in acting.failed:
                key = (uid_of(daemon_set), observed, node_name)
                restarts = self._restarts.setdefault(key, Restarts(_BACKOFF))
                wait_s = restarts.wait_s(now_s)
                if now_s < restarts.last_s + wait_s:
                    # The whole wait, as upstream has it, however much of it is over.
                    self.look_after(place, wait_s)
                else:
                    restarts.restarted(now_s, now_s)
                    doomed.append(pod)
            doomed = doomed[:deletions]
            deletions -= len(doomed)
            for pod in doomed:
                phase = phase_of(pod)
                if phase in ("Failed", "Succeeded"):
                    verb, kind = ("kill", "Warning") if phase == "Failed" else ("delete", "Normal")
                    pod_key = "/".join(place_of(pod))
                    note = (
                        f"Found {phase.lower()} daemon pod {pod_key} on node {node_name}, "
                        f"will try to {verb} it"
                    )
                    yield self.event(daemon_set, kind, f"{phase}DaemonPod", note)
                yield deletion_of("Pod", pod)
            if acting.lacks and creations:
                creations -= 1
                yield self._creation(daemon_set, state.rules, node_name)
            # The next look shows what has come of it.
            state.dirty[node_name] = None

    def _roll(self, state: DaemonSetState, daemon_set: Object) -> Iterator[Effect]:
        strategy = update_strategy_of(daemon_set).get("type")
        if strategy != "RollingUpdate" or not state.outdated:
            return
        desired = state.counts["desiredNumberScheduled"]
        surge = rollout_bound(daemon_set, "maxSurge", desired)
        limit = surge or rollout_bound(daemon_set, "maxUnavailable", desired) or min(desired, 1)
        replaced = state.to_surge(surge, desired) if surge else state.to_replace(limit)
        for node_name, pod in [*replaced][:BURST_MAX]:
            state.dirty[node_name] = None
            if pod is None:
                yield self._creation(daemon_set, state.rules, node_name)
            else:
                yield deletion_of("Pod", pod)

    def _creation(self, daemon_set: Object, rules: DaemonRules | None, node_name: str) -> Create:
        assert rules is not None
        spec = tolerant(spec_of(daemon_set["spec"]["template"]))
        spec["affinity"] = bound_to(node_name, affinity_of(spec))
        marks = {REVISION_LABEL: rules.revision}
        if rules.generation:
            marks[GENERATION_LABEL] = template_generation_of(daemon_set)
        return Create(kind="Pod", obj=new_pod(daemon_set, extra_labels=marks, extra_spec=spec))


def _is_rolling(daemon_set: Object) -> bool:
    status = status_of(daemon_set)
    updated = int(status.get("updatedNumberScheduled") or 0)
    is_observed = status.get("observedGeneration") == generation_of(daemon_set)
    return is_observed and updated < int(status.get("desiredNumberScheduled") or 0)


def _judged_by(node: Object | None) -> tuple[Any, ...] | None:
    return None if node is None else (labels(node), taints_of(node))
