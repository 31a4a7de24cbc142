"""Each rule, and what is and isn't heeded."""

import math
from functools import partial
from typing import Any, cast

import pytest

from podium.scheduler.config.scheduler_options import (
    MinimumRunTime,
    NeverPreempt,
    PreemptionProtection,
    RepeatedVictims,
)
from podium.scheduler.framework.handle import Clock
from podium.scheduler.framework.victim_history import VictimHistory
from podium.scheduler.preemption.policies.preemption_rates import PreemptionRates
from podium.scheduler.preemption.policies.protected_pods import (
    MINIMUM_PREEMPTABLE_PRIORITY,
    TOLERATION_SECONDS,
    ProtectionRule,
    minimum_run_time,
    never,
    rate,
    repeated_victim,
    rules_of,
    toleration,
)
from podium.scheduler.snapshot.listers import Listers
from podium.scheduler.snapshot.pod_classes import PodClasses
from podium.scheduler.snapshot.pod_info import PodInfo, placed_pod


def pod(name: str = "p", cls: str = "batch", at: str = "", **extra: Any) -> PodInfo:
    obj = {
        "metadata": {"name": name, "namespace": "default", "uid": name, **extra},
        "spec": {"priorityClassName": cls, "priority": 100},
        "status": {
            "startTime": "1970-01-01T00:01:00Z",
            "conditions": [
                {"type": "PodScheduled", "status": "True", "lastTransitionTime": at}
            ] if at else [],
        },
    }  # fmt: skip
    return placed_pod(obj, PodClasses())


def tolerant(**noted: str) -> ProtectionRule:
    metadata = {"name": "batch", "annotations": {_ANNOTATIONS[k]: v for k, v in noted.items()}}
    priority_class = {"kind": "PriorityClass", "metadata": metadata, "value": 100}
    return partial(toleration, Listers([priority_class]))


_ANNOTATIONS = {"below": MINIMUM_PREEMPTABLE_PRIORITY, "seconds": TOLERATION_SECONDS}
SCHEDULED = "1970-01-01T00:01:00Z"


@pytest.mark.parametrize(
    ("noted", "expected"),
    [
        ({}, None),
        ({"below": "1000", "seconds": "30"}, (90.0, 1000)),
        ({"below": "1000", "seconds": "-1"}, (math.inf, 1000)),
        ({"below": "1000"}, (60.0, 1000)),
        ({"seconds": "30"}, (90.0, 101)),
        ({"below": "high", "seconds": "30"}, (90.0, 101)),
    ],
)
def test_toleration_is_that_of_scheduler_plugins(
    noted: dict[str, str], expected: tuple[float, int] | None
) -> None:
    period = tolerant(**noted)(pod(at=SCHEDULED))
    assert (period and (period.until_s, period.below)) == expected


def test_a_pod_that_was_never_seen_scheduled_tolerates_nothing() -> None:
    period = tolerant(below="1000", seconds="30")(pod())
    assert period is not None
    assert period.until_s == math.inf


@pytest.mark.parametrize(
    ("options", "rules"),
    [
        ({}, []),
        ({"minimumRunTimes": [{"priorityClass": "batch", "duration": "1m"}]}, [minimum_run_time]),
        ({"annotatedRunTimeMax": "1m"}, [minimum_run_time]),
        ({"toleration": True, "never": {"priorityClasses": ["batch"]}}, [toleration, never]),
        ({"repeatedVictims": {"times": 1, "within": "1m"}}, [repeated_victim]),
        ({"rates": [{"victims": 1, "per": "1m"}]}, [rate]),
    ],
)
def test_each_option_switches_its_rule_on(options: dict[str, Any], rules: list[Any]) -> None:
    history, read = VictimHistory(), PreemptionProtection.model_validate(options)
    rates = PreemptionRates(read.rates, history, Clock()) if read.rates else None
    switched_on = rules_of(read, Listers(), history, rates)
    assert [cast(partial[Any], rule).func for rule in switched_on] == rules


