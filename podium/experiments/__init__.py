"""Experiments: the same scenarios and seeds under different settings, and what differs.

A `run` plays one scenario with one seed and measures it. `comparison` pairs the runs of two sides;
`grid` and `search` try settings, `executors` plays their runs on local cores or on Dask, and
`journal` keeps what is known, so that a sweep goes on where it was stopped.
"""
