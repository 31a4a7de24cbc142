"""Output streams of commands, guarded against control characters and closed pipes."""
