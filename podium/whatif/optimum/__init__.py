"""The least disruption that places pending pods, for comparison with the scheduler's decisions.

`solver.solve` finds it by an integer program, and verifies it by the scheduler's filters.
"""
