"""CustomResourceDefinitions, and the objects of their kinds.

Objects are pruned, completed and validated by the structural schema of their version. Rules in CEL
(`x-kubernetes-validations`) are stored, but not evaluated, about which clients are warned.
"""
