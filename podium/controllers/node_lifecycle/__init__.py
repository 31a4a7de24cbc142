"""The node lifecycle controller: watches nodes, and taints those that fail or are unwell."""
