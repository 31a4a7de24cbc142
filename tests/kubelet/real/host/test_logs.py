"""Logs of real nodes' pods, asked for as kubectl asks for them."""

import ssl
from contextlib import closing

import httpx

from podium.apiserver.http.certificates import new_kubelet_client
from tests.cluster.embedded.client import Client
from tests.kubelet.real.host.machines import Machine, until

PODS = "/api/v1/namespaces/default/pods"


def test_logs_come_from_the_node_while_they_are_written(machine: Machine) -> None:
    machine.run("counts", "echo one; echo two; while [ ! -e go ]; do sleep 0.1; done; echo three")
    machine.wait("counts", lambda status: status.get("phase") == "Running")
    until(lambda: machine.log("counts") == "one\ntwo\n")
    uid = machine.cluster.get("Pod", "counts")["metadata"]["uid"]
    with closing(Client(machine.cluster.kubeconfig)) as client:
        path = f"{PODS}/counts/log"
        assert client.text(path) == "one\ntwo\n"
        assert client.text(f"{path}?tailLines=1") == "two\n"
        assert (
            client.text(f"{path}?timestamps=true&limitBytes=4")
            == "2" + client.text(f"{path}?timestamps=true")[1:4]
        )
        code, refusal = client.ask("GET", f"{path}?previous=true")
        why = 'previous terminated container "c" in pod "counts" not found'
        assert (code, refusal["message"]) == (400, why)
        code, refusal = client.ask("GET", f"{path}?tailLines=-1")
        assert (code, refusal["details"]["kind"]) == (422, "PodLogOptions")
    (machine.root / "pods" / uid / "containers" / "c" / "go").touch()
    with closing(Client(machine.cluster.kubeconfig)) as client:
        assert client.text(f"{path}?follow=true") == "one\ntwo\nthree\n"


def test_the_node_tells_nobody_else(machine: Machine) -> None:
    node = machine.cluster.get("Node", machine.name)["status"]
    address = next(one["address"] for one in node["addresses"] if one["type"] == "InternalIP")
    port = node["daemonEndpoints"]["kubeletEndpoint"]["Port"]
    url = f"https://{address}:{port}/containerLogs/default/nobody/c"
    trusting = ssl.create_default_context()
    trusting.check_hostname, trusting.verify_mode = False, ssl.CERT_NONE
    with httpx.Client(verify=trusting) as stranger:
        assert stranger.get(url).status_code == 401
    tls = machine.cluster.kubeconfig.parent / "tls"
    made = new_kubelet_client(tls, machine.cluster.now_s)
    trusting.load_cert_chain(made.certificate, made.key)
    with httpx.Client(verify=trusting) as known:
        assert known.get(url).status_code == 404
