"""The command line: one file a command. It parses, prints and exits; what is decided elsewhere."""
