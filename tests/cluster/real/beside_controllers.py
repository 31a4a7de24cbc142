"""The same operations beside the real controllers and Podium's, and how what they make differs."""

import re
import time
from datetime import UTC, datetime

from tests.cluster.real.drawn_operations import BUDGETS, NODES, WORKLOADS, Operation
from tests.cluster.real.server import Json, Server
from tests.cluster.real.world import PODS, World, until
from tests.properties.volume_clusters import Dice

PATIENCE_S = 14.0
"""So long two that differ may still come to agree: a Job may wait ten seconds for its next pod."""

_QUIET_S = 1.0
_REPLICA_SETS = "/apis/apps/v1/namespaces/default/replicasets"
_REVISIONS = "/apis/apps/v1/namespaces/default/controllerrevisions"
_KINDS = {**WORKLOADS, "ReplicaSet": _REPLICA_SETS, "PodDisruptionBudget": BUDGETS}
_TIMES = {"lastTransitionTime", "lastUpdateTime", "lastProbeTime"}
# Hashes of templates are each implementation's own.
_OWN = {"currentRevision", "updateRevision"}
_INDEX = "batch.kubernetes.io/job-completion-index"

State = dict[str, object]


class BesideControllers:
    """Two clusters to which the same is done.

    Attributes:
        log: what has been done so far, and what both answered.
    """

    def __init__(self, real: Server, podium: Server) -> None:
        self._servers = (real, podium)
        self.log: list[str] = []

    def do(self, operation: Operation, dice: Dice) -> None:
        """Do it to both, with a pod that is alike in both where it is about one."""
        if operation.path:
            both = [_request(server, operation) for server in self._servers]
            answers = " and ".join(map(str, dict.fromkeys(both)))
            self.log.append(f"{operation.what} {operation.path} {operation.body}: {answers}")
        elif operation.what == "bind all":
            self.log.append(operation.what)
            for server in self._servers:
                for pod in World(server).pods():
                    if not pod["spec"].get("nodeName") and not _is_deleted(pod):
                        _bind(server, pod)
        else:
            self._do_to_one(operation.what, dice)

    def differences(self) -> list[str]:
        """What is in one and not in the other, when nothing changes any more."""
        states, since_s = self._states(), time.monotonic()
        until_s = since_s + PATIENCE_S
        while True:
            time.sleep(0.2)
            found, now_s = self._states(), time.monotonic()
            if found != states:
                states, since_s = found, now_s
            real, podium = states
            keys = sorted(key for key in real | podium if real.get(key) != podium.get(key))
            if now_s > until_s or (not keys and now_s - since_s > _QUIET_S):
                return [f"{key}: real {real.get(key)}, Podium {podium.get(key)}" for key in keys]

    def clear(self) -> None:
        self.log = []
        for server in self._servers:
            for path in _KINDS.values():
                for obj in _all(server, path):
                    name, body = obj["metadata"]["name"], {"propagationPolicy": "Background"}
                    server.request("DELETE", f"{path}/{name}", body)
        for server in self._servers:
            until(lambda server=server: _is_swept(server))
            World(server).clear()
            server.ask("DELETE", _REVISIONS)

    def _states(self) -> list[State]:
        return [_state(server) for server in self._servers]

    def _do_to_one(self, what: str, dice: Dice) -> None:
        both = []
        for server in self._servers:
            sets = _replica_sets(server)
            pods = [(_pod_key(pod, sets), pod) for pod in World(server).pods()]
            wanted = [one for one in pods if _is_wanted(one[1], what)]
            both.append(sorted(wanted, key=lambda one: one[0]))
        count = min(map(len, both))
        if not count:
            return
        place = dice.one(*range(count))
        self.log.append(f"{what} {both[0][place][0]}")
        for server, pods in zip(self._servers, both, strict=True):
            _act(server, pods[place][1], what)


def _request(server: Server, operation: Operation) -> int:
    headers = {}
    if operation.what == "PATCH":
        headers = {"Content-Type": "application/merge-patch+json"}
    code = server.request(operation.what, operation.path, operation.body, **headers).status_code
    if operation.what == "POST" and operation.path == NODES:
        # Some servers give new nodes a taint, which nobody would take away here.
        server.merge(f"{NODES}/{operation.body['metadata']['name']}", {"spec": {"taints": None}})
    return code


def _act(server: Server, pod: Json, what: str) -> None:
    path = f"{PODS}/{pod['metadata']['name']}"
    if what in ("delete", "remove"):
        server.request("DELETE", path, {"gracePeriodSeconds": 0} if what == "remove" else None)
        return
    now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    ready = "True" if what == "ready" else "False"
    status: Json = {"phase": "Running"}
    status["conditions"] = [{"type": "Ready", "status": ready, "lastTransitionTime": now}]
    verb, _, code = what.partition(" ")
    if verb in ("succeed", "fail"):
        status["phase"] = "Succeeded" if verb == "succeed" else "Failed"
        ended = {"exitCode": int(code or 0), "startedAt": now, "finishedAt": now}
        container = {"name": "c", "image": "i", "imageID": "", "ready": False, "restartCount": 0}
        status["containerStatuses"] = [{**container, "state": {"terminated": ended}}]
    server.merge(f"{path}/status", {"status": status})


