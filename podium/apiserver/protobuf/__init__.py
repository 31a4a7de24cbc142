"""Protobuf: the encoding that many clients prefer to JSON, as far as they insist on it.

Since 1.32, kubectl writes some kinds in it whatever the server says, such as those of `kubectl
create`, `autoscale`, `debug` and `auth can-i`, and evictions. Only these are read, without what
only components write, such as lists in the status of a pod; answers are never written in it.
"""

from podium.apiserver.protobuf.messages import PREFIX, is_read, read_protobuf

__all__ = ["PREFIX", "is_read", "read_protobuf"]
