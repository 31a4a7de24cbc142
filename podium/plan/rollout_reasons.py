"""Why rollouts come to no end: which of their pods aren't there, and what is in their way."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from podium.plan.outcome import NodeRefusal, PendingPod, RejectedObject
from podium.plan.rollouts import Rollout


def with_reasons(
    rollouts: Iterable[Rollout],
    pending: Sequence[PendingPod],
    rejected: Sequence[RejectedObject],
    refusals: Sequence[NodeRefusal],
) -> Iterator[Rollout]:
    """Rollouts, those that aren't complete with what is in their way, as far as that is known."""
    for rollout in rollouts:
        if rollout.state == "Complete":
            yield rollout
            continue
        waiting = [one for one in pending if one.workload == rollout.workload]
        reasons = [f"{one.pod} stays pending: {_gist(one.message)}" for one in waiting]
        reasons += [
            f"the API doesn't let in {one.object}: {one.message}"
            for one in rejected
            if one.workload == rollout.workload
        ]
        reasons += [
            f"{one.node} refuses {one.pod}: {one.message or one.reason}"
            for one in refusals
            if one.workload == rollout.workload
        ]
        yield replace(rollout, reason=reasons[0] if reasons else "")


def _gist(message: str) -> str:
    """What the scheduler says, but for what it says of preemption."""
    return message.partition(". ")[0].rstrip(".")
