"""Protobuf bodies of the kinds that clients send in no other encoding.

Since 1.32, kubectl sends some kinds in Protobuf in any case: those of `kubectl create`,
`autoscale`, `debug` and `auth can-i`, and evictions. Only these are read, without fields that only
components write, such as lists in the status of a pod; answers are never written in it.
"""

from podium.apiserver.protobuf.messages import PREFIX, is_read, read_protobuf

__all__ = ["PREFIX", "is_read", "read_protobuf"]
