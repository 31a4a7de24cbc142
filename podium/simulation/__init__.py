"""Scenarios: a cluster, what its users do to it and when, and what is to come of it.

`reading` makes a `Scenario` of a file, `simulating` plays it on a virtual cluster, `observing`
notes what happens, `telling` makes sentences of that, and `report` JSON.
"""
