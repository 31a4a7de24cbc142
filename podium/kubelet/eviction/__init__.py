"""Node-pressure eviction as the kubelet v1.36 does it: decisions only, without I/O.

`eviction_manager` decides round by round from statistics; the other files are what it decides with,
one subject each. docs/node-pressure.md says how they fit together.
"""
