"""Binding, evicting, scaling and resizing, from the request to what is stored."""

from typing import Any

import pytest

from podium.api.kinds.builtin_kinds import KINDS
from podium.apiserver.attributes import Attributes
from podium.apiserver.server import ApiServer, WriteOptions
from podium.apiserver.subresources.scale import scale_of
from tests.apiserver.verbs.helpers import NOW, NOW_S, a_pod, create, refusal, replace

POD = KINDS["Pod"]
BUDGET = KINDS["PodDisruptionBudget"]


def binding(node: str = "n", **metadata: Any) -> dict[str, Any]:
    return {"metadata": {"name": "p", **metadata}, "target": {"kind": "Node", "name": node}}


def eviction(**options: Any) -> dict[str, Any]:
    return {"metadata": {"name": "p"}, "deleteOptions": options}


def test_a_pod_is_bound_once(server: ApiServer) -> None:
    pod = create(server, "Pod", a_pod())
    nominated = {**pod["status"], "nominatedNodeName": "elsewhere"}
    replace(server, "Pod", {**pod, "status": nominated}, "status")
    bound = server.bind(Attributes(KINDS["Pod"], "default", "p", NOW_S), binding())
    assert bound["spec"]["nodeName"] == "n"
    assert "nominatedNodeName" not in bound["status"]
    (condition,) = bound["status"]["conditions"]
    assert (condition["type"], condition["lastTransitionTime"]) == ("PodScheduled", NOW)
    assert bound["metadata"]["generation"] == 1
    assert server.get(POD, "default", "p") is bound
    assert refusal(
        lambda: server.bind(Attributes(KINDS["Pod"], "default", "p", NOW_S), binding("m"))
    ) == (
        409,
        "Conflict",
        'Operation cannot be fulfilled on pods/binding "p": pod p is already assigned to node "n"',
    )


def test_a_bound_pod_has_its_nodes_zone(server: ApiServer) -> None:
    labels = {"topology.kubernetes.io/zone": "z", "other": "o"}
    create(server, "Node", {"metadata": {"name": "n", "labels": labels}})
    create(server, "Pod", a_pod())
    bound = server.bind(Attributes(KINDS["Pod"], "default", "p", NOW_S), binding())
    assert bound["metadata"]["labels"] == {"topology.kubernetes.io/zone": "z"}


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (
            binding(name="q"),
            (400, "BadRequest", "name in URL does not match name in Binding object"),
        ),
        (binding(""), (500, "", "target.name: Required value")),
    ],
)
def test_bad_bindings(
    server: ApiServer, body: dict[str, Any], expected: tuple[int, str, str]
) -> None:
    create(server, "Pod", a_pod())
    assert (
        refusal(lambda: server.bind(Attributes(KINDS["Pod"], "default", "p", NOW_S), body))
        == expected
    )


def test_binding_what_is_not_there(server: ApiServer) -> None:
    not_found = (404, "NotFound", 'pods "p" not found')
    assert (
        refusal(lambda: server.bind(Attributes(KINDS["Pod"], "default", "p", NOW_S), binding()))
        == not_found
    )


def test_an_eviction_is_a_deletion_with_a_reason(server: ApiServer) -> None:
    create(server, "Pod", a_pod(spec={"nodeName": "n"}))
    server.evict(Attributes(KINDS["Pod"], "default", "p", NOW_S), eviction(gracePeriodSeconds=3))
    pod = server.get(POD, "default", "p")
    assert pod["metadata"]["deletionGracePeriodSeconds"] == 3
    (condition,) = pod["status"]["conditions"]
    assert (condition["type"], condition["reason"]) == ("DisruptionTarget", "EvictionByEvictionAPI")


def running(server: ApiServer) -> None:
    pod = create(server, "Pod", a_pod(spec={"nodeName": "n"}, metadata={"labels": {"a": "b"}}))
    ready = {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}
    replace(server, "Pod", {**pod, "status": {**pod["status"], **ready}}, "status")


