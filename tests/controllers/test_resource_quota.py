"""Quotas say what is used of them, whatever becomes of the objects."""

from typing import Any

from podium.api.kinds.builtin_kinds import KINDS
from podium.api.policy.quota_usage import written
from podium.apiserver.attributes import Attributes
from podium.apiserver.server import DeleteOptions
from podium.cluster.drivers.faults import NO_FAULTS, Faults
from podium.controllers.resource_quota import ResourceQuotaController
from tests.controllers.builders import Obj
from tests.controllers.quota_totals import total_usage
from tests.controllers.worlds import World
from tests.objects import pod


def quota(hard: Obj, name: str = "q", **spec: Any) -> Obj:
    return {
        "apiVersion": "v1",
        "kind": "ResourceQuota",
        "metadata": {"name": name, "namespace": "default"},
        "spec": {"hard": hard, **spec},
    }


def config_map(name: str) -> Obj:
    metadata = {"name": name, "namespace": "default"}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata}


def world(*objects: Obj, faults: Faults = NO_FAULTS) -> World:
    made = World(ResourceQuotaController, faults=faults)
    for one in objects:
        made.create(one)
    made.driver.advance(1)
    return made


def status(made: World, name: str = "q") -> Any:
    return made.get("ResourceQuota", name)["status"]


def test_a_new_quota_counts_what_is_there() -> None:
    made = world(pod("a"), pod("b", "500m"), config_map("m"))
    hard = {"pods": "10", "requests.cpu": "4", "count/configmaps": "5", "services": "3"}
    made.create(quota(hard))
    made.driver.advance(0)
    assert status(made) == {
        "hard": hard,
        "used": {"pods": "2", "requests.cpu": "1500m", "count/configmaps": "1", "services": "0"},
    }


def test_finished_pods_use_nothing_but_their_place_in_the_store() -> None:
    made = world(quota({"pods": "2", "count/pods": "2"}), pod("a", restartPolicy="Never"))
    assert status(made)["used"] == {"pods": "1", "count/pods": "1"}
    made.patch("Pod", "a", {"status": {"phase": "Succeeded"}}, "status")
    made.driver.advance(0)
    assert status(made)["used"] == {"pods": "0", "count/pods": "1"}


def test_creations_that_admission_has_charged_need_no_writing() -> None:
    made = world(quota({"pods": "5"}))
    made.writes.clear()
    made.create(pod("a"))
    made.driver.advance(10)
    assert [call for call in made.writes if call.who == "resourcequota-controller"] == []


def test_another_limit_counts_other_things() -> None:
    made = world(quota({"pods": "5"}), config_map("m"))
    changed = {**made.get("ResourceQuota", "q"), "spec": {"hard": {"configmaps": "3"}}}
    kind = KINDS["ResourceQuota"]
    made.server.replace(Attributes(kind, "default", "q", made.driver.now_s), changed)
    made.driver.advance(0)
    assert status(made) == {"hard": {"configmaps": "3"}, "used": {"configmaps": "1"}}


def test_every_five_minutes_everything_is_counted() -> None:
    made = world(quota({"pods": "5"}), pod("a", terminationGracePeriodSeconds=10))
    made.annotate("Node", "n1", down="true")
    made.driver.advance(1)
    made.delete("Pod", "a")
    made.driver.advance(200)
    assert status(made)["used"] == {"pods": "1"}
    # A pod that should have been gone for long uses nothing, though nobody has told that it went.
    made.driver.advance(100)
    assert status(made)["used"] == {"pods": "0"}


def test_it_agrees_with_a_full_count_whatever_goes_wrong() -> None:
    trouble = Faults(refused=0.2, unanswered=0.1, slow_watches=0.3, broken_watches=0.05)
    made = world(quota({"pods": "50", "requests.cpu": "50"}), faults=trouble)
    for number in range(30):
        made.create(pod(f"p{number}", f"{100 + number}m"))
        if number >= 10:
            how = DeleteOptions(grace_period_s=0)
            called = f"p{number - 10}"
            made.server.delete(Attributes(KINDS["Pod"], "default", called, made.driver.now_s), how)
        made.driver.advance(1)
    made.driver.advance(60)
    counted = total_usage(
        made.get("ResourceQuota", "q"),
        lambda kind: made.all(kind.name),
        KINDS.values(),
        made.driver.now_s,
    )
    assert status(made)["used"] == written(counted)
    assert status(made)["used"]["pods"] == "10"
