"""What holds for every node under pressure, whatever its pods do."""

from typing import NamedTuple

from hypothesis import given
from hypothesis import strategies as st

from podium.kubelet.eviction.eviction_manager import EvictionRound
from podium.kubelet.eviction.node_statistics import Observation, PodUsage
from podium.kubelet.eviction.signals import Signal
from tests.kubelet.eviction.builders import Node, config, pod

CAPACITY = 1000
HARD, SOFT, RECLAIM = 100, 300, 150
GRACE_S, TRANSITION_S = 40, 70
KUBELET = {
    "evictionHard": {"memory.available": str(HARD)},
    "evictionSoft": {"memory.available": str(SOFT)},
    "evictionSoftGracePeriod": {"memory.available": f"{GRACE_S}s"},
    "evictionMinimumReclaim": {"memory.available": str(RECLAIM)},
    "evictionPressureTransitionPeriod": f"{TRANSITION_S}s",
}
CRITICAL = 2_000_000_000


class Claim(NamedTuple):
    requested: int
    used: int
    priority: int
    is_known: bool

    @property
    def exceeds(self) -> bool:
        return self.used > self.requested


CLAIMS = st.builds(
    Claim,
    st.integers(0, 200),
    st.integers(0, 200),
    st.sampled_from([0, 5, CRITICAL]),
    st.sampled_from([True, True, True, False]),
)
STEPS = st.lists(
    st.tuples(st.sampled_from([1, 10, 30, 40, 70]), st.integers(0, CAPACITY)),
    min_size=1,
    max_size=12,
)


def node_of(claims: list[Claim]) -> Node:
    pods = [pod(f"p{i}", str(one.requested), one.priority) for i, one in enumerate(claims)]
    made = Node(config(**KUBELET), pods)
    made.usage = {
        f"p{i}": PodUsage(memory_bytes=one.used) for i, one in enumerate(claims) if one.is_known
    }
    return made


def available(amount: int) -> dict[Signal, Observation]:
    return {Signal.MEMORY_AVAILABLE: Observation(amount, CAPACITY)}


def evicted(eviction_round: EvictionRound) -> list[int]:
    return [int(one.pod["metadata"]["name"][1:]) for one in eviction_round.evictions]


@given(st.lists(CLAIMS, max_size=6), STEPS)
def test_nobody_within_requests_goes_before_somebody_above(
    claims: list[Claim], steps: list[tuple[int, int]]
) -> None:
    node = node_of(claims)
    left = dict(enumerate(claims))
    for after_s, amount in steps:
        for index in evicted(node.look(available(amount), after_s)):
            gone = left.pop(index)
            assert gone.priority < CRITICAL
            if gone.is_known and not gone.exceeds:
                rest = [one for one in left.values() if one.priority < CRITICAL]
                assert not [one for one in rest if one.exceeds or not one.is_known]


@given(STEPS)
def test_a_soft_threshold_never_acts_before_its_grace_period(steps: list[tuple[int, int]]) -> None:
    node = node_of([Claim(0, 1, 0, True)] * 3)
    low_since_s: float | None = None
    for after_s, amount in steps:
        eviction_round = node.look(available(amount), after_s)
        if amount >= SOFT + RECLAIM:
            low_since_s = None
        elif low_since_s is None and amount < SOFT:
            low_since_s = node.now_s
        if eviction_round.evictions and eviction_round.evictions[0].grace_period_s != 1:
            assert low_since_s is not None
            assert node.now_s - low_since_s >= GRACE_S


@given(STEPS)
def test_a_condition_stays_for_the_transition_period(steps: list[tuple[int, int]]) -> None:
    node = node_of([])
    last_met_s = float("-inf")
    for after_s, amount in steps:
        node.look(available(amount), after_s)
        if node.manager.since:
            last_met_s = node.now_s
        is_present = "MemoryPressure" in node.manager.conditions
        assert is_present == (node.now_s - last_met_s < TRANSITION_S)


@given(st.lists(CLAIMS, min_size=1, max_size=8))
def test_reclaiming_goes_on_until_it_is_enough_or_nobody_is_left(claims: list[Claim]) -> None:
    node = node_of(claims)
    left = dict(enumerate(claims))
    free = HARD - 1
    while gone := evicted(node.look(available(free), 10)):
        assert free < HARD + RECLAIM or node.manager.met
        free += sum(left.pop(index).used for index in gone)
    assert free >= HARD + RECLAIM or all(one.priority >= CRITICAL for one in left.values())
