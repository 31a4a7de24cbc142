"""What people touch: command line, Python library, dashboard, terminal view, and the writers of answers."""
