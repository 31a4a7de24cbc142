"""One call about a pod at a time, the latest wish last."""

import pytest

from podium.machines.effects import Bind, Effect, Patch
from podium.machines.events import UNKNOWN_OUTCOME
from podium.scheduler.machine.api_dispatcher import APIDispatcher, PodCall, patched_conditions
from tests.scheduler.machine.builders import done, failed, pending

UNSCHEDULABLE = {
    "type": "PodScheduled",
    "status": "False",
    "reason": "Unschedulable",
    "message": "no room",
}
NOW_S = 1_767_225_600.0


@pytest.fixture
def dispatcher() -> APIDispatcher:
    return APIDispatcher()


def only(effects: list[Effect]) -> Effect:
    assert len(effects) == 1
    return effects[0]


def answer(dispatcher: APIDispatcher, effect: Effect, outcome, now_s: float = NOW_S) -> bool:
    assert isinstance(effect.purpose, PodCall)
    return dispatcher.outcome(effect.purpose, outcome, now_s)


def test_a_condition_and_a_nomination_go_out_as_one_patch_after_the_first(
    dispatcher: APIDispatcher,
) -> None:
    pod = pending()
    dispatcher.set_status(pod, NOW_S, condition=UNSCHEDULABLE)
    first = only(dispatcher.take())
    dispatcher.set_status(pod, NOW_S, nomination="n1")
    dispatcher.set_status(pod, NOW_S, condition={**UNSCHEDULABLE, "message": "still none"})
    assert dispatcher.take() == []
    answer(dispatcher, first, done(first))
    second = only(dispatcher.take())
    assert isinstance(second, Patch)
    assert second.body["status"]["nominatedNodeName"] == "n1"
    assert second.body["status"]["conditions"][0]["message"] == "still none"
    assert second.body["metadata"] == {"uid": "uid-p"}
    answer(dispatcher, second, done(second))
    assert dispatcher.take() == []
    assert dispatcher.is_idle()


def test_what_the_status_says_already_is_not_written_again(dispatcher: APIDispatcher) -> None:
    since = "2026-01-01T00:00:00Z"
    pod = pending(
        status={
            "nominatedNodeName": "n1",
            "conditions": [{**UNSCHEDULABLE, "lastTransitionTime": since}],
        }
    )
    dispatcher.set_status(pod, NOW_S + 100, condition=UNSCHEDULABLE)
    dispatcher.set_status(pod, NOW_S, nomination="n1")
    assert dispatcher.take() == []
    dispatcher.set_status(pod, NOW_S + 100, condition={**UNSCHEDULABLE, "message": "other"})
    patch = only(dispatcher.take())
    assert isinstance(patch, Patch)
    assert patch.body["status"]["conditions"][0]["lastTransitionTime"] == since


def test_an_empty_nomination_removes_the_field(dispatcher: APIDispatcher) -> None:
    dispatcher.set_status(pending(status={"nominatedNodeName": "n1"}), NOW_S, nomination="")
    patch = only(dispatcher.take())
    assert isinstance(patch, Patch)
    assert patch.body["status"] == {"nominatedNodeName": None}


def test_a_binding_waits_for_the_patch_under_way_and_replaces_those_that_wait(
    dispatcher: APIDispatcher,
) -> None:
    pod = pending()
    dispatcher.set_status(pod, NOW_S, condition=UNSCHEDULABLE)
    patch = only(dispatcher.take())
    dispatcher.set_status(pod, NOW_S, nomination="n1")
    dispatcher.bind(pod, "n2")
    assert dispatcher.take() == []
    answer(dispatcher, patch, failed(patch))
    # The failed patch would be tried again, were it not overtaken.
    assert dispatcher.next_wakeup_s() is None
    binding = only(dispatcher.take())
    assert isinstance(binding, Bind)
    assert (binding.name, binding.uid, binding.node_name) == ("p", "uid-p", "n2")
    assert answer(dispatcher, binding, done(binding))
    assert dispatcher.is_idle()


def test_a_failed_patch_is_tried_again_later_with_what_came_since(
    dispatcher: APIDispatcher,
) -> None:
    pod = pending()
    dispatcher.set_status(pod, NOW_S, condition=UNSCHEDULABLE)
    first = only(dispatcher.take())
    answer(dispatcher, first, failed(first))
    dispatcher.set_status(pod, NOW_S, nomination="n1")
    assert dispatcher.take() == []
    assert dispatcher.next_wakeup_s() == NOW_S + 1
    dispatcher.wake(NOW_S + 0.5)
    assert dispatcher.take() == []
    dispatcher.wake(NOW_S + 1)
    second = only(dispatcher.take())
    assert isinstance(second, Patch)
    assert second.body["status"].keys() >= {"conditions", "nominatedNodeName"}
    answer(dispatcher, second, failed(second), NOW_S + 1)
    assert dispatcher.next_wakeup_s() == NOW_S + 3


def test_a_binding_does_not_wait_for_a_failed_patch_to_be_tried_again(
    dispatcher: APIDispatcher,
) -> None:
    pod = pending()
    dispatcher.set_status(pod, NOW_S, condition=UNSCHEDULABLE)
    patch = only(dispatcher.take())
    answer(dispatcher, patch, failed(patch))
    assert dispatcher.next_wakeup_s() == NOW_S + 1
    dispatcher.bind(pod, "n1")
    assert isinstance(only(dispatcher.take()), Bind)
    assert dispatcher.next_wakeup_s() is None


