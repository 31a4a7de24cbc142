"""Server-side apply to objects that no request can make."""

import copy
from typing import Any

from podium.api.kinds.builtin_kinds import KINDS
from podium.apiserver.attributes import Attributes, WriteOptions
from podium.apiserver.patching.ownership.owners import apply_configuration

Object = dict[str, Any]


def config(*containers: str, **metadata: Any) -> Object:
    spec = {"containers": [{"name": name} for name in containers], "nodeName": "n"}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", **metadata}, "spec": spec}


def apply(current: Any, wanted: Object, manager: str = "one") -> Any:
    options = WriteOptions(field_manager=manager)
    request = Attributes(KINDS["Pod"], "", "p", 1_800_000_000.0, options=options)
    return apply_configuration(request, current, wanted)


def test_what_has_no_owner_stays_unless_its_entry_is_removed() -> None:
    live = copy.deepcopy(apply(None, config("c", "d", annotations={"mine": "1"})))
    live["metadata"]["annotations"]["other"] = "2"
    live["spec"]["containers"][0]["volumeMounts"] = [{"name": "v", "mountPath": "/v"}]
    applied = apply(live, config("d"))
    assert applied["metadata"]["annotations"] == {"other": "2"}
    assert applied["spec"]["containers"] == [{"name": "d", "resources": {}}]


def test_nothing_is_changed_in_place_and_the_rest_is_shared() -> None:
    live = apply(None, config("c"))
    before = copy.deepcopy(live)
    labelled = config(labels={"a": "1"})
    del labelled["spec"]
    applied = apply(live, labelled, "two")
    assert live == before
    assert applied["spec"] is live["spec"]
