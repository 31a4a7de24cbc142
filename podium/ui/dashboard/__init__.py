"""The dashboard: serves a cluster to a page in a browser, live or after a run."""
