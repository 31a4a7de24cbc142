"""Storage classes, claims and persistent volumes, and which volume a claim gets."""
