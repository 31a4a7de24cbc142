"""Killed under load, again and again, a cluster forgets nothing and does nothing twice."""

import threading
import time
from collections import defaultdict
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import httpx
import pytest

from podium.apiserver.store.history import WatchEvent
from podium.apiserver.store.store import Store
from podium.cluster.embedded.sqlite_journal import SqliteJournal
from tests.cluster.embedded.client import PATIENCE_S, Client, up
from tests.objects import pod

NODES, CPU_PER_NODE, CPU_OF_A_POD = 3, 4, 1
PODS = "/api/v1/namespaces/default/pods"
CONFIG_MAPS = "/api/v1/namespaces/default/configmaps"
CLASSES = "/apis/scheduling.k8s.io/v1/priorityclasses"
BRIEF = {"terminationGracePeriodSeconds": 2}
OPTIONS = ("--nodes", str(NODES), "--node-cpu", str(CPU_PER_NODE), "--speed", "10x")
# As many as there is room for, so that all of them come to run in the end.
URGENT_MAX = NODES * CPU_PER_NODE // CPU_OF_A_POD - 2


@dataclass
class Load:
    """Somebody who creates and deletes, as fast as the answers come.

    Attributes:
        acknowledged: the uids of what was created, by kind and name.
        urgent: how many pods of high priority were sent, acknowledged or not.
    """

    rng: Random
    acknowledged: dict[tuple[str, str], str] = field(default_factory=dict)
    urgent: int = 0
    count: int = 0

    def run(self, kubeconfig: Path) -> None:
        client = Client(kubeconfig)
        try:
            while True:
                self._act(client)
        except httpx.TransportError:
            return
        finally:
            client.close()

    def _act(self, client: Client) -> None:
        self.count += 1
        name = f"o{self.count}"
        chance = self.rng.random()
        if chance < 0.5:
            self._create(client, "ConfigMap", CONFIG_MAPS, {"metadata": {"name": name}})
        elif chance < 0.55 and self.urgent < URGENT_MAX:
            self.urgent += 1
            self._create(
                client, "Pod", PODS, pod(f"urgent-{name}", priorityClassName="high", **BRIEF)
            )
        elif chance < 0.9:
            self._create(
                client, "Pod", PODS, pod(f"spare-{name}", priorityClassName="low", **BRIEF)
            )
        else:
            spare = [name for kind, name in self.acknowledged if name.startswith("spare")]
            if spare:
                client.ask("DELETE", f"{PODS}/{self.rng.choice(spare)}")

    def _create(self, client: Client, kind: str, path: str, obj: Any) -> None:
        code, answer = client.ask("POST", path, obj)
        assert code == 201, answer
        self.acknowledged[kind, obj["metadata"]["name"]] = answer["metadata"]["uid"]


def create_classes(kubeconfig: Path) -> None:
    with closing(Client(kubeconfig)) as client:
        for name, value in (("low", 1), ("high", 1000)):
            code, _ = client.ask("POST", CLASSES, {"metadata": {"name": name}, "value": value})
            assert code == 201


def live_and_die(directory: Path, load: Load, rng: Random) -> None:
    """One life of the cluster, under load, until it is killed."""
    with up(directory, *OPTIONS) as process:
        kubeconfig = directory / "kubeconfig"
        if not load.acknowledged:
            create_classes(kubeconfig)
        client = threading.Thread(target=load.run, args=(kubeconfig,))
        client.start()
        time.sleep(rng.uniform(0.1, 1.0))
        process.kill()
        client.join()


def journalled(directory: Path) -> tuple[Store, Sequence[WatchEvent]]:
    with closing(SqliteJournal(directory / "store.db")) as journal:
        return Store(journal=journal), journal.load().events


def check(directory: Path, load: Load) -> None:
    """Nothing acknowledged is missing, nothing was bound twice, no node has too much."""
    store, events = journalled(directory)
    deleted = {e.obj["metadata"]["uid"] for e in events if e.type == "DELETED"}
    for (kind, name), uid in load.acknowledged.items():
        found = store.get(kind, "default", name)
        if found is None:
            assert uid in deleted, f"{kind} {name} was acknowledged, and is missing"
        else:
            assert found["metadata"]["uid"] == uid
    nodes = defaultdict[str, set[str]](set)
    for event in events:
        if event.kind == "Pod" and "nodeName" in event.obj["spec"]:
            nodes[event.obj["metadata"]["uid"]].add(event.obj["spec"]["nodeName"])
    assert all(len(names) == 1 for names in nodes.values())
    uids = [e.obj["metadata"]["uid"] for e in events if e.type == "ADDED"]
    assert len(uids) == len(set(uids))
    check_room(store)


def check_room(store: Store) -> None:
    taken = defaultdict[str, int](int)
    for one in store.list("Pod").items:
        if node := one["spec"].get("nodeName"):
            taken[node] += CPU_OF_A_POD
    assert all(cpu <= CPU_PER_NODE for cpu in taken.values()), dict(taken)


def check_end(directory: Path) -> None:
    """Left alone, it comes to rest, with nothing half done."""
    kubeconfig = directory / "kubeconfig"
    with up(directory, *OPTIONS[:-1], "max"), closing(Client(kubeconfig)) as client:
        end_s = time.monotonic() + PATIENCE_S
        while unfinished := half_done(client.ask("GET", PODS)[1]["items"]):
            assert time.monotonic() < end_s, unfinished
            # Time jumps only while nobody asks.
            time.sleep(0.3)


def half_done(pods: Sequence[Any]) -> list[str]:
    """Pods that are going, that wait for somebody to go, or that must run by now."""
    return [one["metadata"]["name"] for one in pods if is_half_done(one)]


def is_half_done(one: Any) -> bool:
    if "deletionTimestamp" in one["metadata"]:
        return True
    if one["status"]["phase"] == "Running":
        return False
    is_urgent = one["metadata"]["name"].startswith("urgent")
    return is_urgent or bool(one["status"].get("nominatedNodeName"))


def kill(directory: Path, seed: int, lives: int) -> Load:
    rng = Random(seed)
    load = Load(rng)
    for _ in range(lives):
        live_and_die(directory, load, rng)
        check(directory, load)
    check_end(directory)
    check(directory, load)
    return load


def test_kills(tmp_path: Path) -> None:
    load = kill(tmp_path, seed=1, lives=5)
    assert load.urgent > 3
    assert len(load.acknowledged) > 30


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(2, 7))
def test_many_kills(tmp_path: Path, seed: int) -> None:
    assert kill(tmp_path, seed, lives=10).urgent > 3
