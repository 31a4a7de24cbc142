"""Plays transcripts: commands to a small cluster in virtual time, and what happens after each.

A transcript reads as documentation: lines that begin with `$` are commands, the lines under them
what happened, lines that begin with `#` explain. The cluster has an API server, schedulers, and
simulated nodes, on which pods run at once and terminate when their grace period is over.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from random import Random
from typing import Any

from podium.api.kinds.builtin_kinds import KINDS
from podium.api.objects import Object
from podium.api.values.times import NANOS_PER_SECOND, parse_time
from podium.apiserver.attributes import Attributes
from podium.apiserver.server import ApiServer, PatchRequest
from podium.apiserver.store.store import Store
from podium.cluster.drivers.faults import NO_FAULTS, Faults, Latency
from podium.cluster.drivers.virtual import VirtualDriver
from podium.kubelet.simulated.simulated_kubelets import SimulatedKubelets
from podium.scheduler.config.load import default_configuration
from podium.scheduler.machine.context import Features
from podium.scheduler.machine.scheduler_machine import SchedulerMachine

START_S = 1_767_225_600.0
_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0}


class Player:
    """One cluster, and everything that has happened in it."""

    def __init__(self) -> None:
        rng = Random(1)
        self.store = Store()
        self.server = ApiServer(self.store, rng)
        self.server.bootstrap(START_S)
        self.driver = VirtualDriver(self.server, START_S, rng, latency=Latency())
        self._names: dict[str, str] = {}
        self._pods: dict[str, Object] = {}
        self._lines: list[str] = []
        self._watches = [
            self.store.watch(kind, from_revision=self.store.revision) for kind in ("Pod", "Event")
        ]
        self.driver.hooks.append(lambda happening: self._look())
        self.driver.add(SimulatedKubelets())
        self._commands: Mapping[str, Callable[..., None]] = {
            "node": self._node,
            "class": self._class,
            "pod": self._pod,
            "budget": self._budget,
            "delete": self._delete,
            "advance": self._advance,
            "scheduler": self._scheduler,
            "restart": self._restart,
            "calls": self._calls_take,
            "refuse": self._refuse,
            "show": self._show,
        }

    def play(self, command: str) -> list[str]:
        """Carry a command out, and say what happened until the next moment.

        Raises:
            ValueError: there is no such command.
        """
        name, *words = command.split()
        if name not in self._commands:
            raise ValueError(f"{command!r}: commands are {', '.join(self._commands)}")
        positional = [word for word in words if "=" not in word]
        named = dict(word.split("=", 1) for word in words if "=" in word)
        self._commands[name](*positional, **named)
        self.driver.advance(0)
        self._look()
        lines, self._lines = self._lines, []
        return lines

    def _node(self, name: str, *, cpu: str) -> None:
        status = {"allocatable": {"cpu": cpu, "memory": "64Gi", "pods": "110"}}
        labels = {"kubernetes.io/hostname": name}
        self._create("Node", {"metadata": {"name": name, "labels": labels}, "status": status})
        # New nodes are tainted until somebody has seen them to be ready.
        patch = PatchRequest("application/merge-patch+json", {"spec": {"taints": None}})
        self.server.patch(Attributes(KINDS["Node"], "", name, self.driver.now_s), patch)

    def _class(self, name: str, value: str, policy: str = "PreemptLowerPriority") -> None:
        fields = {"value": int(value), "preemptionPolicy": policy}
        self._create("PriorityClass", {"metadata": {"name": name}, **fields})

    def _pod(self, name: str, *, cpu: str, grace: str = "30", **fields: str) -> None:
        container = {"name": "c", "image": "i", "resources": {"requests": {"cpu": cpu}}}
        spec: dict[str, Any] = {
            "containers": [container],
            "terminationGracePeriodSeconds": int(grace.removesuffix("s")),
        }
        names = {"class": "priorityClassName", "on": "nodeName", "scheduler": "schedulerName"}
        spec |= {names[field]: value for field, value in fields.items()}
        self._create("Pod", {"metadata": {"name": name, "labels": {"app": name}}, "spec": spec})

    def _budget(self, name: str, *, app: str, allowed: str) -> None:
        spec = {"selector": {"matchLabels": {"app": app}}, "maxUnavailable": int(allowed)}
        status = {"disruptionsAllowed": int(allowed), "observedGeneration": 1}
        made = self._create("PodDisruptionBudget", {"metadata": {"name": name}, "spec": spec})
        self.server.replace(
            Attributes(KINDS["PodDisruptionBudget"], "default", name, self.driver.now_s, "status"),
            {**made, "status": status},
        )

    def _delete(self, name: str) -> None:
        self.server.delete(Attributes(KINDS["Pod"], "default", name, self.driver.now_s))

    def _advance(self, duration: str) -> None:
        self.driver.advance(_seconds(duration))

    def _scheduler(self, name: str = "default-scheduler", *, mode: str = "asynchronous") -> None:
        features = Features(
            scheduler_async_preemption=mode != "synchronous",
            revert_failed_nominations=mode == "reverting",
        )
        configuration = default_configuration()
        (profile,) = configuration.profiles
        profiles = (profile.model_copy(update={"scheduler_name": name}),)
        named = configuration.model_copy(update={"profiles": profiles})
        self._make = lambda: SchedulerMachine(named, features=features)
        self._handle = self.driver.add(self._make(), name=name)

    def _restart(self) -> None:
        self.driver.crash(self._handle, loses_calls=True)
        self.driver.restart(self._handle, self._make())

    def _calls_take(self, duration: str) -> None:
        self.driver.injector.latency = Latency(_seconds(duration) / 2, _seconds(duration) / 2)

    def _refuse(self, what: str) -> None:
        self.driver.faults = Faults(refused=1.0) if what == "everything" else NO_FAULTS

    def _show(self) -> None:
        self._look()
        for name, pod in sorted(self._pods.items()):
            self._lines.append(f"{name:<8} {_standing(pod)}")

    def _create(self, kind: str, obj: Object) -> Object:
        namespace = "default" if KINDS[kind].namespaced else ""
        return self.server.create(Attributes(KINDS[kind], namespace, "", self.driver.now_s), obj)

    def _look(self) -> None:
        """Write down what is new in the store."""
        events = sorted(
            (event for watch in self._watches for event in watch.take()),
            key=lambda event: event.revision,
        )
        for event in events:
            obj = event.obj
            lines = self._of_event(obj) if obj["kind"] == "Event" else self._of_pod(event)
            for line in lines:
                self._lines.append(f"{self._time():<8} {line}")

    def _of_event(self, event: Object) -> Iterator[str]:
        about = (event.get("regarding") or event.get("involvedObject"))["name"]
        note = event.get("note") or event.get("message") or ""
        for uid, name in self._names.items():
            note = note.replace(uid, name)
        times = (event.get("series") or {}).get("count", event.get("count") or 1)
        again = f" (seen {times} times)" if times > 1 else ""
        if event["reason"] != "Scheduled":
            yield f"{about}: {event['reason']}{again}: {note}"

    def _of_pod(self, event: Any) -> Iterator[str]:
        pod, name = event.obj, event.obj["metadata"]["name"]
        self._names[pod["metadata"]["uid"]] = name
        if event.type == "DELETED":
            del self._pods[name]
            yield f"{name} is gone"
            return
        before = self._pods.get(name, {})
        self._pods[name] = pod
        node, nominated = _at(pod, "spec", "nodeName"), _at(pod, "status", "nominatedNodeName")
        if node and not _at(before, "spec", "nodeName"):
            yield f"{name} is bound to {node}"
        elif nominated != _at(before, "status", "nominatedNodeName"):
            yield (
                f"{name} is nominated to {nominated}"
                if nominated
                else f"{name} loses its nomination"
            )
        leaving = _at(pod, "metadata", "deletionTimestamp")
        if leaving and not _at(before, "metadata", "deletionTimestamp"):
            until_s = parse_time(leaving) / NANOS_PER_SECOND
            yield f"{name} terminates until t+{until_s - START_S:g}s"
        if _at(pod, "status", "phase") == "Failed" != _at(before, "status", "phase"):
            yield f"{name} is refused by its node: {_at(pod, 'status', 'message')}"

    def _time(self) -> str:
        return f"t+{round(self.driver.now_s - START_S, 3):g}s"


def _at(obj: Object, outer: str, inner: str) -> str:
    return str((obj.get(outer) or {}).get(inner) or "")


def _standing(pod: Object) -> str:
    node, nominated = _at(pod, "spec", "nodeName"), _at(pod, "status", "nominatedNodeName")
    if _at(pod, "status", "phase") == "Failed":
        return f"failed on {node}: {_at(pod, 'status', 'reason')}"
    if _at(pod, "metadata", "deletionTimestamp"):
        return f"on {node}, terminating"
    if node:
        return f"on {node}"
    return f"pending, nominated to {nominated}" if nominated else "pending"


def _seconds(text: str) -> float:
    number, unit = re.fullmatch(r"([0-9.]+)(ms|s|m)", text).groups()  # type: ignore[union-attr]
    return float(number) * _SECONDS[unit]
