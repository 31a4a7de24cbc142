"""Advice about a cluster; each answer is a play of the same engine, and names its witnesses."""
