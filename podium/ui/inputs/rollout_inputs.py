"""The priority classes that a question about their introduction names."""

import sys
from collections.abc import Sequence

from podium.api.kinds.decisive_kinds import decisive
from podium.api.values.message_words import likely_meant
from podium.cluster.manifests import read_sources
from podium.ui.inputs.input_error import InputError
from podium.ui.inputs.inputs import Asked
from podium.ui.inputs.request_options import SourceOptions
from podium.whatif.rollout_order.rollout_steps import (
    FinalPriorities,
    Introduction,
    assigned,
    introduction,
)


def read_introduction(
    source: SourceOptions, read: Asked, files: Sequence[str], assignments: Sequence[str]
) -> Introduction:
    """Read the classes of files, and the workloads that get a class; raises PodiumError."""
    if not (files or assignments):
        raise InputError("nothing to introduce: --classes or --assign say what")
    place, state = source.namespace, [*read.request.state.objects, *read.request.applied]
    found = read_sources(
        files, sys.stdin.buffer, namespace=place, validation=source.validate, is_applied=True
    )
    by_identity = decisive(state)
    workloads = [assigned(one, place, by_identity) for one in assignments]
    return introduction(state, [*(one.obj for one in found.objects), *workloads])


def important_priority(text: str | None, priorities: FinalPriorities) -> int | None:
    """The priority from which on pods are important, by number or class; raises InputError."""
    if text is None:
        return None
    value = priorities.value(text)
    if value is not None:
        return value
    try:
        return int(text)
    except ValueError:
        hint = likely_meant(text, priorities.class_names)
        raise InputError(f"--important {text}: there is no such class{hint}") from None
