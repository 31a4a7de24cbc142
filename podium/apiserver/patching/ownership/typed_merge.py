"""What server-side apply makes of two values of a type: the one merged into the other, or less.

Source: structured-merge-diff, as Kubernetes v1.36 uses it.
"""

from collections import deque
from collections.abc import Mapping, Sequence
from typing import Any

from podium.apiserver.patching.ownership.field_sets import SELF, FieldSet
from podium.apiserver.patching.ownership.steps import entries, part_type, shape
from podium.apiserver.schema import ListOf, Type


def merged(live: Any, config: Any, of: Type | None) -> Any:
    """The live value with a configuration merged into it; raises UntypedError.

    What is taken as a whole is the configuration's, null included. Where fields or entries are
    merged, null says nothing.
    """
    shapes = {shape(one, of) for one in (live, config) if one}
    if shapes == {"map"}:
        return _merged_maps(live or {}, config or {}, of)
    if shapes == {"list"}:
        assert isinstance(of, ListOf)
        return _merged_lists(live or [], config or [], of)
    return config


def _merged_maps(
    live: Mapping[str, Any], config: Mapping[str, Any], of: Type | None
) -> Mapping[str, Any]:
    found = dict(live)
    for name, value in config.items():
        old = live.get(name)
        found[name] = value if name not in live else merged(old, value, part_type(of, name))
    return found


def _merged_lists(live: Sequence[Any], config: Sequence[Any], of: ListOf) -> Sequence[Any]:
    """The entries of both: the configuration's in its order, others where they were.

    An entry that both have keeps what stood before it; what is new comes right before the next
    entry that both have, or at the end.
    """
    old, new = entries(live, of), entries(config, of)
    found: list[Any] = []
    waiting, shared = deque(old), deque(step for step in new if step in old)
    for step, (value, *_) in new.items():
        anchor = shared[0] if shared else None
        while waiting and waiting[0] != anchor:
            other = waiting.popleft()
            found += old[other] if other not in new else ()
        if step != anchor:
            found.append(value)
            continue
        shared.popleft()
        if waiting:
            waiting.popleft()
        found.append(merged(old[step][0], value, of.items))
    return found + [one for step in waiting for one in old[step]]


def without(value: Any, fields: FieldSet, of: Type | None) -> Any:
    """The value without some fields, and all that is in them.

    Of what is taken as a whole nothing can be taken away.
    """
    match shape(value, of):
        case "map":
            return _map_without(value, fields, of)
        case "list":
            assert isinstance(of, ListOf)
            return _list_without(value, fields, of)
    return value


def _map_without(value: Mapping[str, Any], fields: FieldSet, of: Type | None) -> Mapping[str, Any]:
    left = {}
    for name, one in value.items():
        gone = fields.get(f"f:{name}")
        if gone is None:
            left[name] = one
        elif SELF not in gone:
            left[name] = without(one, gone, part_type(of, name))
    return left


def _list_without(values: Sequence[Any], fields: FieldSet, of: ListOf) -> Sequence[Any]:
    left: list[Any] = []
    for step, found in entries(values, of).items():
        gone = fields.get(step)
        if gone is None:
            left += found
        elif SELF not in gone:
            left += [without(one, gone, of.items) for one in found]
    return left
