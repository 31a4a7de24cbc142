"""When somebody was last heard of, by what his Lease says."""

import pytest

from podium.api import nodes

NODE = {"metadata": {"name": "n1", "uid": "u1"}}


def test_an_ended_lease_tells_when_it_was_renewed_last() -> None:
    lease = nodes.node_lease(NODE, 4990.25, nodes.ENDED)
    assert not nodes.is_continuous(lease)
    assert lease["spec"]["renewTime"] == "1970-01-01T01:23:10.250000Z"
    assert nodes.last_heartbeat_s(lease, 4997.0, 5030.0) == 4990.25


@pytest.mark.parametrize(("stopped_s", "last_s"), [(3.0, 3.0), (12.9, 3.0), (13.0, 13.0), (45, 43)])
def test_renewals_are_ten_seconds_apart(stopped_s: float, last_s: float) -> None:
    assert nodes.last_renewal_s(3.0, stopped_s) == last_s


def test_the_node_owns_its_lease() -> None:
    metadata = nodes.node_lease(NODE, 0.0, nodes.CONTINUOUS)["metadata"]
    assert (metadata["namespace"], metadata["name"]) == ("kube-node-lease", "n1")
    assert metadata["ownerReferences"][0]["uid"] == "u1"
