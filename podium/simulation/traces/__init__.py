"""Traces of other formats as scenarios. `openb.py` reads one format, `scenario_text.py` writes."""
