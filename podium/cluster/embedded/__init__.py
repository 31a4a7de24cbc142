"""The embedded cluster: all components in one process, by the clock, served over HTTP."""
