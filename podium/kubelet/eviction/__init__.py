"""The decisions of node-pressure eviction in the kubelet v1.36 (docs/node-pressure.md)."""
