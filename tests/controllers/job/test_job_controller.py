"""Jobs from their first pod to their end, over a real API server."""

from typing import Any

import pytest

from podium.cluster.drivers.faults import NO_FAULTS, Faults
from podium.controllers.garbage_collector import GarbageCollector
from podium.controllers.job.job_controller import JobController
from podium.controllers.job.sync_context import FAILURES, TRACKING
from podium.machines.effects import Create, Effect, Patch
from tests.controllers import builders
from tests.controllers.builders import Hand
from tests.controllers.worlds import START_S, World

Obj = dict[str, Any]


def job(run: str = "10s", code: int = 0, restart: str = "Never", **spec: Any) -> Obj:
    script = {"podium.dev/run-duration": run, "podium.dev/exit-code": str(code)}
    template = {
        "metadata": {"annotations": script},
        "spec": {"containers": [{"name": "c", "image": "i"}], "restartPolicy": restart},
    }
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": "j", "namespace": "default"},
        "spec": {"template": template, **spec},
    }


def world_with(one: Obj, **options: Any) -> World:
    world = World(JobController, **options)
    world.create(one)
    return world


def status(world: World) -> Obj:
    found: Obj = world.get("Job", "j")["status"]
    return found


def conditions(world: World) -> list[tuple[str, str, str]]:
    return [(one["type"], one["status"], one["reason"]) for one in status(world)["conditions"]]


def phases(world: World) -> list[str]:
    return sorted(pod["status"]["phase"] for pod in world.all("Pod"))


def started_at(world: World) -> list[int]:
    seconds = [one["metadata"]["creationTimestamp"][-6:-1] for one in world.all("Pod")]
    return sorted(int(text[:2]) * 60 + int(text[3:]) for text in seconds)


def numbers(world: World) -> Obj:
    return {
        field: status(world).get(field)
        for field in ("active", "ready", "terminating", "succeeded", "failed")
    }


def test_pods_run_until_enough_have_succeeded() -> None:
    world = world_with(job(completions=3, parallelism=2))
    world.run_until(5)
    assert numbers(world) == {
        "active": 2,
        "ready": 2,
        "terminating": 0,
        "succeeded": None,
        "failed": None,
    }
    world.run_until(15)
    assert (status(world)["active"], status(world)["succeeded"]) == (1, 2)
    world.run_until(60)
    assert status(world)["succeeded"] == 3
    assert conditions(world) == [
        ("SuccessCriteriaMet", "True", "CompletionsReached"),
        ("Complete", "True", "CompletionsReached"),
    ]
    assert status(world)["startTime"] == "2026-01-01T00:00:00Z"
    assert status(world)["completionTime"] == "2026-01-01T00:00:22Z"
    assert status(world)["uncountedTerminatedPods"] == {}
    assert not any(TRACKING in pod["metadata"].get("finalizers", ()) for pod in world.all("Pod"))
    assert world.events("Completed") == ["Job completed"]
    assert len(world.events("SuccessfulCreate")) == 3


def test_failures_wait_ever_longer_until_the_limit_is_passed() -> None:
    world = world_with(job(run="1s", code=1, backoffLimit=3))
    world.run_until(300)
    assert started_at(world) == [0, 11, 32, 73]
    assert numbers(world)["failed"] == 4
    assert conditions(world) == [
        ("FailureTarget", "True", "BackoffLimitExceeded"),
        ("Failed", "True", "BackoffLimitExceeded"),
    ]
    assert "completionTime" not in status(world)
    assert world.events("BackoffLimitExceeded") == ["Job has reached the specified backoff limit"]


def test_restarts_in_place_count_as_well() -> None:
    world = world_with(job(run="1s", code=1, restart="OnFailure", backoffLimit=2))
    world.run_until(300)
    assert conditions(world)[-1] == ("Failed", "True", "BackoffLimitExceeded")
    assert world.all("Pod") == []


