"""Which kind, object and verb a method and a path mean."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from podium.api.kinds.builtin_kinds import KINDS
from podium.api.refused import RefusedError
from podium.apiserver.registry import BUILT_IN
from podium.apiserver.requests.routes import is_served, route, verbs
from podium.apiserver.schema.struct_types import REVIEWS


def split(path: str) -> list[str]:
    return path.split("/")


@pytest.mark.parametrize(
    ("method", "path", "kind", "namespace", "name", "subresource", "verb"),
    [
        ("GET", "api/v1/pods", "Pod", "", "", "", "list"),
        ("GET", "api/v1/namespaces/n/pods", "Pod", "n", "", "", "list"),
        ("POST", "api/v1/namespaces/n/pods", "Pod", "n", "", "", "create"),
        ("DELETE", "api/v1/namespaces/n/pods", "Pod", "n", "", "", "deletecollection"),
        ("GET", "api/v1/namespaces/n/pods/p", "Pod", "n", "p", "", "get"),
        ("PUT", "api/v1/namespaces/n/pods/p", "Pod", "n", "p", "", "update"),
        ("PATCH", "api/v1/namespaces/n/pods/p/status", "Pod", "n", "p", "status", "patch"),
        ("POST", "api/v1/namespaces/n/pods/p/binding", "Pod", "n", "p", "binding", "create"),
        ("POST", "api/v1/namespaces/n/bindings", "Pod", "n", "", "binding", "create"),
        ("GET", "api/v1/namespaces", "Namespace", "", "", "", "list"),
        ("DELETE", "api/v1/namespaces/n", "Namespace", "", "n", "", "delete"),
        ("PUT", "api/v1/namespaces/n/finalize", "Namespace", "", "n", "finalize", "update"),
        ("GET", "api/v1/nodes/x/status", "Node", "", "x", "status", "get"),
        ("GET", "api/v1/watch/pods", "Pod", "", "", "", "watch"),
        ("GET", "api/v1/watch/namespaces/n/pods/p", "Pod", "n", "p", "", "watch"),
        ("GET", "apis/apps/v1/deployments", "Deployment", "", "", "", "list"),
        ("PATCH", "apis/apps/v1/namespaces/n/deployments/d/scale", "Deployment", "n", "d", "scale",
         "patch"),
        ("GET", "apis/events.k8s.io/v1/events", "Event", "", "", "", "list"),
    ],
)  # fmt: skip
def test_routes(method, path, kind, namespace, name, subresource, verb):
    found = route(method, split(path))
    assert (found.kind.name, found.namespace, found.name) == (kind, namespace, name)
    assert (found.subresource, found.verb) == (subresource, verb)


@pytest.mark.parametrize(
    "path",
    [
        "api/v2/pods",
        "api/v1/podz",
        "api/v1/pods/p",
        "api/v1/namespaces/n/podz",
        "api/v1/namespaces/n/nodes",
        "api/v1/namespaces/n/pods/p/unknown",
        "api/v1/namespaces/n/pods/p/status/more",
        "api/v1/watch",
        "apis/policy/v2",
        "apis/apps/v1/pods",
    ],
)
def test_no_such_resource(path):
    with pytest.raises(RefusedError) as refusal:
        route("GET", split(path))
    assert refusal.value.code == 404


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("PUT", "api/v1/namespaces/n/pods"),
        ("POST", "api/v1/namespaces/n/pods/p"),
        ("POST", "api/v1/pods"),
        ("DELETE", "api/v1/pods"),
        ("DELETE", "api/v1/namespaces"),
        ("GET", "api/v1/namespaces/n/bindings"),
        ("GET", "api/v1/namespaces/n/pods/p/binding"),
        ("DELETE", "api/v1/namespaces/n/pods/p/status"),
        ("POST", "api/v1/watch/pods"),
        ("HEAD", "api/v1/pods"),
    ],
)
def test_no_such_method(method, path):
    with pytest.raises(RefusedError) as refusal:
        route(method, split(path))
    assert refusal.value.code == 405


def test_a_kind_is_shown_in_the_version_of_the_path():
    assert route("GET", split("api/v1/events")).api_version == "v1"
    assert route("GET", split("apis/events.k8s.io/v1/events")).api_version == "events.k8s.io/v1"


@pytest.mark.parametrize(
    ("path", "served"),
    [
        ("api", True),
        ("api/v7/x", True),
        ("apis/policy/v7", True),
        ("apis/none.example/v1", False),
        ("nothing/here", False),
    ],
)
def test_which_paths_lead_into_a_group(path, served):
    assert is_served(split(path)) is served


@given(
    st.lists(st.sampled_from(["api", "apis", "v1", "apps", "namespaces", "pods", "watch", "n", ""]))
)
def test_any_path_has_a_route_or_is_refused(segments):
    with suppress(RefusedError):
        found = route("GET", segments)
        assert found.verb in verbs(found.kind, found.subresource)


def test_every_kind_is_served_with_all_its_subresources():
    served = {kind.name: kind for kinds in BUILT_IN.by_plural.values() for kind in kinds.values()}
    assert served == {**KINDS, **REVIEWS}
    for kind in KINDS.values():
        assert all(verbs(kind, subresource) for subresource in kind.subresources)
        assert not verbs(kind, "unknown")
