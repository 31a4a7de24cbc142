"""Experiments: the same scenarios and seeds under different settings, and what differs.

`run` plays one scenario with one seed and measures it, and `executors` plays many runs at once.
`comparison` pairs the runs of two sides; `sweep` tries settings, all of them or by a search.
"""
