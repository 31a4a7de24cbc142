"""What kind of cluster a simulation is about; a seed chooses one of many kinds."""

from dataclasses import dataclass
from random import Random

from podium.api.pods import DEFAULT_SCHEDULER_NAME
from podium.cluster.drivers.faults import INSTANT, NO_FAULTS, Faults, Latency
from podium.scheduler.machine.context import DEFAULT_FEATURES, Features

FEW_FAULTS = Faults(
    refused=0.02,
    unanswered=0.01,
    slow=0.05,
    repeated=0.05,
    broken_watches=0.01,
    slow_watches=0.05,
    restarts=0.001,
)
MANY_FAULTS = Faults(
    refused=0.15,
    unanswered=0.1,
    slow=0.2,
    repeated=0.1,
    broken_watches=0.05,
    slow_watches=0.2,
    restarts=0.01,
)
_ONE, _TWO = (DEFAULT_SCHEDULER_NAME,), (DEFAULT_SCHEDULER_NAME, "other")


@dataclass(frozen=True, kw_only=True)
class Settings:
    """One kind of cluster."""

    faults: Faults = NO_FAULTS
    latency: Latency = INSTANT
    features: Features = DEFAULT_FEATURES
    schedulers: tuple[str, ...] = _ONE
    changes_nodes: bool = True

    @property
    def is_calm(self) -> bool:
        """Whether a scheduler that makes no mistake never puts a pod where it has no room."""
        return self.faults == NO_FAULTS and len(self.schedulers) == 1 and not self.changes_nodes


def settings_of(seed: int) -> Settings:
    """The kind of cluster that belongs to a seed."""
    rng = Random(seed)
    faults = rng.choice((NO_FAULTS, NO_FAULTS, FEW_FAULTS, MANY_FAULTS))
    latency = rng.choice(
        (
            INSTANT,
            Latency(0.05, 0.05, 0.02),
            Latency(0.05, 0.05, 0.1, is_exponential=True),
            Latency(1.0, 1.0, 1.0, is_exponential=True),
        )
    )
    features = Features(
        scheduler_async_preemption=rng.random() < 0.8,
        scheduler_pop_from_backoff_q=rng.random() < 0.8,
        nominated_node_name_for_expectation=rng.random() < 0.8,
        revert_failed_nominations=rng.random() < 0.3,
    )
    return Settings(
        faults=faults,
        latency=latency,
        features=features,
        schedulers=rng.choice((_ONE, _ONE, _TWO)),
        changes_nodes=rng.random() < 0.8,
    )
