"""Questions: one type for each command that prints a report, with the options as fields."""

from collections.abc import Mapping

QUESTIONS: Mapping[str, str] = {
    "snapshot": "snapshot:SnapshotQuestion",
    "plan": "plan:PlanQuestion",
    "explain": "explain:ExplainCommand",
    "capacity": "capacity:NodesQuestion",
    "lint": "lint:LintQuestion",
    "rollout": "rollout:RolloutQuestion",
    "drain": "disturbances:DrainQuestion",
    "fail": "disturbances:FailQuestion",
    "resilience": "resilience:ResilienceQuestion",
    "simulate": "simulate:ReplayQuestion",
    "compare": "experiments:CompareQuestion",
    "sweep": "experiments:SweepQuestion",
    "import": "import_trace:ImportQuestion",
    "bench": "bench:BenchQuestion",
}
"""The module and the type of each question, by the command that asks it."""
