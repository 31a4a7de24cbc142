"""The embedded cluster: all components in one process, by the wall clock, served over HTTP."""
