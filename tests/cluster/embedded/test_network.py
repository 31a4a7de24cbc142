"""What servers beside the API server look up in the cluster."""

import json
from pathlib import Path

import yaml
from cryptography import x509

from podium import Cluster
from podium.cluster.embedded.network import NAME, NAMESPACE


def authentication(cluster: Cluster) -> dict[str, str]:
    return {**cluster.get("ConfigMap", NAME, NAMESPACE)["data"]}


def test_whom_to_trust(tmp_path: Path) -> None:
    with Cluster(nodes=0, data_dir=tmp_path) as cluster:
        data = authentication(cluster)
        kubeconfig = yaml.safe_load(cluster.kubeconfig.read_text())
    authority = x509.load_pem_x509_certificate(data["client-ca-file"].encode())
    assert authority.extensions.get_extension_for_class(x509.BasicConstraints).value.ca
    assert data["requestheader-client-ca-file"] == data["client-ca-file"]
    assert json.loads(data["requestheader-username-headers"]) == ["X-Remote-User"]
    assert "certificate-authority-data" in kubeconfig["clusters"][0]["cluster"]
    with Cluster(nodes=0, data_dir=tmp_path) as cluster:
        assert authentication(cluster) == data


def test_nobody_without_tls() -> None:
    with Cluster(nodes=0, insecure_http=True) as cluster:
        assert cluster.list("ConfigMap") == []
