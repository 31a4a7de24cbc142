"""Preemptions as they were decided, of which schedulers keep the last ones."""

from collections.abc import Iterable

from podium.api.presentation import Cell, Presentation, Section, Table, Tone, Toned
from podium.scheduler.machine.scheduler_machine import SchedulerMachine
from podium.simulation.timeline.preemption import NAME_KEY

_HEADERS = ("Node", "Victims", "PDB violations", "Result")


def past_preemption(
    machines: Iterable[SchedulerMachine], namespace: str, name: str
) -> Presentation | None:
    """The last preemption by a pod in one of these schedulers."""
    found = [
        record
        for machine in machines
        for record in machine.preemptions.history
        if (record.preemptor.namespace, record.preemptor.name) == (namespace, name)
    ]
    if not found:
        return None
    record = max(found, key=lambda one: one.at_s)
    victims = ", ".join(f"{victim.namespace}/{victim.name}" for victim in record.victims)
    violations = str(record.pdb_violations)
    chosen: list[Cell] = [Toned(record.node_name, Tone.GOOD), victims, violations, "chosen"]
    others: list[list[Cell]] = [
        [
            other.node_name,
            str(other.victims),
            str(other.pdb_violations),
            f"lost: {other.lost_at or NAME_KEY}",
        ]
        for other in record.alternatives
    ]
    hidden = record.candidates - 1 - len(others)
    table = Table(_HEADERS, [chosen, *others], notes=[f"{hidden} more lost."] if hidden > 0 else ())
    headline = f"{record.preemptor.name} took {record.node_name} of {record.candidates} candidates."
    return Presentation("", headline, [Section("", [table])])
