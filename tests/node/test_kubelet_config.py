"""All that is wrong with a KubeletConfiguration is told at once."""

import pytest

from podium.documents import InvalidDocumentError
from podium.node.kubelet_config import read_kubelet_config


def test_thresholds_are_judged_beside_other_fields() -> None:
    given = {
        "maxPods": -1,
        "evictionHard": {"foo": "1"},
        "evictionSoft": {"memory.available": "1Gi"},
        "evictionMinimumReclaim": 3,
    }
    with pytest.raises(InvalidDocumentError) as caught:
        read_kubelet_config(given)
    fields = [error.field for error in caught.value.errors]
    assert fields == ["evictionHard", "evictionSoft", "evictionMinimumReclaim", "maxPods"]


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
