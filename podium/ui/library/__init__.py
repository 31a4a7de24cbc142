"""The Python library: functions that do what the commands do, with options as parameters.

The functions return the commands' reports, which display themselves in notebooks. They raise
`podium.PodiumError` for invalid arguments and for inputs that can't be read.
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
