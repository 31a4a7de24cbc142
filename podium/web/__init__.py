"""The dashboard: what a page in a browser is told of a cluster, live or of a run that is over."""
