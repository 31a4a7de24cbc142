"""Small machines, and a server to let them loose on."""

from collections.abc import Callable, Sequence
from random import Random
from typing import Any

from podium.api.kinds.builtin_kinds import KINDS
from podium.apiserver.attributes import Attributes
from podium.apiserver.server import ApiServer
from podium.apiserver.store.store import Store
from podium.machines.effects import Create, Delete, Effect
from podium.machines.events import Change, Event, Outcome, Synced, Woken
from podium.machines.machine import Machine
from tests.objects import config_map

START_S = 1_767_225_600.0
NAMESPACE = "default"
CONFIG_MAP = KINDS["ConfigMap"]

React = Callable[[Event, float], Sequence[Effect]]


def make_server() -> ApiServer:
    server = ApiServer(Store(), Random(1))
    server.bootstrap(START_S)
    return server


def put(server: ApiServer, name: str) -> None:
    server.create(Attributes(CONFIG_MAP, NAMESPACE, "", START_S), config_map(name))


def remove(server: ApiServer, name: str) -> None:
    server.delete(Attributes(CONFIG_MAP, NAMESPACE, name, START_S))


def create(name: str, purpose: object = None) -> Create:
    return Create(kind="ConfigMap", obj=config_map(name), purpose=purpose or name)


def delete(name: str) -> Delete:
    return Delete(kind="ConfigMap", namespace=NAMESPACE, name=name, purpose=name)


def at_the_start(*effects: Effect) -> React:
    """A reaction that asks for effects once the machine may act."""
    return lambda event, now_s: effects if isinstance(event, Synced) else ()


class Diary(Machine):
    """Notes in short what it is told, with the seconds since the start.

    Args:
        react: what it asks for.
        wakeups_s: when it wants to be woken, in seconds since the start.
    """

    def __init__(
        self, react: React | None = None, *, name: str = "diary", wakeups_s: Sequence[float] = ()
    ) -> None:
        self.name = name
        self.kinds = frozenset({"ConfigMap"})
        self.notes: list[str] = []
        self.known: dict[str, Any] = {}
        self._react = react
        self._wakeups_s = [START_S + at_s for at_s in wakeups_s]

    def step(self, event: Event, now_s: float) -> Sequence[Effect]:
        text = self._text(event)
        if text:
            at_s = now_s - START_S
            self.notes.append(f"{at_s:g} {text}" if at_s else text)
        if isinstance(event, Woken):
            while self._wakeups_s and self._wakeups_s[0] <= now_s:
                self._wakeups_s.pop(0)
        return () if self._react is None else self._react(event, now_s)

    def next_wakeup_s(self) -> float | None:
        return self._wakeups_s[0] if self._wakeups_s else None

    def _text(self, event: Event) -> str:
        match event:
            case Change(old=old, new=new):
                obj = old if new is None else new
                assert obj is not None
                name = obj["metadata"]["name"]
                if name == "kube-root-ca.crt":
                    return ""
                if new is None:
                    del self.known[name]
                    return f"-{name}"
                self.known[name] = new
                return f"+{name}" if old is None else f"~{name}"
            case Outcome(effect=effect, error=error):
                return f"{effect.purpose}: {'done' if error is None else error.reason}"
            case Synced():
                return "synced"
            case _:
                return "woken"
