"""Quotas say what is used of them, whatever becomes of the objects."""

from podium.api.kinds.builtin_kinds import KINDS
from podium.api.policy.quota_usage import written
from podium.apiserver.attributes import Attributes
from podium.apiserver.server import DeleteOptions
from podium.cluster.drivers.faults import Faults
from podium.controllers.resource_quota import ResourceQuotaController
from tests.controllers.quota_totals import total_usage
from tests.controllers.worlds import World
from tests.objects import pod


def test_it_agrees_with_a_full_count_whatever_goes_wrong() -> None:
    trouble = Faults(refused=0.2, unanswered=0.1, slow_watches=0.3, broken_watches=0.05)
    made = World(ResourceQuotaController, faults=trouble)
    metadata = {"name": "q", "namespace": "default"}
    quota = {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": metadata}
    made.create({**quota, "spec": {"hard": {"pods": "50", "requests.cpu": "50"}}})
    made.driver.advance(1)
    for number in range(30):
        made.create(pod(f"p{number}", f"{100 + number}m"))
        if number >= 10:
            how = DeleteOptions(grace_period_s=0)
            name = f"p{number - 10}"
            made.server.delete(Attributes(KINDS["Pod"], "default", name, made.driver.now_s), how)
        made.driver.advance(1)
    made.driver.advance(60)
    counted = total_usage(
        made.get("ResourceQuota", "q"),
        lambda kind: made.all(kind.name),
        KINDS.values(),
        made.driver.now_s,
    )
    used = made.get("ResourceQuota", "q")["status"]["used"]
    assert used == written(counted)
    assert used["pods"] == "10"
