"""Names and uids of new objects, and objects that are too large to be kept."""

import json
import re
from random import Random

from podium.api.errors import RefusedError
from podium.api.kinds.builtin_kinds import KINDS
from podium.apiserver.attributes import Attributes
from podium.apiserver.long_work import LongWork, PostponedError
from podium.apiserver.server import OBJECT_BYTES_MAX, ApiServer
from podium.apiserver.store.store import Store
from podium.apiserver.verbs.writing import new_uid
from tests.apiserver.requests.client import Client
from tests.apiserver.verbs.helpers import NOW_S, Obj, a_pod, create

UUID_4 = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")


def test_names_are_generated_by_owner_whatever_else_is_created(server: ApiServer) -> None:
    def named(base: str, owner: str) -> str:
        reference = {"apiVersion": "v1", "kind": "Node", "name": owner, "uid": owner}
        metadata = {"generateName": base, "ownerReferences": [{**reference, "controller": True}]}
        return str(create(server, "Pod", {**a_pod(), "metadata": metadata})["metadata"]["name"])

    first = named("web-", "a")
    assert first == "web-smpwg"
    names = {first, named("web-", "b"), named("web-", "a"), named("web-", "a"), named("db-", "a")}
    assert len(names) == 5
    assert all(re.fullmatch("(web|db)-[bcdfghjklmnpqrstvwxz2456789]{5}", name) for name in names)


def test_uids_do_not_repeat() -> None:
    rng = Random(1)
    uids = {new_uid(rng) for _ in range(1000)}
    assert len(uids) == 1000
    assert all(UUID_4.fullmatch(uid) for uid in uids)


def test_the_same_seed_gives_the_same_objects() -> None:
    def made() -> Obj:
        server = ApiServer(Store(), Random(3))
        server.bootstrap(NOW_S)
        return dict(create(server, "Pod", {**a_pod(), "metadata": {"generateName": "web-"}}))

    assert made() == made()


def test_the_first_objects_of_a_cluster_are_created_once(server: ApiServer) -> None:
    revision = server.store.revision
    assert server.list(KINDS["Namespace"], "").items
    server.bootstrap(NOW_S + 60)
    assert server.store.revision == revision


def code_of(data: str) -> int:
    """The code of the answer to a creation by somebody who has long work done elsewhere."""
    client, work = Client(), LongWork(is_large=True)
    obj = {"metadata": {"name": "a"}, "data": {"a": data}, "revision": 1}
    while True:
        try:
            with work:
                kind = KINDS["ControllerRevision"]
                client.server.create(Attributes(kind, "default", "", client.now_s), obj)
            return 201
        except PostponedError as postponed:
            postponed.work()
        except RefusedError as refused:
            return refused.code


def test_an_object_is_kept_up_to_a_size() -> None:
    around = len(json.dumps({"metadata": {}, "data": {}}))
    assert code_of("x" * (OBJECT_BYTES_MAX - around - 1_000)) == 201
    assert code_of("x" * OBJECT_BYTES_MAX) == 413
