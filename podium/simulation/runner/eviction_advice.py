"""Why budgets refuse evictions, and which changes would allow them.

Each advice is verified: the budget's status is computed for the changed budget or pods, and the
eviction is tried again.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress

import msgspec
from msgspec.structs import replace

from podium.api.errors import RefusedError
from podium.api.kinds.builtin_kinds import kind_of
from podium.api.objects import (
    DEFAULT_NAMESPACE,
    Object,
    controller_of,
    key,
    name,
    namespace,
    spec_of,
    uid,
)
from podium.api.pods import is_active, is_ready
from podium.api.policy.disruption_budgets import (
    BOUNDS,
    SYNC_FAILED,
    CountedBudget,
    allowance,
    bound_text,
    fewest_pods,
    needs_scale,
    scale_error,
    scale_finder,
    selects,
    sync_failure,
)
from podium.api.values.message_words import count, listed
from podium.api.values.times import NANOS_PER_SECOND
from podium.apiserver.store.store import Store
from podium.apiserver.subresources.bind_and_evict import evict

DELETION = "deleting a pod instead of evicting it passes over budgets, at the application's risk"
"""The advice that helps whatever the budget says."""

_READY = {"type": "Ready", "status": "True"}
_NAMED_MAX = 3


class EvictionBlock(msgspec.Struct, frozen=True):
    """Budgets that refuse the eviction of pods."""

    budgets: tuple[str, ...]
    pods: tuple[str, ...]
    reason: str
    remedies: tuple[str, ...]

    @property
    def text(self) -> str:
        return advised(self.reason, self.remedies)


def advised(reason: str, remedies: Sequence[str]) -> str:
    """Join the reason of a refusal and its remedies into one sentence."""
    return f"{reason}; to let one go, {', or '.join(remedies)}" if remedies else reason


def eviction_blocks(store: Store, pods: Iterable[Object], now_s: float) -> list[EvictionBlock]:
    """Find the budgets that refuse evictions, and what would help."""
    blocked: dict[tuple[str, ...], tuple[list[Object], list[Object]]] = {}
    for pod in pods:
        now = store.get("Pod", namespace(pod), name(pod))
        budgets = [] if now is None or uid(now) != uid(pod) else selecting_budgets(store, now)
        if now is not None and budgets:
            blocked.setdefault(tuple(map(key, budgets)), (budgets, []))[1].append(now)
    return [_block(store, *block, now_s) for block in blocked.values()]


def selecting_budgets(store: Store, pod: Object) -> list[Object]:
    """Return the budgets that select a pod, by name."""
    budgets = store.list("PodDisruptionBudget", namespace(pod)).items
    return [budget for budget in budgets if selects(budget, pod)]


def _block(
    store: Store, budgets: Sequence[Object], refused: Sequence[Object], now_s: float
) -> EvictionBlock:
    trials = [_Trial(store, budget, refused, now_s) for budget in budgets]
    if len(trials) == 1:
        reason, remedies = trials[0].reason(), tuple(trials[0].remedies())
    else:
        names, both = (
            " and ".join(trial.called for trial in trials),
            "both" if len(budgets) == 2 else "all",
        )
        reason = (
            f"budgets {names} {both} select {_named(refused)}, and the eviction API refuses such a "
            "pod whatever they allow"
        )
        remedies = tuple(_with_one_alone(trials))
    return EvictionBlock(tuple(map(key, budgets)), tuple(map(key, refused)), reason, remedies)


def _with_one_alone(trials: Sequence["_Trial"]) -> Iterator[str]:
    # Pods that several budgets select: all of these but one have to go.
    allowing = [trial.called for trial in trials if trial.is_allowed]
    if allowing:
        yield f"keep budget {' or '.join(allowing)} alone, which allows it"
        return
    for one in trials:
        for remedy in [*one.remedies()][:1]:
            yield f"keep budget {one.called} alone, and {remedy}"


class _Trial:
    """Trials of refused evictions with a changed budget or changed pods."""

    def __init__(
        self, store: Store, budget: Object, refused: Sequence[Object], now_s: float
    ) -> None:
        self.budget, self.called = budget, _called(budget)
        self._refused, self._now_s = refused, now_s
        self._scale_of = scale_finder(store.get)
        pods = store.list("Pod", namespace(budget)).items
        self._counted = CountedBudget.of(
            budget, pods, self._scale_of, int(now_s * NANOS_PER_SECOND)
        )
        self._pods, self._expected = self._counted.pods, self._counted.expected
        self._scales = {
            scale.uid: scale
            for pod in self._pods
            if (owner := controller_of(pod)) is not None
            and (scale := self._scale_of(owner, namespace(pod))) is not None
        }

    def reason(self) -> str:
        budget, status = self.budget, self._counted.status()
        subject = f"budget {self.called}"
        if needs_scale(budget) and not self._expected:
            return f"{subject} can't be computed, and so allows no disruption: {self._unscaled()}"
        if all(spec_of(budget).get(field) is None for field in BOUNDS):
            return f"{subject} never allows a disruption: it has {bound_text(spec_of(budget))}"
        total, needed, healthy = self._total, status.desired_healthy, status.current_healthy
        if needed > total:
            counts = f"it needs {count(needed, 'healthy pod')} where there are only {total}"
        elif needed < total:
            counts = f"it needs {needed} of {total} pods healthy"
        else:
            counts = f"it needs all of its {total} pods healthy"
            counts = "it needs its only pod healthy" if total == 1 else counts
        if healthy < min(needed + 1, total):
            counts += f", and has {healthy}"
        if not allowance(budget, total):
            how_many = "" if fewest_pods(budget, total) else ", however many there are"
            return f"{subject} never allows a disruption: {counts}{how_many}"
        if healthy <= needed:
            missing = count(needed + 1 - healthy, "more healthy pod")
            return f"{subject} waits for {missing}: {counts}"
        return f"{subject} allows no disruption yet: {counts}, and has {healthy}"

    def remedies(self) -> Iterator[str]:
        yield from self._with_healthy_pods()
        yield from self._with_more_replicas()
        yield from self._with_another_bound()
        spec = {**self.budget["spec"], "unhealthyPodEvictionPolicy": "AlwaysAllow"}
        lenient = replace(self._counted, budget={**self.budget, "spec": spec})
        sick = [pod for pod in self._refused if not is_ready(pod)]
        if sick and self._lets_go(lenient, sick):
            verb = "isn't ready itself" if len(sick) == 1 else "aren't ready themselves"
            yield (
                f"set unhealthyPodEvictionPolicy: AlwaysAllow in budget {self.called}, as "
                f"{_named(sick)} {verb}"
            )

    @property
    def _total(self) -> int:
        """The number of pods that controllers want; if unknown, the number of active pods."""
        if needs_scale(self.budget):
            return self._expected or 0
        if self._expected and all(controller_of(pod) is not None for pod in self._pods):
            return self._expected
        return sum(map(is_active, self._pods))

    def _unscaled(self) -> str:
        strangers = {
            f"{owner['kind']} {owner['name']}"
            for pod in self._pods
            if (owner := controller_of(pod)) is not None and kind_of(owner) is None
        }
        if strangers:
            names = listed(sorted(strangers), _NAMED_MAX)
            return f"how many pods {names} should have isn't known here"
        if self._expected is None:
            why = sync_failure(self.budget) or scale_error(self._pods, self._scale_of)
            return f"{why} ({SYNC_FAILED})"
        if any(controller_of(pod) is not None for pod in self._pods):
            return "the controllers of its pods want none"
        return "its pods have no controller that says how many there should be"

    def _with_healthy_pods(self) -> Iterator[str]:
        unready = [pod for pod in self._pods if is_active(pod) and not is_ready(pod)]
        if not unready or not allowance(self.budget, self._total):
            return
        healed = [
            {**pod, "status": {**pod["status"], "conditions": [_READY]}} if pod in unready else pod
            for pod in self._pods
        ]
        if self._lets_go(replace(self._counted, pods=healed)):
            yield f"have {_named(unready)} become ready"

    def _with_more_replicas(self) -> Iterator[str]:
        total, sick = self._total, any(not is_ready(pod) for pod in self._refused)
        unhealthy = max(total - self._counted.status().current_healthy, 0)
        is_stuck = unhealthy and any(scale.is_ordered for scale in self._scales.values())
        if not self._scales or is_stuck:
            return
        # A pod that isn't ready may go where the budget has enough without it.
        for spare in (0, 1) if sick else (1,):
            wanted = fewest_pods(self.budget, total + 1, unhealthy=unhealthy, spare=spare)
            if wanted is None:
                continue
            more = [
                {"metadata": {"name": str(n)}, "status": {"conditions": [_READY]}}
                for n in range(wanted - total)
            ]
            if self._lets_go(replace(self._counted, pods=[*self._pods, *more], expected=wanted)):
                break
        else:
            return
        if len(self._scales) == 1:
            (scale,) = self._scales.values()
            yield f"scale {scale.controller} to {scale.replicas + wanted - total}"
        else:
            owners = listed([one.controller for one in self._scales.values()], _NAMED_MAX)
            yield f"scale {owners} up, to {wanted} pods in all"

    def _with_another_bound(self) -> Iterator[str]:
        looser = next(filter(self._lets_go, self._counted.looser()), None)
        if looser is None:
            return
        before, after = spec_of(self.budget), spec_of(looser.budget)
        field = next(field for field in BOUNDS if after.get(field) is not None)
        other = next((one for one in BOUNDS if before.get(one) is not None), field)
        replaced = f" in place of {other}" if other != field else ""
        yield f"set {bound_text(after)}{replaced} in budget {self.called}"

    @property
    def is_allowed(self) -> bool:
        """Return whether the budget alone, with a new status, allows a refused eviction."""
        return self._lets_go(self._counted)

    def _lets_go(self, counted: CountedBudget, pods: Sequence[Object] = ()) -> bool:
        budget = counted.with_status()
        for pod in pods or self._refused:
            with suppress(RefusedError):
                evict(pod, [budget], {}, self._now_s)
                return True
        return False


def _called(budget: Object) -> str:
    # As in the sentences of a timeline.
    return name(budget) if namespace(budget) == DEFAULT_NAMESPACE else key(budget)


def _named(pods: Iterable[Object]) -> str:
    return listed([*map(name, pods)], _NAMED_MAX)
