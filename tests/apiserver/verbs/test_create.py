"""Names and uids of new objects."""

import re
from random import Random

from podium.api.kinds.builtin_kinds import KINDS
from podium.apiserver.server import ApiServer
from podium.apiserver.store.store import Store
from podium.apiserver.verbs.writing import new_uid
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
