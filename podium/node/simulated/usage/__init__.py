"""What simulated pods and nodes use, as annotations script it."""
