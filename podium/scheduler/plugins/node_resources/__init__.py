"""Scoring of resources, shared by NodeResourcesFit and NodeResourcesBalancedAllocation."""
