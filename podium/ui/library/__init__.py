"""The Python library: functions that do what the commands do, with the options as parameters.

They return the reports of the commands, which display themselves in notebooks, and raise a
`podium.api.errors.PodiumError` for wrong arguments and inputs that can't be read.
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
