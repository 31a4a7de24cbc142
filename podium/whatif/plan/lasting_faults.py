"""What isn't healthy in the state of a plan, and stays so."""

from collections.abc import Iterator

from podium.api.objects import Object, condition_of, key, name
from podium.api.values.counts import count, listed
from podium.kubelet.simulated.behaviour import is_stuck
from podium.whatif.plan.play import Play

_SHOWN_MAX = 3
_STAYS = "{0} of the state {1} so: {2}; --assume-healthy has {3} recover"


def lasting_faults(play: Play) -> Iterator[str]:
    """Sentences about pods that aren't ready and nodes that aren't Ready, as the state says."""
    pods = [key(pod) for pod in play.pods_before if is_stuck(pod)]
    nodes = [name(node) for node in play.facts.of("Node") if _is_unready(node)]
    for noun, names in (("pod", pods), ("node", nodes)):
        if names:
            verbs, them = ("isn't ready and stays", "it")
            if len(names) > 1:
                verbs, them = ("aren't ready and stay", "them")
            yield _STAYS.format(count(len(names), noun), verbs, listed(names, _SHOWN_MAX), them)


def _is_unready(node: Object) -> bool:
    ready = condition_of(node, "Ready")
    return ready is not None and ready.get("status") != "True"
