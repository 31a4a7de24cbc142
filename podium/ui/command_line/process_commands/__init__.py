"""The commands that run a process or print a fact, one file each; the others ask a question."""
