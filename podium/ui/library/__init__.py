"""The library for notebooks and scripts: what the commands do, with the same words, as objects.

`podium.load` and the other functions are these. They read what the command line would read, ask
what it would ask, and return its reports, which show themselves in notebooks.
What can't be read, isn't there or is wrong raises a `podium.api.errors.PodiumError`.
"""

from podium.ui.answers.answer import Answer
from podium.ui.library.functions import (
    benchmark,
    compare,
    decisions,
    import_trace,
    lint,
    simulate,
    snapshot,
    sweep,
)
from podium.ui.library.loaded_cluster import LoadedCluster, load
from podium.ui.schemas import schema

__all__ = ["Answer", "LoadedCluster", "benchmark", "compare", "decisions", "import_trace"]
__all__ += ["lint", "load", "schema", "simulate", "snapshot", "sweep"]
