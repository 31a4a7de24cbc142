"""What people touch: command line, Python library, dashboard, terminal view, writers of answers."""
