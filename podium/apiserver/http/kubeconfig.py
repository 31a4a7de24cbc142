"""The kubeconfig: all that `kubectl` needs to find a server, trust it, and be let in."""

from base64 import b64encode
from pathlib import Path
from typing import Any

from podium.api.codec.yaml_writer import write_yaml
from podium.api.process.private_files import write_private

NAME = "podium"
"""Of the context, and of the cluster and the user that it names."""


def kubeconfig(url: str, token: str, certificate_authority: bytes | None) -> dict[str, Any]:
    """A kubeconfig (Config v1) with one context, and the certificate to trust if there is TLS."""
    cluster = {"server": url}
    if certificate_authority is not None:
        cluster["certificate-authority-data"] = b64encode(certificate_authority).decode()
    return {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": NAME, "cluster": cluster}],
        "users": [{"name": NAME, "user": {"token": token}}],
        "contexts": [{"name": NAME, "context": {"cluster": NAME, "user": NAME}}],
        "current-context": NAME,
    }


def write_kubeconfig(path: Path, url: str, token: str, certificate_authority: bytes | None) -> None:
    """Write a `kubeconfig` that only its owner may read; raises FileError."""
    content = kubeconfig(url, token, certificate_authority)
    write_private(path, write_yaml(content, sort_keys=False).encode())
