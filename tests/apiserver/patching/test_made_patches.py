"""Applying a manifest: patches out of what was said before, what is there, and what is wanted."""

from typing import Any

from podium.api.kinds.builtin_kinds import KINDS
from podium.apiserver.decoding.bodies import PatchType
from podium.apiserver.patching.patch_result import PatchRequest, apply_patch
from podium.apiserver.patching.strategic import make_patch

DEPLOYMENT = KINDS["Deployment"]


def applied(live: Any, wanted: Any, last: Any) -> Any:
    """What becomes of a pod template's spec."""

    def around(spec: Any) -> Any:
        return {"kind": "Deployment", "spec": {"template": {"spec": spec}}}

    patch = make_patch(DEPLOYMENT, around(live), around(wanted), around(last))
    patched = apply_patch(DEPLOYMENT, around(live), PatchRequest(PatchType.STRATEGIC, patch)).obj
    return patched["spec"]["template"]["spec"]


def test_what_nobody_said_stays() -> None:
    live = {"priority": 5, "hostname": "a", "subdomain": "x"}
    assert applied(live, {"hostname": "b"}, {"subdomain": "x"}) == {"priority": 5, "hostname": "b"}


def test_nulls_take_away() -> None:
    assert applied({"hostname": "a"}, {"hostname": None, "subdomain": None}, {}) == {}


def test_containers_are_merged_by_name() -> None:
    live = {
        "containers": [
            {"name": "a", "image": "1", "tty": True},
            {"name": "old", "image": "o"},
            {"name": "side", "image": "s"},
        ]
    }
    last = {"containers": [{"name": "a", "image": "1"}, {"name": "old", "image": "o"}]}
    wanted = {"containers": [{"name": "a", "image": "2"}, {"name": "b", "image": "b"}]}
    assert applied(live, wanted, last)["containers"] == [
        {"name": "a", "image": "2", "tty": True},
        {"name": "b", "image": "b"},
        {"name": "side", "image": "s"},
    ]


def test_a_volume_has_one_source_and_atomic_lists_are_replaced() -> None:
    live = {"volumes": [{"name": "v", "emptyDir": {}}], "tolerations": [{"key": "a"}]}
    wanted = {"volumes": [{"name": "v", "configMap": {"name": "c"}}], "tolerations": [{"key": "b"}]}
    assert applied(live, wanted, {}) == wanted


def test_a_manifest_that_says_what_is_there_changes_nothing() -> None:
    live = {
        "spec": {"replicas": 2, "template": {"spec": {"containers": [{"name": "a", "tty": 1}]}}}
    }
    wanted = {"spec": {"template": {"spec": {"containers": [{"name": "a"}]}}}}
    assert make_patch(DEPLOYMENT, live, wanted, wanted) == {}
