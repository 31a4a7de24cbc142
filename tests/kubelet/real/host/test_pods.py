"""Pods as processes: a real machine as a node of an embedded cluster."""

import socket
from contextlib import closing
from pathlib import Path
from typing import Any

from podium.kubelet.real.host.process_table import processes
from tests.cluster.embedded.client import Client
from tests.kubelet.real.host.machines import MI, Machine, hog, until

CONFIG = {
    "apiVersion": "v1",
    "kind": "ConfigMap",
    "metadata": {"name": "settings"},
    "data": {"COLOUR": "green", "motto": "on y va"},
}
SECRET = {
    "apiVersion": "v1",
    "kind": "Secret",
    "metadata": {"name": "password"},
    "stringData": {"key": "pssst"},
}


def test_a_pod_runs_and_its_log_is_there(machine: Machine) -> None:
    machine.cluster.apply(CONFIG, SECRET)
    environment = [
        {"name": "POD", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}},
        {"name": "KEY", "valueFrom": {"secretKeyRef": {"name": "password", "key": "key"}}},
        {"name": "BOTH", "value": "$(POD)/$(COLOUR)"},
    ]
    mounts = [{"name": "files", "mountPath": "/etc/files"}, {"name": "free", "mountPath": "/free"}]
    container = {
        "env": environment,
        "envFrom": [{"configMapRef": {"name": "settings"}}],
        "volumeMounts": mounts,
    }
    volumes = [
        {"name": "files", "configMap": {"name": "settings"}},
        {"name": "free", "emptyDir": {}},
    ]
    script = "echo $BOTH $KEY; cat etc/files/motto; echo; echo x >free/x; ls $PODIUM_VOLUME_FREE"
    machine.run("runs", script, restartPolicy="Never", container=container, volumes=volumes)
    machine.wait("runs", lambda status: status.get("phase") == "Succeeded")
    assert machine.log("runs") == "runs/green pssst\non y va\nx\n"
    status = machine.status("runs")
    ended = status["containerStatuses"][0]["state"]["terminated"]
    assert (ended["exitCode"], ended["reason"]) == (0, "Completed")
    until(lambda: ("Started", "Container started") in machine.events("runs"))
    with closing(Client(machine.cluster.kubeconfig)) as client:
        said = client.text("/api/v1/namespaces/default/pods/runs/log")
    assert said == machine.log("runs")


def test_a_file_of_the_host_is_created_where_it_is_missing(
    machine: Machine, tmp_path: Path
) -> None:
    path = tmp_path / "made"
    volume = {"name": "v", "hostPath": {"path": str(path), "type": "FileOrCreate"}}
    machine.run("touches", "true", restartPolicy="Never", volumes=[volume])
    machine.wait("touches", lambda status: status.get("phase") == "Succeeded")
    assert path.is_file()


def test_what_a_container_names_must_be_there(machine: Machine) -> None:
    source = {"configMapRef": {"name": "missing"}}
    machine.run("lacks", "true", container={"envFrom": [source]})
    until(lambda: waiting(machine, "lacks").get("message") == 'configmap "missing" not found')
    assert waiting(machine, "lacks")["reason"] == "CreateContainerConfigError"


def test_whoever_crashes_is_restarted_and_then_has_to_wait(machine: Machine) -> None:
    machine.run("crashes", "echo oops; exit 3")
    until(lambda: waiting(machine, "crashes").get("reason") == "CrashLoopBackOff")
    container = machine.container("crashes")
    assert container["restartCount"] == 1
    assert container["lastState"]["terminated"]["exitCode"] == 3
    assert machine.log("crashes", 1) == "oops\n"


def test_whoever_fails_for_good_has_failed(machine: Machine) -> None:
    machine.run("fails", "exit 2", restartPolicy="Never")
    machine.run("nothing", "no-such-program", "x", restartPolicy="Never")
    machine.wait("fails", lambda status: status.get("phase") == "Failed")
    machine.wait("nothing", lambda status: status.get("phase") == "Failed")
    ended = machine.container("nothing")["state"]["terminated"]
    assert (ended["exitCode"], ended["reason"]) == (128, "StartError")
    assert "executable file not found" in ended["message"]


def test_init_containers_run_first_and_sidecars_beside(machine: Machine) -> None:
    shared = {"volumeMounts": [{"name": "v", "mountPath": "/v"}], "image": "none"}
    init = [
        {"name": "first", "command": ["sh", "-c", "echo 1 >>v/order"], **shared},
        {
            "name": "side",
            "command": ["sh", "-c", "echo 2 >>v/order; sleep 60"],
            "restartPolicy": "Always",
            "startupProbe": {"exec": {"command": ["grep", "2", "v/order"]}, "periodSeconds": 1},
            **shared,
        },
    ]
    machine.run(
        "ordered",
        "cat v/order",
        restartPolicy="Never",
        initContainers=init,
        volumes=[{"name": "v", "emptyDir": {}}],
        container={"volumeMounts": shared["volumeMounts"]},
    )
    machine.wait("ordered", lambda status: status.get("phase") == "Succeeded")
    assert machine.log("ordered") == "1\n2\n"


def test_probes_tell_who_is_ready(machine: Machine, tmp_path: Path) -> None:
    probe = {"exec": {"command": ["test", "-e", str(tmp_path / "ready")]}, "periodSeconds": 1}
    machine.run("probed", "sleep 60", container={"readinessProbe": probe})
    machine.wait("probed", lambda status: status.get("phase") == "Running")
    assert not machine.container("probed")["ready"]
    (tmp_path / "ready").touch()
    until(lambda: machine.container("probed")["ready"])


