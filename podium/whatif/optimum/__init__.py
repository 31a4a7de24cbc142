"""The least disruption that gives pending pods a place, for comparison with the scheduler's.

An exact solver finds it, starting at `solver.solve`, and the scheduler's filters verify it.
"""
