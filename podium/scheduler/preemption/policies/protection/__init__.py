"""Pods that may not be preempted for a while, or by some, though their priority is lower."""
