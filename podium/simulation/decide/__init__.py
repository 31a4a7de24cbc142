"""`podium decide`: scenarios and eviction questions as JSON lines, and their results."""
