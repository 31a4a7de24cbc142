"""Output of commands: guarded streams, and the findings of an answer."""
