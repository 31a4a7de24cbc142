"""A dumb store of objects, for admission to look at."""

from collections.abc import Iterable
from typing import Any

from podium.api.kinds.builtin_kinds import KINDS, Kind
from podium.apiserver.admission.chain import Admission
from podium.apiserver.admission.plugin import AdmissionOptions
from podium.apiserver.attributes import Attributes, Operation
from podium.apiserver.store.kind_index import Page
from tests.objects import Obj


class Shelf:
    """Objects, in a list."""

    def __init__(self, objects: Iterable[Obj] = ()) -> None:
        self.objects: list[Obj] = []
        self.writes = 0
        for obj in objects:
            self.put(obj)

    def put(self, obj: Any) -> None:
        self.objects = [o for o in self.objects if _identity(o) != _identity(obj)] + [obj]
        self.writes += 1

    def remove(self, kind: str, name: str) -> None:
        self.objects = [
            o for o in self.objects if (o["kind"], o["metadata"]["name"]) != (kind, name)
        ]
        self.writes += 1

    def get(self, kind: str, namespace: str, name: str) -> Obj | None:
        for obj in self.objects:
            if _identity(obj) == (kind, namespace, name):
                return obj
        return None

    def list(self, kind: str, namespace: str | None = None) -> Page:
        found = [o for o in self.objects if o["kind"] == kind]
        return Page([o for o in found if namespace in (None, _identity(o)[1])], self.writes)

    def changes(self, kind: str) -> int:
        return self.writes


def _identity(obj: Obj) -> tuple[str, str, str]:
    metadata = obj["metadata"]
    return obj["kind"], metadata.get("namespace", ""), metadata.get("name", "")


def namespace(name: str = "ns", **fields: Any) -> Obj:
    return {"kind": "Namespace", "metadata": {"name": name, **fields.pop("metadata", {})}, **fields}


def stored(kind: str, name: str, place: str = "ns", **fields: Any) -> Obj:
    metadata = {"name": name, **fields.pop("metadata", {})}
    if KINDS[kind].namespaced:
        metadata["namespace"] = place
    return {"kind": kind, "metadata": metadata, **fields}


def pod(**spec: Any) -> Obj:
    return {"kind": "Pod", "metadata": {"name": "p", "namespace": "ns"}, "spec": spec}


def container(requests: Obj | None = None, limits: Obj | None = None, name: str = "c") -> Obj:
    given = {"requests": requests, "limits": limits}
    return {"name": name, "resources": {f: amounts for f, amounts in given.items() if amounts}}


class Door:
    """Admission to a shelf, asked in few words; what it lets in isn't stored."""

    def __init__(self, *objects: Obj, **options: Any) -> None:
        self.shelf = Shelf([namespace(), *objects])
        self.admission = Admission(self.shelf, AdmissionOptions(**options))

    def ask(self, obj: Obj, old: Obj | None = None, subresource: str = "", **fields: Any) -> Any:
        """The object as admitted, and what else is to be written."""
        kind: Kind = fields.pop("kind", None) or KINDS[obj["kind"]]
        request = Attributes(
            operation=fields.pop("operation", Operation.UPDATE if old else Operation.CREATE),
            kind=kind,
            namespace=fields.pop("place", "ns" if kind.namespaced else ""),
            name=fields.pop("name", ""),
            now_s=fields.pop("now_s", 0.0),
            old=old,
            subresource=subresource,
            **fields,
        )
        admitted = self.admission.admit(request, obj)
        return admitted, self.admission.validate(request, admitted)

    def admit(self, obj: Obj, old: Obj | None = None, subresource: str = "", **fields: Any) -> Any:
        return self.ask(obj, old, subresource, **fields)[0]