def test_a_job_that_takes_too_long_is_ended_with_its_pods() -> None:
    world = world_with(job(run="1h", parallelism=2, completions=2, activeDeadlineSeconds=20))
    world.run_until(21)
    assert conditions(world) == [("FailureTarget", "True", "DeadlineExceeded")]
    assert numbers(world)["terminating"] == 2
    world.run_until(100)
    assert conditions(world)[-1] == ("Failed", "True", "DeadlineExceeded")
    assert (numbers(world)["failed"], phases(world)) == (2, [])


def test_numbered_pods_know_their_numbers_and_finish_once_each() -> None:
    world = world_with(job(completions=4, parallelism=2, completionMode="Indexed"))
    world.run_until(15)
    assert status(world)["completedIndexes"] == "0,1"
    pod = next(one for one in world.all("Pod") if one["metadata"]["name"].startswith("j-2-"))
    assert pod["spec"]["hostname"] == "j-2"
    assert pod["spec"]["containers"][0]["env"][0]["name"] == "JOB_COMPLETION_INDEX"
    world.run_until(60)
    assert (status(world)["completedIndexes"], status(world)["succeeded"]) == ("0-3", 4)


def test_indexes_fail_each_for_itself() -> None:
    world = world_with(
        job(
            run="1s",
            code=1,
            completions=2,
            parallelism=2,
            completionMode="Indexed",
            backoffLimitPerIndex=1,
        )
    )
    world.run_until(6)
    assert numbers(world)["failed"] is None
    world.run_until(12)
    tries = [pod["metadata"]["annotations"][FAILURES] for pod in world.all("Pod")]
    assert sorted(tries) == ["0", "0", "1", "1"]
    world.run_until(100)
    assert (status(world)["failedIndexes"], numbers(world)["failed"]) == ("0,1", 4)
    assert conditions(world)[-1] == ("Failed", "True", "FailedIndexes")


def test_a_success_policy_ends_what_else_runs() -> None:
    world = world_with(
        job(
            run="1h",
            completions=3,
            parallelism=3,
            completionMode="Indexed",
            successPolicy={"rules": [{"succeededIndexes": "0"}]},
        )
    )
    world.run_until(5)
    leader = next(one for one in world.all("Pod") if "j-0-" in one["metadata"]["name"])
    ended = {"status": {"phase": "Succeeded"}}
    world.patch("Pod", leader["metadata"]["name"], ended, "status")
    world.run_until(100)
    assert conditions(world)[-1] == ("Complete", "True", "SuccessPolicy")
    assert status(world)["completedIndexes"] == "0"


def test_exit_codes_may_fail_the_job_at_once() -> None:
    rule = {"action": "FailJob", "onExitCodes": {"operator": "In", "values": [42]}}
    world = world_with(job(run="1s", code=42, podFailurePolicy={"rules": [rule]}))
    world.run_until(60)
    assert conditions(world)[-1] == ("Failed", "True", "PodFailurePolicy")
    assert len(world.all("Pod")) == 1


def test_disruptions_may_not_count() -> None:
    rule = {"action": "Ignore", "onPodConditions": [DISRUPTED]}
    world = world_with(
        job(run="1h", backoffLimit=0, podFailurePolicy={"rules": [rule]}),
    )
    world.run_until(5)
    (pod,) = world.all("Pod")
    called = pod["metadata"]["name"]
    world.patch("Pod", called, {"status": {"conditions": [DISRUPTED]}}, "status")
    world.delete("Pod", called)
    world.run_until(100)
    assert [one["metadata"]["name"] for one in world.all("Pod")] != [called]
    assert numbers(world) == {
        "active": 1,
        "ready": 1,
        "terminating": 0,
        "succeeded": None,
        "failed": None,
    }


