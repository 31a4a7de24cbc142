"""Kinds that CustomResourceDefinitions bring: what is done with their objects, and the definitions.

Objects are pruned, completed and judged by the structural schema of the version that they come
in. Rules in CEL (`x-kubernetes-validations`) are kept and shown, but not evaluated; whoever
writes a definition with such rules is warned.
"""
