"""The machine that a real node is: processes, files, logs and meters, and nothing that decides."""
