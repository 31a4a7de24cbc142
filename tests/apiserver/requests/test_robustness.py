"""Objects of all kinds, shown in every form, and updated without some of their fields."""

import copy
import json
from collections.abc import Iterator

import pytest

from podium.api.kinds.builtin_kinds import KINDS, Kind
from tests.apiserver.requests.client import TABLE, Client
from tests.apiserver.requests.samples import Obj, sample

PARTIAL = "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io"


def collection(kind: Kind) -> str:
    root = f"/apis/{kind.api_version}" if kind.group else f"/api/{kind.version}"
    place = "/namespaces/default" if kind.namespaced else ""
    return f"{root}{place}/{kind.plural}"


def filled(*kinds: Kind) -> Client:
    """A client of a server that has the sample of each kind."""
    client = Client()
    for kind in kinds:
        made = client.ask("POST", collection(kind), sample(kind.name))
        assert made.code == 201, (kind.name, made.body)
    return client


def named(kind: Kind) -> str:
    return str(sample(kind.name)["metadata"]["name"])


def test_objects_of_all_kinds_are_shown_in_every_form():
    client = filled(*KINDS.values())
    for kind in KINDS.values():
        for accept in ("", TABLE, PARTIAL):
            answer = client.ask("GET", f"{collection(kind)}/{named(kind)}", accept=accept)
            assert (answer.code, bool(json.loads(answer.content()))) == (200, True)
        table = client.get(f"{collection(kind)}?includeObject=Object", accept=TABLE)
        assert any(row["object"]["metadata"]["name"] == named(kind) for row in table["rows"])


def without_something(obj: Obj) -> Iterator[Obj]:
    """The object without one of its fields, or without one within these."""
    for field, value in obj.items():
        rest = {name: one for name, one in obj.items() if name != field}
        yield rest
        if isinstance(value, dict):
            for inner in value:
                yield {**rest, field: {name: one for name, one in value.items() if name != inner}}


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS.keys())
def test_an_update_may_lack_anything(kind: Kind) -> None:
    client = filled(kind)
    path = f"{collection(kind)}/{named(kind)}"
    for part in ("", *(f"/{one}" for one in kind.subresources if one == "status")):
        stored = copy.deepcopy(client.get(path))
        del stored["metadata"]["resourceVersion"]
        for obj in without_something(stored):
            assert client.ask("PUT", path + part, obj).code in (200, 400, 422)
