"""Eviction: who may go, at whose expense, and what is said to the others."""

from typing import Any

import pytest

from podium.api.refused import RefusedError
from podium.apiserver.subresources.eviction import Evicted, evict

Obj = dict[str, Any]

NOW_S = 1_767_225_600.0
NOW = "2026-01-01T00:00:00Z"
READY = [{"type": "Ready", "status": "True"}]


def pod(phase: str = "Running", ready: bool = True, **metadata: Any) -> Obj:
    own = {"name": "p", "namespace": "ns", "uid": "u", "resourceVersion": "7"}
    status = {"phase": phase, "conditions": READY if ready else []}
    return {"metadata": {**own, "labels": {"app": "a"}, **metadata}, "spec": {}, "status": status}


def budget(allowed: int = 1, name: str = "b", selector: Any = None, **spec: Any) -> Obj:
    status = {
        "observedGeneration": 1,
        "disruptionsAllowed": allowed,
        "currentHealthy": 1 + allowed,
        "desiredHealthy": 1,
        "expectedPods": 3,
    }
    selector = {"matchLabels": {"app": "a"}} if selector is None else selector
    metadata = {"name": name, "namespace": "ns", "generation": 1, "resourceVersion": "3"}
    return {"metadata": metadata, "spec": {"selector": selector, **spec}, "status": status}


def ask(given: Obj, *budgets: Obj, **options: Any) -> Evicted:
    eviction = {"metadata": {"name": "p"}, **({"deleteOptions": options} if options else {})}
    return evict(given, budgets, eviction, NOW_S)


def refused(given: Obj, *budgets: Obj, **options: Any) -> RefusedError:
    with pytest.raises(RefusedError) as refusal:
        ask(given, *budgets, **options)
    return refusal.value


def test_without_a_budget() -> None:
    granted = ask(pod())
    assert granted.budget is None
    assert granted.delete_options == {}
    assert granted.pod["status"]["conditions"] == [
        *READY,
        {
            "type": "DisruptionTarget",
            "status": "True",
            "reason": "EvictionByEvictionAPI",
            "message": "Eviction API: evicting",
            "lastProbeTime": None,
            "lastTransitionTime": NOW,
        },
    ]


def test_a_budget_pays() -> None:
    charged = ask(pod(), budget(allowed=2)).budget
    assert charged is not None
    assert charged["status"]["disruptionsAllowed"] == 1
    assert charged["status"]["disruptedPods"] == {"p": NOW}
    assert "conditions" not in charged["status"]


def test_a_budget_says_when_nothing_is_left() -> None:
    charged = ask(pod(), budget(allowed=1)).budget
    assert charged is not None
    assert charged["status"]["conditions"] == [
        {
            "type": "DisruptionAllowed",
            "status": "False",
            "observedGeneration": 1,
            "lastTransitionTime": NOW,
            "reason": "InsufficientPods",
            "message": "",
        }
    ]


def test_a_budget_that_is_spent() -> None:
    answer = refused(pod(), budget(allowed=0)).status()
    assert answer == {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Failure",
        "message": "Cannot evict pod as it would violate the pod's disruption budget.",
        "reason": "TooManyRequests",
        "details": {
            "causes": [
                {
                    "reason": "DisruptionBudget",
                    "message": "The disruption budget b needs 1 healthy pods and has 1 currently",
                }
            ]
        },
        "code": 429,
    }


CURRENTLY = "does not allow evicting pods currently"


@pytest.mark.parametrize(
    ("healthy", "condition", "why"),
    [
        (1, ("False", "InsufficientPods", ""), "needs 1 healthy pods and has 1 currently"),
        (4, ("False", "InsufficientPods", ""), CURRENTLY),
        (4, None, CURRENTLY),
        (4, ("True", "SufficientPods", "as it was"), CURRENTLY),
        (4, ("False", "Frozen", "a freeze"), f"{CURRENTLY} (Frozen): a freeze"),
        (0, ("False", "Frozen", "a freeze"), "needs 1 healthy pods and has 0 currently"),
        (
            0,
            ("False", "SyncFailed", "jobs.batch does not implement the scale subresource"),
            f"{CURRENTLY} because it failed sync: "
            "jobs.batch does not implement the scale subresource",
        ),
    ],
)
def test_why_a_budget_allows_nothing(
    healthy: int, condition: tuple[str, str, str] | None, why: str
) -> None:
    spent = budget(allowed=0)
    spent["status"]["currentHealthy"] = healthy
    if condition is not None:
        fields = zip(("status", "reason", "message"), condition, strict=True)
        spent["status"]["conditions"] = [{"type": "DisruptionAllowed", **dict(fields)}]
    (cause,) = refused(pod(), spent).causes
    assert cause.message == f"The disruption budget b {why}"


