"""Whatever stands in an object, validation says what is wrong with it and doesn't fall over."""

import copy
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from podium.api.errors import FieldError
from podium.apiserver.kinds.registration.registrations import faults_of_manifest
from tests.apiserver.transcripts import Case, Obj, cases
from tests.apiserver.validation.samples import VALID, an_object, judged

odd_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False)
    | st.sampled_from(["", "1", "-1", "1e3", "a b", "Exists", "cpu"]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from("abc"), inner),
    max_leaves=4,
)


OBJECTS = [
    *map(an_object, VALID),
    *(
        case.obj
        for file in sorted(Path(__file__).with_name("faults").glob("*.txt"))
        for case in cases(file, an_object)
        if isinstance(case, Case)
    ),
]


def places(value: Any) -> list[tuple[Any, Any]]:
    """All containers in a value, each with each of its keys or positions."""
    keys = list(value) if isinstance(value, dict) else range(len(value))
    found: list[tuple[Any, Any]] = [(value, key) for key in keys]
    for key in keys:
        if isinstance(value[key], dict | list):
            found += places(value[key])
    return found


@given(st.sampled_from(OBJECTS), st.data())
def test_odd_values_anywhere(original: Obj, data: st.DataObject) -> None:
    obj = copy.deepcopy(original)
    for _ in range(data.draw(st.integers(1, 3))):
        container, key = data.draw(st.sampled_from(places(obj)))
        # Who an object is has been judged before.
        if container is not obj or key not in ("apiVersion", "kind", "metadata"):
            container[key] = data.draw(odd_values)
    assert all(
        isinstance(fault, FieldError) and str(fault)
        for fault in [*faults_of_manifest(obj), *judged(obj)]
    )
