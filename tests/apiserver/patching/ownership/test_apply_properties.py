"""What must hold of server-side apply, whoever applies what."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from podium.api.kinds.builtin_kinds import KINDS
from podium.apiserver.attributes import Attributes, WriteOptions
from podium.apiserver.patching.ownership.owners import apply_configuration

Object = dict[str, Any]

POD = KINDS["Pod"]
NOW_S = 1_800_000_000.0


def config(spec: Object | None = None, **metadata: Any) -> Object:
    made = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", **metadata}}
    return made if spec is None else {**made, "spec": spec}


def apply(current: Any, wanted: Object, manager: str, *, later_s: float = 0.0) -> Any:
    options = WriteOptions(field_manager=manager, force=True)
    request = Attributes(POD, "", "p", NOW_S + later_s, options=options)
    return apply_configuration(request, current, wanted)


def owned(obj: Any) -> dict[str, Any]:
    """What each manager owns, by its name."""
    return {
        entry["manager"]: entry["fieldsV1"] for entry in obj["metadata"].get("managedFields", [])
    }


def content(obj: Any) -> Any:
    metadata = {k: v for k, v in obj["metadata"].items() if k != "managedFields"}
    return {**obj, "metadata": metadata}


NAMES = st.sampled_from(["a", "b", "c"])
SPECS = st.fixed_dictionaries(
    {},
    optional={
        "nodeName": NAMES,
        "nodeSelector": st.dictionaries(NAMES, NAMES, min_size=1, max_size=2),
        "containers": st.lists(
            st.fixed_dictionaries(
                {"name": NAMES},
                optional={
                    "image": NAMES,
                    "command": st.lists(NAMES, min_size=1, max_size=2),
                    "env": st.lists(
                        st.fixed_dictionaries({"name": NAMES, "value": NAMES}),
                        min_size=1,
                        max_size=2,
                        unique_by=lambda entry: entry["name"],
                    ),
                },
            ),
            min_size=1,
            max_size=3,
            unique_by=lambda entry: entry["name"],
        ),
    },
)
METADATA = st.fixed_dictionaries(
    {},
    optional={
        "labels": st.dictionaries(NAMES, NAMES, min_size=1, max_size=3),
        "finalizers": st.lists(NAMES, min_size=1, max_size=2, unique=True),
    },
)
CONFIGS = st.builds(lambda spec, metadata: config(spec, **metadata), SPECS, METADATA)
STEPS = st.lists(st.tuples(st.sampled_from(["one", "two"]), CONFIGS), min_size=1, max_size=5)


def holds(wanted: Any, found: Any) -> bool:
    """Whether all that is wanted is there."""
    if isinstance(wanted, dict) and isinstance(found, dict):
        return all(holds(value, found.get(name)) for name, value in wanted.items())
    if isinstance(wanted, list) and all(isinstance(one, dict) for one in wanted):
        by_name = {one["name"]: one for one in found or []}
        return all(holds(one, by_name.get(one["name"])) for one in wanted)
    if isinstance(wanted, list):
        return set(wanted) <= set(found or [])
    return bool(wanted == found)


@given(STEPS)
def test_whoever_forces_gets_what_it_wants_and_twice_is_once(
    steps: list[tuple[str, Object]],
) -> None:
    live = None
    for manager, wanted in steps:
        live = apply(live, wanted, manager)
        assert holds(wanted, live)
        assert apply(live, wanted, manager, later_s=5) == live


@given(STEPS)
def test_nothing_is_left_when_everybody_lets_go(steps: list[tuple[str, Object]]) -> None:
    live = None
    for manager, wanted in steps:
        live = apply(live, wanted, manager)
    for manager in ("one", "two"):
        live = apply(live, config(), manager)
    rest = content(live)
    assert rest.get("spec") in (None, {})
    assert rest["metadata"] == {"name": "p"}
    assert owned(live) == {}


@given(CONFIGS, CONFIGS)
def test_appliers_of_unrelated_fields_commute(one: Object, two: Object) -> None:
    left = {**config(), "metadata": {"name": "p", "labels": one["metadata"].get("labels", {})}}
    right = {**config(two["spec"])}
    first = apply(apply(None, left, "one"), right, "two")
    second = apply(apply(None, right, "two"), left, "one")
    assert content(first) == content(second)
    assert owned(first) == owned(second)
