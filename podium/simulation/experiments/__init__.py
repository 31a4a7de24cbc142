"""Experiments: the same scenarios and seeds under different settings, and what differs.

A `run` plays one scenario with one seed and measures it. `comparison` pairs the runs of two sides;
`sweep` tries all settings of a grid, or searches among many. `executors` plays their runs on local
cores, `dask_executor` on Dask, and `trial_journal` keeps known results, so that a stopped sweep can
be continued.
"""
