"""The order in which a node would evict its pods, as a table."""

from rich.console import Console

from podium.cli.output import print_section
from podium.plan.evicting import EvictionRanking


def print_ranking(out: Console, ranking: EvictionRanking) -> None:
    """Print a ranking: a row for each pod, a column for each key."""
    if not ranking.pods:
        out.print(f"There are no pods on {ranking.node}.")
        return
    titles = [title.upper() for title, _ in ranking.pods[0].keys]
    headings = ("POD", "QOS CLASS", *titles, "")
    rows = [
        (
            one.pod,
            one.qos_class,
            *(value for _, value in one.keys),
            "critical: never evicted" if one.is_spared else "",
        )
        for one in ranking.pods
    ]
    title = f"{ranking.node} evicts in this order when {ranking.signal} falls below a threshold"
    print_section(out, title, headings, rows)
