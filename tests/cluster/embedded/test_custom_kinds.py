"""A cluster with kinds that definitions bring, as operators and tests of operators use it."""

from pathlib import Path
from typing import Any

import pytest
from kubernetes import client as kube
from kubernetes import config

import podium
from podium.api.errors import RefusedError
from tests.apiserver.custom_resources.crontabs import FILE, crontab, definition
from tests.objects import namespace, reference

KEY = "crontabs.stable.example.com"
PLACE = ("stable.example.com", "v1", "default", "crontabs")


def child_of(owner: Any, **obj: Any) -> dict[str, Any]:
    """An object that goes with its owner."""
    metadata = {"name": "child", "namespace": "default", "ownerReferences": [reference(owner)]}
    return {**obj, "metadata": metadata}


def test_a_kind_is_there_at_once() -> None:
    with podium.Cluster(nodes=0) as cluster:
        _, made = cluster.apply(definition(), crontab("a"))
        assert made["spec"]["replicas"] == 1
        assert cluster.get(KEY, "a")["kind"] == "CronTab"
        assert [one["metadata"]["name"] for one in cluster.list("CronTab")] == ["a"]
        cluster.delete("CronTab", "a")
        assert cluster.list(KEY) == []


def test_files_may_hold_both(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(
        "apiVersion: stable.example.com/v1\nkind: CronTab\n"
        "metadata: {name: a}\nspec: {image: nginx}\n"
    )
    with podium.Cluster(nodes=0, manifests=[FILE, tmp_path]) as cluster:
        assert cluster.get("CronTab", "a")["spec"]["replicas"] == 1
        assert cluster.apply(tmp_path)[0]["metadata"]["namespace"] == "default"


def test_custom_objects_go_with_their_owners_and_namespaces_and_what_they_own_with_them() -> None:
    with podium.Cluster(nodes=0) as cluster:
        elsewhere = crontab("a")
        elsewhere["metadata"]["namespace"] = "x"
        config_map = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "owner"}}
        _, tab, _, _, owner = cluster.apply(
            definition(), crontab("a"), namespace("x"), elsewhere, config_map
        )
        cluster.apply(child_of(tab, **config_map), child_of(owner, **crontab("child")))
        cluster.advance(60)
        assert cluster.get("ConfigMap", "child")
        assert len(cluster.list(KEY)) == 3
        cluster.delete("CronTab", "a")
        cluster.delete("ConfigMap", "owner")
        cluster.delete("Namespace", "x")
        cluster.advance(60)
        with pytest.raises(RefusedError, match="not found"):
            cluster.get("ConfigMap", "child")
        assert cluster.list(KEY) == []
        assert "x" not in [one["metadata"]["name"] for one in cluster.list("Namespace")]


def test_a_quota_counts_custom_objects() -> None:
    with podium.Cluster(nodes=0) as cluster:
        limit = f"count/{KEY}"
        metadata = {"name": "few", "namespace": "default"}
        quota = {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": metadata}
        cluster.apply({**quota, "spec": {"hard": {limit: "1"}}}, definition())
        cluster.advance(5)
        cluster.apply(crontab("a"))
        cluster.advance(5)
        assert cluster.get("ResourceQuota", "few")["status"]["used"] == {limit: "1"}
        with pytest.raises(RefusedError, match="exceeded quota: few"):
            cluster.apply(crontab("b"))
        cluster.delete(KEY, "a")
        cluster.advance(5)
        assert cluster.get("ResourceQuota", "few")["status"]["used"] == {limit: "0"}


def test_definitions_and_objects_outlast_the_process(tmp_path: Path) -> None:
    with podium.Cluster(nodes=0, data_dir=tmp_path) as cluster:
        cluster.apply(definition(), crontab("a"))
    with podium.Cluster(nodes=0, data_dir=tmp_path) as cluster:
        assert cluster.get(KEY, "a")["spec"]["image"] == "nginx"
        with pytest.raises(RefusedError, match="should be at least 2 chars long"):
            cluster.apply(crontab("b", image="x"))


def reconcile(api: kube.CustomObjectsApi, core: kube.CoreV1Api) -> None:
    """What a small operator does: a ConfigMap for each object, and a status that says so."""
    for one in api.list_namespaced_custom_object(*PLACE)["items"]:
        name = one["metadata"]["name"]
        names = [found.metadata.name for found in core.list_namespaced_config_map("default").items]
        if name not in names:
            metadata = kube.V1ObjectMeta(name=name)
            core.create_namespaced_config_map("default", kube.V1ConfigMap(metadata=metadata))
        status = {"status": {"replicas": one["spec"]["replicas"]}}
        api.patch_namespaced_custom_object_status(*PLACE, name, status)


def test_an_operator() -> None:
    with podium.Cluster(nodes=0) as cluster:
        connection = config.new_client_from_config(str(cluster.kubeconfig))
        api, core = kube.CustomObjectsApi(connection), kube.CoreV1Api(connection)
        kube.ApiextensionsV1Api(connection).create_custom_resource_definition(definition())
        api.create_namespaced_custom_object(*PLACE, crontab("web", replicas=3))
        reconcile(api, core)
        reconcile(api, core)
        found = api.get_namespaced_custom_object(*PLACE, "web")
        assert found["status"] == {"replicas": 3}
        assert found["metadata"]["generation"] == 1
        with pytest.raises(kube.ApiException, match="should be less than or equal to 10"):
            api.create_namespaced_custom_object(*PLACE, crontab("bad", replicas=11))
        connection.close()
