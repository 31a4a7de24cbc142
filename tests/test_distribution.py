"""What shares a control plane runs in one process, and what takes long begins first."""

import pytest

from tests.conftest import ROOT
from tests.distribution import FOLDERS, LONGEST, group, rank

REAL = "tests/cluster/real/test_faults.py::test_kills[embedded_server]"
SEED = "tests/sim/test_seeds.py::test_seeds[1]"


@pytest.mark.parametrize(
    ("nodeid", "by_module", "expected"),
    [
        (REAL, True, "tests/cluster/real/"),
        (REAL, False, "tests/cluster/real/"),
        (SEED, True, "tests/sim/test_seeds.py"),
        (SEED, False, SEED),
    ],
)
def test_who_shares_a_process(nodeid: str, by_module: bool, expected: str) -> None:
    assert group(nodeid, by_module) == expected


def test_the_longest_begin_first() -> None:
    assert rank(REAL) < rank(SEED) < rank("tests/api/values/test_quantity.py::test_forms")


def test_what_is_named_is_there() -> None:
    assert [name for name in (*FOLDERS, *LONGEST) if not (ROOT / name).exists()] == []
