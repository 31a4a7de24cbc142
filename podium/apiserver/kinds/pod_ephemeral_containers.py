"""Ephemeral containers: what is put into a running pod for debugging, and stays there.

The rules are those of `ValidatePodEphemeralContainersUpdate` in v1.36.
"""

from podium.api.objects import Object, spec_of, without
from podium.api.priority import is_mirror
from podium.apiserver.kinds import rules
from podium.apiserver.kinds.differences import difference, meaning, type_at
from podium.apiserver.subresources.resize import identity
from podium.apiserver.validation import checks
from podium.apiserver.validation.checks import Faults
from podium.apiserver.validation.ephemeral_containers import ephemeral_containers
from podium.apiserver.validation.pods import pod as pod_check

_FIELD = "ephemeralContainers"
_PATH = f"spec.{_FIELD}"
_valid_pod = rules.valid(pod_check, "metadata", "spec")


def none_in_new(pod: Object, _path: str) -> Faults:
    """A pod is created without them."""
    if spec_of(pod).get(_FIELD):
        yield checks.forbidden(_PATH, "cannot be set on create")


def added(new: Object, old: Object) -> Object:
    """The stored pod with the ephemeral containers asked for, and nothing else of the new one.

    Args:
        new: the pod as it is asked for.
        old: as it is stored.
    """
    wanted = (new.get("spec") or {}).get(_FIELD)
    spec = {**without(old["spec"], _FIELD), **({_FIELD: wanted} if wanted else {})}
    return {**old, "metadata": identity(new, old), "spec": spec}


def ephemeral_containers_update(new: Object, old: Object) -> Faults:
    """A pod that is given ephemeral containers; those that are there stay as they are."""
    if is_mirror(old):
        yield checks.forbidden("", "static pods do not support ephemeral containers")
        return
    yield from rules.metadata(new, old)
    yield from _valid_pod(new, old)
    yield from ephemeral_containers(spec_of(new), "spec")
    of = type_at("Pod", _PATH)
    by_name = {one.get("name"): one for one in spec_of(new).get(_FIELD) or ()}
    for one in spec_of(old).get(_FIELD) or ():
        called = f'existing ephemeral containers "{one["name"]}"'
        if one["name"] not in by_name:
            yield checks.forbidden(_PATH, f"{called} may not be removed\n")
            continue
        before, now = (meaning(it, of) for it in (one, by_name[one["name"]]))
        if before != now:
            message = f"{called} may not be changed\n{difference(before, now)}"
            yield checks.forbidden(_PATH, message)
