"""The rules: a file a subject, each with the rules about it as `RULES`."""
