"""A trace as the text of a scenario: YAML, with a line a node and a line a pod."""

from collections.abc import Iterator

import msgspec

from podium.simulation.traces.openb import Trace

_encode = msgspec.json.Encoder().encode


def scenario_lines(trace: Trace, name: str) -> Iterator[str]:
    """The lines of a scenario file; objects are JSON, which is YAML, too."""
    yield "apiVersion: podium.dev/v1alpha1"
    yield "kind: Scenario"
    yield f"metadata: {_json({'name': name})}"
    yield "spec:"
    if trace.notes:
        yield f"  description: {_json(' '.join(f'{note}.' for note in trace.notes))}"
    yield "  manifests:"
    for obj in (*trace.classes, *trace.nodes):
        yield f"  - {_json(obj)}"
    if not trace.arrivals:
        return
    yield "  steps:"
    for arrival in trace.arrivals:
        yield f'  - {{"at": "{arrival.at_s}s", "apply": [{_json(arrival.pod)}]}}'


def _json(value: object) -> str:
    return _encode(value).decode()