def test_new_conditions_come_after_those_that_a_pod_has() -> None:
    """Without an order of its own, a strategic merge patch would put them first."""
    has = {"conditions": [{"type": "Ready"}, {"type": "PodScheduled"}]}
    new = [{"type": "DisruptionTarget"}, {"type": "PodScheduled", "status": "True"}]
    assert patched_conditions(pending(status=has).obj, new) == {
        "conditions": [new[1], new[0]],
        "$setElementOrder/conditions": [
            {"type": "Ready"},
            {"type": "PodScheduled"},
            {"type": "DisruptionTarget"},
        ],
    }


@pytest.mark.parametrize("reason", ["NotFound", "Forbidden", "Invalid"])
def test_a_hopeless_patch_is_given_up(dispatcher: APIDispatcher, reason: str) -> None:
    dispatcher.set_status(pending(), NOW_S, nomination="n1")
    patch = only(dispatcher.take())
    answer(dispatcher, patch, failed(patch, reason))
    assert dispatcher.is_idle()
    assert dispatcher.next_wakeup_s() is None


def test_outcomes_that_come_twice_or_too_late_are_passed_over(dispatcher: APIDispatcher) -> None:
    pod = pending()
    dispatcher.set_status(pod, NOW_S, nomination="n1")
    first = only(dispatcher.take())
    dispatcher.set_status(pod, NOW_S, nomination="n2")
    answer(dispatcher, first, done(first))
    second = only(dispatcher.take())
    assert not answer(dispatcher, first, failed(first))
    assert dispatcher.take() == []
    dispatcher.forget(pod.uid)
    assert not answer(dispatcher, second, done(second))


def test_a_binding_with_unknown_outcome_is_asked_for_again_until_that_is_settled(
    dispatcher: APIDispatcher,
) -> None:
    pod = pending()
    dispatcher.bind(pod, "n1")
    first = only(dispatcher.take())
    assert not answer(dispatcher, first, failed(first, UNKNOWN_OUTCOME, 504))
    dispatcher.wake(NOW_S + 1)
    second = only(dispatcher.take())
    assert isinstance(second, Bind)
    # A conflict now only says that the first may have been carried out.
    assert not answer(dispatcher, second, failed(second, "Conflict", 409), NOW_S + 1)
    assert dispatcher.drop_uncertain_binding(pod.uid)
    assert dispatcher.is_idle()


def test_a_binding_refused_at_once_is_settled(dispatcher: APIDispatcher) -> None:
    dispatcher.bind(pending(), "n1")
    binding = only(dispatcher.take())
    assert answer(dispatcher, binding, failed(binding, "Conflict", 409))
    assert not dispatcher.drop_uncertain_binding("uid-p")


def test_a_patch_names_the_newest_version_that_is_known(dispatcher: APIDispatcher) -> None:
    pod = pending(resourceVersion="7")
    dispatcher.set_status(pod, NOW_S, nomination="n1")
    first = only(dispatcher.take())
    assert isinstance(first, Patch)
    assert first.body["metadata"] == {"uid": "uid-p", "resourceVersion": "7"}
    dispatcher.set_status(pod, NOW_S, nomination="n2")
    answer(dispatcher, first, done(first, {"metadata": {"resourceVersion": "9"}}))
    second = only(dispatcher.take())
    assert isinstance(second, Patch)
    assert second.body["metadata"]["resourceVersion"] == "9"
    dispatcher.seen(pending(resourceVersion="12"))
    answer(dispatcher, second, failed(second, "Conflict", 409))
    dispatcher.wake(NOW_S + 1)
    third = only(dispatcher.take())
    assert isinstance(third, Patch)
    assert third.body["metadata"]["resourceVersion"] == "12"


def test_a_patch_that_keeps_failing_is_sent_again_for_ever(dispatcher: APIDispatcher) -> None:
    dispatcher.set_status(pending(), NOW_S, condition=UNSCHEDULABLE)
    now_s, waits_s = NOW_S, list[float]()
    for _ in range(2000):
        sent = only(dispatcher.take())
        answer(dispatcher, sent, failed(sent, "InternalError"), now_s)
        due_s = dispatcher.next_wakeup_s()
        assert due_s is not None
        waits_s.append(due_s - now_s)
        now_s = due_s
        dispatcher.wake(now_s)
    assert waits_s[:5] == [1.0, 2.0, 4.0, 8.0, 10.0]
    assert waits_s[-1] == 10.0


def test_patches_beyond_the_limit_wait_nominations_less_long(dispatcher: APIDispatcher) -> None:
    dispatcher.patches_max = 1
    first, second, third, fourth = (pending(name) for name in ("a", "b", "c", "d"))
    for pod in (first, second, fourth):
        dispatcher.set_status(pod, NOW_S, condition=UNSCHEDULABLE)
    dispatcher.set_status(third, NOW_S, nomination="n1")
    patch = only(dispatcher.take())
    answer(dispatcher, patch, done(patch))
    nomination = only(dispatcher.take())
    assert isinstance(nomination, Patch)
    assert nomination.name == "c"
    dispatcher.bind(second, "n1")
    binding = only(dispatcher.take())
    assert isinstance(binding, Bind)
    answer(dispatcher, binding, done(binding))
    answer(dispatcher, nomination, done(nomination))
    last = only(dispatcher.take())
    assert isinstance(last, Patch)
    assert last.name == "d"
    answer(dispatcher, last, done(last))
    assert dispatcher.is_idle()
