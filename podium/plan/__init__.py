"""What-if: a state and changes in, an outcome out.

`planning.plan` plays a plan, `explaining.explain_pod` tells all decisions about one pod of it,
`gates` says what of a plan somebody doesn't want. Nothing here reads files or prints.
"""
