"""The embedded cluster: everything in one process, served over HTTP, live.

`cluster_clock` makes a virtual cluster's time pass by the clock, `cluster` puts it together with
its data directory and the server.
"""
