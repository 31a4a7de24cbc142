"""Lint of clusters and manifests: faults of priorities, disruption budgets, and room for pods.

`linter.lint` checks a `ClusterView` by the rules that a `LintConfiguration` enables.
"""
