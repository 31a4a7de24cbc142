"""Commands that run a process or print a fact; the other commands ask a question."""
