"""The scheduling framework: extension points, the scheduling cycle, and its decisions."""
