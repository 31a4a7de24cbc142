"""What must hold in every storm, whatever goes wrong, and what must be well afterwards.

Checkers look at what is stored and called alone, not at what any machine says of itself.
"""

from podium.cluster.virtual import Cluster
from tests.simulation.runner.checkers.checker import Checker
from tests.simulation.runner.checkers.endings import Endings
from tests.simulation.runner.checkers.evictions import Evictions
from tests.simulation.runner.checkers.taints import TaintEvictions
from tests.simulation.runner.checkers.wholeness import lacking

__all__ = ["Checker", "lacking", "look_on"]


def look_on(cluster: Cluster, patience_s: float) -> list[Checker]:
    """Have all checkers look on from now on."""
    kinds = (Evictions, Endings, TaintEvictions)
    return [kind(cluster, patience_s) for kind in kinds]
