"""The Job controller: runs pods to completion, and counts each finished pod exactly once."""
