"""The least disruption that gives pods a place, found by an exact solver, to compare with.

`solver.solve` is the way in. Nothing is decided by it: what the solver finds is judged by the same
filters that decide, and told.
"""
