"""Scores of resources, used by NodeResourcesFit and NodeResourcesBalancedAllocation."""
