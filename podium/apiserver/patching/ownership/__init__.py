"""Managers of fields: server-side apply, and managedFields after other writes.

`typed_values` walks values by their types to get sets of fields (`field_sets`), which `owners`
keeps by manager in managedFields.
"""

from podium.apiserver.patching.ownership.apply import apply_configuration
from podium.apiserver.patching.ownership.owners import track, with_old_times

__all__ = ["apply_configuration", "track", "with_old_times"]
