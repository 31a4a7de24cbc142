"""Findings of an answer on standard error."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from podium.api.values.message_words import and_more
from podium.ui.writers.terminal import console

if TYPE_CHECKING:
    from podium.whatif.plan.fail_on import Finding

_SHOWN_MAX = 10


def print_findings(answer: Any) -> None:
    """Print the findings for each condition, and how many findings exceptions let through."""
    if gates := getattr(answer, "gates", ()):
        # Most answers have none.
        from podium.whatif.plan.fail_on import let_through

        by_gate: dict[str, list[Finding]] = {}
        for one, gate in let_through(answer, gates):
            by_gate.setdefault(gate.text, []).append(one)
        for text, through in by_gate.items():
            times = sum(one.count for one in through)
            places = ", ".join(sorted({one.namespace or one.object for one in through}))
            console(stderr=True).print(f"let through by {text}: {times}, in {places}")
    err = console(stderr=True)
    found: Sequence[Finding] = getattr(answer, "failed_on", ())
    for condition in dict.fromkeys(one.condition for one in found):
        alike: dict[tuple[str, str], list[Finding]] = {}
        for one in found:
            if one.condition == condition:
                alike.setdefault((one.workload, one.message), []).append(one)
        times = sum(one.count for group in alike.values() for one in group)
        err.print(f"failed on {condition}: {times} of them", style="red")
        for first, *others in [*alike.values()][:_SHOWN_MAX]:
            err.print(f"  {first.object} {first.message}")
            if others:
                err.print(f"    and {len(others)} more of {first.workload}, likewise")
        for more in and_more(len(alike) - _SHOWN_MAX):
            err.print(f"  {more}")
