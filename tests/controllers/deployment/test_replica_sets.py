"""Which ReplicaSet is of the Deployment's template."""

from typing import Any

from podium.controllers.deployment.replica_sets import owned_replica_sets, revision_of

Obj = dict[str, Any]


def template(cpu: str = "1", **labels: str) -> Obj:
    requests = {"requests": {"cpu": cpu}}
    spec = {"containers": [{"name": "c", "resources": requests}]}
    return {"metadata": {"labels": {"app": "a", **labels}}, "spec": spec}


def replica_set(name: str, created: str, of: Obj) -> Obj:
    labels = {**of["metadata"]["labels"], "pod-template-hash": name}
    spec = {"template": {**of, "metadata": {"labels": labels}}}
    return {"metadata": {"name": name, "creationTimestamp": created}, "spec": spec}


def names(found: list[Obj]) -> list[str]:
    return [one["metadata"]["name"] for one in found]


def test_the_hash_label_does_not_matter_and_amounts_count_as_numbers() -> None:
    deployment = {"spec": {"template": template("1")}}
    old, new = replica_set("a", "1", template("2")), replica_set("b", "2", template("1000m"))
    family = owned_replica_sets(deployment, [new, old])
    assert family.new is new
    assert names([*family.old]) == ["a"]


def test_of_several_the_oldest_is_the_new_one() -> None:
    deployment = {"spec": {"template": template()}}
    sets = [replica_set(name, created, template()) for name, created in (("b", "2"), ("a", "3"))]
    family = owned_replica_sets(deployment, sets)
    assert names(family.all) == ["a", "b"]


def test_another_label_makes_another_template() -> None:
    deployment = {"spec": {"template": template()}}
    family = owned_replica_sets(deployment, [replica_set("a", "1", template(tier="t"))])
    assert family.new is None


def test_a_revision_that_cannot_be_read_is_none() -> None:
    def revision(text: str) -> int:
        notes = {"deployment.kubernetes.io/revision": text}
        return revision_of({"metadata": {"annotations": notes}})

    assert [revision(text) for text in ("3", "", "x", "-1")] == [3, 0, 0, 0]
    assert revision_of({"metadata": {}}) == 0