def test_whoever_does_not_answer_is_restarted(machine: Machine) -> None:
    server = "import http.server as h; h.HTTPServer(('127.0.0.1', {}), h.SimpleHTTPRequestHandler)"
    good = {"httpGet": {"port": "web"}, "periodSeconds": 1, "failureThreshold": 30}
    bad = {"httpGet": {"port": 1}, "periodSeconds": 1, "failureThreshold": 1}
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = ["python3", "-c", f"{server.format(port)}.serve_forever()"]
    ports = [{"name": "web", "containerPort": port}]
    machine.run("serves", *command, container={"startupProbe": good, "ports": ports})
    machine.run("hangs", "sleep 60", container={"livenessProbe": bad})
    until(lambda: machine.container("hangs").get("restartCount"))
    until(lambda: machine.container("serves").get("ready"))
    # It may have to begin anew if somebody else takes the port, but no probe ends it.
    assert not [one for one in machine.events("serves") if one[0] == "Killing"]
    note = "Container c failed liveness probe, will be restarted"
    until(lambda: ("Killing", note) in machine.events("hangs"))


def test_a_deleted_pod_ends_in_its_own_way(machine: Machine, tmp_path: Path) -> None:
    diary = tmp_path / "diary"
    hook = {"exec": {"command": ["sh", "-c", f"echo hook >>{diary}"]}}
    script = f"trap 'echo asked >>{diary}; exit 0' TERM; echo up; while :; do sleep 0.05; done"
    machine.run("polite", script, container={"lifecycle": {"preStop": hook}})
    until(lambda: machine.log("polite"))
    machine.cluster.delete("Pod", "polite", grace_period_s=10)
    until(lambda: machine.is_gone("polite"))
    assert diary.read_text() == "hook\nasked\n"


def test_whoever_does_not_end_is_killed_with_all_it_has_started(
    machine: Machine, tmp_path: Path
) -> None:
    pids = tmp_path / "pids"
    script = f"trap '' TERM; setsid sleep 77 & echo $! $$$$ >{pids}; while :; do sleep 0.05; done"
    machine.run("stubborn", script)
    until(lambda: pids.exists() and pids.read_text())
    started = [int(pid) for pid in pids.read_text().split()]
    machine.cluster.delete("Pod", "stubborn", grace_period_s=1)
    until(lambda: machine.is_gone("stubborn"))
    assert not any(map(is_alive, started))


def test_whoever_takes_more_memory_than_it_may_is_killed(machine: Machine) -> None:
    limit = {"resources": {"limits": {"memory": "50Mi"}}}
    machine.run("greedy", "python3", "-c", hog(120 * MI), restartPolicy="Never", container=limit)
    machine.wait("greedy", lambda status: status.get("phase") == "Failed")
    ended = machine.container("greedy")["state"]["terminated"]
    assert (ended["exitCode"], ended["reason"]) == (137, "OOMKilled")


def is_held_up(pid: int) -> bool:
    """Whether a process is stopped, or its cgroup has been throttled."""
    group = Path("/proc", str(pid), "cgroup").read_text().rpartition("::")[2].strip()
    counts = Path(f"/sys/fs/cgroup{group}/cpu.stat")
    throttled = counts.exists() and "nr_throttled 0" not in counts.read_text()
    return fields_of(pid)[0] == "T" or (throttled and "nr_throttled" in counts.read_text())


def fields_of(pid: int) -> list[str]:
    """What /proc says of a process, from its state on."""
    return Path("/proc", str(pid), "stat").read_text().rpartition(") ")[2].split()


def ticks_of(pid: int) -> int:
    """The processor's time that a process has used."""
    user, system = fields_of(pid)[11:13]
    return int(user) + int(system)


def test_whoever_has_used_its_share_of_the_processors_is_paused(machine: Machine) -> None:
    limit = {"resources": {"limits": {"cpu": "20m"}}}
    script = "import os\nprint(os.getpid(), flush=True)\nwhile True: pass"
    machine.run("busy", "python3", "-c", script, container=limit)
    pid = int(until(lambda: machine.log("busy")))
    until(lambda: is_held_up(pid))
    used = ticks_of(pid)
    until(lambda: ticks_of(pid) > used)


def test_what_cannot_be_given_is_refused(machine: Machine) -> None:
    claim = {"name": "v", "persistentVolumeClaim": {"claimName": "x"}}
    machine.run("wants", "true", volumes=[claim], container={"command": None})
    machine.wait("wants", lambda status: status.get("phase") == "Failed")
    status = machine.status("wants")
    assert status["reason"] == "UnsupportedByRuntime"
    assert "volume v of kind persistentVolumeClaim" in status["message"]
    assert "container c without a command" in status["message"]
    until(lambda: machine.events("wants"))


def test_a_pod_that_was_stopped_for_its_deadline_has_failed(machine: Machine) -> None:
    machine.run("late", "sleep 60", activeDeadlineSeconds=1)
    machine.wait("late", lambda status: status.get("phase") == "Failed")
    assert machine.status("late")["reason"] == "DeadlineExceeded"


def waiting(machine: Machine, name: str) -> dict[str, Any]:
    """Why a pod's container waits, if it does."""
    return (machine.container(name).get("state") or {}).get("waiting") or {}


def is_alive(pid: int) -> bool:
    entry = processes().get(pid)
    return entry is not None and not entry.is_dead
