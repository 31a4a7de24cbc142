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
