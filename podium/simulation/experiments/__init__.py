"""Experiments: scenarios are run with several seeds under different settings, and compared.

`run` runs one scenario with one seed and measures it, and `executors` run many at the same time.
`comparison` compares two configurations in pairs of runs; `sweep` tries all settings, or searches.
"""
