"""Which kind, object and verb a method and a path mean."""

from contextlib import suppress

from hypothesis import given
from hypothesis import strategies as st

from podium.api.errors import RefusedError
from podium.api.kinds.builtin_kinds import KINDS
from podium.apiserver.registry import BUILT_IN
from podium.apiserver.requests.routes import route, verbs
from podium.apiserver.schema.struct_types import REVIEWS


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
