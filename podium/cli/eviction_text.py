"""The order in which a node would evict its pods, as a table."""

from rich.console import Console

from podium.cli.output import print_section
from podium.node.pressure.signals import EPHEMERAL_STORAGE, MEMORY, Signal
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
    assumed = [one.pod for one in ranking.pods if one.is_assumed]
    if assumed:
        who = "any pod" if len(assumed) == len(ranking.pods) else ", ".join(assumed)
        out.print(f"{_assumption(who, ranking.signal)}; annotations can say it.")


def _assumption(who: str, signal: Signal) -> str:
    resource = signal.resource
    taken_for = "what is requested" if resource in (MEMORY, EPHEMERAL_STORAGE) else "none"
    return f"The state doesn't say what {who} uses of {resource}: taken for {taken_for}"
