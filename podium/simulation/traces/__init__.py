"""The import of traces as scenarios; `openb.py` is for the openb format."""
