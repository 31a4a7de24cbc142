"""Examples that the help of each command shows."""

from collections.abc import Mapping

EXAMPLES: Mapping[str, tuple[str, ...]] = {
    "up": (
        "podium up --nodes 3 --zones 3 --node-shape cpu=8,memory=32Gi",
        "podium up -f state.json --data-dir shop --detach --wait 1m",
    ),
    "down": ("podium down --data-dir shop",),
    "node": ("podium node --kubeconfig edge-1.kubeconfig --name edge-1",),
    "node-token": ("podium node-token edge-1 --data-dir shop --output-file edge-1.kubeconfig",),
    "scheduler": (
        "podium scheduler --kubeconfig admin.conf --config scheduler.yaml",
        "podium scheduler --dry-run",
        "podium scheduler --kubeconfig admin.conf --dashboard-port 8080",
    ),
    "snapshot": (
        "podium snapshot --context prod --output-file state.json",
        "podium snapshot | podium plan -f - --apply release/",
    ),
    "top": ("podium top --context prod", "podium top --kubeconfig shop/kubeconfig"),
    "plan": (
        "podium plan --apply release/ --fail-on preemption,pending",
        "podium plan -f state.json --drain node-3 --delete-node node-3",
        "podium plan -f state.json --scale deploy/web=10 --seeds 20 -o wide",
        "podium plan -f state.yaml --apply batch.yaml --serve",
    ),
    "explain": (
        "podium explain -f state.json --apply release/ shop/deploy/web",
        "podium explain -f state.json --eviction node-3",
    ),
    "simulate": (
        "podium simulate drain.yaml",
        "podium simulate drain.yaml --seed 7 --until 1h -o json",
        "podium simulate --recording monday --scheduler-config other.yaml",
        "podium simulate storm.yaml --serve",
    ),
    "capacity": (
        "podium capacity -f state/ --pod deploy/web --preempt",
        "podium capacity --node-shape m5=cpu=8,memory=32Gi:0.4",
    ),
    "lint": ("podium lint -f manifests/", "podium lint -f state.json -o sarif"),
    "rollout": ("podium rollout -f state/ --classes classes.yaml --assign deploy/web=high",),
    "drain": ("podium drain node-1 node-2 -f state.yaml --fail-on undrained,pending",),
    "fail": ("podium fail node-1 -f state.yaml", "podium fail zone/eu-west-1a"),
    "resilience": ("podium resilience -f state.yaml --pairs --fail-on 'pending:priority>=1000'",),
    "compare": ("podium compare default qos.yaml -s batch.yaml --seeds 20",),
    "sweep": ("podium sweep sweep.yaml --out results",),
    "record": ("podium record --output-dir monday --context prod",),
    "import": ("podium import openb nodes.csv pods.csv --capacity 10% --output-file t.yaml",),
    "decide": ("podium decide scenarios.jsonl",),
    "bench": ("podium bench --list", "podium bench SchedulingBasic -o json"),
    "schema": ("podium schema Plan",),
    "version": ("podium version",),
    "help": ("podium help plan",),
}
"""Lines for a shell, by command."""


def epilog(command: str) -> str:
    """Return the end of a command's help, which has examples."""
    lines = EXAMPLES[command]
    # \b keeps the lines as they are.
    return "\n".join(("\b", "Examples:", *(f"  {line}" for line in lines)))
