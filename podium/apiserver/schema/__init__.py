"""The types of the fields of all kinds, and how patches merge them, as data.

Decoding checks objects by them; patches and server-side apply merge by them.

Source: the OpenAPI document that Kubernetes v1.36 publishes.
"""
