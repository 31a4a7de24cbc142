"""The service accounts that pods name."""

from typing import Any

import pytest

from podium.api.refused import RefusedError
from podium.apiserver.admission.pod_plugins import ServiceAccount
from tests.apiserver.admission.shelf import Door, Obj, pod, stored

PULLER = stored("ServiceAccount", "puller", imagePullSecrets=[{"name": "registry"}])


def admit(given: Obj) -> Any:
    return Door(PULLER, enabled=frozenset({ServiceAccount.__name__})).admit(given)["spec"]


def test_a_pod_that_names_none_has_the_default_one_although_nobody_made_it() -> None:
    named = admit(pod())
    assert (named["serviceAccountName"], named["serviceAccount"]) == ("default", "default")


def test_image_secrets_come_from_the_account_unless_the_pod_has_its_own() -> None:
    own = [{"name": "own"}]
    assert admit(pod(serviceAccountName="puller"))["imagePullSecrets"] == [{"name": "registry"}]
    with_own = pod(serviceAccount="puller", imagePullSecrets=own)
    assert admit(with_own)["imagePullSecrets"] == own


@pytest.mark.parametrize("field", ["serviceAccountName", "serviceAccount"])
def test_an_account_that_is_not_there_is_refused(field: str) -> None:
    with pytest.raises(RefusedError) as refused:
        admit(pod(**{field: "nobody"}))
    assert refused.value.message == (
        'pods "p" is forbidden: error looking up service account ns/nobody: '
        'serviceaccount "nobody" not found'
    )


def test_mirror_pods_have_none() -> None:
    mirror = pod()
    mirror["metadata"]["annotations"] = {"kubernetes.io/config.mirror": "x"}
    assert "serviceAccountName" not in admit(mirror)
    mirror["spec"]["serviceAccountName"] = "puller"
    with pytest.raises(RefusedError, match="a mirror pod may not reference service accounts"):
        admit(mirror)
