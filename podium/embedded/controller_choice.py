"""Which controllers run, by a list like kube-controller-manager's `--controllers`."""

from collections.abc import Iterable, Mapping

from podium.cluster import CONTROLLERS, ClusterOptions
from podium.cluster.setup import controllers
from podium.embedded.defaults import ALL_CONTROLLERS

_ALSO_CALLED: Mapping[str, str] = {
    "endpoints-controller": "endpoint-controller",
    "garbage-collector-controller": "generic-garbage-collector",
    "persistentvolume-binder-controller": "persistentvolume-controller",
    "persistentvolumeclaim-protection-controller": "pvc-protection-controller",
    "pod-garbage-collector-controller": "pod-garbage-collector",
    "replicationcontroller-controller": "replication-controller",
}
"""kube-controller-manager's names of those that act under others."""


def chosen_controllers(words: Iterable[str]) -> frozenset[str]:
    """The names of the controllers that run.

    Args:
        words: `*` for all, a name, or `-` and a name; of one controller the first word counts.

    Raises:
        UnknownController: there is none of a name.
    """
    listed: dict[str, bool] = {}
    has_all = False
    for word in words:
        if word == ALL_CONTROLLERS:
            has_all = True
            continue
        name = word.removeprefix("-")
        listed.setdefault(_ALSO_CALLED.get(name, name), not word.startswith("-"))
    # Complains of names that nobody has.
    list(controllers(ClusterOptions(controllers=frozenset(listed))))
    return frozenset(name for name in CONTROLLERS if listed.get(name, has_all))
