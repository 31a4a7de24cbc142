"""Storage classes, claims and persistent volumes, and the choice of a volume for a claim."""
