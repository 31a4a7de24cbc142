"""Open files: every connection is one, and systems allow few of them unless they are asked."""

import resource

_WANTED = 65_536


def allow_many_descriptors() -> int:
    """Let this process have as many open files as it may; how many that are."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _WANTED if hard == resource.RLIM_INFINITY else min(_WANTED, hard)
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        return soft
    resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    return wanted
