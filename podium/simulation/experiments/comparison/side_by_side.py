"""The two runs of a pair, drawn side by side."""

from collections.abc import Sequence
from pathlib import Path

from podium.api.presentation import Picture
from podium.simulation.experiments.comparison.comparison import Comparison
from podium.simulation.experiments.comparison.sides import Side, scenarios_of
from podium.simulation.experiments.recorded import recorded_series
from podium.simulation.experiments.run import observed
from podium.simulation.experiments.series.plots import run_png
from podium.simulation.experiments.whole_scenario import WholeScenario


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