@pytest.mark.parametrize(("policy", "seconds"), [("TerminatingOrFailed", 5), ("Failed", 35)])
def test_pods_are_replaced_when_they_end_or_before(policy: str, seconds: int) -> None:
    world = world_with(job(run="1h", podReplacementPolicy=policy))
    world.run_until(5)
    (pod,) = world.all("Pod")
    world.delete("Pod", pod["metadata"]["name"])
    world.run_until(seconds - 0.5 if seconds > 5 else 5)
    before = len(world.all("Pod"))
    world.run_until(seconds + 40)
    (new,) = world.all("Pod")
    started = int(new["metadata"]["creationTimestamp"][-3:-1])
    assert before == 1
    assert numbers(world)["failed"] == 1
    # Ten seconds of back-off count from the deletion, or from the end.
    assert started == (15 if policy == "TerminatingOrFailed" else 45)


DISRUPTED = {"type": "DisruptionTarget", "status": "True"}
IGNORED_42 = {"action": "Ignore", "onExitCodes": {"operator": "In", "values": [42]}}


def test_failures_that_a_policy_ignores_count_towards_the_back_off_alone() -> None:
    policy = {"rules": [IGNORED_42]}
    world = world_with(job(run="1s", code=42, backoffLimit=2, podFailurePolicy=policy))
    world.run_until(120)
    assert started_at(world) == [0, 11, 32, 73]
    assert numbers(world)["failed"] is None


def test_a_job_reacts_in_batches_of_a_second() -> None:
    world = world_with(job(run="1h", completions=2, parallelism=2))
    world.run_until(4)
    first, second = sorted(pod["metadata"]["name"] for pod in world.all("Pod"))
    world.driver.at(START_S + 5.0, lambda: end(world, first))
    world.driver.at(START_S + 5.9, lambda: end(world, second))
    world.run_until(5.95)
    assert numbers(world)["succeeded"] is None
    world.run_until(6)
    assert (numbers(world)["succeeded"], conditions(world)[-1][0]) == (2, "Complete")


def end(world: World, pod: str) -> None:
    world.patch("Pod", pod, {"status": {"phase": "Succeeded"}}, "status")


def test_a_pod_is_counted_late_while_others_are_ready_and_its_replacement_has_to_wait() -> None:
    """The status can't be written meanwhile: none would be active, and yet some would be ready."""
    one = job(run="1h", completions=3, parallelism=3)
    one["spec"]["template"]["metadata"]["annotations"]["podium.dev/termination"] = "2s"
    world = world_with(one)
    world.run_until(5)
    lost = world.all("Pod")[0]["metadata"]["name"]
    world.delete("Pod", lost)
    world.run_until(16)
    left = next(pod for pod in world.all("Pod") if pod["metadata"]["name"] == lost)
    assert left["metadata"]["finalizers"] == [TRACKING]
    assert (numbers(world)["active"], numbers(world)["failed"]) == (3, None)
    world.run_until(18)
    assert started_at(world) == [0, 0, 17]
    assert numbers(world)["failed"] == 1
    assert lost not in {pod["metadata"]["name"] for pod in world.all("Pod")}


def test_pods_that_are_refused_are_not_active_and_asked_for_later_and_later() -> None:
    world = World(JobController)
    nothing = {"pods": "0"}
    quota = {"apiVersion": "v1", "kind": "ResourceQuota", "spec": {"hard": nothing}}
    world.create({**quota, "metadata": {"name": "q", "namespace": "default"}})
    world.patch("ResourceQuota", "q", {"status": {"hard": nothing, "used": nothing}}, "status")
    world.create(job(completions=4, parallelism=4))
    world.run_until(100)
    assert numbers(world)["active"] is None
    asked = [call for call in world.writes if isinstance(call.effect, Create)]
    assert [call.at_s - START_S for call in asked] == [0, 1, 3, 7, 15, 31, 63]


