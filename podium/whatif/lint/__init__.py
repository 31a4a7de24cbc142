"""Lint of clusters and manifests: faults of priorities, disruption budgets, and room for pods.

`linter.lint` checks a `ClusterView` by the rules of `catalogue`, as configured by a
`LintConfiguration`. Reading files and printing are left to callers.
"""
