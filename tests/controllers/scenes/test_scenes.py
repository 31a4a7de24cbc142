"""Controllers over an API server in virtual time, in text files, and behind bars what they do.

A scene has a server, a node `n1` and the controllers of its file. Its lines are:

- `create Kind name {…}`: the sample of the kind, changed by a mapping from paths to values;
- `patch Kind name {…}`, `status Kind name {…}`: a strategic merge patch, of the status too;
- `delete Kind name`, with a propagation policy, or `now` for no grace period;
- `free Kind name` takes finalizers away;
- `after SECONDS` lets time pass, and `faults {…}` has calls and watches fail from then on;
- `show Kind name path …`: the values at paths; `list Kind path …`: those of all objects, sorted;
- `events Reason …`: the notes of events;
- `forget` what was written so far, and `writes`: how many writes the controllers have made since,
  all or those of a type.

A name in another namespace than `default` is `namespace/name`, and `*` names the only object of a
kind. `${Kind name path}` is a value of a stored object, `${Kind name}` a reference to an owner.
UIDs are shown by the object that has them.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from podium.api.kinds.builtin_kinds import KINDS
from podium.apiserver.attributes import Attributes
from podium.apiserver.server import DeleteOptions
from podium.cluster.drivers.faults import Faults
from podium.controllers.cluster_role_aggregation import ClusterRoleAggregationController
from podium.controllers.deployment.deployment_controller import DeploymentController
from podium.controllers.endpoints import EndpointsController, EndpointSliceController
from podium.controllers.garbage_collector import GarbageCollector
from podium.controllers.namespace import NamespaceController
from podium.controllers.replica_set import ReplicaSetController
from podium.controllers.resource_quota import ResourceQuotaController
from podium.controllers.service_accounts import ServiceAccountsController
from podium.controllers.stateful_set import StatefulSetController
from podium.controllers.volumes.persistent_volumes import PersistentVolumeController
from podium.controllers.volumes.pod_claims import (
    EphemeralVolumeController,
    VolumeProtectionController,
)
from podium.controllers.volumes.volume_provisioner import VolumeProvisioner
from podium.machines.machine import Machine
from tests.apiserver.requests.samples import sample
from tests.apiserver.transcripts import assert_played, at, changed, scenes
from tests.controllers.worlds import World

CONTROLLERS: Mapping[str, tuple[Callable[[], Machine], ...]] = {
    "endpoints": (EndpointSliceController, EndpointsController),
    "garbage": (GarbageCollector, ReplicaSetController),
    "namespaces": (NamespaceController,),
    "quotas": (ResourceQuotaController,),
    "deployments": (DeploymentController, ReplicaSetController),
    "stateful_sets": (StatefulSetController, GarbageCollector),
    "accounts": (ServiceAccountsController, ClusterRoleAggregationController),
    "volumes": (
        PersistentVolumeController,
        VolumeProvisioner,
        VolumeProtectionController,
        EphemeralVolumeController,
        GarbageCollector,
    ),
}
FILES = sorted(Path(__file__).parent.glob("*.txt"))
UID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
VALUE = re.compile(r"\$\{(?P<kind>\w+) (?P<name>[^\s}]+)(?: (?P<path>[^\s}]+))?\}")


class Scene:
    """A world, and what its lines bring about."""

    def __init__(self, controllers: tuple[Callable[[], Machine], ...]) -> None:
        self.controllers = controllers
        self.world = World(*controllers)

    def answered(self, text: str) -> list[str]:
        """What a line shows."""
        lines = [*self._answered(VALUE.sub(self._value, text))]
        if not any(UID.search(line) for line in lines):
            return lines
        stored = [(kind, obj["metadata"]) for kind in KINDS for obj in self.world.all(kind)]
        names = {
            metadata["uid"]: f"(uid of {kind} {metadata['name']})" for kind, metadata in stored
        }
        return [UID.sub(lambda uid: names.get(uid[0], "(uid)"), line) for line in lines]

    def _answered(self, text: str) -> Iterator[str]:
        verb, _, rest = text.partition(" ")
        words = rest.split()
        match verb:
            case "after":
                self.world.driver.advance(float(rest))
            case "faults":
                self.world.driver.faults = Faults(**yaml.safe_load(rest))
            case "list":
                objects = self.world.all(words[0])
                # Generated names are in no order that means anything.
                yield from sorted(" ".join(self._values(obj, words[1:])) for obj in objects)
                if not objects:
                    yield "none"
            case "events":
                yield from self.world.events(*words)
            case "writes":
                names = [machine().name for machine in self.controllers]
                calls = [call for call in self.world.writes if call.who in names]
                types = [type(call.effect).__name__ for call in calls]
                yield str(types.count(rest) if rest else len(types))
            case "forget":
                self.world.writes.clear()
            case "show":
                obj = self._get(*words[:2])
                yield " ".join(self._values(obj, words[2:])) if obj is not None else "gone"
            case _:
                kind, name, *body = rest.split(" ", 2)
                self._write(verb, kind, name, *body)

    def _write(self, verb: str, kind: str, name: str, body: str = "") -> None:
        place, _, name = self._place(kind, name).rpartition("/")
        attributes = Attributes(KINDS[kind], place, name, self.world.driver.now_s)
        match verb:
            case "create":
                obj = {"apiVersion": KINDS[kind].api_version, "kind": kind, **sample(kind)}
                metadata = {"name": name, **({"namespace": place} if place else {})}
                fields = yaml.safe_load(body or "{}")
                self.world.create(changed({**obj, "metadata": metadata}, fields))
            case "patch" | "status":
                subresource = "status" if verb == "status" else ""
                self.world.patch(kind, name, yaml.safe_load(body), subresource)
            case "delete":
                now = DeleteOptions(grace_period_s=0)
                options = now if body == "now" else DeleteOptions(propagation=body)
                self.world.server.delete(attributes, options)
            case "free":
                obj = self._get(kind, f"{place}/{name}")
                freed = {**obj, "metadata": {**obj["metadata"], "finalizers": []}}
                self.world.server.replace(attributes, freed)
            case _:
                raise ValueError(f"{verb} is no verb of a scene")

    def _value(self, found: re.Match[str]) -> str:
        obj = self._get(found["kind"], found["name"])
        if found["path"]:
            return str(at(obj, found["path"]))
        kind = KINDS[found["kind"]]
        return json.dumps(
            {
                "apiVersion": kind.api_version,
                "kind": kind.name,
                "name": obj["metadata"]["name"],
                "uid": obj["metadata"]["uid"],
                "blockOwnerDeletion": True,
            }
        )

    def _place(self, kind: str, name: str) -> str:
        return name if "/" in name or not KINDS[kind].namespaced else f"default/{name}"

    def _get(self, kind: str, name: str) -> Any:
        if name == "*":
            (only,) = self.world.all(kind)
            return only
        place, _, name = self._place(kind, name).rpartition("/")
        return self.world.server.store.get(kind, place, name)

    def _values(self, obj: Any, paths: list[str]) -> list[str]:
        return [json.dumps(at(obj, path), ensure_ascii=False) for path in paths] or ["there"]


@pytest.mark.parametrize(("file", "scene"), scenes(FILES))
def test_controllers_do_as_written(file: Path, scene: str) -> None:
    assert_played(file, scene, Scene(CONTROLLERS[file.stem]).answered)
