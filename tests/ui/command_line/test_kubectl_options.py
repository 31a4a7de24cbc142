"""Options that have kubectl's names and kubectl's meanings."""

import asyncio
import json
import socket
import ssl
from pathlib import Path

import pytest
import yaml

import podium as library
from podium.cluster.embedded.cluster import EmbeddedCluster, EmbeddedOptions
from podium.ui.command_line.main import COMMANDS, Commands
from podium.ui.testing.threaded_cluster import Cluster
from tests.objects import node, pod, workload

EMPTY_DIR = {"volumes": [{"name": "cache", "emptyDir": {}}]}


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


def test_a_selector_applies_only_the_manifests_that_match(podium, write) -> None:
    state = write("state.yaml", node("n"))
    news = write("news.yaml", pod("web"), pod("db"), pod("cache"))
    command = ("plan", "-f", state, "--apply", news, "-o", "json")
    report = json.loads(podium(*command, "-l", "app in (web,db),app!=db").stdout)
    assert [one["pod"] for one in report["placements"]] == ["default/web"]
    assert len(json.loads(podium(*command, "--selector", "").stdout)["placements"]) == 3
    for arguments, why in (
        (command[:5], "app=x: no manifest to apply has such labels"),
        (command[:3], "--selector needs --apply, --kustomize or --helm"),
    ):
        assert why in podium(*arguments, "-l", "app=x").stderr
    assert "error: --selector =: " in podium(*command, "-l", "=").stderr


@pytest.fixture
def nodes(write) -> str:
    """Two nodes of a pool with pods of a DaemonSet, with an emptyDir, and with neither."""
    agent, web = workload("DaemonSet", "agent"), workload("ReplicaSet", "web", replicas=1)
    return write(
        "state.yaml",
        node("a", labels={"pool": "spot"}),
        node("b", labels={"pool": "spot"}),
        node("c"),
        agent,
        web,
        pod("agent-1", on="a", owner=agent),
        pod("web-1", on="a", owner=web, **EMPTY_DIR),
    )


def drained(podium, *arguments: str) -> list[dict]:
    result = podium("drain", *arguments, "-o", "json")
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)["drains"]


def test_a_drain_leaves_daemons_and_deletes_empty_dirs_unless_told_otherwise(podium, nodes) -> None:
    (done,) = drained(podium, "a", "-f", nodes)
    assert (done["state"], done["evicted"]) == ("Done", 1)
    for option, why in (
        ("--no-ignore-daemonsets", "DaemonSet-managed pods (--ignore-daemonsets"),
        ("--no-delete-emptydir-data", "pods with local storage (--delete-emptydir-data"),
    ):
        (failed,) = drained(podium, "a", "-f", nodes, option)
        assert failed["state"] == "Failed"
        assert why in failed["message"]
    kubectls = ("--ignore-daemonsets", "--delete-emptydir-data")
    assert drained(podium, "a", "-f", nodes, *kubectls) == [done]


def test_a_drain_has_a_grace_period_and_a_timeout(podium, nodes) -> None:
    (done,) = drained(podium, "a", "-f", nodes, "--grace-period", "300")
    assert done["at"] >= 300
    (failed,) = drained(podium, "a", "-f", nodes, "--grace-period", "300", "--timeout", "1m")
    assert failed["message"] == "global timeout reached: 60s"
    wrong = podium("drain", "a", "-f", nodes, "--timeout", "soon")
    assert "--timeout soon: must be a duration" in wrong.stderr


def test_a_selector_selects_nodes_to_drain_or_to_fail(podium, nodes) -> None:
    found = drained(podium, "-f", nodes, "-l", "pool=spot")
    assert [one["node"] for one in found] == ["a", "b"]
    failed = podium("fail", "-f", nodes, "-l", "pool", "-o", "json").stdout
    assert json.loads(failed)["disturbance"]["nodes"] == ["a", "b"]
    tried = podium("resilience", "-f", nodes, "-l", "pool", "--no-drains", "-o", "json").stdout
    assert json.loads(tried)["tried"] == {"NodeFailure": 2}
    for arguments in ((), ("a", "-l", "pool=spot")):
        assert "but not both" in podium("drain", "-f", nodes, *arguments).stderr
    assert "no node has such labels" in podium("drain", "-f", nodes, "-l", "pool=x").stderr
    report = library.load(nodes).drain(selector="pool=spot", timeout="5m")
    assert [one.node for one in report.drains] == ["a", "b"]


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


def test_up_refuses_an_address_that_is_none(podium) -> None:
    result = podium("up", "--bind-address", "everywhere")
    assert result.stderr == "error: --bind-address everywhere: must be an IP address\n"


SCENARIO = """apiVersion: podium.dev/v1alpha1
kind: Scenario
spec:
  nodes: [{name: worker, capacity: {cpu: "1", pods: "10"}}]
  manifests: [pods.yaml]
  steps: [{at: 5s, drain: worker}, {at: 1m, assert: [{node: worker, is: cordoned}]}]
"""


@pytest.fixture
def scenario(write, tmp_path: Path) -> str:
    """A pod on the only node, one that preempts it, one that stays pending, and a failed drain."""
    high = {"priority": 1000, "preemptionPolicy": "PreemptLowerPriority"}
    write("pods.yaml", pod("low", on="worker"), pod("high", **high), pod("huge", "9"))
    path = tmp_path / "scenario.yaml"
    path.write_text(SCENARIO)
    return str(path)


@pytest.mark.parametrize(
    ("conditions", "said"),
    [
        ("preemption", "default/low loses its place on worker: it is preempted"),
        ("eviction", "default/low loses its place on worker: it is preempted"),
        ("pending", "default/huge stays pending: 0/1 nodes are available"),
        ("undrained", "Node worker isn't drained: there are pods that no controller will recreate"),
        ("preemption:priority>=1", ""),
        ("pending:workload=*huge=allow", "default/high stays pending"),
    ],
)
def test_a_simulation_fails_on_conditions(podium, scenario, conditions: str, said: str) -> None:
    result = podium("simulate", scenario, "--fail-on", conditions)
    assert result.exit_code == (2 if said else 0)
    assert said in result.stderr


def test_a_simulation_fails_on_no_other_conditions(podium, scenario) -> None:
    result = podium("simulate", scenario, "--fail-on", "rejected")
    assert "those of simulations are preemption, eviction, pending, undrained" in result.stderr


def test_a_scenario_is_scheduled_by_another_configuration(podium, write, scenario) -> None:
    disabled = {"postFilter": {"disabled": [{"name": "DefaultPreemption"}]}}
    config = {
        "apiVersion": "kubescheduler.config.k8s.io/v1",
        "kind": "KubeSchedulerConfiguration",
        "profiles": [{"schedulerName": "default-scheduler", "plugins": disabled}],
    }
    for option in ("--scheduler-config", "--config"):
        command = ("simulate", scenario, "--fail-on", "preemption", option)
        assert podium(*command, write("config.yaml", config)).exit_code == 0
    result = podium(*command, scenario)
    assert f"--scheduler-config {scenario}: must be a KubeSchedulerConfiguration" in result.stderr
