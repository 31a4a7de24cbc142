"""All that is wrong with a KubeletConfiguration is told at once."""

import pytest

from podium.api.documents.document import InvalidDocumentError
from podium.kubelet.kubelet_config import read_kubelet_config


def test_thresholds_are_judged_once_other_fields_are_right() -> None:
    thresholds = {"evictionHard": {"foo": "1"}, "evictionSoft": {"memory.available": "1Gi"}}
    for given, expected in (
        ({"maxPods": -1, "evictionMinimumReclaim": 3}, ["evictionMinimumReclaim", "maxPods"]),
        ({}, ["evictionHard", "evictionSoft"]),
    ):
        with pytest.raises(InvalidDocumentError) as caught:
            read_kubelet_config({**thresholds, **given})
        assert [error.field for error in caught.value.errors] == expected


@pytest.mark.parametrize("field", ["evictionHard", "evictionSoft", "evictionMinimumReclaim"])
def test_a_percentage_is_a_number(field: str) -> None:
    given = {
        field: {"memory.available": "nan%"},
        "evictionSoftGracePeriod": {"memory.available": "1m"},
    }
    with pytest.raises(InvalidDocumentError) as caught:
        read_kubelet_config(given)
    message = f'{field}[memory.available]: Invalid value: "nan%": must be a number'
    assert [str(error) for error in caught.value.errors] == [message]
