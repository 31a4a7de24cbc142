"""What server-side apply makes of two values of a type: the one merged into the other, or less.

Source: structured-merge-diff, as Kubernetes v1.36 uses it.
"""

from collections import deque
from collections.abc import Sequence
from typing import Any

from podium.apiserver.patching.ownership.field_sets import NOTHING, SELF, FieldSet
from podium.apiserver.patching.ownership.steps import entries, part_type, shape
from podium.apiserver.schema import ListOf, Type


def merged(live: Any, config: Any, of: Type | None) -> Any:
    """The live value with a configuration merged into it; raises UntypedError.

    What is taken as a whole is the configuration's, null included. Where fields or entries are
    merged, null says nothing.
    """
    shapes = {shape(one, of) for one in (live, config) if one}
    if shapes == {"map"}:
        found = dict(live or {})
        for name, value in (config or {}).items():
            is_new = name not in found
            found[name] = value if is_new else merged(found[name], value, part_type(of, name))
        return found
    if shapes == {"list"}:
        assert isinstance(of, ListOf)
        return _merged_lists(live or [], config or [], of)
    return config


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
            left = {}
            for name, one in value.items():
                gone = fields.get(f"f:{name}", NOTHING)
                if SELF not in gone:
                    left[name] = without(one, gone, part_type(of, name)) if gone else one
            return left
        case "list":
            assert isinstance(of, ListOf)
            kept: list[Any] = []
            for step, found in entries(value, of).items():
                gone = fields.get(step, NOTHING)
                if SELF not in gone:
                    kept += [without(one, gone, of.items) for one in found] if gone else found
            return kept
    return value
