"""`podium decide`: reads scenarios and eviction questions as JSON lines, and writes results so."""
