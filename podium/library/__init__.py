"""The library for notebooks and scripts: what the commands do, with the same words, as objects.

`podium.load` and the other functions are these. They read what the command line would read, ask
what it would ask, and return its reports, which show themselves in notebooks.
"""

from podium.library.answer import Answer
from podium.library.loaded_cluster import LoadedCluster, load
from podium.library.playing import compare, lint, simulate, sweep

__all__ = ["Answer", "LoadedCluster", "compare", "lint", "load", "simulate", "sweep"]
