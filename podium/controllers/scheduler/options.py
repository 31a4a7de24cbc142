"""What changes how the scheduler works around its decisions: feature gates, and Podium's own."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Features:
    """Feature gates of v1.36 by Kubernetes' names in snake case, with its defaults.

    Attributes:
        scheduler_async_preemption: victims are removed while other pods are scheduled; without it
            the scheduler waits for the API.
        scheduler_pop_from_backoff_q: when no pod is active, one that still backs off is taken.
        nominated_node_name_for_expectation: a pod whose binding takes long is nominated to its
            node meanwhile.
        revert_failed_nominations: not a gate of v1.36 but the asynchronous preemption proposal's
            first idea: a preemption that fails takes its nomination back at once, instead of
            keeping it until the pod's next cycle.
    """

    scheduler_async_preemption: bool = True
    scheduler_pop_from_backoff_q: bool = True
    nominated_node_name_for_expectation: bool = True
    revert_failed_nominations: bool = False


DEFAULT_FEATURES = Features()
