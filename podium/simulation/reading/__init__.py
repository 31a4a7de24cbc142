"""From a scenario file to a `Scenario`; whatever is wrong with it is reported at once.

Errors name the file and the field, `spec.steps[3].drain.node` for example, and say what would be
accepted. Manifests that the file names stand beside it.
"""

from podium.simulation.reading.document import ScenarioError, read_scenario

__all__ = ["ScenarioError", "read_scenario"]
