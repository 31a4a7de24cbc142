"""Objects that are too large to be kept."""

import json

from podium.api.errors import RefusedError
from podium.api.kinds.builtin_kinds import KINDS
from podium.apiserver.attributes import Attributes
from podium.apiserver.long_work import LongWork, PostponedError
from podium.apiserver.server import OBJECT_BYTES_MAX
from tests.apiserver.requests.client import Client


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
