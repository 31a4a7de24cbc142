"""User interfaces: command line, Python library, dashboard, terminal view, output formats."""
