"""The official client: typed and dynamic, watches, patches, evictions."""

from datetime import UTC, datetime

import pytest

from podium import Cluster
from tests.clients.conftest import pod
from tests.objects import budget, priority_class, workload

kubernetes = pytest.importorskip("kubernetes", reason="the client `kubernetes` isn't installed")

SPACE = "default"


@pytest.fixture
def api(cluster: Cluster):
    client = kubernetes.config.new_client_from_config(str(cluster.kubeconfig))
    with client:
        yield client


@pytest.fixture
def core(api):
    return kubernetes.client.CoreV1Api(api)


def wait_until_ready(core, app: str, count: int) -> str:
    """Follow pods until so many are ready; the resourceVersion then."""
    listed = core.list_namespaced_pod(SPACE, label_selector=f"app={app}")
    version = listed.metadata.resource_version
    ready = {found.metadata.name for found in listed.items if is_ready(found)}
    watch = kubernetes.watch.Watch()
    selected = {"label_selector": f"app={app}", "resource_version": version}
    while len(ready) < count:
        for event in watch.stream(core.list_namespaced_pod, SPACE, timeout_seconds=20, **selected):
            if is_ready(event["object"]):
                ready.add(event["object"].metadata.name)
            if len(ready) == count:
                watch.stop()
    return version


def wait_until_spare(policy, budget: str) -> None:
    """Follow a budget until a pod may be evicted."""
    watch = kubernetes.watch.Watch()
    named = {"field_selector": f"metadata.name={budget}", "timeout_seconds": 20}
    for event in watch.stream(policy.list_namespaced_pod_disruption_budget, SPACE, **named):
        if event["object"].status.disruptions_allowed:
            watch.stop()


def is_ready(found) -> bool:
    conditions = found.status.conditions or ()
    return any(one.type == "Ready" and one.status == "True" for one in conditions)


def test_pods_run_and_are_evicted_as_budgets_permit(core, api):
    policy = kubernetes.client.PolicyV1Api(api)
    policy.create_namespaced_pod_disruption_budget(SPACE, budget("web", minAvailable=1))
    for name in ("web-1", "web-2"):
        core.create_namespaced_pod(SPACE, pod(name))
    wait_until_ready(core, "web", 2)
    wait_until_spare(policy, "web")
    eviction = kubernetes.client.V1Eviction(metadata={"name": "web-1"})
    core.create_namespaced_pod_eviction("web-1", SPACE, eviction)
    eviction.metadata = {"name": "web-2"}
    with pytest.raises(kubernetes.client.ApiException) as refusal:
        core.create_namespaced_pod_eviction("web-2", SPACE, eviction)
    assert refusal.value.status == 429
    assert "disruption budget" in refusal.value.body
    core.delete_namespaced_pod("web-2", SPACE, grace_period_seconds=0)


def test_patches(core):
    core.create_namespaced_config_map(SPACE, {"metadata": {"name": "c"}, "data": {"a": "1"}})
    assert core.patch_namespaced_config_map("c", SPACE, {"data": {"b": "2"}}).data["a"] == "1"
    operations = [{"op": "remove", "path": "/data/a"}]
    assert core.patch_namespaced_config_map("c", SPACE, operations).data == {"b": "2"}
    found = core.read_namespaced_config_map("c", SPACE)
    found.data = {"d": "3"}
    replaced = core.replace_namespaced_config_map("c", SPACE, found)
    with pytest.raises(kubernetes.client.ApiException) as refusal:
        core.replace_namespaced_config_map("c", SPACE, found)
    assert (refusal.value.status, replaced.data) == (409, {"d": "3"})
    core.delete_collection_namespaced_config_map(SPACE)
    assert core.list_namespaced_config_map(SPACE).items == []


def test_the_dynamic_client(api):
    """It learns from discovery what there is."""
    dynamic = kubernetes.dynamic.DynamicClient(api)
    classes = dynamic.resources.get(api_version="scheduling.k8s.io/v1", kind="PriorityClass")
    classes.create(body=priority_class("high", 1000))
    assert classes.get(name="high").value == 1000
    applied = classes.server_side_apply(body=priority_class("low", 1), field_manager="test")
    assert applied.value == 1
    assert {"high", "low"} <= {one.metadata.name for one in classes.get().items}


def test_workloads(api, core):
    apps = kubernetes.client.AppsV1Api(api)
    apps.create_namespaced_deployment(SPACE, workload("Deployment", "d", "10m", replicas=2))
    wait_until_ready(core, "d", 2)
    apps.patch_namespaced_deployment_scale("d", SPACE, {"spec": {"replicas": 3}})
    wait_until_ready(core, "d", 3)
    assert apps.read_namespaced_deployment_scale("d", SPACE).spec.replicas == 3
    apps.delete_namespaced_deployment("d", SPACE, propagation_policy="Foreground")


def test_what_the_server_is(api):
    assert kubernetes.client.VersionApi(api).get_code().minor == "36"
    groups = kubernetes.client.ApisApi(api).get_api_versions().groups
    assert "policy" in {group.name for group in groups}


def test_only_one_gets_the_lease(api):
    """By which leaders are elected: whoever writes second has seen an old version."""
    coordination = kubernetes.client.CoordinationV1Api(api)
    spec = {"holderIdentity": "a", "leaseDurationSeconds": 15}
    coordination.create_namespaced_lease(SPACE, {"metadata": {"name": "l"}, "spec": spec})
    first, second = (coordination.read_namespaced_lease("l", SPACE) for _ in range(2))
    first.spec.holder_identity, second.spec.holder_identity = "b", "c"
    first.spec.renew_time = second.spec.renew_time = datetime.now(UTC)
    renewed = coordination.replace_namespaced_lease("l", SPACE, first)
    assert renewed.spec.renew_time == first.spec.renew_time
    with pytest.raises(kubernetes.client.ApiException) as refusal:
        coordination.replace_namespaced_lease("l", SPACE, second)
    assert refusal.value.status == 409
    assert coordination.read_namespaced_lease("l", SPACE).spec.holder_identity == "b"
