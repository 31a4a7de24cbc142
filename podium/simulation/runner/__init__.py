"""Scenarios: a cluster, what its users do to it and when, and what should come of it.

`scenario_file` reads a `Scenario`, `scenario_runner` runs it on a virtual cluster, `timeline`
observes that cluster, `timeline_sentences` puts the timeline into words, and `simulation_report`
into JSON.
"""
