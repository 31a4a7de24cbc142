"""Amounts and names behind the refusal of a pod, and changes that would make it fit."""
