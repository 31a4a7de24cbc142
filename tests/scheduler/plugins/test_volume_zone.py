"""VolumeZone's words for claims that recorded decisions don't have."""

import pytest

from podium.scheduler.plugins.volume_zone import VolumeZone
from tests.scheduler.plugins.volumes import Cluster, Object, claim, node, pod, storage_class, uses


@pytest.mark.parametrize(
    ("new", "reason"),
    [
        (pod("p", uses("")), "PersistentVolumeClaim had no name"),
        (pod("p", uses("data")), 'VolumeBindingMode not set for StorageClass "odd"'),
    ],
)
def test_claims_that_cant_be_followed(new: Object, reason: str) -> None:
    cluster = Cluster([node("n1")], claim("data", "odd"), storage_class("odd", mode=None))
    status = VolumeZone(cluster.handle).pre_filter(cluster.pending(new)).status
    assert status.reasons == (reason,)
