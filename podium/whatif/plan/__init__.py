"""What-if: a state and changes in, an outcome out.

`planning.plan` plays a plan, `explain/` lists all decisions about one pod of it, and
`fail_on` checks a plan against conditions. Nothing here reads files or prints.
"""
