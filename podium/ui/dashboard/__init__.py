"""The dashboard: a web page of a running cluster, or of a finished run."""
