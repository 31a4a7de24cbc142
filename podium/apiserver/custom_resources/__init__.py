"""CustomResourceDefinitions, and the objects of their kinds.

Objects are pruned, defaulted and validated by the structural schema of their version. CEL rules
(`x-kubernetes-validations`) are stored but not evaluated; clients get a warning.
"""