def budget(server: ApiServer, allowed: int) -> None:
    spec = {"selector": {"matchLabels": {"a": "b"}}, "minAvailable": 1}
    made = create(server, "PodDisruptionBudget", {"metadata": {"name": "b"}, "spec": spec})
    status = {
        "disruptionsAllowed": allowed,
        "observedGeneration": 1,
        "currentHealthy": 1 + allowed,
        "desiredHealthy": 1,
        "expectedPods": 1 + allowed,
    }
    replace(server, "PodDisruptionBudget", {**made, "status": status}, "status")


def test_a_budget_pays_for_an_eviction(server: ApiServer) -> None:
    running(server)
    budget(server, 1)
    server.evict(Attributes(KINDS["Pod"], "default", "p", NOW_S), eviction())
    status = server.get(BUDGET, "default", "b")["status"]
    assert (status["disruptionsAllowed"], list(status["disruptedPods"])) == (0, ["p"])
    assert server.get(POD, "default", "p")["metadata"]["deletionGracePeriodSeconds"] == 30


def test_a_budget_refuses_an_eviction(server: ApiServer) -> None:
    running(server)
    budget(server, 0)
    revision = server.store.revision
    assert refusal(
        lambda: server.evict(Attributes(KINDS["Pod"], "default", "p", NOW_S), eviction())
    )[:2] == (
        429,
        "TooManyRequests",
    )
    assert server.store.revision == revision


@pytest.mark.parametrize(
    ("body", "options"),
    [
        (eviction(dryRun=["All"]), WriteOptions()),
        (eviction(), WriteOptions(dry_run=True)),
    ],
)
def test_dry_evictions(server: ApiServer, body: dict[str, Any], options: WriteOptions) -> None:
    running(server)
    budget(server, 1)
    revision = server.store.revision
    server.evict(Attributes(KINDS["Pod"], "default", "p", NOW_S, options=options), body)
    assert server.store.revision == revision


DEPLOYMENT: dict[str, Any] = {
    "metadata": {"name": "d"},
    "spec": {
        "selector": {"matchLabels": {"a": "b"}},
        "template": {"metadata": {"labels": {"a": "b"}}, "spec": a_pod()["spec"]},
    },
}


def test_scaling_changes_the_spec(server: ApiServer) -> None:
    kind = KINDS["Deployment"]
    create(server, "Deployment", DEPLOYMENT)
    scale = scale_of(kind, server.get(kind, "default", "d"))
    assert (scale["spec"], scale["status"]["selector"]) == ({"replicas": 1}, "a=b")
    wanted = {**scale, "spec": {"replicas": 3}}
    scaled = server.replace(Attributes(kind, "default", "d", NOW_S, "scale"), wanted).obj
    assert scaled["spec"] == {"replicas": 3}
    deployment = server.get(kind, "default", "d")
    assert deployment["spec"]["replicas"] == 3
    assert deployment["metadata"]["generation"] == 2
    assert refusal(
        lambda: server.replace(Attributes(kind, "default", "d", NOW_S, "scale"), wanted)
    ) == (
        409,
        "Conflict",
        'Operation cannot be fulfilled on deployments.apps "d": the object has been modified; '
        "please apply your changes to the latest version and try again",
    )


def test_resizing_changes_resources_alone(server: ApiServer) -> None:
    resources = {"requests": {"cpu": "1"}}
    container = {"name": "c", "image": "i", "resources": resources}
    pod = create(server, "Pod", a_pod(spec={"containers": [container]}))
    (stored,) = pod["spec"]["containers"]
    bigger = {**stored, "image": "j", "resources": {"requests": {"cpu": "2"}}}
    sent = {**pod, "spec": {**pod["spec"], "containers": [bigger]}}
    resized = replace(server, "Pod", sent, "resize")
    assert resized["spec"]["containers"] == [{**stored, "resources": {"requests": {"cpu": "2"}}}]
    assert resized["metadata"]["generation"] == 2
