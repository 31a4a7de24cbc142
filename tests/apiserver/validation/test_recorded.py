"""What kube-apiserver v1.36 refused as invalid is refused here, for the same fields and reasons."""

from typing import Any

import pytest

from podium.apiserver.kinds.registration.registrations import faults_of_manifest

# Faults of the request rather than the object.
NOT_OF_THE_OBJECT = {"dryRun"}


def test_the_same_causes(creations: list[Any]) -> None:
    compared = 0
    for exchange in creations:
        if exchange.code == 422:
            causes = exchange.answer.get("details", {}).get("causes", [])
            expected = {(c["field"], c["message"]) for c in causes}
            expected = {cause for cause in expected if cause[0] not in NOT_OF_THE_OBJECT}
            faults = faults_of_manifest(exchange.obj)
            found = {(fault.field, str(fault).removeprefix(f"{fault.field}: ")) for fault in faults}
            assert found == expected, exchange.scenario
            compared += 1
    assert compared > 30


def test_what_was_created_is_valid(creations: list[Any]) -> None:
    created = [exchange for exchange in creations if exchange.code == 201]
    assert len(created) > 60
    for exchange in created:
        assert faults_of_manifest(exchange.obj) == [], exchange.scenario
        assert faults_of_manifest(exchange.answer) == [], exchange.scenario


@pytest.mark.parametrize("scenario", ["pod-invalid/quantity", "pod-invalid/wrong-type"])
def test_what_could_not_be_decoded_is_invalid(creations: list[Any], scenario: str) -> None:
    (exchange,) = [exchange for exchange in creations if exchange.scenario == scenario]
    assert exchange.code == 400
    assert len(faults_of_manifest(exchange.obj)) == 1
