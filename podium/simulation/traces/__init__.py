"""Traces of other formats as scenarios. `openb.py` reads one format, and writes it as YAML."""
