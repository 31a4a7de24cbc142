"""Who owns which fields of an object: server-side apply, and what other writes make of it.

Sets of fields (`field_sets`) are walked together with values and their types (`typed_values`);
managedFields hold them by manager (`owners`).
"""

from podium.apiserver.patching.ownership.apply import apply_configuration
from podium.apiserver.patching.ownership.owners import track, with_old_times

__all__ = ["apply_configuration", "track", "with_old_times"]
