"""A dumb twin of the store: it keeps every write and every state there ever was."""

from typing import Any

from podium.apiserver.store.history import FIRST_REVISION, EventType, WatchEvent

Key = tuple[str, str, str]


class Twin:
    def __init__(self) -> None:
        self.writes: list[WatchEvent] = []
        self.states: list[dict[Key, Any]] = [{}]

    def copy(self) -> "Twin":
        copy = Twin()
        copy.writes, copy.states = [*self.writes], [*self.states]
        return copy

    @property
    def revision(self) -> int:
        return FIRST_REVISION + len(self.writes)

    def state(self, revision: int) -> dict[Key, Any]:
        return self.states[revision - FIRST_REVISION]

    def current(self, key: Key) -> Any:
        return self.state(self.revision).get(key)

    def listed(self, kind: str, namespace: str | None, revision: int) -> dict[str, Any]:
        """Objects by their keys within the list, in order."""
        found = {
            "/".join(part for part in (ns if namespace is None else "", name) if part): obj
            for (of, ns, name), obj in self.state(revision).items()
            if of == kind and namespace in (None, ns)
        }
        return {key: found[key] for key in sorted(found)}

    def events(self, kind: str, namespace: str | None, after: int) -> list[WatchEvent]:
        return [
            event
            for event in self.writes
            if event.kind == kind
            and event.revision > after
            and namespace in (None, event.namespace)
        ]

    def oldest_revision(self, kind: str, history_max: int) -> int:
        """After how many are kept of a kind, the last one that isn't."""
        forgotten = self.events(kind, None, 0)[:-history_max]
        return forgotten[-1].revision if forgotten else FIRST_REVISION

    def create(self, kind: str, obj: Any) -> str:
        key = key_of(kind, obj)
        if self.current(key):
            return "AlreadyExistsError"
        self._write("ADDED", key, obj, None)
        return ""

    def update(self, kind: str, obj: Any) -> str:
        return self._change("MODIFIED", key_of(kind, obj), obj)

    def delete(self, key: Key) -> str:
        return self._change("DELETED", key, self.current(key))

    def _change(self, event_type: EventType, key: Key, obj: Any) -> str:
        current = self.current(key)
        if not current:
            return "NotFoundError"
        self._write(event_type, key, obj, current)
        return ""

    def _write(self, event_type: EventType, key: Key, obj: Any, previous: Any) -> None:
        revision = self.revision + 1
        metadata = {**obj["metadata"], "resourceVersion": str(revision)}
        written = {**obj, "metadata": metadata}
        self.writes.append(WatchEvent(revision, event_type, *key, written, previous))
        state = {other: obj for other, obj in self.states[-1].items() if other != key}
        self.states.append(state if event_type == "DELETED" else {**state, key: written})


def key_of(kind: str, obj: Any) -> Key:
    return kind, obj["metadata"].get("namespace", ""), obj["metadata"]["name"]
