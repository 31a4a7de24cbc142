"""Jobs over a real API server: what recorded scenes, which hold times and counts, don't show."""

from typing import Any

import pytest

from podium.cluster.drivers.faults import NO_FAULTS
from podium.controllers.job.job_controller import JobController
from podium.controllers.job.job_pods import TRACKING
from podium.machines.effects import Create, Effect, Patch
from tests.controllers import builders
from tests.controllers.builders import Hand
from tests.controllers.worlds import START_S, TROUBLE, World
from tests.objects import Obj

DISRUPTED = {"type": "DisruptionTarget", "status": "True"}
SELECTING = {"manualSelector": True, "selector": {"matchLabels": {"app": "j"}}}


def job(run: str = "10s", code: int = 0, restart: str = "Never", **spec: Any) -> Obj:
    script = {"podium.dev/run-duration": run, "podium.dev/exit-code": str(code)}
    template = {
        "metadata": {"labels": {"app": "j"}, "annotations": script},
        "spec": {"containers": [{"name": "c", "image": "i"}], "restartPolicy": restart},
    }
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": "j", "namespace": "default"},
        "spec": {"template": template, **spec},
    }


def world_with(one: Obj, *, until: float = 5, **options: Any) -> World:
    world = World(JobController, **options)
    world.create(one)
    world.run_until(until)
    return world


def status(world: World) -> Obj:
    found: Obj = world.get("Job", "j")["status"]
    return found


def last_condition(world: World) -> tuple[str, str, str]:
    last = status(world)["conditions"][-1]
    return last["type"], last["status"], last["reason"]


def phases(world: World) -> list[str]:
    return sorted(pod["status"]["phase"] for pod in world.all("Pod"))


def started_at(world: World) -> list[int]:
    seconds = [one["metadata"]["creationTimestamp"][-6:-1] for one in world.all("Pod")]
    return sorted(int(text[:2]) * 60 + int(text[3:]) for text in seconds)


def end(world: World, pod: str, phase: str = "Succeeded") -> None:
    world.patch("Pod", pod, {"status": {"phase": phase}}, "status")


def names(world: World) -> list[str]:
    return [pod["metadata"]["name"] for pod in world.all("Pod")]


def test_pods_run_until_enough_have_succeeded() -> None:
    world = world_with(job(completions=3, parallelism=2), until=60)
    assert last_condition(world) == ("Complete", "True", "CompletionsReached")
    assert status(world)["completionTime"] == "2026-01-01T00:00:22Z"
    assert status(world)["uncountedTerminatedPods"] == {}
    assert not any(TRACKING in pod["metadata"].get("finalizers", ()) for pod in world.all("Pod"))
    assert world.events("Completed") == ["Job completed"]
    assert len(world.events("SuccessfulCreate")) == 3


def test_restarts_in_place_count_as_failures() -> None:
    failing = job(run="1s", code=1, restart="OnFailure", backoffLimit=2)
    world = world_with(failing, until=300)
    assert last_condition(world) == ("Failed", "True", "BackoffLimitExceeded")
    assert world.events("BackoffLimitExceeded") == ["Job has reached the specified backoff limit"]
    assert world.all("Pod") == []


def test_numbered_pods_know_their_numbers() -> None:
    world = world_with(job(completions=3, completionMode="Indexed"))
    (pod,) = world.all("Pod")
    assert pod["metadata"]["name"].startswith("j-0-")
    assert pod["spec"]["hostname"] == "j-0"
    assert pod["spec"]["containers"][0]["env"][0]["name"] == "JOB_COMPLETION_INDEX"


def test_failures_that_a_policy_ignores_count_towards_the_back_off_alone() -> None:
    rule = {"action": "Ignore", "onExitCodes": {"operator": "In", "values": [42]}}
    failing = job(run="1s", code=42, backoffLimit=2, podFailurePolicy={"rules": [rule]})
    world = world_with(failing, until=120)
    assert started_at(world) == [0, 11, 32, 73]
    assert status(world).get("failed") is None


def test_a_job_reacts_in_batches_of_a_second() -> None:
    world = world_with(job(run="1h", completions=2, parallelism=2), until=4)
    first, second = sorted(names(world))
    world.driver.at(START_S + 5.0, lambda: end(world, first))
    world.driver.at(START_S + 5.9, lambda: end(world, second))
    world.run_until(5.95)
    assert status(world).get("succeeded") is None
    world.run_until(6)
    assert (status(world)["succeeded"], last_condition(world)[0]) == (2, "Complete")


def test_a_pod_is_counted_late_while_others_are_ready_and_its_replacement_has_to_wait() -> None:
    """The status can't be written meanwhile: none would be active, and yet some would be ready."""
    one = job(run="1h", completions=3, parallelism=3)
    one["spec"]["template"]["metadata"]["annotations"]["podium.dev/termination"] = "2s"
    world = world_with(one)
    lost = names(world)[0]
    world.delete("Pod", lost)
    world.run_until(16)
    assert world.get("Pod", lost)["metadata"]["finalizers"] == [TRACKING]
    assert (status(world)["active"], status(world).get("failed")) == (3, None)
    world.run_until(18)
    assert started_at(world) == [0, 0, 17]
    assert status(world)["failed"] == 1
    assert lost not in names(world)


