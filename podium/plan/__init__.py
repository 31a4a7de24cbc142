"""What-if: a state and changes in, an outcome out.

`run.plan` decides about all pods, `explaining.explain_pod` about one in every detail; `report` has
the outcomes as plain values for JSON and YAML. Nothing here reads files or prints.
"""
