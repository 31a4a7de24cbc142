"""Options that have kubectl's names and kubectl's meanings."""

import asyncio
import json
import socket
import ssl
from pathlib import Path

import pytest
import yaml

from podium.cluster.embedded.cluster import EmbeddedCluster, EmbeddedOptions
from podium.ui.command_line.main import COMMANDS, Commands
from podium.ui.testing.threaded_cluster import Cluster


def options_of(command: str) -> set[str]:
    params = Commands().get_command(None, command).params
    return {flag for one in params for flag in (*one.opts, *one.secondary_opts)}


def help_of(podium, command: str) -> str:
    return " ".join(podium(command, "--help").stdout.split())


@pytest.mark.parametrize(
    "command",
    [
        *("snapshot", "record", "top", "plan", "explain", "capacity"),
        *("lint", "rollout", "drain", "fail", "resilience"),
    ],
)
def test_commands_that_read_a_cluster_have_kubectls_options(command: str) -> None:
    assert {"--kubeconfig", "--context", "-A", "--as", "--request-timeout"} <= options_of(command)


@pytest.mark.parametrize("command", COMMANDS)
def test_help_shows_no_type_of_python_and_says_something_of_each_option(podium, command) -> None:
    text = help_of(podium, command)
    for riddle in ("<", "x>=", "str]", "None", "{"):
        assert riddle not in text.replace("ready<N%", "").replace("available<", "")
    for param in Commands().get_command(None, command).params:
        assert getattr(param, "hidden", False) or (param.help or "")[-1:] in (".", "]")


@pytest.fixture
def cluster():
    with Cluster(nodes=1) as running:
        yield running


def test_as_impersonates_a_user(podium, cluster) -> None:
    result = podium("snapshot", "--kubeconfig", str(cluster.kubeconfig), "--as", "jane", "-A")
    assert result.exit_code == 0
    assert 'Node is left out: nodes is forbidden: User "jane" cannot list' in result.stderr
    assert json.loads(result.stdout)["items"] == []


@pytest.mark.parametrize("timeout", ["200ms", "0.2s"])
def test_a_request_is_given_up_after_the_request_timeout(podium, tmp_path, timeout: str) -> None:
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        config = {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [
                {"name": "c", "cluster": {"server": f"http://127.0.0.1:{silent.getsockname()[1]}"}}
            ],
            "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}],
            "users": [{"name": "u", "user": {"token": "t"}}],
            "current-context": "c",
        }
        path = tmp_path / "kubeconfig"
        path.write_text(yaml.safe_dump(config))
        result = podium("plan", "--kubeconfig", str(path), "--request-timeout", timeout)
    assert (result.exit_code, "imeout" in result.stderr) == (1, True)


def test_a_request_timeout_must_be_a_duration(podium, cluster) -> None:
    kubeconfig = str(cluster.kubeconfig)
    for wrong in ("soon", "-1s"):
        result = podium("plan", "--kubeconfig", kubeconfig, "--request-timeout", wrong)
        assert result.stderr.startswith(f"error: --request-timeout {wrong}: must be a duration")
    assert podium("plan", "--kubeconfig", kubeconfig, "--request-timeout", "0").exit_code == 0


def test_a_cluster_of_all_addresses_is_trusted_by_the_name_of_its_machine(tmp_path: Path) -> None:
    async def scenario() -> None:
        options = EmbeddedOptions(address="0.0.0.0", port=0, data_dir=tmp_path)
        async with EmbeddedCluster(options) as cluster:
            assert cluster.served.url.startswith("https://127.0.0.1:")
            port = int(cluster.served.url.rpartition(":")[2])
            context = ssl.create_default_context(cafile=str(tmp_path / "tls" / "ca.crt"))
            for name in ("127.0.0.1", socket.gethostname()):
                transport, _ = await asyncio.get_running_loop().create_connection(
                    asyncio.Protocol, "127.0.0.1", port, ssl=context, server_hostname=name
                )
                transport.abort()

    asyncio.run(scenario())
