"""The resources that count in a score of utilization, for one class of pods."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from podium.api.resources import is_scalar_resource
from podium.config.args import ResourceSpec
from podium.core.resource_columns import NATIVE_RESOURCES, Column, ResourceColumns


@dataclass(frozen=True, slots=True)
class ScoredResource:
    """What all nodes have of one resource, and what is requested of it, for scores.

    Attributes:
        used: int64[capacity], what pods hold.
        allocatable: int64[capacity]; a resource doesn't count where this is 0.
        request: what the pod would add.
        weight: how much the resource counts.
    """

    used: Column
    allocatable: Column
    request: int
    weight: int


def scored_resources(
    columns: ResourceColumns,
    specs: Iterable[ResourceSpec],
    requests: Mapping[str, int],
    *,
    nonzero: bool,
) -> list[ScoredResource]:
    """The resources that count, in order: of scalar ones those that the pod requests.

    The columns are those of now: they serve until nodes change.

    Args:
        columns: what nodes have and pods hold.
        specs: the configured resources.
        requests: what the pod requests; cpu in thousandths, others in units.
        nonzero: take of cpu and memory the sums that have defaults for containers that say
            nothing.
    """
    scored = []
    for spec in specs:
        request = requests.get(spec.name, 0)
        if spec.name in NATIVE_RESOURCES or (request and is_scalar_resource(spec.name)):
            index = columns.index_of(spec.name)
            used = _nonzero(columns, spec.name) if nonzero else None
            scored.append(
                ScoredResource(
                    columns.requested[index] if used is None else used,
                    columns.allocatable[index],
                    request,
                    spec.weight,
                )
            )
    return scored


def _nonzero(columns: ResourceColumns, resource: str) -> Column | None:
    return {"cpu": columns.nonzero_cpu, "memory": columns.nonzero_memory}.get(resource)