def test_pods_that_are_refused_are_not_active_and_asked_for_later_and_later() -> None:
    world = World(JobController)
    nothing = {"pods": "0"}
    quota = {"apiVersion": "v1", "kind": "ResourceQuota", "spec": {"hard": nothing}}
    world.create({**quota, "metadata": {"name": "q", "namespace": "default"}})
    world.patch("ResourceQuota", "q", {"status": {"hard": nothing, "used": nothing}}, "status")
    world.create(job(completions=4, parallelism=4))
    world.run_until(100)
    assert status(world).get("active") is None
    asked = [call for call in world.writes if isinstance(call.effect, Create)]
    assert [call.at_s - START_S for call in asked] == [0, 1, 3, 7, 15, 31, 63]


def test_an_index_is_replaced_once_its_pod_has_failed() -> None:
    """One that has ended isn't terminating, though it is kept until it is replaced."""
    policy = {"rules": [{"action": "Ignore", "onPodConditions": [DISRUPTED]}]}
    indexed = {"completions": 1, "completionMode": "Indexed", "backoffLimitPerIndex": 0}
    world = world_with(job(run="1h", podFailurePolicy=policy, **indexed))
    (pod,) = names(world)
    world.patch("Pod", pod, {"status": {"conditions": [DISRUPTED]}}, "status")
    world.delete("Pod", pod)
    world.run_until(44)
    assert phases(world) == ["Failed"]
    world.run_until(60)
    assert (started_at(world), phases(world)) == ([45], ["Running"])


def test_adopted_pods_are_counted_too() -> None:
    world, one = World(JobController), job(run="1h", **SELECTING)
    orphan = {"name": "p", "namespace": "default", "labels": {"app": "j"}}
    spec = one["spec"]["template"]["spec"]
    world.create({"apiVersion": "v1", "kind": "Pod", "metadata": orphan, "spec": spec})
    world.create(one)
    for _ in range(2):
        world.driver.advance(5)
        (pod,) = world.all("Pod")
        assert [owner["name"] for owner in pod["metadata"]["ownerReferences"]] == ["j"]
        assert pod["metadata"]["finalizers"] == [TRACKING]
        # It is adopted again.
        world.patch("Pod", "p", {"metadata": {"ownerReferences": None, "finalizers": None}})
    world.driver.advance(5)
    end(world, "p")
    world.driver.advance(5)
    assert (status(world)["succeeded"], last_condition(world)[0]) == (1, "Complete")


def test_no_pod_is_made_where_one_could_not_be_adopted() -> None:
    one = job(selector={"matchLabels": {"app": "j"}}, completions=1, parallelism=1)
    one["metadata"] |= {"uid": "uid-j", "creationTimestamp": "2026-01-01T00:00:00Z"}
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


def test_a_suspended_job_has_no_pods_and_starts_again_when_it_is_resumed() -> None:
    world = world_with(job(run="20s", suspend=True))
    assert last_condition(world) == ("Suspended", "True", "JobSuspended")
    world.patch("Job", "j", {"spec": {"suspend": False}})
    world.run_until(10)
    assert last_condition(world) == ("Suspended", "False", "JobResumed")
    assert status(world)["startTime"] == "2026-01-01T00:00:05Z"
    assert world.events("Suspended", "Resumed") == ["Job suspended", "Job resumed"]


def test_jobs_that_others_manage_are_left_to_them() -> None:
    world = world_with(job(managedBy="example.com/other"), until=30)
    assert (world.all("Pod"), status(world)) == ([], {})


def test_nothing_is_written_while_nothing_happens() -> None:
    world = world_with(job(run="1h"), until=30)
    world.writes.clear()
    world.run_until(600)
    assert not [call for call in world.writes if call.who == "job-controller"]


@pytest.mark.parametrize("seed", range(6))
def test_every_pod_is_counted_once_whatever_becomes_of_calls(seed: int) -> None:
    running = job(run="3s", completions=12, parallelism=4)
    world = world_with(running, until=60, faults=TROUBLE, seed=seed)
    world.driver.faults = NO_FAULTS
    world.run_until(600)
    ended = phases(world)
    assert last_condition(world)[0] == "Complete"
    assert status(world)["succeeded"] == ended.count("Succeeded")
    assert (status(world).get("failed") or 0) >= ended.count("Failed")


def test_pods_that_never_ran_keep_no_job_from_its_end() -> None:
    """They have no node, so that no kubelet reports their end."""
    policy = {"successPolicy": {"rules": [{"succeededCount": 1}]}, "completionMode": "Indexed"}
    unbound = job(completions=2, parallelism=2, podReplacementPolicy="Failed", **policy)
    world = world_with(unbound, nodes=0)
    end(world, names(world)[0])
    world.run_until(60)
    assert status(world).get("failed") is None
    assert last_condition(world) == ("Complete", "True", "SuccessPolicy")


def test_none_is_said_to_be_active_while_a_pod_that_is_lacking_has_to_wait() -> None:
    world = world_with(job(completions=2, parallelism=2), nodes=0)
    end(world, names(world)[0], "Failed")
    world.run_until(8)
    assert (status(world).get("active"), status(world)["failed"]) == (None, 1)
    assert phases(world) == ["Failed", "Pending"]
    world.run_until(20)
    assert status(world)["active"] == 2


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