def test_a_budget_that_nobody_has_looked_at_yet() -> None:
    changed = budget()
    changed["metadata"]["generation"] = 2
    refusal = refused(pod(), changed)
    assert (refusal.code, refusal.retry_after_s) == (429, 10)
    (cause,) = refusal.causes
    assert cause.message == "The disruption budget b is still being processed by the server."


def test_several_budgets() -> None:
    refusal = refused(pod(), budget(name="b"), budget(name="c", selector={}))
    assert (refusal.code, refusal.reason) == (500, "")
    assert refusal.message.startswith("This pod has more than one PodDisruptionBudget")


@pytest.mark.parametrize(
    "selector",
    [{"matchLabels": {"app": "b"}}, {"matchExpressions": [{"key": "a", "operator": "Is"}]}],
)
def test_budgets_for_others_do_not_matter(selector: Obj) -> None:
    assert ask(pod(), budget(allowed=0, selector=selector)).budget is None


@pytest.mark.parametrize(
    "given",
    [
        pod("Pending"),
        pod("Succeeded"),
        pod("Failed"),
        pod(deletionTimestamp=NOW, deletionGracePeriodSeconds=30),
    ],
)
def test_some_need_no_budget(given: Obj) -> None:
    assert ask(given, budget(allowed=0), budget(allowed=0, name="c")).budget is None


@pytest.mark.parametrize(
    ("policy", "healthy", "desired", "goes"),
    [
        ("AlwaysAllow", 0, 1, True),
        ("IfHealthyBudget", 0, 1, False),
        ("IfHealthyBudget", 1, 1, True),
        (None, 1, 1, True),
        (None, 0, 0, False),
    ],
)
def test_pods_that_are_not_ready(policy: Any, healthy: int, desired: int, goes: bool) -> None:
    spent = budget(allowed=0, unhealthyPodEvictionPolicy=policy)
    spent["status"] |= {"currentHealthy": healthy, "desiredHealthy": desired}
    if goes:
        assert ask(pod(ready=False), spent).budget is None
    else:
        assert refused(pod(ready=False), spent).code == 429


def test_too_many_that_nobody_has_seen() -> None:
    swamped = budget()
    swamped["status"]["disruptedPods"] = dict.fromkeys(map(str, range(2001)), NOW)
    refusal = refused(pod(), swamped)
    assert refusal.code == 403
    assert refusal.message.startswith('poddisruptionbudget.policy "b" is forbidden: Disrupted')


@pytest.mark.parametrize(
    ("preconditions", "text"),
    [
        (
            {"uid": "v"},
            "the UID in the precondition (v) does not match the UID in record (u). "
            "The object might have been deleted and then recreated",
        ),
        (
            {"resourceVersion": "6"},
            "the ResourceVersion in the precondition (6) does not match the ResourceVersion in "
            "record (7). The object might have been modified",
        ),
    ],
)
def test_preconditions(preconditions: Obj, text: str) -> None:
    refusal = refused(pod(), preconditions=preconditions)
    assert refusal.message == f'Operation cannot be fulfilled on Pod "p": {text}'
    assert refusal.details == {"name": "p", "kind": "Pod"}


def test_the_options_of_the_deletion_are_passed_on() -> None:
    granted = ask(pod(), gracePeriodSeconds=3, preconditions={"uid": "u"})
    assert granted.delete_options == {"gracePeriodSeconds": 3}


def test_nothing_given_is_changed() -> None:
    given, paying = pod(), budget()
    before = repr((given, paying))
    ask(given, paying)
    assert repr((given, paying)) == before
