"""Scenarios: a cluster, what its users do to it and when, and what should come of it.

`scenario_runner` runs a `Scenario` on a virtual cluster, `check_evaluator` evaluates its
assertions, `drain` evicts pods as kubectl does, and `simulation_report` gives the outcome as JSON.
"""
