"""All functions, methods and operators by name."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from podium.api.cel.functions import (
    addresses,
    formatting,
    lists,
    named_formats,
    operators,
    optionals,
    quantities,
    strings,
    times,
    urls,
)
from podium.api.cel.functions.overloads import Overload

_SUBJECTS = (
    operators,
    strings,
    formatting,
    lists,
    quantities,
    times,
    addresses,
    urls,
    named_formats,
    optionals,
)


def _by_name() -> dict[str, list[Overload]]:
    overloads = defaultdict(list)
    for subject in _SUBJECTS:
        for overload in subject.OVERLOADS:
            overloads[overload.name].append(overload)
    return dict(overloads)


FUNCTIONS: Mapping[str, Sequence[Overload]] = _by_name()
"""The overloads of each function, method and operator."""
