"""Files that only their owner may read, whoever may enter their directory."""

import os

OWNER_ONLY = 0o600
"""The mode of such a file."""


def owner_only(path: str, flags: int) -> int:
    """Open a file for its owner only, whatever it allowed before; an opener for `open`."""
    descriptor = os.open(path, flags, OWNER_ONLY)
    try:
        os.fchmod(descriptor, OWNER_ONLY)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor
