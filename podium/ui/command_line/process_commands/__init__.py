"""Commands that run a process or print information; other commands are questions."""
