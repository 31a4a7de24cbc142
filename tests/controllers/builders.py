"""Objects, and a controller driven by hand against a small store of its own."""

from collections.abc import Mapping
from typing import Any

from podium.api.values.times import timestamp
from podium.machines.effects import Create, Delete, Effect, Patch, Record
from podium.machines.events import CallError, Change, Outcome, Synced, Woken
from podium.machines.machine import Machine
from tests import objects
from tests.objects import Obj

NOW_S = 1_767_225_600.0


def pod(
    name: str, *, node: str = "n1", ready: bool = False, spec: Obj | None = None, **metadata: Any
) -> Obj:
    """A pod of a controller, on a node; what isn't named goes into its metadata."""
    conditions = [{"type": "Ready", "status": "True"}] if ready else []
    status = {"phase": "Running" if ready else "Pending", "conditions": conditions}
    metadata = {"labels": {}, "uid": f"uid-{name}", **metadata}
    return objects.pod(name, on=node, status=status, metadata=metadata, **(spec or {}))


class Hand:
    """Drives one machine; carries its effects out when told to, simply and at once.

    Attributes:
        objects: the cluster, by kind and name.
        events: notes of recorded events.
    """

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.now_s = NOW_S
        self.objects: dict[tuple[str, str], Obj] = {}
        self.events: list[str] = []
        self._version = 0

    def tell(self, obj: Mapping[str, Any]) -> list[Effect]:
        self._version += 1
        metadata = {**obj["metadata"], "resourceVersion": str(self._version)}
        new = {**obj, "metadata": metadata}
        place = (obj["kind"], metadata["name"])
        old = self.objects.get(place)
        self.objects[place] = new
        return list(self.machine.step(Change(obj["kind"], old, new), self.now_s))

    def gone(self, kind: str, name: str) -> None:
        old = self.objects.pop((kind, name))
        self.machine.step(Change(kind, old, None), self.now_s)

    def start(self, *objects: Mapping[str, Any]) -> None:
        for obj in objects:
            self.tell(obj)
        self.machine.step(Synced(), self.now_s)

    def wake(self, at_s: float | None = None) -> list[Effect]:
        """What the machine wants at this moment; nothing is carried out."""
        if at_s is not None:
            self.now_s = NOW_S + at_s
        wakeup_s = self.machine.next_wakeup_s()
        if wakeup_s is None or wakeup_s > self.now_s:
            return []
        return self._noted(self.machine.step(Woken(), self.now_s))

    def run(self, at_s: float | None = None, rounds_max: int = 50) -> list[Effect]:
        """Carry out everything the machine wants, until it wants nothing more."""
        done: list[Effect] = []
        for _ in range(rounds_max):
            effects = self.wake(at_s)
            wakeup_s = self.machine.next_wakeup_s()
            if not effects and (wakeup_s is None or wakeup_s > self.now_s):
                return done
            for effect in effects:
                self.carry_out(effect)
            done += effects
        raise AssertionError("the machine comes to no end")

    def refuse(self, effect: Effect, reason: str = "Forbidden", code: int = 403) -> list[Effect]:
        error = CallError(code, reason, f"{reason} happened")
        return self._noted(self.machine.step(Outcome(effect, error=error), self.now_s))

    def carry_out(self, effect: Effect) -> None:
        obj: Obj | None = None
        if isinstance(effect, Create):
            obj = self._create(effect)
        elif isinstance(effect, Patch):
            obj = self._patch(effect)
        elif isinstance(effect, Delete):
            self.gone(effect.kind, effect.name)
        self._noted(self.machine.step(Outcome(effect, obj=obj), self.now_s))

    def _create(self, effect: Create) -> Obj:
        metadata = dict(effect.obj["metadata"])
        self._version += 1
        metadata.setdefault("name", f"{metadata.get('generateName', '')}{self._version:05}")
        metadata["uid"] = f"uid-{metadata['name']}"
        self.tell({**effect.obj, "kind": effect.kind, "metadata": metadata})
        return self.objects[effect.kind, metadata["name"]]

    def _patch(self, effect: Patch) -> Obj:
        old = self.objects[effect.kind, effect.name]
        new = dict(old)
        for field in ("spec", "status"):
            if field in effect.body:
                new[field] = _merged(old.get(field) or {}, effect.body[field])
        self.tell(new)
        return self.objects[effect.kind, effect.name]

    def _noted(self, effects: Any) -> list[Effect]:
        kept = []
        for effect in effects:
            if isinstance(effect, Record):
                self.events.append(effect.note)
            else:
                kept.append(effect)
        return kept


def become_ready(hand: Hand, pod: Obj, since_s: float | None = None) -> None:
    """Have a pod become ready, now or some seconds after the start; stored times are whole."""
    at = timestamp(hand.now_s if since_s is None else NOW_S + since_s)
    conditions = [{"type": "Ready", "status": "True", "lastTransitionTime": at}]
    hand.tell({**pod, "status": {"phase": "Running", "conditions": conditions}})


def _merged(old: Mapping[str, Any], new: Mapping[str, Any]) -> Obj:
    merged = dict(old)
    for field, value in new.items():
        if field == "conditions":
            replaced = {c["type"]: c for c in [*(old.get(field) or []), *(value or [])]}
            merged[field] = [*replaced.values()]
        elif value is None:
            merged.pop(field, None)
        else:
            merged[field] = value
    return merged
