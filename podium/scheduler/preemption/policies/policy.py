"""What Podium's options forbid preemption to do; nothing by default.

Single pods are protected by shields; sets of victims stand before walls. A preemptor that is held
back by nothing else is told when it is worth trying again.
"""

import math
from collections.abc import Sequence

from podium.api.values.times import timestamp
from podium.scheduler.framework.handle import Handle
from podium.scheduler.framework.interface import Held
from podium.scheduler.preemption.policies.protection.rules import rules_of
from podium.scheduler.preemption.policies.protection.shields import Shields
from podium.scheduler.preemption.policies.walls import BudgetWalls, RateWalls, Wall
from podium.scheduler.snapshot.arrays import Rows
from podium.scheduler.snapshot.pod_info import PodInfo

_WITNESSES_MAX = 3


class PreemptionPolicy:
    """The shields and walls of a scheduler's options.

    Attributes:
        shields: of single pods; None if no option protects any.

    Args:
        handle: the cluster.
    """

    def __init__(self, handle: Handle) -> None:
        options, clock, history = handle.options, handle.clock, handle.history
        protection = options.protection
        self._rates = RateWalls(protection.rates, history, clock)
        self._budgets = BudgetWalls(options, handle.snapshot, handle.budgets, history)
        rules = rules_of(protection, handle.listers, history, self._rates)
        followed = self._rates if protection.rates else None
        self.shields = (
            Shields(rules, handle.snapshot, handle.listers, followed, clock) if rules else None
        )
        self._leaving = history.leaving

    def update(self) -> None:
        """Bring shields up to date; to be called before each dry run."""
        if self.shields is not None:
            self.shields.update()

    def wall(self, preemptor: PodInfo, victims: Sequence[PodInfo]) -> Wall | None:
        """What stands before these victims; those that leave anyhow aren't taken by anybody."""
        fresh = [pod for pod in victims if not pod.cls.terminating and pod.uid not in self._leaving]
        return self._rates.before(fresh) or self._budgets.before(preemptor, fresh)

    def held(self, preemptor: PodInfo, rejected: Rows, walls: Sequence[Wall]) -> Held | None:
        """What holds a preemptor back that found no node; None if no option has a part in it.

        Args:
            preemptor: the pod.
            rejected: int[n], the rows where preemption doesn't help.
            walls: that stood before victims.
        """
        shields = self.shields
        shielded = [] if shields is None else shields.on(rejected, preemptor.priority)
        if not shielded and not walls:
            return None
        until_s = [*(one.shield.until_s for one in shielded), *(one.until_s for one in walls)]
        reasons = [*dict.fromkeys(one.reason for one in walls)]
        reasons += [
            f"{one.pod.key} may not be preempted{before(one.shield.until_s)}: {one.shield.reason}"
            for one in sorted(shielded, key=lambda one: (one.shield.until_s, one.pod.key))
        ]
        more = len(reasons) - _WITNESSES_MAX
        listed = [*reasons[:_WITNESSES_MAX], *([f"and {more} more"] if more > 0 else [])]
        budgets = frozenset(one.budget for one in walls if one.budget)
        return Held("; ".join(listed), min(until_s), budgets)


def policy_of(handle: Handle) -> PreemptionPolicy | None:
    """The policy of a handle's options; None if they forbid nothing."""
    return PreemptionPolicy(handle) if handle.options.limits_preemption else None


def before(until_s: float) -> str:
    """The end of a sentence about what lasts until a moment; nothing if it lasts for ever."""
    return "" if until_s == math.inf else f" before {timestamp(math.ceil(until_s))}"
