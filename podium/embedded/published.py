"""What a cluster tells in its own objects: whom servers beside the API server may trust.

kube-scheduler and kube-controller-manager serve HTTPS themselves, and look up in a ConfigMap by
which authority clients, and proxies that speak for clients, are certified. As in clusters that
kubeadm makes, it is there from the beginning; nobody is certified by it here.
"""

import json
from collections.abc import Mapping
from typing import Any

from podium.cluster import Cluster
from podium.embedded.acting import Actor

NAMESPACE, NAME = "kube-system", "extension-apiserver-authentication"

_HEADERS = {
    "requestheader-username-headers": ["X-Remote-User"],
    "requestheader-group-headers": ["X-Remote-Group"],
    "requestheader-extra-headers-prefix": ["X-Remote-Extra-"],
    "requestheader-allowed-names": ["front-proxy-client"],
}


def publish_authority(cluster: Cluster, authority: str) -> None:
    """Tell which authority to trust; `authority` is its certificate, in PEM."""
    Actor(cluster).apply([_authentication(authority)])


def _authentication(authority: str) -> Mapping[str, Any]:
    lists = {name: json.dumps(values) for name, values in _HEADERS.items()}
    authorities = dict.fromkeys(("client-ca-file", "requestheader-client-ca-file"), authority)
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": NAME, "namespace": NAMESPACE},
        "data": {**authorities, **lists},
    }
