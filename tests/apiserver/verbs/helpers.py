"""Shorthands for what tests of the verbs send, and for what they are refused with."""

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from podium.api.errors import RefusedError
from podium.api.kinds.builtin_kinds import KINDS
from podium.apiserver.attributes import Attributes
from podium.apiserver.server import ApiServer
from tests.objects import Obj

NOW_S = 1_000_000_000.0
NOW = "2001-09-09T01:46:40Z"


def a_pod(name: str = "p", **changes: Any) -> Obj:
    """A pod; `metadata` and `spec` add to what it has."""
    container = {"name": "c", "image": "i"}
    return {
        "metadata": {"name": name, **changes.get("metadata", {})},
        "spec": {"containers": [container], **changes.get("spec", {})},
    }


def create(server: ApiServer, kind: str, obj: Mapping[str, Any], now_s: float = NOW_S) -> Any:
    known = KINDS[kind]
    return server.create(Attributes(known, "default" if known.namespaced else "", "", now_s), obj)


def replace(server: ApiServer, kind: str, obj: Mapping[str, Any], subresource: str = "") -> Any:
    known = KINDS[kind]
    namespace = "default" if known.namespaced else ""
    name = obj["metadata"]["name"]
    written = server.replace(Attributes(known, namespace, name, NOW_S, subresource), obj)
    return written.obj


def refusal(call: Callable[[], object]) -> tuple[int, str, str]:
    """The code, reason and message that a call is refused with."""
    with pytest.raises(RefusedError) as caught:
        call()
    return caught.value.code, caught.value.reason, caught.value.message