def test_the_first_minimum_run_time_that_names_the_class_counts() -> None:
    by_class = (
        MinimumRunTime(priority_class="batch", duration_s="10s"),
        MinimumRunTime(priority_class="*", duration_s="20s"),
    )
    rule = partial(minimum_run_time, by_class, 0)
    assert [rule(one).until_s for one in (pod(), pod(cls="other"))] == [70.0, 80.0]


@pytest.mark.parametrize(("asked", "until_s"), [("15s", 75.0), ("2h", 90.0)])
def test_an_annotated_run_time_is_heeded_up_to_its_limit(asked: str, until_s: float) -> None:
    rule = partial(minimum_run_time, (), 30)
    assert rule(pod(annotations={"podium.dev/minimum-run-time": asked})).until_s == until_s


def test_a_run_time_that_is_no_duration_asks_for_nothing() -> None:
    rule = partial(minimum_run_time, (), 30)
    assert rule(pod(annotations={"podium.dev/minimum-run-time": "long"})) is None


@pytest.mark.parametrize(
    ("cls", "annotation", "protected"),
    [
        ("batch", {"podium.dev/never-preempt": "true"}, True),
        ("batch", {"podium.dev/never-preempt": "yes"}, False),
        ("other", {"podium.dev/never-preempt": "true"}, False),
        ("batch", {"cluster-autoscaler.kubernetes.io/safe-to-evict": "false"}, True),
        ("batch", {"cluster-autoscaler.kubernetes.io/safe-to-evict": "true"}, False),
    ],
)
def test_who_may_ask_never_to_be_preempted(
    cls: str, annotation: dict[str, str], protected: bool
) -> None:
    rule = partial(never, NeverPreempt(priority_classes=["batch"], safe_to_evict=True))
    assert (rule(pod(cls=cls, annotations=annotation)) is not None) is protected


def test_only_listed_namespaces_may_ask() -> None:
    rule = partial(never, NeverPreempt(priority_classes=["batch"], namespaces=["shop"]))
    assert rule(pod(annotations={"podium.dev/never-preempt": "true"})) is None


def test_a_replacement_takes_over_what_happened_to_its_predecessors() -> None:
    history = VictimHistory()
    rule = partial(repeated_victim, RepeatedVictims(times=2, within_s="100s"), history)
    owner = [{"uid": "owner", "controller": True}]
    at_s = {"first": 10.0, "second": 50.0}
    for name, moment_s in at_s.items():
        one = pod(name, ownerReferences=owner, creationTimestamp="1970-01-01T00:01:00Z")
        assert rule(one) is None
        history.preempted([one], moment_s)
        history.gone(name)
    third = pod("third", ownerReferences=owner, creationTimestamp="1970-01-01T00:01:00Z")
    assert rule(third).until_s == 110.0
    sibling = pod("sibling", ownerReferences=owner, creationTimestamp="1970-01-01T00:01:00Z")
    assert rule(sibling) is None


def test_of_a_pod_that_is_gone_nothing_is_kept() -> None:
    history = VictimHistory()
    owner = [{"uid": "owner", "controller": True}]
    made = {"ownerReferences": owner, "creationTimestamp": "1970-01-01T00:01:00Z"}
    history.preempted([pod("first", **made)], 10.0)
    history.gone("first")
    assert history.moments(pod("second", **made)) == (10.0,)
    history.gone("second")
    assert history.moments(pod("second", **made)) == ()


def test_a_pod_that_was_there_before_is_no_replacement() -> None:
    history = VictimHistory()
    rule = partial(repeated_victim, RepeatedVictims(times=1, within_s="100s"), history)
    owner = [{"uid": "owner", "controller": True}]
    history.preempted([pod("victim", ownerReferences=owner)], 120.0)
    old = pod("old", ownerReferences=owner, creationTimestamp="1970-01-01T00:01:00Z")
    assert rule(old) is None