def _bind(server: Server, pod: Json) -> None:
    name = pod["metadata"]["name"]
    target = {"kind": "Node", "name": _own_node(pod) or "n0"}
    body = {"metadata": {"name": name}, "target": target}
    server.request("POST", f"{PODS}/{name}/binding", body)


def _is_wanted(pod: Json, what: str) -> bool:
    if what == "remove":
        return _is_deleted(pod)
    return not _is_deleted(pod) and pod["status"].get("phase") not in ("Succeeded", "Failed")


def _is_deleted(obj: Json) -> bool:
    return "deletionTimestamp" in obj["metadata"]


def _is_swept(server: Server) -> bool:
    """Whether workloads and pods are gone; pods that are still there go now."""
    pods = World(server).pods()
    for pod in pods:
        path = f"{PODS}/{pod['metadata']['name']}"
        if pod["metadata"].get("finalizers"):
            body = {"metadata": {"finalizers": None}}
            server.request("PATCH", path, body, **{"Content-Type": "application/merge-patch+json"})
        server.request("DELETE", path, {"gracePeriodSeconds": 0})
    return not pods and not any(_all(server, path) for path in _KINDS.values())


def _all(server: Server, path: str) -> list[Json]:
    return list(server.ask("GET", path)["items"])


def _state(server: Server) -> State:
    """What is comparable of all there is: names that are drawn, times and hashes are not."""
    sets = _replica_sets(server)
    state: State = {}
    for kind, path in _KINDS.items():
        for obj in _all(server, path):
            metadata = obj["metadata"]
            name = sets.get(metadata["name"], metadata["name"])
            for field, value in _status(obj).items():
                state[f"{kind} {name} status.{field}"] = value
            state[f"{kind} {name} replicas"] = obj["spec"].get("replicas")
            state[f"{kind} {name} annotations"] = metadata.get("annotations")
            state[f"{kind} {name} finalizers"] = sorted(metadata.get("finalizers", ()))
            state[f"{kind} {name} is deleted"] = _is_deleted(obj)
            if kind != "ReplicaSet":
                state[f"{kind} {name} generation"] = metadata.get("generation")
    for pod in World(server).pods():
        key = f"pods {_pod_key(pod, sets)}"
        state[key] = int(str(state.get(key, 0))) + 1
    return state


def _status(obj: Json) -> Json:
    status = obj.get("status", {})
    found = {field: value for field, value in status.items() if value and field not in _OWN}
    for field in {"startTime", "completionTime"} & found.keys():
        found[field] = "set"
    conditions = (_condition(one) for one in found.get("conditions", ()))
    found["conditions"] = sorted(conditions, key=lambda one: one["type"])
    return found


def _condition(condition: Json) -> Json:
    found = {field: value for field, value in condition.items() if field not in _TIMES}
    # The real one says either of the two about the same rollout, by chance.
    if found.get("reason") == "NewReplicaSetCreated":
        found["reason"] = "ReplicaSetUpdated"
        found["message"] = found["message"].replace("Created new replica set", "ReplicaSet")
        found["message"] += " is progressing."
    found["message"] = re.sub(r"\bw(-\d+)?-[0-9a-z]{5,10}\b", "<drawn>", found.get("message", ""))
    return found


def _replica_sets(server: Server) -> dict[str, str]:
    """By name, which image each one's pods have."""
    found = {}
    for obj in _all(server, _REPLICA_SETS):
        image = obj["spec"]["template"]["spec"]["containers"][0]["image"]
        found[obj["metadata"]["name"]] = f"of {image}"
    return found


def _pod_key(pod: Json, sets: dict[str, str]) -> str:
    """What a pod is by, in both clusters."""
    metadata, spec, status = pod["metadata"], pod["spec"], pod["status"]
    owners = [one for one in metadata.get("ownerReferences", ()) if one.get("controller")]
    owner = " ".join(f"{one['kind']} {sets.get(one['name'], one['name'])}" for one in owners)
    is_ready = any(
        one["type"] == "Ready" and one["status"] == "True" for one in status.get("conditions", ())
    )
    said = {
        owner: True,
        f"named {metadata['name']}": owner.startswith("StatefulSet"),
        f"index {metadata.get('annotations', {}).get(_INDEX)}": owner.startswith("Job"),
        f"for {_own_node(pod)}": owner.startswith("DaemonSet"),
        spec["containers"][0]["image"]: True,
        f"host {spec.get('hostname')}": "hostname" in spec,
        f"labels {sorted(metadata['labels'])}": True,
        f"finalizers {metadata.get('finalizers')}": "finalizers" in metadata,
        status.get("phase", ""): True,
        "ready": is_ready,
        "bound": "nodeName" in spec,
        "deleted": _is_deleted(pod),
    }
    return ", ".join(word for word, is_said in said.items() if is_said)


def _own_node(pod: Json) -> str:
    """The node that a DaemonSet has made it for."""
    affinity = pod["spec"].get("affinity", {}).get("nodeAffinity", {})
    required = affinity.get("requiredDuringSchedulingIgnoredDuringExecution")
    if not required:
        return ""
    return str(required["nodeSelectorTerms"][0]["matchFields"][0]["values"][0])
