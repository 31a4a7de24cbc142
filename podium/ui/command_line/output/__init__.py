"""Output of commands: streams of the process, and what an answer failed on."""
