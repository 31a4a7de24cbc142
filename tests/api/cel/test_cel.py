"""CEL in a table: cases of its specification, and of Kubernetes' extensions, for selectors."""

from pathlib import Path as File
from typing import Any

import pytest

from podium.api.cel.compiler import Program
from podium.api.cel.device_selectors import COST_MAX, Domains, device_selector
from podium.api.cel.estimator import Path
from podium.api.cel.syntax import LENGTH_MAX, parse
from podium.api.cel.values import CelError, CelType, OptionalValue, Semver, parse_semver
from podium.api.values.quantity import Quantity, parse_quantity
from tests.tables import assert_results

DRIVER = "gpu.example.com"
DEVICE = {
    "driver": DRIVER,
    "allowMultipleAllocations": False,
    "attributes": Domains(
        {
            DRIVER: {
                "model": "a100",
                "index": 3,
                "healthy": True,
                "version": parse_semver("1.2.3"),
            }
        }
    ),
    "capacity": Domains({DRIVER: {"memory": parse_quantity("40Gi")}}),
}


def _unknown(_path: Path) -> None:
    return None


def cel(expression: str) -> Any:
    try:
        return shown(Program(expression, {}, {}, _unknown, COST_MAX).evaluate())
    except CelError as error:
        return {"error": str(error)}


def device(expression: str) -> Any:
    try:
        return device_selector(expression).matches(DEVICE)
    except CelError as error:
        return {"error": str(error)}


def reads(expression: str) -> Any:
    found = device_selector(expression).reads
    return None if found is None else sorted(".".join(path) for path in found)


def cost(expression: str) -> int:
    return device_selector(expression).program.cost_max


def failure(expression: str) -> str:
    return device_selector(expression).program.failure(DEVICE)


def shown(value: Any) -> Any:
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, list):
        return [*map(shown, value)]
    if isinstance(value, Quantity | Semver | OptionalValue | CelType):
        return str(value)
    return value


def test_cel() -> None:
    functions = {
        "cel": cel,
        "device": device,
        "reads": reads,
        "cost": cost,
        "failure": failure,
    }
    assert_results(File(__file__).parent / "cel.txt", functions)


@pytest.mark.parametrize("depth", [20, 10_000])
def test_expressions_are_limited_in_length_and_depth(depth: int) -> None:
    nested = "(" * depth + "1" + ")" * depth
    if depth < 100:
        parse(nested)
        return
    for expression in (nested, "!" * LENGTH_MAX + "true", "1" * LENGTH_MAX + "1"):
        with pytest.raises(ValueError, match=r"longer than|nested too deeply|invalid int"):
            Program(expression, {}, {}, _unknown, COST_MAX)
