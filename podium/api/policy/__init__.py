"""Policies that several components evaluate: disruption budgets and quotas."""
