"""Lint: what of a cluster, or of manifests, priorities, budgets and room will suffer from.

`linter.lint` judges a `ClusterView` by the rules of `catalogue`, as a `LintConfiguration` has
them. Nothing here reads what is judged, or prints.
"""
