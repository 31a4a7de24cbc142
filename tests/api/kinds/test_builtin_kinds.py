"""Kinds: which they are, and how an object says that it is of one."""

import pytest

from podium.api.kinds.builtin_kinds import KINDS, kind_of


def test_plurals_are_unique_within_a_group() -> None:
    resources = [kind.resource for kind in KINDS.values()]
    assert len(set(resources)) == len(resources)


@pytest.mark.parametrize(
    ("api_version", "kind", "found"),
    [
        ("v1", "Pod", "Pod"),
        ("apps/v1beta1", "Deployment", "Deployment"),
        ("events.k8s.io/v1", "Event", "Event"),
        ("serving.knative.dev/v1", "Service", None),
        ("v1", "Deployment", None),
        ("", "", None),
    ],
)
def test_an_object_is_of_a_kind_by_its_group(api_version: str, kind: str, found: str) -> None:
    known = kind_of({"apiVersion": api_version, "kind": kind})
    assert (known.name if known else None) == found
