"""What stands in a pod's way, in amounts and names, and what would make it fit."""
