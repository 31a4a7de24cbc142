"""How the lines of a run are told apart."""

CLASS, NODE, ZONE, CLUSTER = "class", "node", "zone", "cluster"
"""What a line may be of."""

Line = tuple[str, str, str]
"""What is measured, of what (one of the above), and of which one."""
