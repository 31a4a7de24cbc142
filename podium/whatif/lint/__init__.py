"""Lint of clusters and manifests: faults of priorities, disruption budgets, and room for pods.

`linter.lint` checks a `ClusterView` by all rules, as configured by a
`LintConfiguration`. Reading files and printing are left to callers.
"""
