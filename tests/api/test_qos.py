"""Quality of service classes."""

from podium.api.resources import stored_or_computed_qos


def test_the_stored_class_stands() -> None:
    full = {"cpu": "1", "memory": "1Gi"}
    spec = {"containers": [{"resources": {"requests": full, "limits": full}}]}
    assert (
        stored_or_computed_qos({"spec": spec, "status": {"qosClass": "Burstable"}}) == "Burstable"
    )
    for status in ({"qosClass": ""}, None):
        assert stored_or_computed_qos({"spec": spec, "status": status}) == "Guaranteed"
