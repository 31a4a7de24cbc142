"""What kube-apiserver v1.36 refused as invalid is refused here, for the same fields and reasons."""

from typing import Any

import pytest

from podium.apiserver.kinds.registration.registrations import validate

# Faults of the request rather than the object, and of what defaulting has added to it by then.
NOT_OF_THE_OBJECT = {"dryRun", "spec.containers[0].resources.requests[example.com/gpu]"}


def test_the_same_causes(creations: list[Any]) -> None:
    compared = 0
    for exchange in creations:
        if exchange.code == 422:
            causes = exchange.answer.get("details", {}).get("causes", [])
            expected = {(c["field"], c["message"]) for c in causes}
            expected = {cause for cause in expected if cause[0] not in NOT_OF_THE_OBJECT}
            faults = validate(exchange.obj)
            found = {(fault.field, str(fault).removeprefix(f"{fault.field}: ")) for fault in faults}
            assert found == expected, exchange.scenario
            compared += 1
    assert compared > 30


def test_what_was_created_is_valid(creations: list[Any]) -> None:
    created = [exchange for exchange in creations if exchange.code == 201]
    assert len(created) > 60
    for exchange in created:
        assert validate(exchange.obj) == [], exchange.scenario
        assert validate(exchange.answer) == [], exchange.scenario


@pytest.mark.parametrize("scenario", ["pod-invalid/quantity", "pod-invalid/wrong-type"])
def test_what_could_not_be_decoded_is_invalid(creations: list[Any], scenario: str) -> None:
    (exchange,) = [exchange for exchange in creations if exchange.scenario == scenario]
    assert exchange.code == 400
    assert len(validate(exchange.obj)) == 1
