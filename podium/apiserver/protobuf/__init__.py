"""Protobuf: the encoding that many clients prefer to JSON, as far as they insist on it.

Answers are never written in it, and most requests aren't read in it; clients can be told to use
JSON. But kubectl can't: since 1.32, it writes some kinds in Protobuf whatever the server says, such
as those of `kubectl create`, `autoscale`, `debug` and `auth can-i`, and evictions. These are read,
and no others; of what only components write, such as lists in the status of a pod, nothing is.
"""

from podium.apiserver.protobuf.messages import PREFIX, is_read, read_protobuf

__all__ = ["PREFIX", "is_read", "read_protobuf"]