def test_an_index_is_replaced_once_its_pod_has_failed() -> None:
    """One that has ended isn't terminating, though it is kept until it is replaced."""
    policy = {"rules": [{"action": "Ignore", "onPodConditions": [DISRUPTED]}]}
    world = world_with(
        job(
            run="1h",
            completions=1,
            completionMode="Indexed",
            backoffLimitPerIndex=0,
            podFailurePolicy=policy,
        )
    )
    world.run_until(5)
    (pod,) = world.all("Pod")
    world.patch("Pod", pod["metadata"]["name"], {"status": {"conditions": [DISRUPTED]}}, "status")
    world.delete("Pod", pod["metadata"]["name"])
    world.run_until(44)
    assert phases(world) == ["Failed"]
    world.run_until(60)
    assert (started_at(world), phases(world)) == ([45], ["Running"])


def test_adopted_pods_are_counted_too() -> None:
    one = job(run="1h", manualSelector=True, selector={"matchLabels": {"app": "j"}})
    one["spec"]["template"]["metadata"]["labels"] = {"app": "j"}
    world = World(JobController)
    template = one["spec"]["template"]
    orphan = {"name": "p", "namespace": "default", "labels": {"app": "j"}}
    world.create({"apiVersion": "v1", "kind": "Pod", "metadata": orphan, "spec": template["spec"]})
    world.create(one)
    world.run_until(5)
    (pod,) = world.all("Pod")
    assert pod["metadata"]["finalizers"] == [TRACKING]
    end(world, "p")
    world.run_until(10)
    assert (numbers(world)["succeeded"], conditions(world)[-1][0]) == (1, "Complete")


def test_no_pod_is_made_where_one_could_not_be_adopted() -> None:
    one = job(selector={"matchLabels": {"app": "j"}}, completions=1, parallelism=1)
    one["metadata"] |= {"uid": "uid-j", "creationTimestamp": "2026-01-01T00:00:00Z"}
    one["spec"]["template"]["metadata"]["labels"] = {"app": "j"}
    hand = Hand(JobController())
    hand.start(one, builders.pod("p", labels={"app": "j"}))
    seen: list[Effect] = []
    for _ in range(9):
        for effect in hand.wake(1):
            seen.append(effect)
            is_adoption = isinstance(effect, Patch) and effect.kind == "Pod"
            seen += hand.refuse(effect) if is_adoption else []
    assert any(isinstance(effect, Patch) and effect.kind == "Pod" for effect in seen)
    assert not any(isinstance(effect, Create) for effect in seen)


def test_a_pod_whose_owner_is_taken_away_is_adopted_again() -> None:
    one = job(run="1h", manualSelector=True, selector={"matchLabels": {"app": "j"}})
    one["spec"]["template"]["metadata"]["labels"] = {"app": "j"}
    world = world_with(one)
    world.run_until(5)
    (pod,) = world.all("Pod")
    let_go = {"ownerReferences": None, "finalizers": None}
    world.patch("Pod", pod["metadata"]["name"], {"metadata": let_go})
    world.run_until(10)
    (pod,) = world.all("Pod")
    assert [owner["name"] for owner in pod["metadata"]["ownerReferences"]] == ["j"]
    assert pod["metadata"]["finalizers"] == [TRACKING]


def test_a_suspended_job_has_no_pods_and_starts_anew() -> None:
    world = world_with(job(run="20s", suspend=True))
    world.run_until(5)
    assert conditions(world) == [("Suspended", "True", "JobSuspended")]
    assert "startTime" not in status(world)
    world.patch("Job", "j", {"spec": {"suspend": False}})
    world.run_until(10)
    assert conditions(world) == [("Suspended", "False", "JobResumed")]
    assert status(world)["startTime"] == "2026-01-01T00:00:05Z"
    world.patch("Job", "j", {"spec": {"suspend": True}})
    world.run_until(60)
    assert world.all("Pod") == []
    assert "startTime" not in status(world)
    assert world.events("Suspended", "Resumed")


def test_pods_of_a_deleted_job_are_let_go() -> None:
    world = World(JobController, GarbageCollector)
    world.create(job(run="1h"))
    world.run_until(5)
    world.delete("Job", "j")
    world.run_until(10)
    (pod,) = world.all("Pod")
    assert world.all("Job") == []
    assert not pod["metadata"].get("finalizers")


