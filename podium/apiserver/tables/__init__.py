"""Tables: what `kubectl get` prints, made from objects by the kind's columns.

The columns, their order and their cells are those that kube-apiserver v1.36 answers with when it
is asked for a `Table` (meta.k8s.io/v1). Ages are told as of a time that is passed in.
"""

from podium.api.objects import Object
from podium.apiserver.tables.columns import Column
from podium.apiserver.tables.kinds import COLUMNS, columns_of
from podium.apiserver.tables.rows import definitions, partial_metadata, rows

__all__ = [
    "COLUMNS",
    "Column",
    "Object",
    "columns_of",
    "definitions",
    "partial_metadata",
    "rows",
]
