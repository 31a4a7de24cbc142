"""What a patch makes of an object, and who owns which of its fields afterwards.

`apply_patch` carries out JSON patches, JSON merge patches and strategic merge patches, and
`apply_configuration` server-side apply; `track` notes in managedFields what other writes have set.
"""

from podium.apiserver.patching.ownership import apply_configuration, track, with_old_times
from podium.apiserver.patching.patch_maker import make_patch
from podium.apiserver.patching.patch_result import Patched, apply_patch

__all__ = [
    "Patched",
    "apply_configuration",
    "apply_patch",
    "make_patch",
    "track",
    "with_old_times",
]
