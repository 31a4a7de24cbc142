"""Kubeconfigs of nodes: how a node's agent reaches a cluster that runs, as that node and no other.

It is made beside the cluster, from the files in its data directory; the cluster needn't be asked.
"""

from pathlib import Path

import yaml

from podium.api.codec.yaml_writer import write_yaml
from podium.api.errors import PodiumError
from podium.api.process.private_files import private_directory, read_private, write_private
from podium.api.selectors.labels import validate_subdomain
from podium.apiserver.http.users import kept_tokens, node_token


class MissingCredentialsError(PodiumError):
    """A node can't be given credentials."""


def write_node_kubeconfig(data_dir: Path, node: str, output: Path | None = None) -> Path:
    """Write the kubeconfig of a node, readable by its owner alone.

    Args:
        output: where to; None for `nodes/NAME.kubeconfig` in the data directory.

    Raises:
        MissingCredentialsError: the name is none, or no cluster runs there.
        FileError: a file can't be read or written.
    """
    if wrong := validate_subdomain(node):
        raise MissingCredentialsError(f"{node}: is no name of a node: {wrong[0]}")
    content = read_private(data_dir / "kubeconfig")
    if content is None:
        raise MissingCredentialsError(f"{data_dir}: no cluster runs there")
    config = yaml.safe_load(content)
    token = node_token(kept_tokens(data_dir / "tokens").nodes, node)
    config["users"] = [{**user, "user": {"token": token}} for user in config["users"]]
    if output is None:
        private_directory(data_dir / "nodes")
        output = data_dir / "nodes" / f"{node}.kubeconfig"
    write_private(output, write_yaml(config, sort_keys=False).encode())
    return output
