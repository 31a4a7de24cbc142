"""Reads a scenario's file as types, and reports all faults at once.

Errors name the file and the field, `spec.steps[3].drain.node` for example, and say what would be
accepted. Manifests that the file names stand beside it.
"""

from podium.simulation.scenario.scenario_document import (
    Scenario,
    ScenarioDocument,
    ScenarioError,
    read_scenario,
    scenario_of,
    scenario_value,
)

__all__ = [
    "Scenario",
    "ScenarioDocument",
    "ScenarioError",
    "read_scenario",
    "scenario_of",
    "scenario_value",
]
