"""A comparison for people: what differs and how surely, and which pods it is about."""

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
from podium.simulation.experiments.comparison.comparison import Comparison, is_worse
from podium.simulation.experiments.comparison.sides import Side, scenarios_of
from podium.simulation.experiments.measures import MEANINGS
from podium.simulation.experiments.paired_differences import (
    PAIRS_MIN,
    Difference,
    change_text,
    interval_text,
    number_text,
)
from podium.simulation.experiments.run import Witness, observed, recorded_series
from podium.simulation.experiments.series.plots import run_png
from podium.simulation.experiments.whole_scenario import WholeScenario

_PODS_MAX = 20


def comparison_presentation(comparison: Comparison, picture: Picture | None = None) -> Presentation:
    """Present a comparison."""
    differing = [one for one in _told_apart(comparison.differences) if one.widest is not None]
    a, b = _short_names(comparison)
    shown = {one.measure.partition(".")[0] for one in differing}
    meanings = [f"{name}: {meaning}" for name, meaning in MEANINGS.items() if name in shown]
    return Presentation(
        title=f"{a} and {b} compared",
        headline=_headline(comparison, differing),
        sections=[
            Section("What differs", [_table(comparison, differing)]),
            Section(
                "Pods that fare otherwise",
                [
                    Table(
                        ("Scenario", "Seed", "Pod", a, b),
                        [
                            (one.scenario, str(one.seed), one.pod, _fates(one.a), _fates(one.b))
                            for one in comparison.pods
                        ],
                        rows_most=_PODS_MAX,
                    )
                ],
            ),
            Section("Two runs", [picture] if picture is not None else []),
            Section(
                "Runs that failed",
                [
                    Table(
                        ("Scenario", "Seed", "Side", "Why"),
                        [
                            (one.scenario, str(one.seed), one.side, one.error)
                            for one in comparison.failed
                        ],
                    )
                ],
            ),
            Section("Notes", [Bullets(comparison.notes)]),
            Section("What the measures mean", [Bullets(meanings)], is_detail=True),
        ],
    )


def _short_names(comparison: Comparison) -> tuple[str, str]:
    a, b = Path(comparison.a).stem, Path(comparison.b).stem
    return (comparison.a, comparison.b) if a == b else (a, b)


def _told_apart(found: Sequence[Difference]) -> list[Difference]:
    """The differences without those of a class that alone makes up the total."""
    totals = {one.measure: (one.a, one.b, one.higher, one.lower) for one in found}
    return [
        one
        for one in found
        if "." not in one.measure
        or totals.get(one.measure.partition(".")[0]) != totals[one.measure]
    ]


def _headline(comparison: Comparison, differing: Sequence[Difference]) -> str:
    pairs = len(comparison.pairs)
    told = f"{count(pairs, 'pair')} of runs"
    if not differing:
        return f"{told}: nothing differs."
    if pairs < PAIRS_MIN:
        return f"{told}: {len(differing)} measures differ; for intervals take {PAIRS_MIN} pairs."
    certain = sum(one.is_certain for one in differing)
    return f"{told}: {len(differing)} measures differ, {certain} of them by more than chance."


def _table(comparison: Comparison, differing: Sequence[Difference]) -> Table:
    headers = (
        "Measure",
        *_short_names(comparison),
        "Difference",
        "95 % interval",
        "Higher in",
        "Lower in",
        "Widest in",
    )
    return Table(headers, [_row(comparison, one) for one in differing])


def _row(comparison: Comparison, one: Difference) -> tuple[Cell, ...]:
    assert one.widest is not None
    pair = comparison.pairs[one.widest]
    told = change_text(one.difference)
    return (
        one.measure,
        number_text(one.a),
        number_text(one.b),
        Toned(told, Tone.BAD) if is_worse(one) else told,
        interval_text(one.interval),
        f"{one.higher} of {one.pairs}",
        f"{one.lower} of {one.pairs}",
        f"{pair.scenario}, seed {pair.seed}",
    )


def _fates(witnesses: Sequence[Witness]) -> str:
    return ", ".join(map(fate, witnesses)) or "-"


def fate(witness: Witness) -> str:
    """Describe the fate of a pod."""
    if witness.what == "waited":
        return f"waited {number_text(witness.seconds)}s for {witness.node}"
    if witness.what == "neverPlaced":
        return f"never placed in {number_text(witness.seconds)}s"
    return f"{witness.what} on {witness.node} at {number_text(witness.at)}s"


def side_by_side(
    a: Side, b: Side, scenarios: Sequence[WholeScenario], comparison: Comparison
) -> Picture:
    """Play the pair that differs most by the first sure difference again, and draw both runs."""
    if a.recording is not None and b.recording is not None:
        both = recorded_series(a.recording), recorded_series(b.recording)
        return Picture("Both recordings", run_png(dict(zip(_names(a, b), both, strict=True))))
    differing = [one for one in comparison.differences if one.widest is not None]
    differing.sort(key=lambda one: not one.is_certain)
    if not comparison.pairs:
        return Picture("", b"")
    pair = comparison.pairs[(differing[0].widest or 0) if differing else 0]
    whole = next(one for one in scenarios_of(a, b, scenarios) if one.name == pair.scenario)
    runs = {
        called: observed(side.of(whole).scenario(pair.seed))[1]
        for called, side in zip(_names(a, b), (a, b), strict=True)
    }
    return Picture(f"{pair.scenario}, seed {pair.seed}, side by side", run_png(runs))


def _names(a: Side, b: Side) -> tuple[str, str]:
    return f"A: {Path(a.name).stem}", f"B: {Path(b.name).stem}"
