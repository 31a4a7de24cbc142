"""Admission: what happens to an object between defaulting and validation.

Each plugin takes an object and gives back the object to go on with, the same one if there was
nothing to do, or a `Refusal`. For pods kube-apiserver asks in this order: priority, tolerations,
runtime class.
"""
