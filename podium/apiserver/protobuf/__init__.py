"""Protobuf bodies of the kinds that clients only send in this encoding.

Since 1.32, kubectl always sends some kinds in Protobuf: those of `kubectl create`, `autoscale`,
`debug` and `auth can-i`, and evictions. Only these can be decoded, without fields that only
components write, such as lists in the status of a pod. Responses are never in Protobuf.
"""
