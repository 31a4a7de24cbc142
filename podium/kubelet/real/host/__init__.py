"""The host of a real node: its processes, files, logs and measurements."""