def test_jobs_that_others_manage_are_left_to_them() -> None:
    world = world_with(job(managedBy="example.com/other"))
    world.run_until(30)
    assert world.all("Pod") == []
    assert status(world) == {}


def test_nothing_is_written_while_nothing_happens() -> None:
    world = world_with(job(run="1h"))
    world.run_until(30)
    world.writes.clear()
    world.run_until(600)
    assert not [call for call in world.writes if call.who == "job-controller"]


@pytest.mark.parametrize("seed", range(6))
def test_every_pod_is_counted_once_whatever_becomes_of_calls(seed: int) -> None:
    trouble = Faults(
        refused=0.1,
        unanswered=0.1,
        slow=0.1,
        repeated=0.1,
        broken_watches=0.05,
        slow_watches=0.1,
        restarts=0.02,
    )
    world = world_with(job(run="3s", completions=12, parallelism=4), faults=trouble, seed=seed)
    world.run_until(60)
    world.driver.faults = NO_FAULTS
    world.run_until(600)
    ended = phases(world)
    assert conditions(world)[-1][0] == "Complete"
    assert status(world)["succeeded"] == ended.count("Succeeded")
    assert (status(world).get("failed") or 0) >= ended.count("Failed")


@pytest.mark.parametrize("fields", [{}, {"podReplacementPolicy": "Failed"}])
@pytest.mark.parametrize("change", [{"parallelism": 1}, {"suspend": True}])
def test_pods_that_are_too_many_have_not_failed(fields: Obj, change: Obj) -> None:
    world = world_with(job(run="1h", parallelism=3, completions=3, backoffLimit=0, **fields))
    world.run_until(5)
    world.patch("Job", "j", {"spec": change})
    world.run_until(120)
    left = 0 if "suspend" in change else 1
    assert (numbers(world)["active"] or 0, numbers(world)["failed"]) == (left, None)
    assert len(world.all("Pod")) == left


def test_pods_that_never_ran_keep_no_job_from_its_end() -> None:
    """They have no node, so that nobody tells that they have ended."""
    policy = {"successPolicy": {"rules": [{"succeededCount": 1}]}, "completionMode": "Indexed"}
    world = world_with(
        job(completions=2, parallelism=2, podReplacementPolicy="Failed", **policy), nodes=0
    )
    world.run_until(5)
    first = world.all("Pod")[0]["metadata"]["name"]
    world.patch("Pod", first, {"status": {"phase": "Succeeded"}}, "status")
    world.run_until(60)
    assert numbers(world)["failed"] is None
    assert conditions(world)[-1] == ("Complete", "True", "SuccessPolicy")


def test_none_is_said_to_be_active_while_a_pod_that_is_lacking_has_to_wait() -> None:
    world = world_with(job(completions=2, parallelism=2), nodes=0)
    world.run_until(5)
    first = world.all("Pod")[0]["metadata"]["name"]
    world.patch("Pod", first, {"status": {"phase": "Failed"}}, "status")
    world.run_until(8)
    assert (numbers(world)["active"] or 0, numbers(world)["failed"]) == (0, 1)
    assert phases(world) == ["Failed", "Pending"]
    world.run_until(20)
    assert numbers(world)["active"] == 2


def test_a_loaded_job_without_its_failed_pod_waits_as_if_that_had_failed_just_now() -> None:
    world = World()
    world.create(job())
    counted = {"startTime": "2026-01-01T00:00:00Z", "failed": 1, "terminating": 0}
    world.patch("Job", "j", {"status": counted}, "status")
    world.run_until(100)
    controller = JobController()
    controller.leave({world.get("Job", "j")["metadata"]["uid"]})
    world.driver.add(controller)
    world.run_until(109)
    assert world.all("Pod") == []
    world.run_until(111)
    assert started_at(world) == [110]
