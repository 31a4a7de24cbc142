"""lightkube: typed resources, server-side apply, waiting."""

import pytest

from podium import Cluster
from tests.clients.conftest import pod
from tests.objects import config_map

lightkube = pytest.importorskip("lightkube", reason="the client `lightkube` isn't installed")
codecs = pytest.importorskip("lightkube.codecs")
core_v1 = pytest.importorskip("lightkube.resources.core_v1")


@pytest.fixture
def client(cluster: Cluster):
    config = lightkube.KubeConfig.from_file(cluster.kubeconfig)
    client = lightkube.Client(config=config, field_manager="test")
    yield client
    client.close()


def test_a_pod_from_birth_to_death(client):
    created = client.create(codecs.from_dict(pod("l")), namespace="default")
    assert created.status.phase == "Pending"
    running = client.wait(core_v1.Pod, "l", for_conditions=["Ready"], namespace="default")
    assert running.spec.nodeName.startswith("podium-")
    patch = {"metadata": {"labels": {"more": "yes"}}}
    client.patch(core_v1.Pod, "l", patch, namespace="default")
    (found,) = client.list(core_v1.Pod, namespace="default", labels={"more": "yes"})
    assert found.metadata.name == "l"
    client.delete(core_v1.Pod, "l", namespace="default", grace_period=0)
    with pytest.raises(lightkube.ApiError) as refusal:
        client.get(core_v1.Pod, "l", namespace="default")
    assert refusal.value.status.code == 404


def test_applying_and_watching(client):
    applied = client.apply(codecs.from_dict(config_map("s", a="1")))
    assert applied.data == {"a": "1"}
    events = client.watch(core_v1.ConfigMap, namespace="default", fields={"metadata.name": "s"})
    kind, found = next(events)
    events.close()
    assert (kind, found.data) == ("ADDED", {"a": "1"})
    client.delete(core_v1.ConfigMap, "s", namespace="default")
