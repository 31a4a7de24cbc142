"""The conditions of `podium simulate --fail-on`, and the findings that meet them."""

from collections.abc import Iterator, Sequence

from podium.api.objects import condition_of, is_terminating
from podium.api.pods import is_finished, node_name_of
from podium.api.policy.disruption_target import PREEMPTED
from podium.simulation.runner.scenario_runner import Simulation
from podium.ui.inputs.input_error import InputError
from podium.whatif.plan.fail_on import Finding, Gate, parse_gates
from podium.whatif.plan.workload_owners import WorkloadOwners

CONDITIONS = ("preemption", "eviction", "pending", "undrained")

_FACTS = ("namespace", "workload", "priority", "priority_class")


def simulation_gates(texts: Sequence[str]) -> list[Gate]:
    """Read the conditions of `--fail-on`; raises PodiumError."""
    gates = parse_gates(texts, None)
    for gate in gates:
        if gate.condition not in CONDITIONS:
            known = ", ".join(CONDITIONS)
            raise InputError(
                f"--fail-on: {gate.text}: is a condition of plans; those of simulations are {known}"
            )
    return gates


def simulation_findings(simulation: Simulation) -> Iterator[Finding]:
    """Yield the findings of a simulation for all of `CONDITIONS`."""
    store = simulation.cluster.store
    owners = WorkloadOwners(one for kind in ("ReplicaSet", "Job") for one in store.list(kind).items)
    for pod in simulation.histories().disrupted:
        if pod.cause is None:
            continue
        row = owners.row(pod)
        facts = {field: row[field] for field in _FACTS}
        message = f"loses its place on {pod.node}: it {pod.cause.clause}"
        for condition in ["preemption"] * (pod.cause.group == PREEMPTED) + ["eviction"]:
            yield Finding(condition=condition, object=pod.pod, message=message, **facts)
    for obj in store.list("Pod").items:
        if node_name_of(obj) or is_finished(obj) or is_terminating(obj):
            continue
        row = owners.row_of(obj)
        scheduled = condition_of(obj, "PodScheduled") or {}
        why = scheduled.get("message") or "no scheduler has tried it"
        facts = {field: row[field] for field in _FACTS}
        yield Finding(
            condition="pending", object=row["pod"], message=f"stays pending: {why}", **facts
        )
    for entry in simulation.entries:
        if entry.type == "DrainFailed":
            node = f"Node {entry.name}"
            message = f"isn't drained: {entry.details['message']}"
            yield Finding(condition="undrained", object=node, workload=node, message=message)
