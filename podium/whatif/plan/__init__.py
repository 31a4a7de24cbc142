"""What-if: a state and changes in, an outcome out.

`planning.plan` plays a plan, `pod_explanations.explain_pod` lists all decisions about one pod of
it, and `gates` checks a plan against conditions. Nothing here reads files or prints.
"""
