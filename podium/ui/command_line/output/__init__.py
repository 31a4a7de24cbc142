"""Output of commands: printing, tables, stories, pictures and files."""
