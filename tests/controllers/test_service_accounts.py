"""Each namespace has a service account, and roles are made of those that their labels choose."""

from typing import Any

from podium.controllers.cluster_role_aggregation import ClusterRoleAggregationController
from podium.controllers.service_accounts import ServiceAccountsController
from tests.controllers.worlds import World


def namespace(name: str) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}


def accounts(made: World) -> set[tuple[str, str]]:
    return {
        (one["metadata"]["namespace"], one["metadata"]["name"])
        for one in made.all("ServiceAccount")
    }


def test_each_namespace_has_a_service_account_that_comes_again() -> None:
    made = World(ServiceAccountsController)
    made.create(namespace("shop"))
    made.driver.advance(5)
    usual = {(place, "default") for place in ("default", "kube-system", "shop")}
    assert usual <= accounts(made)
    made.delete("ServiceAccount", "default", "shop")
    made.driver.advance(5)
    assert usual <= accounts(made)


def role(name: str, resource: str, part: str = "") -> dict[str, Any]:
    rules = [{"apiGroups": [""], "resources": [resource], "verbs": ["get"]}]
    return {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "ClusterRole",
        "metadata": {"name": name, "labels": {"part-of": part}},
        "rules": rules,
    }


def resources(made: World) -> list[str]:
    return [rule["resources"][0] for rule in made.get("ClusterRole", "all").get("rules") or ()]


def test_a_role_is_made_of_those_that_its_selectors_choose() -> None:
    made = World(ClusterRoleAggregationController)
    chosen = {"clusterRoleSelectors": [{"matchLabels": {"part-of": "all"}}]}
    whole = {**role("all", "pods"), "aggregationRule": chosen}
    del whole["rules"]
    for one in (role("b", "pods", "all"), whole, role("c", "nodes"), role("a", "secrets", "all")):
        made.create(one)
    made.driver.advance(5)
    assert resources(made) == ["secrets", "pods"]
    made.delete("ClusterRole", "a", "")
    made.driver.advance(5)
    assert resources(made) == ["pods"]
