"""Patches, and the managers that own the fields of an object."""

from podium.apiserver.patching.ownership.owners import apply_configuration, track, with_old_times
from podium.apiserver.patching.patch_result import PatchRequest, apply_patch
from podium.apiserver.patching.strategic import make_patch

__all__ = [
    "PatchRequest",
    "apply_configuration",
    "apply_patch",
    "make_patch",
    "track",
    "with_old_times",
]
