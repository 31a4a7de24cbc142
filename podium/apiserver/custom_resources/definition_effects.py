"""The effects of CustomResourceDefinitions: accepted names, and the deletion of their objects.

In kube-apiserver, controllers do this a moment later. Here it is done right after a write, so that
a kind is served as soon as it is defined.
"""

from collections.abc import Callable

from podium.api.conditions import with_condition
from podium.api.kinds.builtin_kinds import Kind
from podium.api.kinds.custom_kinds import CLEANUP, DEFINITION, stored_kind
from podium.api.objects import Object, entries, holds, is_terminating, part, status_of
from podium.apiserver.store.store import Store

Delete = Callable[[Kind, str, str, float], object]
_ACCEPTED = ("True", "NoConflicts", "no conflicts found")
_ESTABLISHED = ("True", "InitialNamesAccepted", "the initial names have been accepted")
_NOT_ESTABLISHED = ("False", "NotAccepted", "not all names are accepted")
_IN_PROGRESS = ("True", "InstanceDeletionInProgress", "CustomResource deletion is in progress")


def settle(store: Store, delete: Delete, now_s: float) -> None:
    """Update the status of all CustomResourceDefinitions, and finish deletions of these."""
    for definition in store.list(DEFINITION.key).items:
        if is_terminating(definition):
            kind = stored_kind(definition)
            for obj in store.list(kind.key).items:
                if not is_terminating(obj):
                    delete(
                        kind, obj["metadata"].get("namespace", ""), obj["metadata"]["name"], now_s
                    )
            metadata = definition["metadata"]
            finalizers = [one for one in metadata.get("finalizers") or () if one != CLEANUP]
            if store.list(kind.key).items:
                status = status_of(definition)
                closing = _condition("Terminating", _IN_PROGRESS)
                conditions = with_condition(status.get("conditions"), closing, now_s)
                _write_status(store, definition, {**status, "conditions": conditions})
            elif not finalizers:
                store.delete(DEFINITION.key, "", metadata["name"])
            elif len(finalizers) < len(metadata["finalizers"]):
                held = {**definition, "metadata": {**metadata, "finalizers": finalizers}}
                store.update(DEFINITION.key, held)
    for definition in store.list(DEFINITION.key).items:
        _write_status(store, definition, _named(store, definition, now_s))


def _named(store: Store, definition: Object, now_s: float) -> Object:
    spec, status = definition["spec"], status_of(definition)
    resources, kinds = set[str](), set[str]()
    for other in store.list(DEFINITION.key).items:
        is_other = other["metadata"]["name"] != definition["metadata"]["name"]
        if is_other and other["spec"]["group"] == spec["group"]:
            names = part(status_of(other), "acceptedNames")
            resources.update(names.get(one) or "" for one in ("plural", "singular"))
            resources.update(entries(names, "shortNames"))
            kinds.update(names.get(one) or "" for one in ("kind", "listKind"))
    wanted, conflict = spec["names"], None
    names = {**part(status, "acceptedNames"), "categories": wanted.get("categories")}
    for fields, others in (
        (("plural", "singular", "shortNames"), resources),
        (("kind", "listKind"), kinds),
    ):
        for field in fields:
            value = wanted.get(field)
            own_names = [value] if isinstance(value, str) else value or ()
            if used := [name for name in own_names if name in others]:
                reason = f"{field[:1].upper()}{field[1:]}Conflict"
                conflict = ("False", reason, f'"{used[0]}" is already in use')
            else:
                names[field] = value
    accepted = {"kind": "", "plural": "", **{field: v for field, v in names.items() if v}}
    is_established = holds(definition, "Established")
    established = _NOT_ESTABLISHED if conflict and not is_established else _ESTABLISHED
    accepting = _condition("NamesAccepted", conflict or _ACCEPTED)
    conditions = with_condition(status.get("conditions"), accepting, now_s)
    conditions = with_condition(conditions, _condition("Established", established), now_s)
    stored = [*entries(status, "storedVersions")]
    stored += [v["name"] for v in spec["versions"] if v.get("storage") and v["name"] not in stored]
    return {**status, "acceptedNames": accepted, "conditions": conditions, "storedVersions": stored}


def _write_status(store: Store, definition: Object, status: Object) -> None:
    if status != definition.get("status"):
        store.update(DEFINITION.key, {**definition, "status": status})


def _condition(kind: str, said: tuple[str, str, str]) -> Object:
    status, reason, message = said
    return {"type": kind, "status": status, "reason": reason, "message": message}
