"""Deployments keep their pods with the ReplicaSet of their template."""

import copy
from typing import Any

from podium.controllers.deployment.templates import HASH_LABEL, same_template
from podium.controllers.expanding.templates import ClusterView, Expansion, expand

Obj = dict[str, Any]


def rolled_out(deployment: Obj) -> list[Any]:
    """The deployment and everything it makes in an empty cluster, each with a uid."""
    expansion = expand(deployment, ClusterView())
    return [deployment, *expansion.objects, *expansion.pods]


def with_image(deployment: Obj, image: str) -> Obj:
    changed = copy.deepcopy(deployment)
    changed["spec"]["template"]["spec"]["containers"][0]["image"] = image
    return changed


def test_a_replica_set_and_its_pods_are_made(make: Any) -> None:
    deployment = make.workload("Deployment", replicas=2)
    expansion = expand(deployment, ClusterView())
    (replica_set,) = expansion.objects
    hashed = replica_set["metadata"]["labels"][HASH_LABEL]
    assert replica_set["metadata"]["name"] == f"w-{hashed}"
    assert replica_set["metadata"]["ownerReferences"][0]["uid"] == "uid-w"
    assert replica_set["spec"]["replicas"] == 2
    assert replica_set["spec"]["selector"]["matchLabels"] == {"app": "w", HASH_LABEL: hashed}
    assert len(expansion.pods) == 2
    for pod in expansion.pods:
        metadata = pod["metadata"]
        assert metadata["labels"] == {"app": "w", HASH_LABEL: hashed}
        assert metadata["name"].startswith(f"w-{hashed}-")
        (owner,) = metadata["ownerReferences"]
        assert (owner["kind"], owner["name"]) == ("ReplicaSet", f"w-{hashed}")


def test_what_is_made_is_enough(make: Any) -> None:
    deployment = make.workload("Deployment", replicas=2)
    again = expand(deployment, ClusterView.of(rolled_out(deployment)))
    assert again == Expansion()


def test_scaling(make: Any) -> None:
    there = rolled_out(make.workload("Deployment", replicas=2))
    more = expand(make.workload("Deployment", replicas=5), ClusterView.of(there))
    assert len(more.pods) == 3
    assert not more.objects
    fewer = expand(make.workload("Deployment", replicas=1), ClusterView.of(there))
    assert len(fewer.surplus) == 1


def test_a_new_template_replaces_all_pods(make: Any) -> None:
    deployment = make.workload("Deployment", replicas=2)
    there = rolled_out(deployment)
    expansion = expand(with_image(deployment, "new"), ClusterView.of(there))
    assert len(expansion.objects) == 1
    assert len(expansion.pods) == 2
    assert sorted(make.names(expansion.surplus)) == sorted(make.names(there[2:]))
    (note,) = expansion.notes
    assert note.startswith("Deployment ns/w has a new template and replaces 2 pods: ")


def test_going_back_to_an_old_template_uses_its_replica_set(make: Any) -> None:
    old = make.workload("Deployment", replicas=2)
    new = with_image(old, "new")
    there = rolled_out(old)
    there += expand(new, ClusterView.of(there)).objects
    expansion = expand(new, ClusterView.of(there))
    assert not expansion.objects
    assert len(expansion.pods) == len(expansion.surplus) == 2


def test_while_paused_only_the_running_replica_set_is_scaled(make: Any) -> None:
    old = make.workload("Deployment", replicas=2)
    there = rolled_out(old)
    paused = with_image(make.workload("Deployment", replicas=3, paused=True), "new")
    expansion = expand(paused, ClusterView.of(there))
    assert len(expansion.pods) == 1
    assert expansion == Expansion(pods=expansion.pods)
    note = "Deployment ns/w is paused: its pods stay as they are"
    assert expand(paused, ClusterView()) == Expansion(notes=[note])


def test_pods_of_replica_sets_that_nobody_gave_count(make: Any) -> None:
    deployment = make.workload("Deployment", replicas=3)
    there = rolled_out(make.workload("Deployment", replicas=2))
    pods = [one for one in there if one["kind"] == "Pod"]
    expansion = expand(deployment, ClusterView.of(pods))
    assert len(expansion.pods) == 1
    note = "the ReplicaSets of Deployment ns/w aren't there; its newest pods count"
    assert expansion == Expansion(pods=expansion.pods, notes=[note])
    assert make.names(expansion.pods)[0].startswith(
        pods[0]["metadata"]["ownerReferences"][0]["name"]
    )


def test_templates_are_compared_by_meaning() -> None:
    def template(cpu: Any, **spec: Any) -> Obj:
        resources = {"requests": {"cpu": cpu}}
        return {"spec": {"containers": [{"name": "c", "resources": resources}], **spec}}

    assert same_template(template("1"), template("1000m", nodeSelector={}))
    assert same_template(template(1), {**template(1), "metadata": {"labels": {HASH_LABEL: "x"}}})
    assert not same_template(template("1"), template("2"))
    assert not same_template(template("1"), template("1", nodeSelector={"a": "b"}))
