"""What plugins do with options, or with a state that the API keeps out."""

from typing import Any

import pytest

from podium.api.errors import RefusedError
from podium.apiserver.admission.pod_plugins import (
    PriorityClasses,
    ServiceAccount,
    add_default_tolerations,
)
from tests.apiserver.admission.shelf import Door, Obj, container, pod, stored

PULLER = stored("ServiceAccount", "puller", imagePullSecrets=[{"name": "registry"}])


def test_the_lowest_of_several_default_priorities_wins() -> None:
    classes = PriorityClasses(
        stored("PriorityClass", name, value=value, globalDefault=True)
        for name, value in (("a", 7), ("b", 5))
    )
    resolved = classes.resolve(pod())
    assert (resolved["spec"]["priorityClassName"], resolved["spec"]["priority"]) == ("b", 5)
    assert classes.resolve(resolved) is resolved


def test_how_long_a_pod_tolerates_bad_nodes_is_an_option() -> None:
    door = Door(not_ready_toleration_s=1, unreachable_toleration_s=2)
    tolerating = door.admit(pod())
    assert [one["tolerationSeconds"] for one in tolerating["spec"]["tolerations"]] == [1, 2]
    assert add_default_tolerations(tolerating) is tolerating


def test_claims_that_are_not_bound_do_not_grow() -> None:
    old, new = (
        stored(
            "PersistentVolumeClaim",
            "c",
            spec={"storageClassName": "s", "resources": {"requests": {"storage": size}}},
            status={"phase": "Pending"},
        )
        for size in ("1Gi", "2Gi")
    )
    with pytest.raises(RefusedError, match="Only bound persistent volume claims can be expanded"):
        Door(stored("StorageClass", "s", allowVolumeExpansion=True)).ask(new, old)


def test_a_limit_below_the_least_amount_is_named_if_the_request_is_not() -> None:
    item = {"type": "Container", "min": {"memory": "1Gi"}}
    given = pod(containers=[container({"memory": "1Gi"}, {"memory": "512Mi"})])
    with pytest.raises(RefusedError, match="per Container is 1Gi, but limit is 512Mi"):
        Door(stored("LimitRange", "l", spec={"limits": [item]})).ask(given)


def admit(given: Obj) -> Any:
    return Door(PULLER, enabled=frozenset({ServiceAccount.__name__})).admit(given)["spec"]


def test_a_pod_has_a_service_account_and_its_image_secrets() -> None:
    unnamed = admit(pod())
    assert (unnamed["serviceAccountName"], unnamed["serviceAccount"]) == ("default", "default")
    assert admit(pod(serviceAccountName="puller"))["imagePullSecrets"] == [{"name": "registry"}]
    own = [{"name": "own"}]
    assert admit(pod(serviceAccount="puller", imagePullSecrets=own))["imagePullSecrets"] == own
    with pytest.raises(RefusedError, match="error looking up service account ns/nobody: "):
        admit(pod(serviceAccountName="nobody"))


def test_mirror_pods_have_no_service_account() -> None:
    mirror = pod()
    mirror["metadata"]["annotations"] = {"kubernetes.io/config.mirror": "x"}
    assert "serviceAccountName" not in admit(mirror)
    mirror["spec"]["serviceAccountName"] = "puller"
    with pytest.raises(RefusedError, match="a mirror pod may not reference service accounts"):
        admit(mirror)
