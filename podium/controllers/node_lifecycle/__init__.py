"""The node lifecycle controller: who watches nodes, and taints those that fail or are unwell."""
