"""The host of a real node: processes, files, logs and measurements, without decisions."""
