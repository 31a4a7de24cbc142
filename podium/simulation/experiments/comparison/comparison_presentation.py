"""The presentation of a comparison: the differences, their certainty, and the affected pods."""

from collections.abc import Sequence
from pathlib import Path

from podium.api.presentation import (
    Bullets,
    Cell,
    Picture,
    Presentation,
    Section,
    Table,
    Tone,
    Toned,
)
from podium.api.values.message_words import count
from podium.simulation.experiments.comparison.comparison import (
    Comparison,
    Side,
    scenarios_of,
    verdict,
)
from podium.simulation.experiments.measures import MEANINGS
from podium.simulation.experiments.paired_differences import (
    PAIRS_MIN,
    change_text,
    interval_text,
    number_text,
)
from podium.simulation.experiments.run import Witness, observed, recorded
from podium.simulation.experiments.series.plots import run_png
from podium.simulation.experiments.whole_scenario import WholeScenario

_PODS_MAX = 20
_TONES = {"better": Tone.GOOD, "worse": Tone.BAD}


def comparison_presentation(comparison: Comparison, picture: Picture | None = None) -> Presentation:
    """Present a comparison."""
    a, b = Path(comparison.a).stem, Path(comparison.b).stem
    if a == b:
        a, b = comparison.a, comparison.b
    # A class that alone makes up the total says nothing more than that.
    totals = {one.measure: (one.a, one.b, one.higher, one.lower) for one in comparison.differences}
    differing = [
        (difference, comparison.pairs[difference.widest])
        for difference in comparison.differences
        if difference.widest is not None
        and (
            "." not in difference.measure
            or totals.get(difference.measure.partition(".")[0]) != totals[difference.measure]
        )
    ]
    headline = f"{count(len(comparison.pairs), 'pair')} of runs: "
    certain = sum(difference.is_certain for difference, _ in differing)
    differ = f"{count(len(differing), 'measure')} differ{'s' if len(differing) == 1 else ''}"
    if not differing:
        headline += "nothing differs."
    elif len(comparison.pairs) < PAIRS_MIN:
        headline += f"{differ}; for intervals take {PAIRS_MIN} pairs."
    else:
        headline += f"{differ}, {certain} of them by more than chance."
    differing.sort(key=lambda row: row[0].interval is not None and not row[0].is_certain)
    rows: list[tuple[Cell, ...]] = []
    for one, pair in differing:
        judged = verdict(one)
        row = (
            one.measure,
            number_text(one.a),
            number_text(one.b),
            change_text(one.difference),
            Toned(judged, _TONES.get(judged, Tone.NONE)),
            interval_text(one.interval),
            f"{one.higher} of {one.pairs}",
            f"{one.lower} of {one.pairs}",
            f"{pair.scenario}, seed {pair.seed}",
        )
        rows.append(row)
    headers = ("Difference", f"{b} is", "95 % interval", "Higher in", "Lower in", "Widest in")
    pods = [
        (pod.scenario, str(pod.seed), pod.pod, _fates(pod.a), _fates(pod.b))
        for pod in comparison.pods
    ]
    failed = [(run.scenario, str(run.seed), run.side, run.error) for run in comparison.failed]
    shown = {difference.measure.partition(".")[0] for difference, _ in differing}
    meanings = [f"{name}: {meaning}" for name, meaning in MEANINGS.items() if name in shown]
    return Presentation(
        title=f"{a} and {b} compared",
        headline=headline,
        sections=[
            Section("What differs", [Table(("Measure", a, b, *headers), rows)]),
            Section(
                "Pods that fare otherwise",
                [Table(("Scenario", "Seed", "Pod", a, b), pods, rows_most=_PODS_MAX)],
            ),
            Section("Two runs", [picture] if picture is not None else []),
            Section("Runs that failed", [Table(("Scenario", "Seed", "Side", "Why"), failed)]),
            Section("Notes", [Bullets(comparison.notes)]),
            Section("What the measures mean", [Bullets(meanings)], is_detail=True),
        ],
    )


def _fates(witnesses: Sequence[Witness]) -> str:
    return ", ".join(map(fate, witnesses)) or "-"


def fate(witness: Witness) -> str:
    """Describe what happened to a pod."""
    if witness.what == "waited":
        return f"waited {number_text(witness.seconds)}s for {witness.node}"
    if witness.what == "neverPlaced":
        return f"never placed in {number_text(witness.seconds)}s"
    return f"{witness.what} on {witness.node} at {number_text(witness.at)}s"


def side_by_side(
    a: Side, b: Side, scenarios: Sequence[WholeScenario], comparison: Comparison
) -> Picture:
    """Draw both runs of the pair that differs most in the first certain difference, if any."""
    names = f"A: {Path(a.name).stem}", f"B: {Path(b.name).stem}"
    if a.recording is not None and b.recording is not None:
        both = recorded(a.recording)[1], recorded(b.recording)[1]
        return Picture("Both recordings", run_png(dict(zip(names, both, strict=True))))
    if not comparison.pairs:
        return Picture("", b"")
    widest = [
        (not one.is_certain, one.widest) for one in comparison.differences if one.widest is not None
    ]
    pair = comparison.pairs[min(widest, key=lambda one: one[0], default=(True, 0))[1]]
    whole = next(one for one in scenarios_of(a, b, scenarios) if one.name == pair.scenario)
    runs = {
        name: observed(side.of(whole).scenario(pair.seed))[1]
        for name, side in zip(names, (a, b), strict=True)
    }
    return Picture(f"{pair.scenario}, seed {pair.seed}, side by side", run_png(runs))
